/** A new pair or contract: its coins, its steps, its fees, and of a contract leverage, tiers and funding. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField, TextField } from '../parts/field.tsx'
import { categories, type Category } from '../venue/categories.ts'
import { t } from '../words/words.ts'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Coin } from './records.ts'
import { useRead } from './use-read.ts'

const numbers = {
  pricePrecision: 'Decimals of a price',
  priceMultiplier: 'Price step (optional)',
  quantityPrecision: 'Decimals of a quantity',
  sizeMultiplier: 'Quantity step (optional)',
  minOrderQty: 'Least quantity',
  maxOrderQty: 'Largest quantity (optional)',
  minOrderAmount: 'Least value of an order',
  makerFeeRate: 'Maker fee, 0.0002 is 0.02%',
  takerFeeRate: 'Taker fee',
  limitPriceRatio: 'Limit price band (optional)',
  marketPriceRatio: 'Market order band (optional)',
} as const
const ofContracts = { maxLeverage: 'Highest leverage', fundingRateCap: 'Funding rate cap (optional)' } as const
type NumberName = keyof typeof numbers | keyof typeof ofContracts

const tierFields = {
  from: 'Value from',
  to: 'Value to',
  maxLeverage: 'Leverage',
  maintenanceRate: 'Maintenance rate',
} as const
type Tier = Readonly<Record<keyof typeof tierFields, string>>
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
  const field = (name: NumberName, label: string) => (
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
      ([name, value]) => value !== '' && (isContract || !(name in ofContracts)),
    )
    const contract = isContract && { fundInterval, tiers }
    const names = { category, symbol, baseCoin: baseCoin || null, quoteCoin }
    await act('instruments', { ...names, ...Object.fromEntries(asked), ...contract })
    return `${symbol.toUpperCase()} (${category}) is listed`
  }
  return (
    <ActDialog title="New instrument" verb="List" wide run={run} onClose={onClose}>
      <div class="many">
        <SelectField
          label="Category"
          name="category"
          value={category}
          options={categories.map((one) => [one, t.categories[one]] as const)}
          onChange={(chosen) => {
            setCategory(chosen)
            setQuoteCoin(quoteOf[chosen])
          }}
        />
        <TextField label="Symbol, such as BTCUSDT" name="symbol" value={symbol} onChange={setSymbol} />
        <SelectField
          label="Base coin"
          name="baseCoin"
          value={baseCoin}
          options={[['', 'Choose'], ...coins]}
          onChange={setBaseCoin}
        />
        <SelectField
          label="Quote coin"
          name="quoteCoin"
          value={quoteCoin}
          options={category === 'COIN-FUTURES' ? [['USD', 'USD'], ...coins] : coins}
          onChange={setQuoteCoin}
        />
        {(Object.entries(numbers) as [NumberName, string][]).map(([name, label]) => field(name, label))}
        {isContract &&
          (Object.entries(ofContracts) as [NumberName, string][]).map(([name, label]) => field(name, label))}
        {isContract && (
          <SelectField
            label="Hours between fundings"
            name="fundInterval"
            value={fundInterval}
            options={(['1', '2', '4', '8'] as const).map((hours) => [hours, hours] as const)}
            onChange={setFundInterval}
          />
        )}
      </div>
      {isContract && <Tiers tiers={tiers} onChange={setTiers} />}
      <p class="quiet">What is listed stays listed: decimals, steps, coins and category never change.</p>
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

function Tiers({ tiers, onChange }: { tiers: readonly Tier[]; onChange: (tiers: readonly Tier[]) => void }) {
  return (
    <fieldset class="tiers">
      <legend class="quiet">Tiers, by the value of a position</legend>
      {tiers.map((tier, place) => (
        <div key={place} class="tier">
          {(Object.entries(tierFields) as [keyof Tier, string][]).map(([name, label]) => (
            <NumberField
              key={name}
              label={`${label} (${place + 1})`}
              name={`tiers.${place}.${name}`}
              value={tier[name]}
              onChange={(value) => onChange(tiers.with(place, { ...tier, [name]: value }))}
            />
          ))}
        </div>
      ))}
      <div class="deeds">
        <button type="button" onClick={() => onChange([...tiers, { ...newTier, from: tiers.at(-1)?.to ?? '0' }])}>
          One tier more
        </button>
        <button type="button" disabled={tiers.length === 1} onClick={() => onChange(tiers.slice(0, -1))}>
          One less
        </button>
      </div>
    </fieldset>
  )
}
