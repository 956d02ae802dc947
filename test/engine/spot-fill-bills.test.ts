/**
 * The two postings of each spot fill: one for each coin, numbered one after the other, and each begins where the one before it
 * of that coin ended. Also when an account trades with itself, and between two of its wallets.
 * Source  docs/interface.md (What a bill is)
 */
import { expect } from 'vitest'
import { type Exchange, marketOf } from './support/exchange.ts'
import { coins } from './support/figures.ts'
import { type CoinName, coinNames } from './support/listings.ts'
import { traders } from './support/people.ts'
import { table } from './support/table.ts'

interface Posting {
  readonly of: string
  readonly number: number
  readonly change: bigint
  readonly balance: bigint
}

/** Of what the last command filled, in the order of their numbers. */
function postings(exchange: Exchange): Posting[] {
  const found = exchange.lastEvents.flatMap((event): Posting[] => {
    if (event.kind !== 'fill' || event.paidCoin === undefined) return []
    const { uid, wallet, side, execId, feeCoin, paidCoin, baseAmount, notional, fee } = event
    const [came, went] = side === 'buy' ? [baseAmount, notional] : [notional, baseAmount]
    const of = (coin: number) => `${exchange.name(uid)} ${wallet} ${coinNames[coin]}`
    return [
      { of: of(feeCoin), number: execId, change: came - fee, balance: event.balance },
      { of: of(paidCoin), number: execId + 1, change: -went, balance: event.paidBalance },
    ]
  })
  return found.sort((a, b) => a.number - b.number)
}

table(
  'they add up to what the wallets have, taker first',
  `
    rests                        | comes                        | fills
    ann: buy 1 @ 60000           | ann: sell 1 @ 60000          | ann sell taker, ann buy maker
    ann: sell 1 @ 60000          | ann: buy 1 @ 60000           | ann buy taker, ann sell maker
    ann: sell 2 @ 59000          | ann: buy 1 @ 60000           | ann buy taker, ann sell maker
    bob: buy 1 @ 60000           | ann: sell 1 @ 60000          | ann sell taker, bob buy maker
    bob: sell 1 @ 60000          | ann: buy 1 @ 60000           | ann buy taker, bob sell maker
    // Of two wallets
    ann: buy 1 on-margin @ 60000 | ann: sell 1 @ 60000          | ann sell taker, ann buy maker
    ann: sell 1 @ 60000          | ann: buy 1 on-margin @ 60000 | ann buy taker, ann sell maker
  `,
  (exchange, { rests, comes, fills }) => {
    traders(exchange, 'ann', 'bob').market = 'BTC/USDT'
    exchange.given(rests)
    const wallets = ['spot', 'crossed_margin'] as const
    const has = (of: string) => {
      const [who, wallet, coin] = of.split(' ') as [string, (typeof wallets)[number], CoinName]
      return exchange.balance(who, wallet, coin).balance as bigint
    }
    const balances = new Map<string, bigint>()
    for (const who of ['ann', 'bob'])
      for (const wallet of wallets)
        for (const coin of ['BTC', 'USDT']) balances.set(`${who} ${wallet} ${coin}`, has(`${who} ${wallet} ${coin}`))

    exchange.given(comes)
    const told = exchange.lastEvents.flatMap((event) =>
      event.kind === 'fill' ? [`${exchange.name(event.uid)} ${event.side} ${event.scope}`] : [],
    )
    expect(told).toEqual(fills.split(', '))
    const trades = exchange.lastEvents.flatMap((event) => (event.kind === 'trade' ? [marketOf(event.instrument)] : []))
    expect(trades).toEqual(['BTC/USDT'])
    const found = postings(exchange)
    expect(found.map(({ number }) => number - (found[0]?.number ?? 0))).toEqual([0, 1, 2, 3])
    for (const { of, change, balance } of found) {
      expect(coins(balance), of).toBe(coins((balances.get(of) ?? 0n) + change))
      balances.set(of, balance)
    }
    for (const [of, balance] of balances) expect(coins(has(of)), of).toBe(coins(balance))
  },
)
