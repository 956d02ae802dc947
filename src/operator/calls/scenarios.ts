/**
 * What the operator may make the simulated market do for a while (docs/market.md).
 *
 * Journal  a scenario changes what the agents do; their commands are journaled like any others, the scenario is not
 * Source   design.md §6
 */
import { coinByName } from '../../engine/catalog/catalog.ts'
import type { Core } from '../../runtime/runtime.ts'
import { type ScenarioName, scenarioNames, type Simulator } from '../../simulator/simulator.ts'
import { body, coinName, optional, wholeNumber, word } from './fields.ts'
import { CallRefused, fieldWrong, unknownThing } from './refusals.ts'

/** What of the simulator the operator reaches. */
export type SimulatedMarket = Pick<Simulator, 'begin' | 'end' | 'scenario'>

interface Ports {
  readonly core: Core
  /** Undefined: the simulator is off. */
  readonly market: SimulatedMarket | undefined
}

interface Asked {
  readonly name: ScenarioName | 'none'
  readonly minutes?: number | undefined
  readonly coin?: string | undefined
}

export const scenarioBody = body({
  name: word([...scenarioNames, 'none']),
  minutes: optional(wholeNumber(1, 60)),
  coin: optional(coinName),
})

export function beginScenario({ name, minutes, coin }: Asked, ports: Ports) {
  const market = runningMarket(ports)
  if (name === 'none') {
    if (minutes !== undefined || coin !== undefined) {
      throw fieldWrong(minutes === undefined ? 'coin' : 'minutes', 'is not expected: none ends what runs')
    }
    market.end()
    return scenarioShown(ports)
  }
  const found = coin === undefined ? undefined : coinByName(ports.core.query({ kind: 'catalog' }), coin)
  if (coin !== undefined && found === undefined) throw unknownThing('coin', coin, 'coin')
  if (market.begin(name, found?.id, minutes) === undefined) {
    const rule = 'has no contract with a leverage of 20 and an account of the simulator to play it in'
    const said = `${coin ?? 'BTC'} ${rule}`
    throw new CallRefused(409, 'scenario-impossible', `coin: ${said}`, [{ field: 'coin', rule: said }])
  }
  return scenarioShown(ports)
}

export function scenarioShown(ports: Ports) {
  const running = runningMarket(ports).scenario()
  if (running === undefined) return { name: 'none', coin: null, minutesLeft: 0 }
  const { coins } = ports.core.query({ kind: 'catalog' })
  const { name, coin, minutesLeft } = running
  return { name, coin: coin === undefined ? null : coins[coin]?.name, minutesLeft }
}

function runningMarket({ market }: Ports): SimulatedMarket {
  if (market !== undefined) return market
  throw new CallRefused(
    409,
    'simulator-off',
    'the venue has no simulated market: start a demo venue with --simulator on',
  )
}
