/**
 * The margin level, its thresholds, and what happens at the lowest of them.
 * Source  risk-engine §17 (levels, worked example); design §4.36
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import { coinId, type Exchange } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

const hour = 3_600_000

function borrow(exchange: Exchange, who: string, amount: string, coin: CoinName = 'USDT'): string {
  return exchange.refusal({ kind: 'borrow', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
}

function standing(exchange: Exchange, who = 'alice') {
  return exchange.query({ kind: 'margin-wallet', uid: exchange.uid(who), interface: 'v2' })
}

/** Calls, liquidations and the account's forced orders that the last command emitted. */
function emitted(exchange: Exchange): string[] {
  return exchange.lastEvents.flatMap((event) => {
    if (event.kind === 'margin-call') return ['call']
    if (event.kind === 'margin-liquidation') return ['liquidation']
    if (event.kind === 'order-ended' && event.order.cause === 'liquidation') return [`${event.order.bookSide} order`]
    return []
  })
}

/** The insurance fund takes what the book does not. */
function insure(exchange: Exchange, amount: string, coin: CoinName = 'USDT'): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId(coin), amount: units(amount) })
}

/** Own 10,000, 0.5 BTC bought at 60,000 with 20,000 borrowed, 27 hours ago; the book is empty again. */
function workedExample(exchange: Exchange): void {
  insure(exchange, '100000')
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 on-margin @ 60000')
  exchange.wait(26 * hour + 600_000).runTimers()
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 2.7')
  expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe('0.4995')
}

table(
  'risk-engine §17: the worked example: liquidation at 44,049.98…, call at 52,059.07…',
  `
    price    | events
    52059.08 | -
    52059.07 | call
    44049.99 | call
    44049.98 | call; sell order; liquidation
  `,
  (exchange, { price, events }) => {
    workedExample(exchange)
    exchange.prices({ BTC: price })
    expect(emitted(exchange)).toEqual(listed(events))
  },
)

const levels = {
  transfer: undefined,
  borrow: undefined,
  call: undefined,
  liquidation: undefined,
  liquidationFee: undefined,
} as const

table(
  'risk-engine §17: liquidated at 44,100 she keeps 1,584.691, whoever takes the coins',
  [['the book'], ['the insurance fund'], ['both']],
  (exchange, who) => {
    workedExample(exchange)
    if (who === 'the book') exchange.given('bob: buy 1 @ 44100')
    if (who === 'both') exchange.given('bob: buy 0.2 @ 44100')
    exchange.prices({ BTC: '44100' })
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 2.7')
    // 22,027.95 over 20,002.7 is 1.10125
    exchange.must({ kind: 'set-margin-levels', ...levels, liquidation: share('1.102') })
    expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('1584.691')
    expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe('0')
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0 + 0')
    expect(exchange.house('lendingPool', 'USDT')).toBe('0')
    expect(exchange.house('interest', 'USDT')).toBe('2.7')
    // 440.559 for its trouble, less 44,100 each for the coins
    const taken = who === 'the book' ? '100440.559' : who === 'both' ? '87232.609' : '78412.609'
    expect(exchange.house('insurance', 'USDT')).toBe(taken)
    expect(exchange.house('insurance', 'BTC')).toBe(who === 'the book' ? '0' : who === 'both' ? '0.2995' : '0.4995')
    const event = exchange.lastEvents.find((found) => found.kind === 'margin-liquidation')
    expect(event).toMatchObject({
      assetsUsd: units('22027.95'),
      debtUsd: units('20002.7'),
      feeUsd: units('440.559'),
      coveredUsd: 0n,
    })
  },
)

scenario('what the account cannot pay the insurance fund pays, and the debt ends at zero', (exchange) => {
  workedExample(exchange)
  exchange.prices({ BTC: '20000' }) // 9,990 of assets, less 199.8
  expect(emitted(exchange)).toEqual(['call', 'sell order', 'liquidation'])
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('0')
  expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe('0')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0 + 0')
  expect(exchange.house('lendingPool', 'USDT')).toBe('0')
  expect(exchange.house('insurance', 'USDT')).toBe('79997.3') // 9,790.2 for the coins, the rest of the debt
  const covered = exchange.lastEvents.find((event) => event.kind === 'repayment' && event.cause === 'insurance')
  expect(covered).toMatchObject({ principal: units('10212.5'), interest: 0n })
})

scenario('its margin orders go first, and if that is enough nothing is sold', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '0.1 BTC' } }).market = 'ETH/USDT'
  exchange.given('alice: buy 4 on-margin @ 3000') // 12,000 borrowed and held
  expect(coins(standing(exchange).level ?? 0n)).not.toBe('0')
  exchange.prices({ BTC: '20000' }).prices({ BTC: '11000' }) // 13,100 of assets over 12,000.06
  expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe('0.1')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0.06 + 0')
  expect(emitted(exchange)).toEqual([])
  expect(exchange.ended()).toMatchObject([{ status: 'canceled', cancelReason: 'system' }])
  expect(exchange.resting()).toEqual([])
})

scenario('a short is bought back: only as much as is owed', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
  insure(exchange, '1', 'BTC')
  exchange.given('bob: buy 0.3 @ 60000', 'alice: sell 0.3 on-margin @ 60000') // 27,982 USDT, owes 0.30000088 BTC
  exchange.given('bob: sell 0.2 @ 86000').prices({ BTC: '85000' })
  expect(emitted(exchange)).toEqual(['call', 'buy order', 'buy order', 'liquidation'])
  expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe('0 + 0')
  // 0.2 at 86,000 and 0.10000088 at 85,000, and 2 % of both
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('1767.923704')
  expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe('0')
})

scenario('an asset that the debt has no pair with is sold for money first, and pays the fee once', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '10 ETH' } }).market = 'BTC/USDT'
  insure(exchange, '1', 'BTC')
  insure(exchange, '100000')
  expect(borrow(exchange, 'alice', '0.5', 'BTC')).toBe('accepted')
  exchange.given('bob: buy 0.5 @ 60000', 'alice: sell 0.5 on-margin @ 60000') // 29,970 USDT
  exchange.given('alice: buy 9 ETH/USDT on-margin @ 3000', 'bob: sell 9 ETH/USDT @ 3000') // 8.991 ETH
  exchange.prices({ ETH: '1550' })
  expect(emitted(exchange)).toContain('liquidation')
  expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe('0 + 0')
  const event = exchange.lastEvents.find((found) => found.kind === 'margin-liquidation')
  expect(event?.feeUsd).toBeLessThan(units('700')) // 2 % of 32,406, not of twice that
})

// The call

scenario('a margin call is published once until the level recovers', (exchange) => {
  workedExample(exchange)
  expect(emitted(exchange.prices({ BTC: '52000' }))).toEqual(['call'])
  expect(emitted(exchange.prices({ BTC: '51000' }))).toEqual([])
  expect(emitted(exchange.prices({ BTC: '52060' }))).toEqual([])
  expect(emitted(exchange.prices({ BTC: '52000' }))).toEqual(['call'])
  exchange.pay('alice', 'crossed_margin', '5000 USDT')
  expect(emitted(exchange.prices({ BTC: '51999' }))).toEqual([])
  expect(emitted(exchange.prices({ BTC: '41000' }))).toEqual(['call'])
})

// The levels

table(
  'what the level allows (assets 30,000 BTC-free USDT over 10,000 borrowed: 4, then as the rest is lost)',
  [
    ['10000', '0', '20000'],
    ['9999.99999999', '0', '19999.99999998'],
  ],
  (exchange, own, _debt, most) => {
    exchange.join('alice', { funds: { crossed_margin: `${own} USDT` } })
    const ask = { kind: 'margin-account', uid: exchange.uid('alice'), coin: coinId('USDT') } as const
    expect(coins(exchange.query(ask).borrowable)).toBe(most)
  },
)

table(
  'the borrow level and the leverage: the stricter one binds (10,000 own)',
  [
    // leverage chosen, borrow level, most
    [3, '1.5', '20000'],
    [2, '1.5', '10000'],
    [1, '1.5', '0'],
    [3, '1.6', '16666.66666666'],
    [3, '1.4', '20000'],
  ],
  (exchange, leverage, level, most) => {
    exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } })
    const uid = exchange.uid('alice')
    exchange.must({ kind: 'set-margin-levels', ...levels, borrow: share(level) })
    exchange.must({ kind: 'set-coin-leverage', uid, coin: coinId('USDT'), leverage })
    const asked = exchange.query({ kind: 'margin-account', uid, coin: coinId('USDT') })
    expect([coins(asked.borrowable), asked.leverage]).toEqual([most, leverage])
  },
)

table(
  'leverage of a coin: within its maximum, and not below what is owed (10,000 own, 15,000 borrowed)',
  `
    leverage | outcome
    0        | leverage-out-of-range
    4        | leverage-out-of-range
    1.5      | leverage-out-of-range
    2        | leverage-margin-short
    3        | accepted
  `,
  (exchange, { leverage, outcome }) => {
    exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } })
    borrow(exchange, 'alice', '15000')
    const uid = exchange.uid('alice')
    expect(exchange.refusal({ kind: 'set-coin-leverage', uid, coin: coinId('USDT'), leverage: Number(leverage) })).toBe(
      outcome,
    )
  },
)

table(
  'levels of the operator stand in their order',
  [
    [{ liquidation: share('0.99') }, 'instrument-record-wrong'],
    [{ liquidation: share('1.3') }, 'instrument-record-wrong'],
    [{ call: share('1.5') }, 'instrument-record-wrong'],
    [{ transfer: share('1.4') }, 'instrument-record-wrong'],
    [{ liquidationFee: share('0.2') }, 'instrument-record-wrong'],
    [{ liquidation: share('1.05'), call: share('1.2') }, 'accepted'],
  ],
  (exchange, change, outcome) => {
    expect(exchange.refusal({ kind: 'set-margin-levels', ...levels, ...change })).toBe(outcome)
  },
)

scenario('the pool: what is lent out is gone for everybody, also after a limit came down', (exchange) => {
  exchange.join('ann', { funds: { crossed_margin: '10 BTC' } }).join('ben', { funds: { crossed_margin: '10 BTC' } })
  expect(borrow(exchange, 'ann', '60000')).toBe('accepted')
  const same = { borrowable: undefined, dailyInterestRate: undefined, leverageMax: undefined }
  const terms = { kind: 'set-loan-terms', coin: coinId('USDT'), ...same } as const
  exchange.must({ ...terms, borrowLimit: undefined, lendingPoolLimit: units('100000') })
  expect(exchange.query({ kind: 'lending', coin: coinId('USDT') }).lent).toBe(units('60000'))
  expect(borrow(exchange, 'ben', '40000.00000001')).toBe('lending-pool-empty')
  expect(borrow(exchange, 'ben', '40000')).toBe('accepted')
  exchange.must({ ...terms, borrowLimit: units('50000'), lendingPoolLimit: units('1000000') })
  expect(borrow(exchange, 'ann', '0.00000001')).toBe('borrow-limit-exceeded')
  expect(borrow(exchange, 'ben', '10000.00000001')).toBe('borrow-limit-exceeded')
  expect(borrow(exchange, 'ben', '10000')).toBe('accepted')
})

scenario('a coin that is no longer borrowable keeps its loans', (exchange) => {
  workedExample(exchange)
  const none = {
    dailyInterestRate: undefined,
    borrowLimit: undefined,
    lendingPoolLimit: undefined,
    leverageMax: undefined,
  }
  exchange.must({ kind: 'set-loan-terms', coin: coinId('USDT'), borrowable: false, ...none })
  expect(borrow(exchange, 'alice', '1')).toBe('coin-not-borrowable')
  exchange.wait(hour).runTimers()
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 2.8')
})

// Who is checked

scenario('prices that move a little at a time reach everybody exactly at their level', (exchange) => {
  const names: string[] = []
  for (let made = 0; made < 40; made++) {
    const name = `d${made}`
    names.push(name)
    exchange.join(name, { funds: { crossed_margin: '1 BTC' } })
    borrow(exchange, name, String(20_000 + made * 500))
  }
  for (let price = 60_000; price > 20_000; price -= 97) {
    exchange.prices({ BTC: String(price) })
    const gone = new Set(
      exchange.lastEvents.flatMap((event) => (event.kind === 'margin-liquidation' ? [exchange.name(event.uid)] : [])),
    )
    for (const name of names) {
      const { level } = standing(exchange, name)
      if (level !== undefined) expect(level, `${name} at ${price}`).toBeGreaterThan(share('1.1'))
      else if (gone.has(name)) continue
    }
  }
})

scenario('a crash that breaches more accounts than a command liquidates goes on with the timer', (exchange) => {
  insure(exchange, '1000000')
  const names = Array.from({ length: 60 }, (_, made) => `d${made}`)
  for (const name of names) {
    exchange.join(name, { funds: { crossed_margin: '1 BTC' } })
    borrow(exchange, name, '33000')
  }
  const owing = () => names.filter((name) => exchange.debt(name, 'crossed_margin', 'USDT') !== '0 + 0').length
  // A BTC and 33,000 over 33,000: at 3,000 the level is 1.09
  exchange.prices({ BTC: '20000' }).prices({ BTC: '6000' }).prices({ BTC: '3000' })
  expect(owing()).toBeGreaterThan(0)
  for (let run = 0; run < 5 && owing() > 0; run++) exchange.runTimers()
  expect(owing()).toBe(0)
})

scenario(
  'a crash that calls more accounts than a command checks goes on with the timer, and then nothing is due',
  (exchange) => {
    const names = Array.from({ length: 501 }, (_, made) => `d${made}`)
    for (const name of names) {
      exchange.join(name, { funds: { crossed_margin: '0.01 BTC' } })
      borrow(exchange, name, '330')
    }
    const called = () => exchange.lastEvents.filter((event) => event.kind === 'margin-call').length
    // 0.01 BTC and 330 over 330: at 8,000 the level is 1.24
    exchange.leap({ BTC: '20000' }).prices({ BTC: '8000' })
    expect(called()).toBe(500)
    expect(exchange.nextTimerAt()).toBeLessThanOrEqual(exchange.at + 1)
    exchange.runTimers()
    expect(called()).toBe(1)
    exchange.runTimers()
    expect(exchange.nextTimerAt()).toBeGreaterThan(exchange.at + 1)
  },
)
