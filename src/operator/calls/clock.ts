/**
 * The venue's clock as the operator sees it, and what becomes of a leap of the system's: accepted or refused.
 *
 * Falls due  what accepting would bring about by time alone, until the system's time; null while nothing is to be decided
 * Source     design.md §4.44
 */
import { formatDecimal } from '../../engine/numbers/numbers.ts'
import type { Core, VenueClock } from '../../runtime/runtime.ts'
import { CallRefused } from './refusals.ts'

export type DecidedClock = Pick<VenueClock, 'view' | 'accept' | 'refuse'>

interface Ports {
  readonly clock: DecidedClock
  readonly core: Pick<Core, 'query'>
}

export function clockShown({ clock, core }: Ports): Record<string, unknown> {
  const { leap, lastStamp, ...view } = clock.view()
  return {
    ...view,
    lastStamp: lastStamp === 0 ? null : lastStamp,
    leap: leap?.kind ?? 'none',
    leapMs: leap?.ms ?? 0,
    fallsDue: leap === undefined ? null : fallsDueShown(core, view.system),
  }
}

/** Interest in units of each coin, contracts by their symbols. */
export function fallsDueShown(core: Pick<Core, 'query'>, by: number): Record<string, unknown> {
  const { interestHours, interest, funding, countdowns } = core.query({ kind: 'falls-due', by })
  const { coins, instruments } = core.query({ kind: 'catalog' })
  return {
    interestHours,
    interest: Object.fromEntries(interest.map(({ coin, units }) => [coins[coin].name, formatDecimal(units, 8)])),
    funding: funding.map((id) => `${instruments[id].symbol} (${instruments[id].category})`),
    countdowns,
  }
}

export function acceptLeap(ports: Ports): Record<string, unknown> {
  if (!ports.clock.accept()) throw nothingToDecide(ports)
  return clockShown(ports)
}

export function refuseLeap(ports: Ports): Record<string, unknown> {
  if (!ports.clock.refuse()) throw nothingToDecide(ports)
  return clockShown(ports)
}

function nothingToDecide({ clock }: Ports): CallRefused {
  if (clock.view().kind !== 'system') {
    return new CallRefused(409, 'clock-manual', 'the clock of this venue is moved by hand: it does not leap')
  }
  return new CallRefused(409, 'clock-agrees', 'the system clock is followed: there is no leap to accept or refuse')
}
