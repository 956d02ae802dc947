/**
 * Memory that rules use anew is read before it is used again: who comes too late stops the command.
 *
 * Source  src/engine/state/scratch.ts
 */
import { expect, test } from 'vitest'
import { admitOrder } from '../../src/engine/admission/order.ts'
import type { Admitted } from '../../src/engine/admission/admitted.ts'
import { plainly } from '../../src/engine/admission/intake.ts'
import type { FuturesInstrument } from '../../src/engine/catalog/catalog.ts'
import { InvariantBroken } from '../../src/engine/numbers/numbers.ts'
import { trade } from '../../src/engine/orders/place.ts'
import { Equities } from '../../src/engine/state/scratch.ts'
import type { State } from '../../src/engine/state/state.ts'
import { Exchange } from './support/exchange.ts'
import { traders } from './support/people.ts'

function exchangeWithState(): { readonly exchange: Exchange; readonly state: State } {
  const exchange = traders(new Exchange(), 'alice', 'bob')
  const engine = Reflect.get(exchange, 'engine') as object
  return { exchange, state: Reflect.get(engine, 'state') as State }
}

function admitted(state: State, exchange: Exchange, line: string): Admitted {
  const decided = admitOrder(state, exchange.order(line), 'user', plainly)
  if ('kind' in decided) throw new Error(`refused: ${decided.kind}`)
  return decided
}

test('a match that another has taken the place of is not written', () => {
  const { exchange, state } = exchangeWithState()
  const first = admitted(state, exchange, 'alice: buy 3 @ 60000')
  admitted(state, exchange, 'bob: buy 1 @ 60000')
  expect(() => trade(state, first, 1)).toThrow(InvariantBroken)
})

test('a supposed exposure is kept while its row is its own, and not after 32 others', () => {
  const { exchange, state } = exchangeWithState()
  const contract = state.catalog.instruments.find(({ kind }) => kind === 'linear') as FuturesInstrument
  const account = state.accounts.byUid(exchange.uid('alice'))?.handle ?? 0
  const suppose = () => state.futures.findOrNew(account, 'usdt_futures', contract)
  const inTime = suppose()
  for (let others = 0; others < 31; others++) suppose()
  expect(state.futures.keep(inTime).index).toBe(0)

  const other = state.catalog.instruments.findLast(({ kind }) => kind === 'linear') as FuturesInstrument
  const late = state.futures.findOrNew(account, 'usdt_futures', other)
  for (let others = 0; others < 32; others++) state.futures.findOrNew(account, 'usdc_futures', other)
  expect(() => state.futures.keep(late)).toThrow(InvariantBroken)
})

test('what is written to a copy of a kept exposure is not kept, whoever keeps the copy', () => {
  const { exchange, state } = exchangeWithState()
  const contract = state.catalog.instruments.find(({ kind }) => kind === 'linear') as FuturesInstrument
  const account = state.accounts.byUid(exchange.uid('alice'))?.handle ?? 0
  const kept = state.futures.keep(state.futures.findOrNew(account, 'usdt_futures', contract))
  const before = kept.buyQuantity
  const copy = state.futures.copyOf(kept)
  copy.addOpening('buy', 7, 0n)
  state.futures.keep(copy).addOpening('buy', 1, 0n)
  expect([kept.buyQuantity, copy.buyQuantity]).toEqual([before + 1, before + 7])
})

test('equities are those of the account that was counted last', () => {
  const equities = new Equities()
  equities.begin(1)
  equities.add(3, 10n)
  equities.add(3, 5n)
  expect([equities.of(3), equities.of(4)]).toEqual([15n, 0n])
  expect(() => equities.assertOf(1)).not.toThrow()
  equities.begin(2)
  expect(equities.of(3)).toBe(0n)
  expect(() => equities.assertOf(1)).toThrow(InvariantBroken)
})
