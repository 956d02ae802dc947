/** Fields of forms: what they are called, their unit, and what is wrong with them, tied together for screen readers. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { parseUnits, stepped, typedDecimal, unitsText } from '../numbers/decimal.ts'

interface NumberFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly unit?: string
  /** Arrow keys go up and down by it, in units. */
  readonly step?: bigint
  readonly fault?: string | undefined
  readonly disabled?: boolean
  readonly placeholder?: string
  readonly name?: string
  readonly aside?: ComponentChildren
}

export function NumberField(props: NumberFieldProps) {
  const { label, value, onChange, unit, step, fault, disabled = false, placeholder = '', aside } = props
  const id = useId()
  const [typed, setTyped] = useState(value)
  const onInput = (text: string) => {
    const next = typedDecimal(text)
    setTyped(next)
    onChange(withoutLastPoint(next))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (step === undefined || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    const by = (event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1)
    onChange(unitsText(stepped(parseUnits(value) ?? 0n, step, by)))
  }
  return (
    <div class={fault === undefined ? 'field' : 'field wrong'}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {aside}
      </div>
      <div class="field-box">
        <input
          id={id}
          name={props.name}
          inputMode="decimal"
          autoComplete="off"
          spellcheck={false}
          value={withoutLastPoint(typed) === value ? typed : value}
          placeholder={placeholder}
          disabled={disabled}
          aria-invalid={fault !== undefined}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {unit !== undefined && <span class="unit">{unit}</span>}
      </div>
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

/** A point with nothing behind it yet stays in the field, and is no part of the number. */
function withoutLastPoint(text: string): string {
  return text.replace(/\.$/, '')
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly secret?: boolean
  readonly name?: string
  readonly autoFocus?: boolean
}

export function TextField({ label, value, onChange, secret = false, name, autoFocus = false }: TextFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
      </div>
      <div class="field-box">
        <input
          id={id}
          name={name}
          {...(secret ? { type: 'password' as const } : {})}
          autoComplete="off"
          spellcheck={false}
          autoFocus={autoFocus}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  )
}

interface SelectFieldProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, text: string])[]
  readonly onChange: (value: T) => void
  readonly name?: string
  /** The label is for screen readers alone. */
  readonly compact?: boolean
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, value, options, onChange, name, compact = false } = props
  const id = useId()
  return (
    <div class={compact ? 'field compact' : 'field'}>
      <div class={compact ? 'unseen' : 'field-head'}>
        <label for={id}>{label}</label>
      </div>
      <div class="field-box">
        <select id={id} name={name} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

export function Check({ label, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}
