/**
 * Accounts as rows of a table, against plain objects to which the same is done: every field of every account, at any time and
 * after saving and loading.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account } from '../../src/engine/state/account.ts'
import { Accounts } from '../../src/engine/state/accounts.ts'

const oneOf = fc.constantFrom
const holdMode = oneOf('one_way_mode', 'hedge_mode')

/** What may be written, by field. */
const values: { readonly [Name in keyof Account]?: fc.Arbitrary<Account[Name]> } = {
  mode: oneOf('unified', 'hybrid', 'classic', 'upgrading', 'switching'),
  leavesHybrid: oneOf(undefined, true),
  frozenByOwner: fc.boolean(),
  frozenByOperator: oneOf(undefined, true),
  stpMode: oneOf('none', 'cancel_taker', 'cancel_maker', 'cancel_both'),
  holdMode: fc.record({ 'USDT-FUTURES': holdMode, 'COIN-FUTURES': holdMode, 'USDC-FUTURES': holdMode }),
  collateral: oneOf<Account['collateral'][]>('all', 'mainstream', [], [1, 3]),
  copyTrader: oneOf(undefined, [], [0, 7]),
  clientOids: oneOf(undefined, new Map([['mine', 1_000_000_000_000_001]])),
  openFutures: fc.nat(400),
  openSpot: fc.nat(400),
  firstOrder: fc.nat(2 ** 31 - 1),
  ordersDay: fc.nat(100_000),
  ordersOfDay: fc.nat(2 ** 31 - 1),
  updatedAt: fc.nat(2 ** 31 - 1),
  permissions: oneOf(undefined, [], ['uta_trade']),
  boundAt: oneOf(undefined, 1_790_000_000_000),
  broker: oneOf(undefined, { channelCode: 'x', rebateRate: 1n as never }),
}

const write = fc
  .tuple(fc.nat(), oneOf(...(Object.keys(values) as (keyof typeof values)[])))
  .chain(([which, name]) => fc.record({ which: fc.constant(which), name: fc.constant(name), value: values[name]! }))

test('rows of accounts say what plain objects say', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.array(write, { maxLength: 60 }), (count, writes) => {
      const accounts = new Accounts()
      for (let index = 0; index < count; index++) {
        const main = index % 3 === 2 ? accounts.byHandle(index) : undefined
        accounts.create(main === undefined ? 'main' : 'sub', main, 'unified', { name: `n${index}` }, index)
      }
      const plain = saved(accounts)
      for (const { which, name, value } of writes) {
        const handle = (which % count) + 1
        Object.assign(accounts.byHandle(handle), { [name]: value })
        const savedAs = name === 'frozenByOwner' ? 'frozen' : name
        Object.assign(plain[handle - 1] ?? {}, { [savedAs]: name === 'clientOids' ? (value ?? new Map()) : value })
      }
      expect(saved(accounts)).toEqual(plain)
      const loaded = new Accounts()
      loaded.load(structuredClone(accounts.save()))
      expect(saved(loaded)).toEqual(plain)
      expect(loaded.byUid(1_000_000_000 + count)?.handle).toBe(count)
      for (const nobody of [0, count + 1, 1.5, Number.NaN]) {
        expect(loaded.byUid(1_000_000_000 + nobody)).toBe(undefined)
      }
    }),
  )
})

function saved(accounts: Accounts): Account[] {
  return accounts.save()['list'] as Account[]
}
