/** Scenarios and index prices: what is asked before they are sent. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField } from '../parts/field.tsx'
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
    const where = begun.coin ?? desk.scenario.allCoins
    return desk.scenario.begun(named(t.lab.scenarioNames, begun.name), where, begun.minutesLeft)
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
