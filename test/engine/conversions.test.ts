/**
 * The house converts coins: quotes, trades, their bounds, and that nothing comes of nothing.
 * Source  docs/decisions/0031-conversions.md
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { ConvertCoins, QuoteConversion, SetConversion } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { coinId, Exchange } from './support/exchange.ts'
import { coins, scaled, share, units } from './support/figures.ts'
import { type CoinName, coinNames } from './support/listings.ts'
import { expectSound } from './support/soundness.ts'
import { scenario, table } from './support/table.ts'

type Quoted = Extract<Reply, { readonly kind: 'conversion-quoted' }>

/** `give 10 USDT for BTC`, or by what comes: `get 0.1 BTC for USDT`. */
function asked(exchange: Exchange, name: string, line: string): QuoteConversion {
  const [way, amount, one, , other] = line.split(' ') as [string, string, CoinName, string, CoinName]
  const gives = way === 'give'
  return {
    kind: 'quote-conversion',
    uid: exchange.uid(name),
    fromCoin: coinId(gives ? one : other),
    toCoin: coinId(gives ? other : one),
    fromAmount: gives ? units(amount) : undefined,
    toAmount: gives ? undefined : units(amount),
  }
}

function quote(
  exchange: Exchange,
  name: string,
  line: string,
): { readonly quoted: Quoted; readonly trade: ConvertCoins } {
  const ask = asked(exchange, name, line)
  const quoted = exchange.must(ask) as Quoted
  const { uid, fromCoin, toCoin } = ask
  const { quoteId, fromAmount, toAmount } = quoted
  return { quoted, trade: { kind: 'convert-coins', uid, quoteId, fromCoin, toCoin, fromAmount, toAmount } }
}

const unchanged: SetConversion = {
  kind: 'set-conversion',
  spread: undefined,
  quoteMs: undefined,
  leastUsd: undefined,
  mostUsd: undefined,
}

const funds = { spot: '1 BTC, 100000 USDT' }

// BTC stands at 60000, SOL at 100, USDT and USDC at 1; the spread is 0.001.
table(
  'the price is the index less the spread; what comes is rounded down, what goes up',
  `
    line                          | from           | to    | price
    give 1 BTC for USDT           | 1              | 59940 | 59940
    give 60000 USDT for BTC       | 60000          | 0.999 | 0.00001665
    give 1.00000001 USDT for USDC | 1.00000001     | 0.999 | 0.999
    get 1 BTC for USDT            | 60060.06006007 | 1     | 0.00001665
    get 3 SOL for USDT            | 300.30030031   | 3     | 0.00999
    give 0.01 BTC for SOL         | 0.01           | 5.994 | 599.4
  `,
  (exchange, { line, from, to, price }) => {
    exchange.join('ann', { funds })
    const { quoted, trade } = quote(exchange, 'ann', line)
    expect([coins(quoted.fromAmount), coins(quoted.toAmount), quoted.price]).toEqual([from, to, scaled(price, 12)])
    exchange.pay('ann', 'spot', '1000000 USDT')
    expect(exchange.must(trade)).toMatchObject({ kind: 'converted', toAmount: quoted.toAmount })
  },
)

scenario('both legs are posted against the house, billed and published', (exchange) => {
  exchange.join('ann', { funds })
  const { trade } = quote(exchange, 'ann', 'give 30000 USDT for BTC')
  exchange.must(trade)
  expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('70000')
  expect(exchange.wallet('ann', 'spot', 'BTC')).toBe('1.4995')
  expect([exchange.house('conversion', 'USDT'), exchange.house('conversion', 'BTC')]).toEqual(['30000', '-0.4995'])
  expect(exchange.lastEvents).toMatchObject([
    { kind: 'conversion', wallet: 'spot', fromAmount: units('30000'), toAmount: units('0.4995') },
    { kind: 'bill', type: 'convert_out', amount: -units('30000'), balance: units('70000') },
    { kind: 'bill', type: 'convert_in', amount: units('0.4995'), balance: units('1.4995') },
  ])
})

table(
  'a quote is refused, in this order',
  [
    ['nobody', 'give 10 USDT for BTC', 'account-unknown'],
    ['ann', 'give 10 USDT for USDT', 'conversion-same-coin'],
    ['ann', 'give 0 USDT for BTC', 'amount-not-positive'],
    ['ann', 'give 0.99999999 USDT for BTC', 'conversion-below-minimum'],
    ['ann', 'give 1 USDT for BTC', 'accepted'],
    ['ann', 'give 100000 USDT for BTC', 'accepted'],
    ['ann', 'give 100000.00000001 USDT for BTC', 'conversion-above-maximum'],
    ['ann', 'give 1.66666667 BTC for USDT', 'conversion-above-maximum'],
    ['ann', 'give 1.66666666 BTC for USDT', 'accepted'],
  ],
  (exchange, name, line, outcome) => {
    exchange.join('ann', { funds })
    const ask = asked(exchange, 'ann', line)
    expect(exchange.refusal(name === 'nobody' ? { ...ask, uid: 5 } : ask)).toBe(outcome)
  },
)

table(
  'a trade says what its quote says',
  [
    ['all of it', {}, 'accepted'],
    ['another number', { quoteId: 1 }, 'quote-unknown'],
    ['another coin to give', { fromCoin: coinId('USDC') }, 'quote-differs'],
    ['another coin to get', { toCoin: coinId('SOL') }, 'quote-differs'],
    ['a unit less to give', { fromAmount: units('999.99999999') }, 'quote-differs'],
    ['a unit more to get', { toAmount: units('0.01665001') }, 'quote-differs'],
  ],
  (exchange, _what, change, outcome) => {
    exchange.join('ann', { funds })
    const { trade } = quote(exchange, 'ann', 'give 1000 USDT for BTC')
    const before = exchange.save()
    expect(exchange.refusal({ ...trade, ...(change as Partial<ConvertCoins>) })).toBe(outcome)
    if (outcome !== 'accepted') expect(exchange.save().length).toBe(before.length)
  },
)

scenario('a quote is used once, by whom it was given to, while it holds', (exchange) => {
  exchange.join('ann', { funds }).join('bob', { funds })
  const first = quote(exchange, 'ann', 'give 1000 USDT for BTC').trade
  expect(exchange.refusal({ ...first, uid: exchange.uid('bob') })).toBe('quote-unknown')
  exchange.must(first)
  expect(exchange.refusal(first)).toBe('quote-used')

  // Each command comes a millisecond after the one before: the trade comes exactly at the end, then a millisecond late.
  const punctual = quote(exchange, 'ann', 'give 1000 USDT for BTC').trade
  exchange.wait(7_999)
  expect(exchange.refusal(punctual)).toBe('accepted')
  const late = quote(exchange, 'ann', 'give 1000 USDT for BTC').trade
  exchange.wait(8_000)
  expect(exchange.refusal(late)).toBe('quote-over')
  exchange.wait(120_000)
  quote(exchange, 'ann', 'give 1000 USDT for BTC')
  expect(exchange.refusal(late)).toBe('quote-unknown')
})

scenario('a quote holds whatever the index does meanwhile; a coin without a price gets none', (exchange) => {
  exchange.join('ann', { funds })
  const { trade, quoted } = quote(exchange, 'ann', 'give 60000 USDT for BTC')
  exchange.prices({ BTC: '90000' })
  exchange.must(trade)
  expect(coins(quoted.toAmount)).toBe('0.999')
  exchange.doubted({ BTC: '600000' })
  expect(exchange.refusal(asked(exchange, 'ann', 'give 10 USDT for BTC'))).toBe('index-stale')
  expect(exchange.query({ kind: 'convertible' }).map(({ coin }) => coinNames[coin])).not.toContain('BTC')
})

table(
  'the wallet that trades spot; no more than it has free, and than may leave it',
  [
    ['classic', { spot: '100 USDT', usdt_futures: '1000 USDT' }, '100', 'accepted'],
    ['classic', { spot: '99.99999999 USDT', crossed_margin: '1000 USDT' }, '100', 'insufficient-available'],
    ['hybrid', { spot: '100 USDT', uta: '1000 USDT' }, '100', 'accepted'],
    ['hybrid', { spot: '99 USDT', uta: '1000 USDT' }, '100', 'insufficient-available'],
    ['unified', { uta: '100 USDT' }, '100', 'accepted'],
    ['unified', { spot: '1000 USDT', uta: '99 USDT' }, '100', 'insufficient-available'],
  ],
  (exchange, mode, has, amount, outcome) => {
    exchange.join('ann', { mode: mode as 'classic', funds: has })
    const { trade } = quote(exchange, 'ann', `give ${amount} USDT for BTC`)
    expect(exchange.refusal(trade)).toBe(outcome)
  },
)

scenario('what open orders hold is not converted', (exchange) => {
  exchange.join('ann', { funds: { spot: '1000 USDT' } })
  exchange.given('ann: buy 5 SOL/USDT @ 100')
  const { trade } = quote(exchange, 'ann', 'give 501 USDT for BTC')
  expect(exchange.refusal(trade)).toBe('insufficient-available')
  exchange.must(quote(exchange, 'ann', 'give 500 USDT for BTC').trade)
})

scenario('what comes into a unified wallet pays its debt of that coin', (exchange) => {
  exchange.join('ann', { mode: 'unified', funds: { uta: '100000 USDT' } })
  exchange.must({ kind: 'borrow', uid: exchange.uid('ann'), coin: coinId('BTC'), amount: units('0.1') })
  exchange.must(quote(exchange, 'ann', 'get 0.05 BTC for USDT').trade)
  const { principal, interest } = exchange.balance('ann', 'uta', 'BTC')
  expect(principal + interest).toBeLessThan(units('0.0501'))
})

table(
  'terms of the operator',
  [
    [{ spread: share('0.01') }, 'accepted', '59400'],
    [{ spread: share('0') }, 'accepted', '60000'],
    [{ spread: share('1') }, 'instrument-record-wrong', '59940'],
    [{ quoteMs: 0 }, 'instrument-record-wrong', '59940'],
    [{ quoteMs: 3_600_001 }, 'instrument-record-wrong', '59940'],
    [{ leastUsd: units('0') }, 'instrument-record-wrong', '59940'],
    [{ mostUsd: units('0.5') }, 'instrument-record-wrong', '59940'],
  ],
  (exchange, terms, outcome, price) => {
    exchange.join('ann', { funds })
    expect(exchange.refusal({ ...unchanged, ...(terms as Partial<SetConversion>) })).toBe(outcome)
    expect(quote(exchange, 'ann', 'give 1 BTC for USDT').quoted.price).toBe(scaled(price, 12))
  },
)

scenario('quotes do not pile up: twenty of an account, and none of long ago', (exchange) => {
  exchange.join('ann', { funds }).join('bob', { funds })
  const oldest = quote(exchange, 'ann', 'give 10 USDT for BTC').trade
  for (let count = 0; count < 20; count++) quote(exchange, 'ann', 'give 10 USDT for BTC')
  expect(exchange.tableCounts()['conversion-quotes']).toBe(20)
  expect(exchange.refusal(oldest)).toBe('quote-unknown')
  exchange.wait(600_000)
  quote(exchange, 'bob', 'give 10 USDT for BTC')
  expect(exchange.tableCounts()['conversion-quotes']).toBe(1)
})

test('quotes and terms are saved, and a venue that never converted is saved as before', () => {
  const exchange = new Exchange()
  exchange.join('ann', { funds })
  expect(exchange.save().includes('conversions')).toBe(false)
  exchange.must({ ...unchanged, quoteMs: 5_000 })
  const { trade, quoted } = quote(exchange, 'ann', 'give 10 USDT for BTC')
  const again = Engine.load([exchange.save()], () => {})
  const sequence = exchange.applied.length
  expect(again.apply(trade, sequence + 1, exchange.at + 4_999)).toMatchObject({ toAmount: quoted.toAmount })
  expect(again.query({ kind: 'verify' }).faults).toEqual([])
})

test('whoever converts round and round only loses, and every coin adds up', () => {
  const coin = fc.constantFrom(...coinNames)
  const step = fc.record({ from: coin, to: coin, dollars: fc.integer({ min: 1, max: 2_000 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const exchange = new Exchange()
      exchange.join('ann', { funds: { spot: '10 BTC, 10 ETH, 1000 SOL, 100000 USDT, 100000 USDC' } })
      const uid = exchange.uid('ann')
      const usd = exchange.query({ kind: 'index-prices' })
      const worth = () =>
        exchange
          .query({ kind: 'balances', uid, wallet: 'spot' })
          .reduce((sum, { coin: which, balance }) => sum + balance * usd[which], 0n)
      for (const { from, to, dollars } of steps) {
        const before = worth()
        const amount = units(String(dollars)) * 100_000_000n
        const fromAmount = (amount / usd[coinId(from)]) as QuoteConversion['fromAmount']
        const ask = { uid, fromCoin: coinId(from), toCoin: coinId(to), fromAmount, toAmount: undefined } as const
        const reply = exchange.apply({ kind: 'quote-conversion', ...ask })
        if (reply.kind !== 'conversion-quoted') continue
        const { quoteId, toAmount } = reply
        exchange.apply({ kind: 'convert-coins', ...ask, fromAmount: reply.fromAmount, quoteId, toAmount })
        expect(worth()).toBeLessThanOrEqual(before)
      }
      expectSound(exchange)
    }),
    { numRuns: 20 },
  )
})
