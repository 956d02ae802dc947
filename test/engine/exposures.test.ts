/**
 * What accounts have in contracts as rows: found, written through handles, kept in order, and loaded from earlier states.
 * Source  design §2 (amounts within 64 bits)
 */
import { expect, test } from 'vitest'
import type { FuturesInstrument } from '../../src/engine/catalog/catalog.ts'
import { Engine } from '../../src/engine/engine.ts'
import { InvariantBroken, type Lots, type Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { type Exposure, newPosition, type Position } from '../../src/engine/state/exposure.ts'
import { Futures } from '../../src/engine/state/exposures.ts'
import { SupposedExposures } from '../../src/engine/state/supposed-exposures.ts'
import { decode, encode, noRow } from '../../src/engine/storage/storage.ts'
import { walletTypes } from '../../src/engine/vocabulary.ts'
import { Findings } from '../../verifier/findings.ts'
import { readVenueState } from '../../verifier/state.ts'
import { Exchange, instrumentId } from './support/exchange.ts'
import { hedgers, traders, unifieds } from './support/people.ts'

const contract = new Exchange().instrument('SOLUSDT') as FuturesInstrument

test('accounts and contracts list exposures in the order in which they were kept, and handles outlive the growth', () => {
  const futures = new Futures(new SupposedExposures())
  const kept = Array.from({ length: 300 }, (_, index) => {
    const of = { ...contract, id: index % 7 }
    return futures.keep(futures.findOrNew(1 + (index % 40), walletTypes[index % 3], of))
  })
  for (const [index, exposure] of kept.entries()) exposure.closingLong = index
  expect(kept.map(({ index }) => index)).toEqual(kept.map((_, index) => index))
  expect([...futures.all()].map(({ closingLong }) => closingLong)).toEqual(kept.map((_, index) => index))
  expect(futures.ofAccount(3).map(({ index }) => index)).toEqual([2, 42, 82, 122, 162, 202, 242, 282])
  expect([...futures.ofInstrument(5)].map(({ index }) => index).slice(0, 4)).toEqual([5, 12, 19, 26])
  expect(futures.find(3, walletTypes[42 % 3], 42 % 7)?.index).toBe(42)
  expect([futures.find(3, walletTypes[43 % 3], 42 % 7), futures.ofAccount(99)]).toEqual([undefined, []])
})

test('what is supposed is not written, and an exposure is kept once', () => {
  const futures = new Futures(new SupposedExposures())
  const kept = futures.keep(futures.findOrNew(1, 'uta', contract))
  const long = futures.addPosition(kept, newPosition(11, 'long', 5))
  long.quantity = 3 as Lots
  const [supposed, other] = [futures.copyOf(kept), futures.copyOf(kept)]
  supposed.leverage = 3
  supposed.addOpening('sell', 7, 9n)
  expect([supposed.leverage, supposed.sellQuantity, supposed.longQuantity, supposed.shortQuantity]).toEqual([
    3, 7, 3, 0,
  ])
  expect([kept, other].map(({ leverage, sellQuantity }) => [leverage, sellQuantity])).toEqual(
    Array.from({ length: 2 }, () => [contract.leverageDefault, 0]),
  )
  // Keeping a copy of a kept one answers that one, not the copy.
  expect([supposed.index, futures.keep(supposed), futures.keep(kept)]).toEqual([kept.index, kept, kept])
  expect([...futures.all()].length).toBe(1)
  // A row that another one was supposed in has nothing of it.
  const fresh = Array.from({ length: 70 }, () => futures.findOrNew(2, 'uta', contract))
  expect(fresh.map(({ leverage, sellHold, longRow }) => [leverage, sellHold, longRow])).toEqual(
    fresh.map(() => [contract.leverageDefault, 0n, noRow]),
  )
})

test('the row of a position that ended is the next one’s, with nothing left in it', () => {
  const futures = new Futures(new SupposedExposures())
  const kept = futures.keep(futures.findOrNew(1, 'uta', contract))
  const long = futures.addPosition(kept, newPosition(11, 'long', 5))
  const short = futures.addPosition(kept, newPosition(12, 'short', 6))
  long.quantity = 3 as Lots
  long.funding = long.entryValue
  futures.removePosition(kept, 'long')
  expect([kept.long, kept.short?.id]).toEqual([undefined, 12])
  futures.removePosition(kept, 'short')
  futures.addPosition(kept, newPosition(13, 'short', 7))
  futures.addPosition(kept, newPosition(14, 'long', 8))
  const { long: again } = kept
  expect([again?.id, again?.side, again?.quantity, again?.funding]).toEqual([14, 'long', 0, undefined])
  expect([kept.short?.id, short.side, futures.positions.rows]).toEqual([13, 'short', 3])
})

test('design §2: orders that ask for more than 64 bits carry stop the command', () => {
  const futures = new Futures(new SupposedExposures())
  const kept = futures.keep(futures.findOrNew(1, 'uta', contract))
  kept.addOpening('sell', 1, 2n ** 63n - 1n)
  expect(() => kept.addOpening('sell', 1, 1n)).toThrow(InvariantBroken)
  expect(kept.sellHold).toBe(2n ** 63n - 1n)
  const unkept = futures.findOrNew(2, 'uta', contract)
  expect(() => unkept.addOpening('buy', 1, 2n ** 63n)).toThrow(InvariantBroken)
})

/** One state as it is saved, and as it was saved when exposures were objects. */
function savedBothWays() {
  const exchange = new Exchange()
  hedgers(exchange, 'alice')
  traders(exchange, 'bob', 'carol')
  unifieds(exchange, 'dan')
  exchange.given('bob: sell 30 @ 100', 'carol: buy 5 @ 100', 'alice: buy 20 open isolated @ 100', 'dan: buy 5 @ 100')
  exchange.given('carol: sell 5 @ 100', 'alice: buy 3 close @ 110', 'alice: sell 2 open @ 120', 'dan: buy 4 @ 90')
  exchange.given('dan: buy 5 @ 100', 'bob: buy 4 @ 101', 'alice: sell 4 open @ 101', 'dan: buy 0.1 BTCUSDT @ 50000')
  exchange.prices({ SOL: '102' }).must({ kind: 'settle-funding', instrument: instrumentId('SOLUSDT') })
  const saved = decode([exchange.save()]) as Saved
  const uids = ['alice', 'bob', 'carol', 'dan'].map((name) => exchange.uid(name))
  return { uids, saved, earlier: { ...saved, version: 3, futures: earlierFutures(saved.futures) } }
}

test('a state that was saved when exposures were objects goes on as it was', () => {
  const { uids, saved, earlier } = savedBothWays()
  const [now, before] = [saved, earlier].map((state) => {
    const emitted: Event[] = []
    return { emitted, engine: Engine.load(encode(state), (event) => emitted.push(event)) }
  })
  const line = 'USDT-FUTURES'
  for (const uid of uids) {
    for (const version of ['v2', 'v3'] as const) {
      const ask = { kind: 'positions', uid, interface: version, line, instrument: undefined } as const
      expect(before.engine.query(ask)).toEqual(now.engine.query(ask))
    }
  }
  // A delivery closes everything, in the order in which it was kept.
  const instrument = instrumentId('SOLUSDT')
  const commands: Command[] = [
    { kind: 'settle-funding', instrument },
    { kind: 'deliver', instrument, price: 102 as Ticks },
  ]
  for (const [index, command] of commands.entries()) {
    const [came, expected] = [before, now].map(({ engine }) =>
      engine.apply(command, saved.sequence + 1 + index, saved.at),
    )
    expect(came).toEqual(expected)
  }
  expect(now.emitted.filter(({ kind }) => kind === 'position-closed').length).toBe(4)
  expect(before.emitted).toEqual(now.emitted)
  expect(before.engine.query({ kind: 'verify' })).toMatchObject({ balanced: true })
})

test('what was closed of contracts before there was more than units of it counts as it was booked', () => {
  const exchange = new Exchange()
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  exchange.given(
    'bob: sell 102 @ 60000.1',
    'alice: buy 102 @ 60000.1',
    'bob: buy 51 @ 61000.1',
    'alice: sell 51 @ 61000.1',
  )
  const saved = decode([exchange.save()]) as Saved
  const { closedFine: _, ...positions } = (saved.futures as { readonly positions: Record<string, unknown> }).positions
  const emitted: Event[] = []
  const earlier = { ...saved, futures: { ...saved.futures, positions } }
  const engine = Engine.load(encode(earlier), (event) => emitted.push(event))
  engine.apply(
    { kind: 'deliver', instrument: instrumentId('BTCUSD'), price: 610_001 as Ticks },
    saved.sequence + 1,
    saved.at,
  )
  const closed = emitted.filter((event) => event.kind === 'position-closed')
  // 51 / 61,000.1 is 0.00083606 in units, 0.000836064203 in full
  expect(closed.map(({ closedFine }) => closedFine)).toEqual([836_060_000n + 836_064_203n, 836_060_000n + 836_064_203n])
})

test('the verifier finds the same in both', () => {
  const { saved, earlier } = savedBothWays()
  const findings = new Findings()
  const [now, before] = [saved, earlier].map((state) => {
    return readVenueState({ file: '', sequence: saved.sequence, lastAt: saved.at, state }, findings)
  })
  expect([before?.totals, findings.faults]).toEqual([now?.totals, []])
  expect([...(now?.totals.keys() ?? [])].filter((key) => key.startsWith('position')).length).toBe(4)
})

interface Saved extends Record<string, unknown> {
  readonly sequence: number
  readonly at: number
  readonly futures: Parameters<Futures['load']>[0]
}

/** As it was saved then. */
function earlierFutures(saved: Saved['futures']) {
  const futures = new Futures(new SupposedExposures())
  futures.load(structuredClone(saved))
  const list = [...futures.all()].map((exposure) => {
    const buys = { quantity: exposure.buyQuantity, freeze: exposure.buyHold }
    const sells = { quantity: exposure.sellQuantity, freeze: exposure.sellHold }
    return { ...picked(exposure, savedThen), long: plain(exposure.long), short: plain(exposure.short), buys, sells }
  })
  const { byInstrument, openInterest } = futures
  return { list, byInstrument, openInterest }
}

const savedThen = [
  'index',
  'account',
  'wallet',
  'instrument',
  'marginMode',
  'leverage',
  'leverageLong',
  'leverageShort',
  'closingLong',
  'closingShort',
  'held',
  'autoMargin',
] as const satisfies (keyof Exposure)[]

function plain(position: Position | undefined) {
  if (position === undefined) return undefined
  const names = Object.keys(newPosition(0, 'long', 0)) as (keyof Position)[]
  const { entryValue: flow, closedNotionalE12: closedFine, ...saved } = picked(position, names)
  return { ...saved, flow, closedFine }
}

function picked<T, Name extends keyof T>(of: T, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<T, Name>
}
