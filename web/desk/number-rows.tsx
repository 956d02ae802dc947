/** Rows of numbers in a dialog, such as tiers: one after another, one more or one less. */
import { FieldGroup, NumberField } from '../parts/field.tsx'
import { desk } from '../words/desk.ts'
import { choices } from '../words/words.ts'

type Row<K extends string> = Readonly<Record<K, string>>

interface NumberRowsProps<K extends string> {
  /** Fields are called `tiers.0.from`, as faults name them. */
  readonly name: string
  readonly legend: string
  readonly labels: Readonly<Record<K, string>>
  readonly rows: readonly Row<K>[]
  /** The row to begin with after the last one. */
  readonly next: (last: Row<K> | undefined) => Row<K>
  /** So many there always are. */
  readonly least: number
  readonly more: string
  readonly less: string
  readonly onChange: (rows: readonly Row<K>[]) => void
}

export function NumberRows<K extends string>(props: NumberRowsProps<K>) {
  const { name, legend, labels, rows, next, least, more, less, onChange } = props
  return (
    <FieldGroup legend={legend} name={name} class="tiers">
      {rows.map((row, place) => (
        <div key={place} class="tier">
          {choices(labels).map(([field, label]) => (
            <NumberField
              key={field}
              label={desk.listing.nth(label, place + 1)}
              name={`${name}.${place}.${field}`}
              value={row[field]}
              onChange={(value) => onChange(rows.with(place, { ...row, [field]: value }))}
            />
          ))}
        </div>
      ))}
      <div class="deeds">
        <button type="button" data-action={`more-${name}`} onClick={() => onChange([...rows, next(rows.at(-1))])}>
          {more}
        </button>
        <button type="button" disabled={rows.length <= least} onClick={() => onChange(rows.slice(0, -1))}>
          {less}
        </button>
      </div>
    </FieldGroup>
  )
}
