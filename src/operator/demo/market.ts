/**
 * The simulated market of a demo venue: started as the venue is told to, or what an earlier run of it left behind withdrawn.
 */
import type { Logger } from 'pino'
import { type Catalog, type Coin, coinByName } from '../../engine/catalog/catalog.ts'
import { readRecordings, type Recordings, Simulator, withdrawQuotes } from '../../simulator/simulator.ts'
import type { Configuration } from '../config/schema.ts'
import { CannotStart } from '../data-directory.ts'
import type { Core } from '../../runtime/core.ts'
import type { OperatorPorts } from '../calls/calls.ts'
import {
  expectFeed,
  expectsFeed,
  lacksSimulatorAccounts,
  openSimulatorAccounts,
  simulatorUids,
  simulatorUidsAll,
} from './venue.ts'

/** What index prices follow in place of the simulated process; read before the doors open, so that a wrong file is no venue. */
export async function recordedPrices(
  { prices }: Configuration,
  runtime: Pick<Core, 'query'>,
  isDemo: boolean,
): Promise<Recordings | undefined> {
  if (prices.length === 0) return undefined
  if (!isDemo) throw new CannotStart('--prices: recorded prices are followed by the simulator of a demo venue only')
  const catalog = runtime.query({ kind: 'catalog' })
  return readRecordings(prices, (name) => coinOfName(catalog, name.toUpperCase())?.name)
}

/** By its own name, or by a symbol that it is the base of. */
function coinOfName(catalog: Catalog, name: string): Coin | undefined {
  const { coins, instruments } = catalog
  const instrument = instruments.find(({ symbol }) => symbol === name)
  return coinByName(catalog, name) ?? (instrument && coins[instrument.base])
}

export interface SimulatedMarketOptions {
  readonly configuration: Configuration
  readonly recordings: Recordings | undefined
  readonly runtime: Core
  readonly closeAtEnd: (close: () => Promise<void>) => void
  readonly log: Logger
}

/** With the simulator off, or a mirror in its place, the agents of an earlier run leave nothing in the books. */
export async function openSimulatedMarket(options: SimulatedMarketOptions): Promise<Simulator | undefined> {
  const { recordings, runtime, closeAtEnd, log } = options
  const { simulator: wanted, mirror, seed, clock } = options.configuration
  if (wanted === 'on' && mirror === '') {
    const simulator = new Simulator({ core: runtime, seed, ...simulatorUids(runtime), recordings, log })
    closeAtEnd(() => simulator.stop())
    // On the manual clock it lives as the clock is moved.
    await (clock === 'manual' ? simulator.open() : simulator.start())
    return simulator
  }
  await withdrawWhatIsLeft(runtime)
  return undefined
}

/** Of a venue whose market another process runs: what is so already is left alone. */
export async function prepareSimulatedMarket(ports: OperatorPorts): Promise<void> {
  if (expectsFeed(ports.core) && !lacksSimulatorAccounts(ports.core)) return
  await openSimulatorAccounts(ports)
  await expectFeed(ports, true)
}

/** Nobody runs it any more: the agents leave the books, and prices stand. */
export async function endSimulatedMarket(ports: OperatorPorts): Promise<void> {
  if (!expectsFeed(ports.core)) return
  await withdrawWhatIsLeft(ports.core)
  await expectFeed(ports, false)
}

async function withdrawWhatIsLeft(core: Core): Promise<void> {
  const everything = { interface: 'v3', category: undefined, instrument: undefined } as const
  const quoting = simulatorUidsAll(core).filter((uid) => {
    return core.query({ kind: 'open-orders', uid, ...everything }).length > 0
  })
  if (quoting.length > 0) await withdrawQuotes(core, quoting)
}
