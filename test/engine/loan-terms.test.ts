/**
 * What the operator may set of loans, what a leverage of borrowing would allow and take, and how a margin wallet stands.
 * Source  risk-engine §17; wire/v3-endpoints §4 (pre-set-leverage); wire/client-endpoints §4 (risk-rate)
 */
import { expect } from 'vitest'
import type { SetLoanTerms, SetMarginLevels } from '../../src/engine/protocol/command.ts'
import { coinId, type Exchange, hourMs } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { scenario, table } from './support/table.ts'

const nobody = 999

function refusal(exchange: Exchange, command: Parameters<Exchange['apply']>[0]): string {
  const reply = exchange.apply(command)
  if (reply.kind !== 'refused') return 'accepted'
  const { refusal: why } = reply
  return why.kind === 'instrument-record-wrong' ? `${why.field} ${why.rule}` : why.kind
}

function borrow(exchange: Exchange, who: string, amount: string, coin: CoinName = 'USDT'): void {
  exchange.must({ kind: 'borrow', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
}

// Terms

const same = {
  borrowable: undefined,
  dailyInterestRate: undefined,
  borrowLimit: undefined,
  lendingPoolLimit: undefined,
  leverageMax: undefined,
} as const

table(
  'terms of a coin within their bounds: at the bound, one step beyond',
  [
    [{ dailyInterestRate: share('0') }, 'accepted'],
    [{ dailyInterestRate: share('0.1') }, 'accepted'],
    [{ dailyInterestRate: share('0.100000000001') }, 'dailyInterestRate lies between 0 and 0.1'],
    [{ dailyInterestRate: share('-0.000000000001') }, 'dailyInterestRate lies between 0 and 0.1'],
    [{ borrowLimit: units('0') }, 'accepted'],
    [{ borrowLimit: units('-0.00000001') }, 'borrowLimit is not negative'],
    [{ lendingPoolLimit: units('0') }, 'accepted'],
    [{ lendingPoolLimit: units('-0.00000001') }, 'lendingPoolLimit is not negative'],
    [{ leverageMax: 1 }, 'accepted'],
    [{ leverageMax: 100 }, 'accepted'],
    [{ leverageMax: 0 }, 'maxLeverage lies between 1 and 100'],
    [{ leverageMax: 101 }, 'maxLeverage lies between 1 and 100'],
    [{ leverageMax: 2.5 }, 'maxLeverage lies between 1 and 100'],
    [{ coin: 99 }, 'coin-unknown'],
  ] as readonly (readonly [Partial<SetLoanTerms>, string])[],
  (exchange, change, outcome) => {
    const before = exchange.query({ kind: 'catalog' })
    expect(refusal(exchange, { kind: 'set-loan-terms', coin: coinId('USDT'), ...same, ...change })).toBe(outcome)
    const { version, coins: after } = exchange.query({ kind: 'catalog' })
    if (outcome !== 'accepted') {
      expect([version, after]).toEqual([before.version, before.coins])
      return
    }
    const { leverageMax, ...others } = change
    const expected = { ...others, ...(leverageMax === undefined ? {} : { marginLeverageMax: leverageMax }) }
    expect(version).toBe(before.version + 1)
    expect(after).toEqual(before.coins.map((coin) => (coin.name === 'USDT' ? { ...coin, ...expected } : coin)))
    expect(exchange.lastEvents).toContainEqual({ kind: 'catalog-changed' })
  },
)

table(
  'levels of the venue: 1 <= liquidation < call < borrow <= transfer (1.1, 1.3, 1.5, 2), a fee of a tenth at most',
  [
    [{ liquidation: '1' }, 'accepted'],
    [{ liquidation: '0.999999999999' }, 'liquidationLevel is at least 1'],
    [{ liquidation: '1.299999999999' }, 'accepted'],
    [{ liquidation: '1.3' }, 'callLevel lies above liquidationLevel'],
    [{ call: '1.100000000001' }, 'accepted'],
    [{ call: '1.1' }, 'callLevel lies above liquidationLevel'],
    [{ call: '1.499999999999' }, 'accepted'],
    [{ call: '1.5' }, 'borrowLevel lies above callLevel'],
    [{ borrow: '1.3' }, 'borrowLevel lies above callLevel'],
    [{ borrow: '2' }, 'accepted'],
    [{ borrow: '2.000000000001' }, 'transferLevel is at least borrowLevel'],
    [{ transfer: '1.5' }, 'accepted'],
    [{ transfer: '1.499999999999' }, 'transferLevel is at least borrowLevel'],
    [{ liquidationFee: '0' }, 'accepted'],
    [{ liquidationFee: '0.1' }, 'accepted'],
    [{ liquidationFee: '0.100000000001' }, 'liquidationFeeRate lies between 0 and 0.1'],
    [{ liquidationFee: '-0.000000000001' }, 'liquidationFeeRate lies between 0 and 0.1'],
  ] as readonly (readonly [Record<string, string>, string])[],
  (exchange, change, outcome) => {
    const unset = { transfer: undefined, borrow: undefined, call: undefined, liquidation: undefined }
    const shares = Object.fromEntries(Object.entries(change).map(([name, level]) => [name, share(level)]))
    const command: SetMarginLevels = { kind: 'set-margin-levels', ...unset, liquidationFee: undefined, ...shares }
    const levelsNow = () => exchange.query({ kind: 'lending', coin: coinId('USDT') }).levels
    const before = levelsNow()
    expect(refusal(exchange, command)).toBe(outcome)
    expect(levelsNow()).toEqual(outcome === 'accepted' ? { ...before, ...shares } : before)
  },
)

// Who and what there is

table(
  'an account and a coin that are not there',
  `
    kind              | account         | coin
    borrow            | account-unknown | coin-unknown
    repay             | account-unknown | coin-unknown
    set-coin-leverage | account-unknown | coin-unknown
  `,
  (exchange, { kind, account, coin }) => {
    exchange.join('alice', { funds: { crossed_margin: '1000 USDT' } })
    const command = { kind: kind as 'borrow' | 'repay' | 'set-coin-leverage', amount: units('1'), leverage: 2 }
    expect(refusal(exchange, { ...command, uid: nobody, coin: 3 })).toBe(account)
    expect(refusal(exchange, { ...command, uid: exchange.uid('alice'), coin: 99 })).toBe(coin)
  },
)

scenario('while its mode changes an account neither borrows nor repays', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '1000 USDT' } })
  const uid = exchange.uid('alice')
  exchange.must({ kind: 'set-account-mode', uid, mode: 'unified' })
  for (const kind of ['borrow', 'repay'] as const) {
    expect(refusal(exchange, { kind, uid, coin: 3, amount: units('1') })).toBe('account-changing-mode')
  }
})

table(
  'reliability F6: a coin whose price is in doubt backs no loan, and a debt in it ends lending (1 BTC, 60,000 USDT)',
  [
    // owed of USDT, whether USDT is in doubt, and what may be borrowed of BTC at a leverage of 3
    ['0', false, '4'],
    ['0', true, '2'],
    ['1', false, '3.99998333'], // (2 × 120,001 − 3 × 1.000005) / 60,000
    ['1', true, '0'],
  ] as const,
  (exchange, owed, doubted, most) => {
    exchange.join('alice', { funds: { crossed_margin: '1 BTC, 60000 USDT', spot: '60000 USDT' } })
    if (owed !== '0') borrow(exchange, 'alice', owed)
    if (doubted) exchange.doubted({})
    const ask = { kind: 'margin-account', uid: exchange.uid('alice'), coin: coinId('BTC') } as const
    expect(coins(exchange.query(ask).borrowable)).toBe(most)
  },
)

// What a leverage of borrowing would allow and take

function preview(exchange: Exchange, coin: CoinName, leverage: number): string {
  const uid = exchange.uid('uma')
  const answer = exchange.query({ kind: 'coin-leverage-preview', uid, coin: coinId(coin), leverage })
  if ('kind' in answer) return answer.kind
  return [answer.borrowable, answer.required, answer.change].map(coins).join(' ')
}

table(
  'debt / (L − 1) of equity; 1 BTC of her own and 20,000.1 USDT owed, which are at hand but for the interest',
  // coin, leverage, borrowable, required, change; equity 59,999.9, a tenth of the 0.1 that is missing set apart
  `
    coin | leverage | answer
    USDT | 3        | 99999.68 10000.05 0
    USDT | 2        | 39999.79 20000.1 10000.05
    BTC  | 3        | 1.66666133 0.1666675 0
    BTC  | 2        | 0.66666316 0.333335 0.1666675
    USDT | 1        | leverage-margin-short
    USDT | 0        | leverage-out-of-range
    USDT | 4        | leverage-out-of-range
    USDT | 2.5      | leverage-out-of-range
    USDC | 2        | coin-not-borrowable
  `,
  (exchange, { coin, leverage, answer }) => {
    exchange.join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
    borrow(exchange, 'uma', '20000')
    expect(preview(exchange, coin as CoinName, Number(leverage))).toBe(answer)
  },
)

table(
  'without debt a leverage takes nothing, and one of 1 allows nothing',
  [
    ['USDT', 1, '0 0 0'],
    ['USDT', 2, '60000 0 0'],
    ['BTC', 3, '2 0 0'],
  ] as const,
  (exchange, coin, leverage, answer) => {
    exchange.join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
    expect(preview(exchange, coin, leverage)).toBe(answer)
  },
)

scenario('a leverage that carries no debt now does not tell what another would change', (exchange) => {
  exchange.join('uma', { mode: 'unified', funds: { uta: '1 BTC' } })
  exchange.must({ kind: 'set-coin-leverage', uid: exchange.uid('uma'), coin: coinId('BTC'), leverage: 1 })
  borrow(exchange, 'uma', '20000')
  expect(preview(exchange, 'BTC', 2)).toBe('leverage-margin-short')
  expect(preview(exchange, 'USDT', 3)).toBe('99999.68 10000.05 0')
})

scenario('nobody and no coin have no preview', (exchange) => {
  exchange.join('uma', { mode: 'unified' })
  const ask = { kind: 'coin-leverage-preview', uid: exchange.uid('uma'), coin: 3, leverage: 2 } as const
  expect(exchange.query({ ...ask, uid: nobody })).toEqual({ kind: 'account-unknown' })
  expect(exchange.query({ ...ask, coin: 99 })).toEqual({ kind: 'coin-unknown' })
})

// How a wallet stands

function standing(exchange: Exchange, uid: number, version: 'v2' | 'v3' = 'v2') {
  return exchange.query({ kind: 'margin-wallet', uid, interface: version })
}

const nothing = { assetsUsd: 0n, debtUsd: 0n, level: undefined, riskRate: 0n, nextInterestAt: undefined }

scenario('without debt there is no level and no risk; nobody has nothing', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } })
  expect(standing(exchange, exchange.uid('alice'))).toEqual({ ...nothing, assetsUsd: units('10000') })
  expect(standing(exchange, nobody)).toEqual(nothing)
})

scenario(
  'risk-engine §17: level and risk rate, 1.1 / ML; the next interest is that of the loan that is due first',
  (exchange) => {
    exchange.join('alice', { funds: { crossed_margin: '10000 USDT' } })
    const uid = exchange.uid('alice')
    borrow(exchange, 'alice', '10000')
    const first = exchange.at
    exchange.wait(60_000)
    borrow(exchange, 'alice', '9000')
    borrow(exchange, 'alice', '0.01', 'BTC')
    // owed 10,000.05, 9,000.045 and 0.01000003 BTC: an hour at 0.012 % and 0.007 % a day
    expect(standing(exchange, uid)).toEqual({
      assetsUsd: units('29600'),
      debtUsd: units('19600.0968'),
      level: share('1.51019662311'), // 29,600 / 19,600.0968, down
      riskRate: share('0.728381975676'), // 1.1 × 19,600.0968 / 29,600, up
      nextInterestAt: first + hourMs,
    })
  },
)
