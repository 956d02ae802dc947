/** Scenarios, index prices and new coins: what is asked before they are sent. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField, TextField } from '../parts/field.tsx'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Coin, Scenario } from './records.ts'
import { useRead } from './use-read.ts'
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices, named, t } from '../words/words.ts'

export function BeginScenario({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState<keyof DeskMessages['scenario']['names']>('calm')
  const [minutes, setMinutes] = useState('')
  const [coin, setCoin] = useState('')
  const coins = useRead<readonly Coin[]>('coins').data ?? []
  const run = async () => {
    const begun = await act<Scenario>('scenario', { name, minutes: minutes || null, coin: coin || null })
    const coins = begun.coin ?? desk.scenario.allCoins
    return desk.scenario.begun(named(t.lab.scenarioNames, begun.name), coins, begun.minutesLeft)
  }
  return (
    <ActDialog title={desk.scenario.begin} verb={desk.scenario.verb} run={run} onClose={onClose}>
      <SelectField
        label={desk.scenario.title}
        name="name"
        value={name}
        options={choices(desk.scenario.names)}
        onChange={setName}
      />
      <div class="pair">
        <NumberField
          label={desk.scenario.minutes}
          name="minutes"
          value={minutes}
          onChange={setMinutes}
          placeholder={desk.scenario.itsOwn}
        />
        <SelectField
          label={t.common.coin}
          name="coin"
          value={coin}
          options={[['', desk.scenario.ownChoice], ...coins.map(({ coin: symbol }) => [symbol, symbol] as const)]}
          onChange={setCoin}
        />
      </div>
      <p class="quiet">{desk.scenario.replaces}</p>
    </ActDialog>
  )
}

export function EndScenario({ onClose }: { onClose: () => void }) {
  const run = async () => {
    await act('scenario', { name: 'none' })
    return desk.scenario.ended
  }
  return (
    <ActDialog title={desk.scenario.endAsk} verb={desk.scenario.end} run={run} onClose={onClose}>
      <p>{desk.scenario.endMeans}</p>
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
    if (outOfRange !== undefined) return desk.coins.outOfRange(coin, price, outOfRange.join(', '))
    return desk.coins.isAt(coin, price)
  }
  return (
    <ActDialog
      title={desk.coins.priceOf(coin)}
      verb={isHeld ? desk.coins.confirm : desk.coins.verb}
      danger
      run={run}
      onClose={onClose}
    >
      <NumberField label={desk.coins.price} name={`prices.${coin}`} value={price} onChange={setPrice} unit="USD" />
      {isHeld ? (
        <p class="warn" role="status">
          {desk.coins.held}
        </p>
      ) : (
        <p class="quiet">{desk.coins.means}</p>
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
    return desk.listing.listed(coin.toUpperCase())
  }
  return (
    <ActDialog title={desk.listing.coin} verb={desk.listing.verb} run={run} onClose={onClose}>
      <div class="pair">
        <TextField label={desk.listing.name} name="coin" value={coin} onChange={setCoin} />
        <NumberField label={desk.coins.indexPrice} name="price" value={price} onChange={setPrice} unit="USD" />
      </div>
      <div class="pair">
        <NumberField
          label={desk.listing.borrowLimit}
          name="borrowLimit"
          value={borrowLimit}
          onChange={setBorrowLimit}
          placeholder={desk.listing.nothing}
        />
        <NumberField
          label={desk.listing.dailyInterestRate}
          name="dailyInterestRate"
          value={dailyInterestRate}
          onChange={setDailyInterestRate}
          placeholder="0"
        />
      </div>
      <NumberField
        label={desk.listing.maxLeverage}
        name="maxLeverage"
        value={maxLeverage}
        onChange={setMaxLeverage}
        placeholder="3"
      />
      <p class="quiet">{desk.listing.coinStays}</p>
    </ActDialog>
  )
}
