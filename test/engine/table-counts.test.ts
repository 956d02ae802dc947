/** Tables of the state: what has ended is no entry of any, client order ids and transfers at the latest a day later. */
import { expect } from 'vitest'
import { coinId, dayMs } from './support/exchange.ts'
import { units } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

const orders = 100

scenario('orders that ended are no entries, and their client order ids none after a day', (exchange) => {
  traders(exchange, 'alice', 'bob')
  const before = exchange.tableCounts()
  for (let count = 1; count <= orders; count++) {
    exchange.given(`alice: sell 1 oid:m-${count} @ 100`, `bob: buy 1 oid:t-${count} @ 100`)
    exchange.given(`alice: buy 1 oid:r-${count} @ 50`)
    exchange.cancel('alice', `r-${count}`)
  }
  exchange.given('alice: buy 1 oid:open @ 50')
  expect(exchange.tableCounts()).toMatchObject({
    accounts: 2,
    orders: 1,
    positions: 2,
    exposures: 2,
    'client-order-ids': 3 * orders + 1,
    'client-order-ids-ended': 3 * orders,
  })
  exchange.wait(dayMs + 1)
  exchange.given('alice: buy 1 @ 50')
  expect(exchange.tableCounts()).toMatchObject({ orders: 2, 'client-order-ids': 1, 'client-order-ids-ended': 0 })
  exchange.cancel('alice', 'open')
  expect(exchange.tableCounts().wallets).toBe(before.wallets)
})

scenario(
  'transfers are remembered for as long as a repeat is recognised, and forgotten with the next one',
  (exchange) => {
    exchange.join('mia', { funds: { spot: '1000 USDT' } })
    exchange.join('sue', { parent: 'mia' })
    const send = (clientOid: string) =>
      exchange.apply({
        kind: 'transfer',
        actorUid: exchange.uid('mia'),
        scope: 'between-accounts',
        fromUid: exchange.uid('mia'),
        toUid: exchange.uid('sue'),
        fromWallet: 'spot',
        toWallet: 'spot',
        coin: coinId('USDT'),
        amount: units('1'),
        clientOid,
      })
    for (let count = 0; count < 20; count++) send(`t-${count}`)
    expect(exchange.tableCounts().transfers).toBe(20)
    exchange.wait(100 * dayMs)
    send('later')
    expect(exchange.tableCounts().transfers).toBe(1)
  },
)
