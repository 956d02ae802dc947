/** Scenarios, index prices and new coins: what is asked before they are sent. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField, TextField } from '../parts/field.tsx'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Coin, Scenario } from './records.ts'
import { useRead } from './use-read.ts'

const scenarios = [
  ['calm', 'Calm: small steps, thick books'],
  ['trend', 'Trend: prices drift one way'],
  ['crash', 'Crash: a fall, and fewer quotes'],
  ['squeeze', 'Squeeze: a rise that hurts shorts'],
  ['stale-index', 'Stale index: no new prices come'],
  ['adl', 'ADL: a liquidation that counterparties pay for'],
] as const

export function BeginScenario({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState<(typeof scenarios)[number][0]>('calm')
  const [minutes, setMinutes] = useState('')
  const [coin, setCoin] = useState('')
  const coins = useRead<readonly Coin[]>('coins').data ?? []
  const run = async () => {
    const begun = await act<Scenario>('scenario', { name, minutes: minutes || null, coin: coin || null })
    return `${begun.name} in ${begun.coin ?? 'all coins'} for ${begun.minutesLeft} minutes`
  }
  return (
    <ActDialog title="Begin a scenario" verb="Begin" run={run} onClose={onClose}>
      <SelectField label="Scenario" name="name" value={name} options={scenarios} onChange={setName} />
      <div class="pair">
        <NumberField
          label="Minutes, 1 to 60"
          name="minutes"
          value={minutes}
          onChange={setMinutes}
          placeholder="its own"
        />
        <SelectField
          label="Coin"
          name="coin"
          value={coin}
          options={[['', 'Its own choice'], ...coins.map(({ coin: symbol }) => [symbol, symbol] as const)]}
          onChange={setCoin}
        />
      </div>
      <p class="quiet">It takes the place of one that runs.</p>
    </ActDialog>
  )
}

export function EndScenario({ onClose }: { onClose: () => void }) {
  const run = async () => {
    await act('scenario', { name: 'none' })
    return 'The scenario has ended'
  }
  return (
    <ActDialog title="End the scenario?" verb="End it" run={run} onClose={onClose}>
      <p>The simulated market does again what it does by itself. Prices stay where they are.</p>
    </ActDialog>
  )
}

interface PricesSet {
  readonly heldBack?: readonly string[]
  readonly outOfRange?: readonly string[]
}

export function SetPrice({ coin, onClose }: { coin: string; onClose: () => void }) {
  const [price, setPrice] = useState('')
  const [isHeld, setIsHeld] = useState(false)
  const run = async () => {
    const { heldBack, outOfRange } = await act<PricesSet>('prices', { prices: { [coin]: price } })
    if (heldBack !== undefined) {
      setIsHeld(true)
      return undefined
    }
    if (outOfRange !== undefined) return `${coin} is at ${price} USD. Halted, out of range: ${outOfRange.join(', ')}`
    return `${coin} is at ${price} USD`
  }
  return (
    <ActDialog
      title={`Index price of ${coin}`}
      verb={isHeld ? 'Confirm the jump' : 'Set'}
      danger
      run={run}
      onClose={onClose}
    >
      <NumberField label="Price" name={`prices.${coin}`} value={price} onChange={setPrice} unit="USD" />
      {isHeld ? (
        <p class="warn" role="status">
          It jumped, and is held back. What uses it is halted until it is sent once more.
        </p>
      ) : (
        <p class="quiet">
          Marks and margins follow it at once: positions may be liquidated. A feed goes on from there.
        </p>
      )}
    </ActDialog>
  )
}

export function CreateCoin({ onClose }: { onClose: () => void }) {
  const [coin, setCoin] = useState('')
  const [price, setPrice] = useState('')
  const [borrowLimit, setBorrowLimit] = useState('')
  const [dailyInterestRate, setDailyInterestRate] = useState('')
  const [maxLeverage, setMaxLeverage] = useState('')
  const run = async () => {
    const terms = { borrowLimit, dailyInterestRate, maxLeverage }
    const given = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== ''))
    await act('coins', { coin, price, ...given })
    return `${coin.toUpperCase()} is listed`
  }
  return (
    <ActDialog title="New coin" verb="List" run={run} onClose={onClose}>
      <div class="pair">
        <TextField label="Name, such as BTC" name="coin" value={coin} onChange={setCoin} />
        <NumberField label="Index price" name="price" value={price} onChange={setPrice} unit="USD" />
      </div>
      <div class="pair">
        <NumberField
          label="An account may owe"
          name="borrowLimit"
          value={borrowLimit}
          onChange={setBorrowLimit}
          placeholder="nothing"
        />
        <NumberField
          label="Interest of a day, 0.0001 is 0.01%"
          name="dailyInterestRate"
          value={dailyInterestRate}
          onChange={setDailyInterestRate}
          placeholder="0"
        />
      </div>
      <NumberField
        label="Highest leverage of borrowing"
        name="maxLeverage"
        value={maxLeverage}
        onChange={setMaxLeverage}
        placeholder="3"
      />
      <p class="quiet">What is listed stays listed. As collateral it counts nine tenths, up to ten million USD.</p>
    </ActDialog>
  )
}
