/**
 * The operator's freeze of an account, apart from what the main account of a sub-account says. Neither undoes the other.
 * Source  docs/operations.md, operator calls (`accounts freeze`)
 */
import { expect } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Exchange } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

const freeze = (exchange: Exchange, who: string, frozen: boolean) =>
  exchange.must({ kind: 'freeze-account', uid: exchange.uid(who), frozen })
const view = (exchange: Exchange, who: string) => exchange.query({ kind: 'account', uid: exchange.uid(who) })

scenario('a frozen account places no order, what it has open is filled, and it trades again after', (exchange) => {
  traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
  exchange.prices({ BTC: '60000' }).given('ann: sell 1 @ 60000')
  freeze(exchange, 'ann', true)
  expect(view(exchange, 'ann')).toMatchObject({ frozen: true, frozenByOperator: true })
  expect(() => exchange.given('ann: sell 1 @ 60100')).toThrow('account-frozen')
  exchange.given('ben: buy 1 @ 60000')
  expect(
    exchange.query({
      kind: 'open-orders',
      uid: exchange.uid('ann'),
      interface: 'v2',
      category: undefined,
      instrument: undefined,
    }),
  ).toEqual([])
  freeze(exchange, 'ann', false)
  exchange.given('ann: sell 1 @ 60100')
})

scenario('a main account and the operator freeze apart', (exchange) => {
  const { uid: actorUid } = exchange.join('main', { mode: 'unified' }).account('main')
  const sub = exchange.must({ kind: 'create-sub-account', parentUid: actorUid, mode: 'unified', name: 'a', note: '' })
  const uid = sub.kind === 'account-created' ? sub.uid : 0
  const state = () => exchange.query({ kind: 'account', uid })
  const byMain = (frozen: boolean) =>
    exchange.must({ kind: 'set-sub-account', actorUid, uid, frozen, permissions: undefined })
  const byOperator = (frozen: boolean) => exchange.must({ kind: 'freeze-account', uid, frozen })
  byMain(true)
  byOperator(true)
  byMain(false)
  expect(state()).toMatchObject({ frozen: true, frozenByOperator: true })
  byMain(true)
  byOperator(false)
  expect(state()).toMatchObject({ frozen: true, frozenByOperator: false })
  byMain(false)
  expect(state()).toMatchObject({ frozen: false, frozenByOperator: false })
})

scenario('of nobody it is refused', (exchange) => {
  expect(exchange.apply({ kind: 'freeze-account', uid: 77, frozen: true })).toMatchObject({
    kind: 'refused',
    refusal: { kind: 'account-unknown' },
  })
})

scenario('it is in a snapshot, and a venue that never used it saves the bytes from before', (exchange) => {
  traders(exchange, 'ann', 'ben')
  const before = exchange.save()
  expect(before.includes('frozenByOperator')).toBe(false)
  freeze(exchange, 'ann', true)
  const copy = Engine.load([exchange.save()], () => {})
  expect(copy.query({ kind: 'account', uid: exchange.uid('ann') })).toMatchObject({ frozenByOperator: true })
  expect(copy.query({ kind: 'account', uid: exchange.uid('ben') })).toMatchObject({ frozen: false })
  expect(Buffer.concat(copy.save()).equals(exchange.save())).toBe(true)
  freeze(exchange, 'ann', false)
  expect(exchange.save().includes('frozenByOperator')).toBe(false)
})
