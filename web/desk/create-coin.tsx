/** A new coin: its price, what it costs to borrow, and what it counts for in unified accounts. */
import { useState } from 'preact/hooks'
import { NumberField, TextField } from '../parts/field.tsx'
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices } from '../words/words.ts'
import { ActDialog } from './act-dialog.tsx'
import { NumberRows } from './number-rows.tsx'
import { act } from './operator.ts'

type Words = DeskMessages['listing']
type Terms = Readonly<Partial<Record<keyof Words['coinFields'], string>>>
type Slice = Readonly<Record<keyof Words['sliceFields'], string>>

/** What holds where nothing is given. */
const defaults = (): Required<Terms> => ({
  borrowLimit: desk.listing.nothing,
  lendingPoolLimit: desk.listing.asOne,
  dailyInterestRate: '0',
  maxLeverage: '3',
  debtInitialRate: '0.1',
  debtMaintenanceRate: '0.04',
})

export function CreateCoin({ onClose }: { onClose: () => void }) {
  const [coin, setCoin] = useState('')
  const [price, setPrice] = useState('')
  const [terms, setTerms] = useState<Terms>({})
  const [collateral, setCollateral] = useState<readonly Slice[]>([])
  const run = async () => {
    const given = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== ''))
    await act('coins', { coin, price, ...given, ...(collateral.length > 0 && { collateral }) })
    return desk.listing.listed(coin.toUpperCase())
  }
  return (
    <ActDialog title={desk.listing.coin} verb={desk.listing.verb} wide run={run} onClose={onClose}>
      <div class="many">
        <TextField label={desk.listing.name} name="coin" value={coin} onChange={setCoin} />
        <NumberField label={desk.coins.indexPrice} name="price" value={price} onChange={setPrice} unit="USD" />
        {choices(desk.listing.coinFields).map(([name, label]) => (
          <NumberField
            key={name}
            label={label}
            name={name}
            value={terms[name] ?? ''}
            onChange={(value) => setTerms({ ...terms, [name]: value })}
            placeholder={defaults()[name]}
          />
        ))}
      </div>
      <NumberRows
        name="collateral"
        legend={desk.listing.slices}
        labels={desk.listing.sliceFields}
        rows={collateral}
        next={(last) => ({ to: '', ratio: last?.ratio ?? '' })}
        least={0}
        more={desk.listing.sliceMore}
        less={desk.listing.tierLess}
        onChange={setCollateral}
      />
      <p class="quiet">{desk.listing.coinStays}</p>
    </ActDialog>
  )
}
