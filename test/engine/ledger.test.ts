/**
 * The ledger against a plain one: a map of named places. Every posting has two legs, holds and debts stay above zero, and
 * what would break that stops the command.
 * Source  design §2, §3; risk-engine §17 (interest first), §20
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Amount, amountMax, InvariantBroken } from '../../src/engine/numbers/numbers.ts'
import { type HouseAccount, houseAccounts, Ledger } from '../../src/engine/state/ledger.ts'
import { noRow } from '../../src/engine/storage/storage.ts'

const wallets = ['spot', 'usdt_futures', 'crossed_margin', 'uta'] as const
const units = (value: bigint | number) => BigInt(value) as Amount

test('wallets of many accounts, coins and houses against a plain ledger', () => {
  const place = fc.record({
    account: fc.integer({ min: 1, max: 4 }),
    wallet: fc.constantFrom(...wallets),
    coin: fc.constantFrom(0, 1, 255),
  })
  const step = fc.record({
    kind: fc.constantFrom('post', 'transfer', 'postHouse'),
    from: place,
    to: place,
    house: fc.constantFrom(...houseAccounts),
    other: fc.constantFrom(...houseAccounts),
    units: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledger = new Ledger()
      const plain = new Map<string, bigint>()
      const add = (name: string, more: bigint) => plain.set(name, (plain.get(name) ?? 0n) + more)
      const name = ({ account, wallet, coin }: { account: number; wallet: string; coin: number }) =>
        `${account} ${wallet} ${coin}`
      for (const { kind, from, to, house, other, units: value } of steps) {
        const row = ledger.slot(to.account, to.wallet, to.coin)
        if (kind === 'post') {
          ledger.post(house, row, units(value))
          add(`${house} ${to.coin}`, -value)
        } else if (kind === 'transfer') {
          ledger.transfer(ledger.slot(from.account, from.wallet, to.coin), row, units(value))
          add(name({ ...from, coin: to.coin }), -value)
        } else {
          ledger.postHouse(house, other, to.coin, units(value))
          add(`${house} ${to.coin}`, -value)
          add(`${other} ${to.coin}`, value)
        }
        if (kind !== 'postHouse') add(name(to), value)
      }
      for (const account of [1, 2, 3, 4]) {
        for (const wallet of wallets) {
          for (const coin of [0, 1, 255]) {
            const row = ledger.find(account, wallet, coin)
            expect(ledger.balanceOf(row)).toBe(plain.get(name({ account, wallet, coin })) ?? 0n)
          }
        }
        for (const row of ledger.rowsOf(account)) expect(ledger.account[row]).toBe(account)
      }
      for (const coin of [0, 1, 255]) {
        let sum = 0n
        for (const house of houseAccounts) {
          expect(ledger.houseBalance(house, coin)).toBe(plain.get(`${house} ${coin}`) ?? 0n)
          sum += ledger.houseBalance(house, coin)
        }
        for (const account of [1, 2, 3, 4]) {
          for (const row of ledger.rowsOf(account)) if (ledger.coinOf(row) === coin) sum += ledger.balanceOf(row)
        }
        expect(sum).toBe(0n)
      }
    }),
  )
})

test('a place that is only read is not made; one that is made is found again, and listed newest first', () => {
  const ledger = new Ledger()
  expect(ledger.find(7, 'spot', 3)).toBe(noRow)
  expect([...ledger.rowsOf(7)]).toEqual([])
  expect([ledger.balanceOf(noRow), ledger.heldOf(noRow), ledger.debtOf(noRow)]).toEqual([0n, 0n, 0n])
  const spot = ledger.slot(7, 'spot', 3)
  const uta = ledger.slot(7, 'uta', 255)
  expect(ledger.slot(7, 'spot', 3)).toBe(spot)
  expect([...ledger.rowsOf(7)]).toEqual([uta, spot])
  expect([ledger.walletOf(spot), ledger.coinOf(spot)]).toEqual(['spot', 3])
  expect([ledger.walletOf(uta), ledger.coinOf(uta)]).toEqual(['uta', 255])
  expect([...ledger.rowsOf(6)]).toEqual([])
})

test('what is held is not free, and never below zero', () => {
  const ledger = new Ledger()
  const row = ledger.slot(1, 'usdt_futures', 0)
  ledger.post('external', row, units(100))
  ledger.hold(row, units(60))
  expect([ledger.balanceOf(row), ledger.heldOf(row), ledger.freeOf(row)]).toEqual([100n, 60n, 40n])
  ledger.release(row, units(20))
  expect([ledger.heldOf(row), ledger.freeOf(row)]).toEqual([40n, 60n])
  expect(() => ledger.release(row, units(41))).toThrow(InvariantBroken)
  expect(() => ledger.hold(row, units(-41))).toThrow(InvariantBroken)
  expect(ledger.heldOf(row)).toBe(40n)
  ledger.release(row, units(40))
  expect(ledger.heldOf(row)).toBe(0n)
  // A loss may leave less than is held.
  ledger.hold(row, units(50))
  ledger.post('clearing', row, units(-80))
  expect(ledger.freeOf(row)).toBe(-30n)
})

test('a balance, a hold and a debt that would leave 64 bits stop the command', () => {
  const ledger = new Ledger()
  const row = ledger.slot(1, 'uta', 0)
  ledger.post('external', row, units(amountMax))
  expect(() => ledger.post('external', row, units(1))).toThrow(InvariantBroken)
  ledger.hold(row, units(amountMax))
  expect(() => ledger.hold(row, units(1))).toThrow(InvariantBroken)
  ledger.accrue(row, units(amountMax))
  expect(() => ledger.accrue(row, units(1))).toThrow(InvariantBroken)
  expect(() => ledger.lend(row, units(1))).toThrow(InvariantBroken)
})

const house = (ledger: Ledger, ...names: readonly HouseAccount[]) => names.map((name) => ledger.houseBalance(name, 2))

test.each([
  // paid, of it interest, principal, and what is owed then
  [0n, 0n, 0n, 1010n],
  [4n, 4n, 0n, 1006n],
  [10n, 10n, 0n, 1000n],
  [11n, 10n, 1n, 999n],
  [1010n, 10n, 1000n, 0n],
])(
  'of a debt of 1,000 and interest of 10, %s pays %s of interest and %s of principal',
  (paid, interest, principal, left) => {
    const ledger = new Ledger()
    const row = ledger.slot(1, 'crossed_margin', 2)
    ledger.lend(row, units(1000))
    ledger.post('external', row, units(500))
    ledger.accrue(row, units(10))
    expect(ledger.debtOf(row)).toBe(1010n)
    expect(house(ledger, 'lendingPool', 'interest')).toEqual([-1000n, 0n])
    expect(ledger.payDebt(row, units(paid))).toEqual({ interest, principal })
    expect([ledger.debtOf(row), ledger.balanceOf(row)]).toEqual([left, 1500n - paid])
    expect(house(ledger, 'lendingPool', 'interest')).toEqual([principal - 1000n, interest])
  },
)

test('more than the debt is never paid, and changes nothing', () => {
  const ledger = new Ledger()
  const row = ledger.slot(1, 'crossed_margin', 2)
  ledger.lend(row, units(1000))
  ledger.accrue(row, units(10))
  expect(() => ledger.payDebt(row, units(1011))).toThrow(InvariantBroken)
  expect([ledger.debtOf(row), ledger.balanceOf(row)]).toEqual([1010n, 1000n])
})

test('the insurance fund pays what is owed to the pool and as interest; the wallet keeps its balance', () => {
  const ledger = new Ledger()
  const row = ledger.slot(1, 'crossed_margin', 2)
  ledger.lend(row, units(1000))
  ledger.accrue(row, units(10))
  ledger.postHouse('external', 'insurance', 2, units(5000))
  expect(ledger.coverDebt(row)).toEqual({ interest: 10n, principal: 1000n })
  expect([ledger.debtOf(row), ledger.balanceOf(row)]).toEqual([0n, 1000n])
  expect(house(ledger, 'insurance', 'lendingPool', 'interest')).toEqual([3990n, 0n, 10n])
})

test('the peak of the insurance fund is its highest, coin by coin', () => {
  const ledger = new Ledger()
  expect(ledger.insurancePeak(2)).toBe(0n)
  ledger.postHouse('external', 'insurance', 2, units(100))
  ledger.postHouse('insurance', 'external', 2, units(30))
  ledger.postHouse('external', 'fees', 2, units(900))
  ledger.postHouse('external', 'insurance', 2, units(20))
  expect([ledger.insurancePeak(2), ledger.insurancePeak(1), ledger.insurancePeak(3)]).toEqual([100n, 0n, 0n])
  ledger.postHouse('external', 'insurance', 2, units(11))
  expect(ledger.insurancePeak(2)).toBe(101n)
})

test('a watched account is noted once for all that changes until it is checked', () => {
  const ledger = new Ledger()
  const watched = ledger.slot(3, 'uta', 0)
  const other = ledger.slot(4, 'uta', 0)
  ledger.post('external', watched, units(1))
  expect(ledger.changed).toEqual([])
  ledger.watchAccount(3)
  expect(ledger.changed).toEqual([3]) // it is checked for the first time
  ledger.post('external', watched, units(1))
  ledger.transfer(watched, other, units(1))
  ledger.watchAccount(3)
  expect(ledger.changed).toEqual([3])
  for (const change of [
    () => ledger.post('external', watched, units(1)),
    () => ledger.transfer(other, watched, units(1)),
    () => ledger.accrue(watched, units(1)),
    () => ledger.touch(3),
  ]) {
    ledger.changed.length = 0
    ledger.lookedAt(3)
    change()
    expect(ledger.changed).toEqual([3])
  }
  // Equity and maintenance do not know of holds (risk-engine §6).
  ledger.changed.length = 0
  ledger.lookedAt(3)
  ledger.hold(watched, units(1))
  expect(ledger.changed).toEqual([])
})
