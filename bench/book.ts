/**
 * The order book alone: src/engine/book in price-time priority, without accounts, money or events, beside the order books
 * of the package registry.
 *
 * Mix      book/tape.ts, played on fresh books. The packages play the same tape in turns with ours (book/peers.ts)
 * Bare     a book of typed arrays with nothing in it but the levels and their orders plays the same tape in turns (book/bare.ts)
 * Place,   one window of 1,000 orders is placed, then cancelled in another order, over and over, beside the same number
 * cancel   of resting orders: what the size of the book itself costs. `any` cancels whichever of all resting orders and
 *          places it again: the same work on memory that no cache holds
 */
import { BareBook } from './book/bare.ts'
import { packages, Peer } from './book/peers.ts'
import { drawOpening, drawTape, open, operations, play } from './book/tape.ts'
import { collectGarbage, median, nsPer, perSecond, random, report, rounded } from './measure.ts'

const rounds = 3
const windowOrders = 1_000
const windows = 300
const ours = 'tidemark'
/** How many operations the packages play beside so many orders: a cancel of theirs steps through all orders of its level. */
const peerOperations = [
  [1_000, 50_000],
  [10_000, 10_000],
] as const
/** Books of ours that play one after another: a single one is done before there is anything to measure. */
const oursAtOnce = 10
const quick = process.argv.includes('--quick')
const populations = quick ? [0, 1_000] : [0, 1_000, 10_000, 100_000, 1_000_000]

function benchMix(resting: number): void {
  const opening = drawOpening(resting)
  const { tape, restingAtEnd } = drawTape(opening)
  const times: number[] = []
  const bareTimes: number[] = []
  for (let round = -1; round < rounds; round++) {
    const market = open(opening, operations)
    collectGarbage()
    const ns = nsPer(operations, () => play(market, tape, operations))
    const bare = new BareBook(opening, operations)
    collectGarbage()
    const bareNs = nsPer(operations, () => bare.play(tape, operations))
    if (bare.resting !== restingAtEnd) throw new Error(`the bare book ends with ${bare.resting}, not ${restingAtEnd}`)
    // The first round is for the compiler.
    if (round < 0) continue
    times.push(ns)
    bareTimes.push(bareNs)
  }
  const ns = median(times)
  report({
    bench: 'book',
    case: `mix, ${resting} resting`,
    count: operations,
    figures: {
      operationsPerSecond: perSecond(ns),
      operationNs: rounded(ns),
      bareOperationsPerSecond: perSecond(median(bareTimes)),
      shareOfBare: rounded(median(times.map((took, round) => bareTimes[round] / took))),
      restingAtEnd,
    },
  })
}

/** Ours and the packages in turns, the same operations; the first round is for the compiler. */
function benchPeers(resting: number, count: number): void {
  const opening = drawOpening(resting)
  const { tape } = drawTape(opening)
  const times = new Map<string, number[]>([ours, ...packages].map((name) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    const markets = Array.from({ length: oursAtOnce }, () => open(opening, operations))
    const note = (name: string, played: number, run: () => void) => {
      collectGarbage()
      const ns = nsPer(played, run)
      if (round >= 0) times.get(name)?.push(ns)
    }
    note(ours, count * oursAtOnce, () => markets.forEach((market) => play(market, tape, count)))
    const [{ resting: restingAfter }] = markets
    for (const name of packages) {
      const peer = new Peer(name, opening, tape)
      note(name, count, () => peer.play(tape, count))
      if (peer.resting !== restingAfter) throw new Error(`${name} ends with ${peer.resting}, not ${restingAfter}`)
    }
  }
  const oursNs = times.get(ours) ?? []
  for (const [name, ns] of times) {
    report({
      bench: 'book',
      case: `beside the packages, ${resting} resting: ${name}`,
      count,
      figures: {
        operationsPerSecond: perSecond(median(ns)),
        oursOverIt: rounded(median(ns.map((took, round) => took / oursNs[round]))),
      },
    })
  }
}

/** A thousand orders at a time are placed and cancelled beside `resting` others; which, and in which order, is drawn before. */
function benchPlaceAndCancel(resting: number, which: 'window' | 'any'): void {
  const draw = random(11)
  const opening = drawOpening(resting)
  const market = open(opening, windowOrders)
  const rows = new Int32Array(windowOrders)
  const shuffled = new Int32Array(windowOrders)
  const place = () => {
    for (const row of rows) {
      // An order of the window is a copy of one that rests; any of the others is placed as it was.
      const index = (row - 1) % resting
      market.rest(row, opening.sell[index] === 1 ? 'sell' : 'buy', opening.price[index], opening.lots[index])
    }
  }
  const cancel = () => {
    for (const row of shuffled) market.cancel(row)
  }
  let placeNs = 0
  let cancelNs = 0
  for (let window = -50; window < windows; window++) {
    if (which === 'window') rows.forEach((_, index) => (rows[index] = resting + 1 + index))
    else drawDistinct(rows, resting, draw)
    shuffled.set(rows)
    shuffle(shuffled, draw)
    if (which === 'window') shuffle(rows, draw)
    const placed = which === 'window' ? nsPer(windowOrders, place) : 0
    const canceled = nsPer(windowOrders, cancel)
    const placedAgain = which === 'any' ? nsPer(windowOrders, place) : 0
    if (window < 0) continue
    placeNs += placed + placedAgain
    cancelNs += canceled
  }
  report({
    bench: 'book',
    case: which === 'window' ? `window beside ${resting} resting` : `any of ${resting} resting`,
    count: windowOrders * windows,
    figures: { placeNs: rounded(placeNs / windows), cancelNs: rounded(cancelNs / windows) },
  })
}

function drawDistinct(rows: Int32Array, among: number, draw: () => number): void {
  const drawn = new Set<number>()
  while (drawn.size < rows.length) drawn.add(1 + Math.floor(draw() * among))
  rows.set([...drawn])
}

function shuffle(rows: Int32Array, draw: () => number): void {
  for (let index = rows.length - 1; index > 0; index--) {
    const other = Math.floor(draw() * (index + 1))
    const row = rows[index]
    rows[index] = rows[other]
    rows[other] = row
  }
}

for (const resting of populations) benchMix(resting)
for (const resting of populations.filter((population) => population === 1_000 || population === 1_000_000)) {
  benchPlaceAndCancel(resting, 'window')
  benchPlaceAndCancel(resting, 'any')
}
for (const [resting, count] of quick ? peerOperations.slice(0, 1) : peerOperations) benchPeers(resting, count)
