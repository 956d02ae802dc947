/** A new pair or contract: its coins, its steps, its fees, and of a contract leverage, tiers and funding. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField, TextField } from '../parts/field.tsx'
import { categories, type Category } from '../venue/categories.ts'
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices, t } from '../words/words.ts'
import { ActDialog } from './act-dialog.tsx'
import { NumberRows } from './number-rows.tsx'
import { act } from './operator.ts'
import type { Coin } from './records.ts'
import { useRead } from './use-read.ts'

type Words = DeskMessages['listing']
type NumberName = keyof Words['fields'] | keyof Words['contractFields']
type Tier = Readonly<Record<keyof Words['tierFields'], string>>
const newTier: Tier = { from: '0', to: '', maxLeverage: '', maintenanceRate: '' }

export function CreateInstrument({ onClose }: { onClose: () => void }) {
  const coins = (useRead<readonly Coin[]>('coins').data ?? []).map(({ coin }) => [coin, coin] as const)
  const [category, setCategory] = useState<Category>('SPOT')
  const [symbol, setSymbol] = useState('')
  const [baseCoin, setBaseCoin] = useState('')
  const [quoteCoin, setQuoteCoin] = useState('USDT')
  const [fundInterval, setFundInterval] = useState<'1' | '2' | '4' | '8'>('8')
  const [given, setGiven] = useState<Readonly<Partial<Record<NumberName, string>>>>({})
  const [tiers, setTiers] = useState<readonly Tier[]>([newTier])
  const isContract = category !== 'SPOT' && category !== 'MARGIN'
  const field = ([name, label]: readonly [NumberName, string]) => (
    <NumberField
      key={name}
      label={label}
      name={name}
      value={given[name] ?? ''}
      onChange={(value) => setGiven({ ...given, [name]: value })}
    />
  )
  const run = async () => {
    const asked = Object.entries(given).filter(
      ([name, value]) => value !== '' && (isContract || !(name in desk.listing.contractFields)),
    )
    const contract = isContract && { fundInterval, tiers }
    const names = { category, symbol, baseCoin: baseCoin || null, quoteCoin }
    await act('instruments', { ...names, ...Object.fromEntries(asked), ...contract })
    return desk.listing.listed(`${symbol.toUpperCase()} (${category})`)
  }
  return (
    <ActDialog title={desk.listing.instrument} verb={desk.listing.verb} wide run={run} onClose={onClose}>
      <div class="many">
        <SelectField
          label={t.common.category}
          name="category"
          value={category}
          options={categories.map((one) => [one, t.categories[one]] as const)}
          onChange={(chosen) => {
            setCategory(chosen)
            setQuoteCoin(quoteOf[chosen])
          }}
        />
        <TextField label={desk.listing.symbol} name="symbol" value={symbol} onChange={setSymbol} />
        <SelectField
          label={desk.listing.baseCoin}
          name="baseCoin"
          value={baseCoin}
          options={[['', desk.listing.choose], ...coins]}
          onChange={setBaseCoin}
        />
        <SelectField
          label={desk.listing.quoteCoin}
          name="quoteCoin"
          value={quoteCoin}
          options={category === 'COIN-FUTURES' ? [['USD', 'USD'], ...coins] : coins}
          onChange={setQuoteCoin}
        />
        {choices(desk.listing.fields).map(field)}
        {isContract && choices(desk.listing.contractFields).map(field)}
        {isContract && (
          <SelectField
            label={desk.listing.fundInterval}
            name="fundInterval"
            value={fundInterval}
            options={(['1', '2', '4', '8'] as const).map((hours) => [hours, hours] as const)}
            onChange={setFundInterval}
          />
        )}
      </div>
      {isContract && (
        <NumberRows
          name="tiers"
          legend={desk.listing.tiers}
          labels={desk.listing.tierFields}
          rows={tiers}
          next={(last) => ({ ...newTier, from: last?.to ?? '0' })}
          least={1}
          more={desk.listing.tierMore}
          less={desk.listing.tierLess}
          onChange={setTiers}
        />
      )}
      <p class="quiet">{desk.listing.stays}</p>
    </ActDialog>
  )
}

const quoteOf: Record<Category, string> = {
  SPOT: 'USDT',
  MARGIN: 'USDT',
  'USDT-FUTURES': 'USDT',
  'COIN-FUTURES': 'USD',
  'USDC-FUTURES': 'USDC',
}
