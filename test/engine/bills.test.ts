/**
 * Bills: as what each posting is reported, with the balance after it.
 * Source  wire/client-endpoints §4 (bills, bill); wire/v3-endpoints §4 (financial-records: category, fee, balance)
 */
import { expect } from 'vitest'
import { coinId, type Exchange, hourMs, marketOf } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import { coinNames } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

/** Bills of one account that the last commands emitted: type, amount, balance after it, wallet, category. */
function bills(exchange: Exchange, who: string, commands = 1): string[] {
  return exchange.applied.slice(-commands).flatMap(({ events }) =>
    events.flatMap((event) => {
      if (event.kind !== 'bill' || event.uid !== exchange.uid(who)) return []
      const { type, amount, balance, wallet, category, coin, instrument, otherWallet } = event
      const more = [
        instrument === undefined ? [] : [marketOf(instrument)],
        otherWallet === '' ? [] : [otherWallet],
      ].flat()
      return [[type, coins(amount), coinNames[coin], coins(balance), wallet, category, ...more].join(' ')]
    }),
  )
}

scenario('money that comes, moves and goes', (exchange) => {
  exchange.join('alice', { funds: { spot: '100 USDT' } })
  expect(bills(exchange, 'alice')).toEqual(['deposit 100 USDT 100 spot OTHER'])
  const uid = exchange.uid('alice')
  const move = {
    kind: 'transfer',
    actorUid: uid,
    fromUid: uid,
    toUid: uid,
    scope: 'within-account',
    clientOid: '',
  } as const
  exchange.must({ ...move, fromWallet: 'spot', toWallet: 'crossed_margin', coin: coinId('USDT'), amount: units('30') })
  expect(bills(exchange, 'alice')).toEqual([
    'transfer_out -30 USDT 70 spot OTHER crossed_margin',
    'transfer_in 30 USDT 30 crossed_margin OTHER spot',
  ])
  exchange.must({ kind: 'withdraw', uid, wallet: 'spot', coin: coinId('USDT'), amount: units('70') })
  expect(bills(exchange, 'alice')).toEqual(['withdrawal -70 USDT 0 spot OTHER'])
})

scenario('loans are of the margin category; what is nothing is not published', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } })
  const loan = { uid: exchange.uid('alice'), coin: coinId('USDT') }
  exchange.must({ kind: 'borrow', ...loan, amount: units('20000') })
  expect(bills(exchange, 'alice')).toEqual(['borrow 20000 USDT 30000 crossed_margin MARGIN'])
  exchange.must({ kind: 'repay', ...loan, amount: units('0.04') })
  expect(bills(exchange, 'alice')).toEqual(['interest -0.04 USDT 29999.96 crossed_margin MARGIN'])
  exchange.must({ kind: 'repay', ...loan, amount: units('100') })
  expect(bills(exchange, 'alice')).toEqual([
    'interest -0.06 USDT 29999.9 crossed_margin MARGIN',
    'repay -99.94 USDT 29899.96 crossed_margin MARGIN',
  ])
  exchange.must({ kind: 'repay', ...loan, amount: units('1') })
  expect(bills(exchange, 'alice')).toEqual(['repay -1 USDT 29898.96 crossed_margin MARGIN'])
})

scenario('risk-engine §17: a liquidation at 44,100, taken by the insurance fund', (exchange) => {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units('100000') })
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 on-margin @ 60000')
  exchange.wait(26 * hourMs + 600_000).runTimers()
  exchange.prices({ BTC: '44040' })
  // 0.4995 × 44,040 = 21,997.98; 2 % of it is 439.9596; 20,002.7 are owed
  expect(bills(exchange, 'alice')).toEqual([
    'sys_exchange_out -0.4995 BTC 0 crossed_margin MARGIN',
    'sys_exchange_in 21997.98 USDT 21997.98 crossed_margin MARGIN',
    'liquidation_fee -439.9596 USDT 21558.0204 crossed_margin MARGIN',
    'interest -2.7 USDT 21555.3204 crossed_margin MARGIN',
    'repay -20000 USDT 1555.3204 crossed_margin MARGIN',
  ])
})

scenario('what is of a contract is of its product line', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000.6 USDT' } })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 isolated @ 100') // a fee of 0.6, in the fill's event
  expect(bills(exchange, 'alice')).toEqual(['append_margin -50 USDT 950 usdt_futures USDT-FUTURES SOLUSDT'])
  const { id: instrument } = exchange.instrument()
  const command = { kind: 'set-position-margin', uid: exchange.uid('alice'), interface: 'v2', instrument } as const
  exchange.must({ ...command, positionSide: undefined, amount: units('20') })
  expect(bills(exchange, 'alice')).toEqual(['append_margin -20 USDT 930 usdt_futures USDT-FUTURES SOLUSDT'])
  exchange.must({ ...command, positionSide: undefined, amount: units('-5') })
  expect(bills(exchange, 'alice')).toEqual(['reduce_margin 5 USDT 935 usdt_futures USDT-FUTURES SOLUSDT'])
})

scenario('bills and fills are of one row of numbers, each used once', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000 USDT' } })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 isolated @ 100')
  const numbers = exchange.applied.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'bill' ? [event.id] : event.kind === 'fill' ? [event.execId] : [])),
  )
  expect(numbers.length).toBeGreaterThan(10)
  numbers.sort((a, b) => a - b)
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
})
