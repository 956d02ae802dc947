/**
 * The whole engine, Engine.apply: admission, holds, matching, settlement and events over 100,000 accounts:
 * `npm run bench -- engine [--quick] [--profile]`.
 *
 * Mix      engine/tape.ts: a twin draws the commands, and the engine on the clock applies the same ones to the same state, as
 *          batches of a busy venue, and, being deterministic, gives the same order ids. Events are made, counted and dropped
 * Bare     the same tape on columns of numbers with the book and nothing else of the engine (engine/columns.ts), in turns with
 *          the engine: what the machine lets it cost at the least; and once more with events that are emitted (`bareEmitting…`)
 * Floors   spot, linear and inverse, of unified and of classic accounts; with `money` alone, or every account with a
 *          `position` in a contract beside it, so that what it may do depends on prices: all of a unified account, all of a
 *          classic futures wallet (cross), or the position by itself (isolated)
 * Place,   windows.ts, beside few resting orders and many
 * cancel
 * Memory   what is alive after a collection, per idle account with two funded wallets and per resting order
 * Saving   the pause that a snapshot makes (`saveMs`), the bytes, and loading them
 * Options  --quick: fewer of everything · --profile: two mixes alone, longer, for `node --cpu-prof bench/engine.ts --profile`
 */
import { setV8 } from '../src/cli/v8-settings.ts'
import type { Uid } from '../src/engine/vocabulary.ts'
import { ColumnHouse } from './engine/columns.ts'
import { drawTape, type Tape } from './engine/tape.ts'
import { bytesInUse, collectGarbage, median, nsPer, perSecond, random, report, rounded } from './measure.ts'
import { type Traded, TradingFloor } from './trading-floor.ts'
import { type Choice, type FullFloor, placeAndCancel, placed, type Resting } from './windows.ts'

// As in a venue.
setV8()
/** Built, then applied. */
const sliceCommands = 1_000
const option = (name: string) => process.argv.includes(`--${name}`)
const quick = option('quick')
const [accounts, few, many] = quick ? [10_000, 1_000, 20_000] : [100_000, 1_000, 1_000_000]
const [mixCommands, warmUpCommands] = quick ? [20_000, 20_000] : [150_000, 80_000]

interface Kind {
  readonly what: Traded
  readonly mode: 'unified' | 'classic'
  readonly marginMode?: 'isolated'
  readonly positions: boolean
}

/** In the order in which they are measured. */
const kinds: readonly Kind[] = [
  { what: 'spot', mode: 'unified', positions: false },
  { what: 'spot', mode: 'unified', positions: true },
  { what: 'spot', mode: 'classic', positions: false },
  ...(['linear', 'inverse'] as const).flatMap((what): Kind[] => [
    { what, mode: 'unified', positions: false },
    { what, mode: 'unified', positions: true },
    { what, mode: 'classic', positions: true },
    { what, mode: 'classic', positions: true, marginMode: 'isolated' },
  ]),
]

function nameOf({ what, mode, positions, marginMode }: Kind): string {
  const margin = marginMode ?? (what !== 'spot' && mode === 'classic' ? 'cross' : '')
  return [what, mode, margin, positions ? 'positions' : 'money'].filter((word) => word !== '').join(' ')
}

function open({ what, mode, positions, marginMode }: Kind): FullFloor {
  const draw = random(3)
  const floor = new TradingFloor(what, { mode, marginMode })
  const uids = floor.openAccounts(accounts)
  if (positions) {
    floor.what = what === 'spot' ? 'linear' : what
    floor.openPositions(draw, uids, [floor.instrument])
    floor.what = what
  }
  const full = { floor, uids, resting: [], contracts: [floor.instrument], coins: [], draw }
  const resting = drawn(full, few)
  rest(full, resting)
  return { ...full, resting }
}

/** Orders of the accounts in turn that are to rest. Their numbers are not known yet. */
function drawn({ floor, uids, draw }: FullFloor, count: number): Resting[] {
  return Array.from({ length: count }, (_, index) => {
    return { orderId: Number.NaN, limit: floor.drawResting(draw, uids[index % uids.length]) }
  })
}

function rest({ floor }: FullFloor, orders: readonly Resting[]): void {
  for (const order of orders) order.orderId = placed(floor, floor.limit(order.limit))
}

/** `twin` and `floor` are in the same state; both are used up. */
function benchMix(
  name: string,
  twin: TradingFloor,
  floor: TradingFloor,
  uids: readonly Uid[],
  resting: readonly Resting[],
): void {
  const commands = option('profile') ? mixCommands * 5 : mixCommands
  const { tape, restingAtEnd } = drawTape(twin, uids, resting, warmUpCommands + commands)
  const eventsBefore = floor.events
  collectGarbage()
  const times: number[] = []
  const bare: number[] = []
  const bareEmitting: number[] = []
  const columns = bareColumns(floor, uids, resting, tape)
  let emitted = 0
  const emitting = bareColumns(floor, uids, resting, tape, () => emitted++)
  let refused = 0
  for (let start = 0; start < tape.length; start += sliceCommands) {
    const slice = Array.from({ length: sliceCommands }, (_, index) => tape.command(start + index, floor))
    const ns = nsPer(sliceCommands, () => {
      floor.applyAll(slice, (reply) => {
        if (reply.kind === 'refused') refused++
      })
    })
    const play = (house: ColumnHouse | undefined) =>
      house === undefined ? Number.NaN : nsPer(sliceCommands, () => house.play(tape, start, start + sliceCommands))
    const bareNs = play(columns)
    const bareEmittingNs = play(emitting)
    if (start < warmUpCommands) continue
    times.push(ns)
    bare.push(bareNs)
    bareEmitting.push(bareEmittingNs)
  }
  if (columns !== undefined && (columns.resting !== restingAtEnd || columns.total !== 0)) {
    throw new Error(
      `bare columns: ${columns.resting} orders rest, not ${restingAtEnd}, and their money is ${columns.total}`,
    )
  }
  // The mean, not the median: growing tables and collections are part of the price.
  const ns = mean(times)
  const bareNs = mean(bare)
  report({
    bench: 'engine',
    case: `${name}: mix, ${resting.length} resting`,
    count: commands,
    figures: {
      commandsPerSecond: perSecond(ns),
      commandNs: rounded(ns),
      medianNs: rounded(median(times)),
      ...(columns !== undefined && {
        bareCommandsPerSecond: perSecond(bareNs),
        shareOfBare: rounded(bareNs / ns),
        bareEmittingPerSecond: perSecond(mean(bareEmitting)),
        bareEventsPerCommand: rounded(emitted / tape.length),
      }),
      eventsPerCommand: rounded((floor.events - eventsBefore) / tape.length),
      refusedShare: rounded(refused / tape.length),
      restingAtEnd,
    },
  })
}

/** Undefined where it would not be the same tape: where orders were placed again, and of accounts that it does not know. */
function bareColumns(
  floor: TradingFloor,
  uids: readonly Uid[],
  resting: readonly Resting[],
  tape: Tape,
  emit?: () => void,
): ColumnHouse | undefined {
  const [first, last] = [resting[0], resting[resting.length - 1]]
  const inTurn = last.orderId - first.orderId === resting.length - 1
  if (!inTurn || floor.mode !== 'unified' || floor.what === 'inverse') return undefined
  return new ColumnHouse(floor, uids, resting, tape.length, emit)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function benchPlaceAndCancel(name: string, full: FullFloor, choice: Choice): void {
  const { placeNs, cancelNs } = placeAndCancel(full, choice)
  const whose = choice === 'same' ? 'of the same thousand accounts' : 'of any account'
  const count = full.resting.length
  const figures = { placeNs: rounded(placeNs), cancelNs: rounded(cancelNs) }
  report({ bench: 'engine', case: `${name}: ${whose}, ${count} resting`, count, figures })
}

/** Answers a second floor in the same state. */
function benchSaving(name: string, floor: TradingFloor, resting: number): TradingFloor {
  const before = performance.now()
  const chunks = floor.engine.save()
  const saveMs = performance.now() - before
  const saved = Buffer.concat(chunks)
  const beforeLoading = performance.now()
  const again = new TradingFloor(floor.what, { saved: chunks })
  const loadMs = performance.now() - beforeLoading
  if (!Buffer.concat(again.engine.save()).equals(saved)) throw new Error('what was loaded saves other bytes')
  report({
    bench: 'engine',
    case: `${name}: saving, ${resting} resting`,
    count: 1,
    figures: { saveMs: rounded(saveMs), loadMs: rounded(loadMs), savedBytes: saved.length },
  })
  return again
}

/** Spot and linear with money alone are also measured with many orders, and by the byte. */
function benchGrown(name: string, full: FullFloor, accountBytes: number): void {
  const { floor, uids } = full
  const more = drawn(full, many - few)
  const numbers = new Float64Array(more.length)
  const withFew = bytesInUse()
  for (const [index, { limit }] of more.entries()) numbers[index] = placed(floor, floor.limit(limit))
  const orderBytes = (bytesInUse() - withFew) / (many - few)
  for (const [index, order] of more.entries()) order.orderId = numbers[index]
  const resting = [...full.resting, ...more]
  const figures = { accountBytes: rounded(accountBytes), orderBytes: rounded(orderBytes) }
  report({ bench: 'engine', case: `${name}: memory, ${many} resting`, count: many, figures })
  const grown = { ...full, resting }
  benchPlaceAndCancel(name, grown, 'same')
  benchPlaceAndCancel(name, grown, 'any')
  benchMix(name, floor, benchSaving(name, floor, many), uids, resting)
}

function idleAccountBytes(what: Traded): number {
  const floor = new TradingFloor(what)
  const empty = bytesInUse()
  const uids = floor.openAccounts(accounts)
  return (bytesInUse() - empty) / uids.length
}

for (const kind of kinds) {
  const name = nameOf(kind)
  const grows = kind.mode === 'unified' && !kind.positions && kind.what !== 'inverse'
  if (option('profile') && !grows) continue
  const full = open(kind)
  benchMix(name, full.floor.copy(), full.floor.copy(), full.uids, full.resting)
  if (!grows || option('profile')) continue
  benchPlaceAndCancel(name, full, 'same')
  benchPlaceAndCancel(name, full, 'any')
  benchGrown(name, full, idleAccountBytes(kind.what))
}
