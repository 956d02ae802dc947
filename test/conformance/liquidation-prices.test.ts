/**
 * Liquidation prices as E5 shows them: the worked examples of the formula sheet, to the tick.
 *
 * The tiers of the demo contracts are the sheet's: 0.4 % to 200,000, 0.5 % to 1,000,000; the taker fee is 0.06 %.
 *
 * Source  risk-engine.md §5 to §9, §22; interface.md E5 liquidationPrice
 */
import { expect } from 'vitest'
import { opposite, withWords } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import {
  type Market,
  btcInverse,
  btcPerpetual,
  ethPerpetual,
  onePosition,
  positions,
  setHoldMode,
  setLeverage,
  setMarginMode,
  taken,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { row, stage, succeeds, table } from './conformance.ts'
import { exact, toStep } from './figures.ts'

const at = stage()

const deep = { usdt_futures: { USDT: '50000000' }, coin_futures: { BTC: '500' } } as const

/** Somebody rich takes the other side of each order at its price. */
async function filled(alice: Person, words: string, market: Market): Promise<void> {
  const bob = await at.person('Bob', { mode: 'classic', funds: deep })
  await taken(bob, opposite(words), market)
  await taken(alice, words, market)
}

table(
  'risk-engine §5 examples',
  `
    case                         | leverage | words            | margin size | liquidation price
    long 0.5 @ 60000 at 20x      | 20       | buy 0.5 @ 60000  | 1500        | 57263.5
    short 0.5 @ 60000 at 20x     | 20       | sell 0.5 @ 60000 | 1500        | 62711.5
    long 6 @ 60000 at 10x        | 10       | buy 6 @ 60000    | 36000       | 54270.6
    short 6 @ 60000 at 10x       | 10       | sell 6 @ 60000   | 36000       | 65665.6
    long 0.5 @ 60000 at 1x: none | 1        | buy 0.5 @ 60000  | 30000       | 0
  `,
  async ({ leverage, words, marginSize, liquidationPrice }) => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } })
    await setMarginMode(alice, 'isolated')
    await setLeverage(alice, Number(leverage))
    await filled(alice, withWords(words, { marginMode: 'isolated' }), btcPerpetual)
    expect(await onePosition(alice)).toMatchObject({ marginSize, liquidationPrice, marginMode: 'isolated' })
  },
)

table(
  'risk-engine §8 examples',
  `
    case                                  | leverage | words            | margin size | liquidation price
    long 30000 USD @ 60000 at 10x         | 10       | buy 0.5 @ 60000  | 0.05        | 54796.4
    short 30000 USD @ 60000 at 10x        | 10       | sell 0.5 @ 60000 | 0.05        | 66360
    long 300000 USD @ 60000 at 10x        | 10       | buy 5 @ 60000    | 0.5         | 54814.6
    short 300000 USD @ 60000 at 10x       | 10       | sell 5 @ 60000   | 0.5         | 66337.7
    short at 1x: none, the coin hedges it | 1        | sell 0.5 @ 60000 | 0.5         | 0
  `,
  async ({ leverage, words, marginSize, liquidationPrice }) => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { coin_futures: { BTC: '10' } } })
    await setMarginMode(alice, 'isolated', btcInverse)
    await setLeverage(alice, Number(leverage), btcInverse)
    await filled(alice, withWords(words, { marginMode: 'isolated' }), btcInverse)
    expect(await onePosition(alice, btcInverse)).toMatchObject({ marginSize, liquidationPrice })
  },
)

row('risk-engine §8 examples', 'a cross long of 30000 USD on 0.08 BTC: 51962.1', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { coin_futures: { BTC: '0.0803' } } }) // 0.0003 is the fee
  await filled(alice, 'buy 0.5 @ 60000', btcInverse)
  expect(await onePosition(alice, btcInverse)).toMatchObject({ liquidationPrice: '51962.1' })
})

row('risk-engine §7 examples', 'hedge mode, cross, 2000: long 0.8 @ 60000 and short 0.3 @ 61000: 55810.8', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '2039.78' } } }) // 28.8 + 10.98 fees
  await setHoldMode(alice, 'hedge_mode')
  await setLeverage(alice, 100)
  await filled(alice, 'buy 0.8 open @ 60000', btcPerpetual)
  await filled(alice, 'sell 0.3 open @ 61000', btcPerpetual)
  const [first, second] = await positions(alice)
  expect([first?.['liquidationPrice'], second?.['liquidationPrice']]).toContain('55810.8')
})

table(
  'risk-engine §5 to §7: however far away',
  // 0.0009: (100,000 + 54) / (0.0009 × 1.0046), with 0.0324 for the fee
  `
    case                                   | funds       | orders                                      | liquidation price
    // what                                    funds          orders                 liquidation price
    a small short of a large wallet        | 100000.0324 | sell 0.0009 @ 60000                         | 110662065.6
    // value beyond the last tier: (30,000,000 + 55,200 + 60,000) / 1.0206, with 36 for the fee
    a short that ends beyond the last tier | 30000036    | sell 1 @ 60000                              | 29507348.6
    // equal sides: 0.5 × P × 0.0206 − 55,200 = 500,000, with 36 for the fees
    a locked book                          | 500036      | buy 0.5 open @ 60000; sell 0.5 open @ 60000 | 53902912.6
  `,
  async ({ funds, orders, liquidationPrice }) => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: funds } } })
    if (listed(orders).length > 1) await setHoldMode(alice, 'hedge_mode')
    for (const order of listed(orders)) await filled(alice, order, btcPerpetual)
    for (const held of await positions(alice)) expect(held).toMatchObject({ liquidationPrice })
  },
)

row(
  'risk-engine §6 examples',
  'two cross positions of one wallet: each price counts the other’s profit and maintenance',
  async () => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '5036' } } }) // 18 + 18 fees
    await setLeverage(alice, 20)
    await setLeverage(alice, 20, ethPerpetual)
    await filled(alice, 'buy 0.5 @ 60000', btcPerpetual)
    await filled(alice, 'sell 10 @ 3000', ethPerpetual)
    try {
      await at.venue.setIndexPrices({ BTC: '59400', ETH: '3060' })
      const [btc, eth] = [await onePosition(alice), await onePosition(alice, ethPerpetual)]
      const btcMark = exact(btc['markPrice'] ?? '')
      const ethMark = exact(eth['markPrice'] ?? '')
      const rate = exact('0.0046') // 0.4 % and the taker fee
      const [wallet, btcValue, ethValue] = [exact(5000), btcMark.times('0.5'), ethMark.times(10)]
      const forBtc = wallet.plus(exact(30000).minus(ethValue)).minus(ethValue.times(rate))
      const forEth = wallet.plus(btcValue.minus(30000)).minus(btcValue.times(rate))
      const btcPrice = forBtc.minus(30000).div(rate.minus(1).times('0.5'))
      const ethPrice = forEth.plus(30000).div(rate.plus(1).times(10))
      expect(btc['liquidationPrice']).toBe(toStep(btcPrice, '0.1', 'up'))
      expect(eth['liquidationPrice']).toBe(toStep(ethPrice, '0.01', 'down'))
      if (btcMark.eq(59400) && ethMark.eq(3060)) {
        expect([btc['liquidationPrice'], eth['liquidationPrice']]).toEqual(['51719.5', '3440.51'])
      }
    } finally {
      await at.venue.setIndexPrices({ BTC: '60000', ETH: '3000' })
    }
  },
)

row('risk-engine §5 examples', '300 added to an isolated long at 20x: 56660.7', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } })
  await setMarginMode(alice, 'isolated')
  await setLeverage(alice, 20)
  await filled(alice, 'buy 0.5 isolated @ 60000', btcPerpetual)
  const body = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', holdSide: 'long', amount: '300' }
  succeeds(await alice.post('/api/v2/mix/account/set-margin', body))
  expect(await onePosition(alice)).toMatchObject({ marginSize: '1800', liquidationPrice: '56660.7' })
})

table(
  'risk-engine §9 examples',
  [
    // what                              market        order               break-even
    ['a linear long', btcPerpetual, 'buy 0.5 @ 60000', '60072.1'],
    ['a linear short', btcPerpetual, 'sell 0.5 @ 60000', '59928'],
    ['an inverse long', btcInverse, 'buy 0.5 @ 60000', '60072.1'],
    ['an inverse short', btcInverse, 'sell 0.5 @ 60000', '59928'],
  ],
  async (market, words, breakEvenPrice) => {
    const alice = await at.person('Alice', {
      mode: 'classic',
      funds: { usdt_futures: { USDT: '9000' }, coin_futures: { BTC: '1' } },
    })
    await filled(alice, words, market)
    expect(await onePosition(alice, market)).toMatchObject({ breakEvenPrice })
  },
)
