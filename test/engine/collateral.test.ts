/**
 * Coins that an account chose as collateral, and what a leverage would take before it is set.
 * Source  wire/v3-endpoints §4 (set-collateral-type, pre-set-leverage); risk-engine §5, §6, §16; design §4.16, §4.37
 */
import { expect } from 'vitest'
import type { SetCollateralType } from '../../src/engine/protocol/command.ts'
import { listed } from '../support/text-table.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import type { CoinName, MarketName } from './support/listings.ts'
import { hedgers, plenty, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

const nobody = 999

function choose(exchange: Exchange, choice: SetCollateralType['choice'], ...list: readonly CoinName[]): string {
  const uid = exchange.uid('uma')
  return exchange.refusal({ kind: 'set-collateral-type', uid, choice, coins: list.map(coinId) })
}

function chosen(exchange: Exchange): string {
  const { choice, coins: list } = exchange.query({ kind: 'collateral', uid: exchange.uid('uma') })
  const { coins: all } = exchange.query({ kind: 'catalog' })
  return `${choice}: ${list.map((coin) => all[coin]?.name).join(' ')}`
}

/** What new risk may use, in USDT. */
function available(exchange: Exchange): string {
  return coins(exchange.asset('uma', 'USDT-FUTURES', 'USDT').crossMaxAvailable)
}

function transferable(exchange: Exchange, coin: CoinName): string {
  return coins(exchange.balance('uma', 'uta', coin).transferable)
}

// Choosing

table(
  'all coins, those that contracts are settled in, or a list: each once, in the order of the catalogue',
  [
    ['all', [], 'all: BTC ETH SOL USDT USDC'],
    ['mainstream', [], 'mainstream: BTC USDT USDC'],
    ['custom', ['SOL', 'BTC', 'SOL'], 'custom: BTC SOL'],
    ['custom', [], 'custom: '],
  ] as readonly (readonly [SetCollateralType['choice'], readonly CoinName[], string])[],
  (exchange, choice, list, answer) => {
    exchange.join('uma', { mode: 'unified' })
    expect(chosen(exchange)).toBe('all: BTC ETH SOL USDT USDC')
    expect(choose(exchange, choice, ...list)).toBe('accepted')
    expect(chosen(exchange)).toBe(answer)
    expect(available(exchange)).toBe('0')
    expect(exchange.lastEvents).toContainEqual({ kind: 'margin-changed', uid: exchange.uid('uma') })
  },
)

scenario(
  'refusals, the first wins: nobody, a classic account, one that changes its mode, a coin that is not there',
  (exchange) => {
    exchange.join('carl').join('uma', { mode: 'unified' })
    const wrong = { kind: 'set-collateral-type', choice: 'custom', coins: [0, 99] } as const
    expect(exchange.refusal({ ...wrong, uid: nobody })).toBe('account-unknown')
    expect(exchange.refusal({ ...wrong, uid: exchange.uid('carl') })).toBe('account-mode-unsuitable')
    expect(exchange.refusal({ ...wrong, uid: exchange.uid('uma') })).toBe('coin-unknown')
    exchange.must({ kind: 'set-account-mode', uid: exchange.uid('carl'), mode: 'unified' })
    exchange.must({ kind: 'set-account-mode', uid: exchange.uid('uma'), mode: 'classic' })
    expect(exchange.refusal({ ...wrong, uid: exchange.uid('carl') })).toBe('account-changing-mode')
    expect(exchange.refusal({ ...wrong, uid: exchange.uid('uma') })).toBe('account-changing-mode')
    expect(chosen(exchange)).toBe('all: BTC ETH SOL USDT USDC')
  },
)

// What counts

table(
  'risk-engine §16: a coin that was not chosen adds nothing (100 ETH at 3,000 and 1,000 USDT)',
  `
    choice     | list | usd
    all        | -    | 301000
    mainstream | -    | 1000
    custom     | ETH  | 300000
    custom     | SOL  | 0
  `,
  (exchange, { choice, list, usd }) => {
    exchange.join('uma', { mode: 'unified', funds: { uta: '100 ETH, 1000 USDT' } })
    expect(choose(exchange, choice as SetCollateralType['choice'], ...(listed(list) as CoinName[]))).toBe('accepted')
    expect(available(exchange)).toBe(usd)
  },
)

table(
  'what remains has to cover the initial margin: exactly enough, one unit short (long 10 at 100 and 20x needs 50)',
  `
    usdt        | choice     | list | outcome
    50.6        | mainstream | -    | accepted
    50.59999999 | mainstream | -    | collateral-short
    50.59999999 | all        | -    | accepted
    1           | custom     | ETH  | accepted
    50          | custom     | USDT | collateral-short
  `,
  (exchange, { usdt, choice, list, outcome }) => {
    traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: `1 ETH, ${usdt} USDT` } })
    exchange.given('bob: sell 10 @ 100', 'uma: buy 10 @ 100') // fee 0.6
    expect(choose(exchange, choice as SetCollateralType['choice'], ...(listed(list) as CoinName[]))).toBe(outcome)
    expect(chosen(exchange).split(':')[0]).toBe(outcome === 'accepted' ? choice : 'all')
  },
)

table(
  'so it does for what orders and debts ask for; plain balances carry nothing',
  `
    orders            | usdt        | outcome
    uma: buy 10 @ 100 | 50.6        | accepted
    uma: buy 10 @ 100 | 50.59999999 | collateral-short
    -                 | 0.00000001  | accepted
  `,
  (exchange, { orders, usdt, outcome }) => {
    exchange.join('uma', { mode: 'unified', funds: { uta: `1 ETH, ${usdt} USDT` } })
    exchange.given(orders)
    expect(choose(exchange, 'custom', 'USDT')).toBe(outcome)
  },
)

scenario('what is owed in a coin that was not chosen is owed all the same', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
  exchange.must({ kind: 'borrow', uid: exchange.uid('uma'), coin: coinId('USDT'), amount: units('20000') })
  exchange.given('bob: sell 0.3 BTC/USDT @ 60000', 'uma: buy 0.3 BTC/USDT @ 60000')
  expect(choose(exchange, 'custom', 'USDT')).toBe('collateral-short')
  expect(choose(exchange, 'custom', 'BTC')).toBe('accepted')
  // 1.2997 BTC are 77,982; of USDT 18,000.1 are missing, and a tenth of that is set apart
  expect(available(exchange)).toBe('58181.89')
})

table(
  'what does not count may leave; of what counts, what the margin can spare (10 ETH, long 10 at 100)',
  [
    // USDT after the fee, choice, USDT and ETH that may leave
    ['50', ['USDT'], '0', '10'],
    ['80', ['USDT'], '30', '10'],
    ['50', ['USDT', 'ETH'], '50', '10'],
    // USDT does not count: all of it may leave, and ETH may not go below the 50 that are needed
    ['50', ['ETH'], '50', '9.98333333'],
  ] as readonly (readonly [string, readonly CoinName[], string, string])[],
  (exchange, usdt, list, usdtOut, ethOut) => {
    traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: `10 ETH, ${usdt} USDT` } })
    exchange.pay('uma', 'uta', '0.6 USDT').given('bob: sell 10 @ 100', 'uma: buy 10 @ 100')
    expect(choose(exchange, 'custom', ...list)).toBe('accepted')
    expect([transferable(exchange, 'USDT'), transferable(exchange, 'ETH')]).toEqual([usdtOut, ethOut])
  },
)

// What a leverage would take

interface Asked {
  readonly who?: string
  readonly market?: MarketName
  readonly marginMode?: 'cross' | 'isolated'
  readonly version?: 'v2' | 'v3'
}

function preview(exchange: Exchange, long: number, short: number, asked: Asked = {}) {
  const { who = 'alice', market = 'SOLUSDT', marginMode = 'cross', version = 'v2' } = asked
  return exchange.query({
    kind: 'leverage-preview',
    uid: who === 'nobody' ? nobody : exchange.uid(who),
    interface: version,
    instrument: instrumentId(market),
    marginMode,
    long,
    short,
  })
}

/** Margin needed, the change, and how many lots more, as text. */
function figures(answer: ReturnType<typeof preview>): string {
  if ('kind' in answer) return answer.kind
  return `${coins(answer.required)} ${coins(answer.change)} ${answer.maxOpen}`
}

table(
  'cross: margin of positions at the mark and of orders at the new leverage (long 10 at 100, an order of 10 at 90)',
  // at 20x 50 and 45.54; lots at 100: 1,000 less both, over 5.06 a lot or whatever the leverage makes it
  `
    leverage | answer
    20       | 95.54 0 178
    10       | 190.54 95 80
    40       | 48.04 -47.5 371
    1        | 1900.54 1805 0
    0        | leverage-out-of-range
    126      | leverage-out-of-range
  `,
  (exchange, { leverage, answer }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000.6 USDT' } })
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'alice: buy 10 @ 90')
    expect(figures(preview(exchange, Number(leverage), Number(leverage)))).toBe(answer)
  },
)

table(
  'isolated: margin that moves, of the position at its entry, on the sides that differ (long 10 and short 4 at 100)',
  [
    // long leverage, short leverage, margin, change
    [20, 20, '70', '0'],
    [10, 20, '120', '50'],
    [20, 10, '90', '20'],
    [10, 40, '110', '40'],
    [40, 40, '35', '-35'],
  ],
  (exchange, long, short, required, change) => {
    hedgers(exchange, 'alice')
    traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 open isolated @ 100')
    exchange.given('bob: buy 4 @ 100', 'alice: sell 4 open isolated @ 100')
    const answer = figures(preview(exchange, long, short, { marginMode: 'isolated' }))
    expect(answer.split(' ').slice(0, 2)).toEqual([required, change])
  },
)

scenario('isolated: a position that could not give up its margin refuses, as the setting itself does', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 isolated @ 100').prices({ SOL: '98' })
  expect(figures(preview(exchange, 50, 50, { marginMode: 'isolated' }))).toBe('leverage-margin-short')
  expect(
    figures(preview(exchange, 10, 10, { marginMode: 'isolated' }))
      .split(' ')
      .slice(0, 2),
  ).toEqual(['100', '50'])
})

scenario('a margin mode that is not in force has neither positions nor orders', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000.6 USDT' } })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  expect(
    figures(preview(exchange, 5, 10, { marginMode: 'isolated' }))
      .split(' ')
      .slice(0, 2),
  ).toEqual(['0', '0'])
})

scenario('a tier caps the leverage of what stands open', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 2000 @ 100', 'alice: buy 2000 @ 100')
  expect(preview(exchange, 125, 125)).toEqual({ kind: 'leverage-out-of-range', minimum: 1, maximum: 100 })
  expect(figures(preview(exchange, 100, 100)).split(' ')[0]).toBe('2000')
})

scenario('nobody, a market without leverage, and an interface that is not the account’s', (exchange) => {
  exchange.join('alice', { funds: plenty })
  expect(preview(exchange, 10, 10, { who: 'nobody' })).toEqual({ kind: 'account-unknown' })
  expect(preview(exchange, 10, 10, { market: 'SOL/USDT' })).toEqual({ kind: 'instrument-unknown' })
  expect(preview(exchange, 10, 10, { version: 'v3' })).toEqual({ kind: 'account-mode-unsuitable' })
})

table(
  'what it says is what then can be opened, and not a lot more (long 10 at 100)',
  [[5], [20], [33], [100]],
  (exchange, leverage) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000.6 USDT' } })
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    const answer = preview(exchange, leverage, leverage)
    if ('kind' in answer) throw new Error(answer.kind)
    const { uid, instrument } = { uid: exchange.uid('alice'), instrument: instrumentId('SOLUSDT') }
    const unset = { positionSide: undefined, marginMode: undefined }
    exchange.must({ kind: 'set-leverage', uid, interface: 'v2', instrument, leverage, ...unset })
    expect(exchange.place(`alice: buy ${answer.maxOpen + 1} @ 100`)).toBe('refused insufficient-margin')
    expect(exchange.place(`alice: buy ${answer.maxOpen} @ 100`)).toBe(`rests ${answer.maxOpen}`)
  },
)

scenario('unified: what other coins are worth opens as well', (exchange) => {
  unifieds(exchange, 'alice')
  traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  expect(
    figures(preview(exchange, 10, 10, { version: 'v3' }))
      .split(' ')
      .slice(0, 2),
  ).toEqual(['100', '50'])
})
