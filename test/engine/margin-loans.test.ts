/**
 * Spot cross margin: loans at placement, first hour's interest, repayment, what a loan keeps from leaving.
 * Source  interface E2 rule 3, E11; design §4.36; risk-engine §17
 */
import { expect } from 'vitest'
import { coinId, type Exchange } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { lotsOf } from './support/order-commands.ts'
import { scenario, table } from './support/table.ts'

function borrow(exchange: Exchange, who: string, amount: string, coin: CoinName = 'USDT'): string {
  return exchange.refusal({ kind: 'borrow', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
}

function repay(exchange: Exchange, who: string, amount: string, coin: CoinName = 'USDT'): string {
  const reply = exchange.apply({ kind: 'repay', uid: exchange.uid(who), coin: coinId(coin), amount: units(amount) })
  if (reply.kind === 'refused') return `refused ${reply.refusal.kind}`
  return reply.kind === 'repaid' ? `repaid ${coins(reply.repaid)}, owes ${coins(reply.remaining)}` : reply.kind
}

/** Alice with 10,000 USDT of her own on margin, Bob to trade against. */
function marginAccount(exchange: Exchange): void {
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
}

// Borrowing for an order

scenario('risk-engine §17: the worked example: 10,000 own, 30,000 bought, 20,000 borrowed', (exchange) => {
  marginAccount(exchange)
  exchange.given('bob: sell 0.5 @ 60000')
  expect(exchange.place('alice: buy 0.5 on-margin @ 60000')).toBe('filled 0.5')
  expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe('0.4995')
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('0')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 0.1')
  expect(exchange.house('lendingPool', 'USDT')).toBe('-20000')
  const loan = exchange.lastEvents.find((event) => event.kind === 'loan')
  const interest = exchange.lastEvents.find((event) => event.kind === 'interest')
  expect(loan).toMatchObject({ amount: units('20000'), cause: 'order' })
  expect(interest).toMatchObject({ amount: units('0.1') })
})

table(
  'the loan is what is missing, within the leverage of 3: exactly enough, one unit short',
  // own USDT, order, outcome, debt
  `
    own            | order                     | outcome                        | debt
    30000          | buy 0.5 on-margin @ 60000 | rests 0.5                      | 0 + 0
    29999.99999999 | buy 0.5 on-margin @ 60000 | rests 0.5                      | 0.00000001 + 0.00000001
    10000          | buy 0.5 on-margin @ 60000 | rests 0.5                      | 20000 + 0.1
    9999.99999999  | buy 0.5 on-margin @ 60000 | refused insufficient-available | 0 + 0
    10000          | buy 30000 USDT on-margin  | canceled no-liquidity          | 0 + 0
    10000          | buy 0.5 @ 60000           | refused insufficient-available | 0 + 0
  `,
  (exchange, { own, order, outcome, debt }) => {
    exchange.join('alice', { funds: { crossed_margin: `${own} USDT` } }).market = 'BTC/USDT'
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe(debt)
  },
)

scenario('a sell on margin borrows the coin that it sells', (exchange) => {
  marginAccount(exchange)
  exchange.given('bob: buy 0.3 @ 60000')
  expect(exchange.place('alice: sell 0.3 on-margin @ 60000')).toBe('filled 0.3')
  expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe('0.3 + 0.00000088') // 0.3 × 0.00007 / 24 = 0.000000875
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('27982')
})

scenario('risk-engine §17: what an order borrowed and did not use goes back when it is canceled', (exchange) => {
  marginAccount(exchange)
  exchange.given('alice: buy 0.5 on-margin oid:mine @ 60000')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 0.1')
  exchange.cancel('alice', 'mine')
  // 20,000 repaid: the interest of 0.1 first
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0.1 + 0')
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('10000')
  const repayment = exchange.lastEvents.find((event) => event.kind === 'repayment')
  expect(repayment).toMatchObject({ cause: 'order-ended', interest: units('0.1'), principal: units('19999.9') })
})

scenario('of an order that filled in part, only the unspent part of its loan goes back', (exchange) => {
  marginAccount(exchange)
  exchange.given('alice: buy 0.5 on-margin oid:mine @ 60000', 'bob: sell 0.4 @ 60000')
  exchange.cancel('alice', 'mine') // 6,000 of 30,000 unspent
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('14000.1 + 0')
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('0')
})

scenario('of an order with money of its own, what it did not borrow stays when it ends', (exchange) => {
  marginAccount(exchange)
  exchange.given('alice: buy 0.2 on-margin oid:mine @ 60000') // 12,000: 2,000 borrowed
  exchange.cancel('alice', 'mine')
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('10000')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0.01 + 0')
})

scenario('an order that is canceled at once borrows nothing', (exchange) => {
  marginAccount(exchange)
  expect(exchange.place('alice: buy 0.5 on-margin fok @ 60000')).toBe('canceled no-liquidity')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0 + 0')
})

// Borrowing on request

table(
  'how much may be borrowed (10,000 own): leverage, account limit, pool',
  `
    coin | amount         | outcome
    USDT | 20000          | accepted
    USDT | 20000.00000001 | borrow-limit-exceeded
    BTC  | 0.33333333     | accepted
    BTC  | 0.33333334     | borrow-limit-exceeded
    USDC | 1              | coin-not-borrowable
    USDT | 0              | amount-not-positive
    USDT | -1             | amount-not-positive
  `,
  (exchange, { coin: name, amount, outcome }) => {
    const coin = name as CoinName
    marginAccount(exchange)
    const { borrowable } = exchange.query({ kind: 'margin-account', uid: exchange.uid('alice'), coin: coinId(coin) })
    expect(borrow(exchange, 'alice', amount, coin)).toBe(outcome)
    if (outcome === 'accepted') expect(coins(borrowable)).toBe(amount)
    if (coin === 'USDC') expect(borrowable).toBe(0n)
  },
)

scenario('the limit of an account, then the pool of the coin', (exchange) => {
  for (const who of ['ann', 'ben', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'joe', 'kim']) {
    exchange.join(who, { funds: { crossed_margin: '200 BTC' } })
    if (who === 'kim') break
    // Joe takes the last that there is.
    const short = who === 'joe' ? 'lending-pool-empty' : 'borrow-limit-exceeded'
    expect(borrow(exchange, who, '200000.00000001')).toBe(short)
    expect(borrow(exchange, who, '200000')).toBe('accepted')
    expect(borrow(exchange, who, '0.00000001')).toBe(short)
  }
  expect(borrow(exchange, 'kim', '0.00000001')).toBe('lending-pool-empty')
})

scenario('what one loan uses up of the leverage is gone for the next, also in another coin', (exchange) => {
  marginAccount(exchange)
  expect(borrow(exchange, 'alice', '12000')).toBe('accepted') // 0.06 of interest: equity 9,999.94
  const { borrowable } = exchange.query({ kind: 'margin-account', uid: exchange.uid('alice'), coin: coinId('USDT') })
  expect(coins(borrowable)).toBe('7999.82') // 2 × 9,999.94 − 12,000.06
  exchange.prices({ BTC: '50000' })
  expect(borrow(exchange, 'alice', '0.1599965', 'BTC')).toBe('borrow-limit-exceeded')
  expect(borrow(exchange, 'alice', '0.1599964', 'BTC')).toBe('accepted')
})

scenario('interest of the first hour is owed at once, rounded up', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '10 BTC' } })
  expect(borrow(exchange, 'alice', '20000')).toBe('accepted')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 0.1')
  expect(borrow(exchange, 'alice', '1', 'BTC')).toBe('accepted')
  expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe('1 + 0.00000292')
})

// Repaying

table(
  'E11: interest first, then principal; the debt at most (20,000.1 owed, 30,000 there)',
  `
    amount         | outcome                     | debt
    5000           | repaid 5000, owes 15000.1   | 15000.1 + 0
    0.04           | repaid 0.04, owes 20000.06  | 20000 + 0.06
    0.1            | repaid 0.1, owes 20000      | 20000 + 0
    20000.1        | repaid 20000.1, owes 0      | 0 + 0
    20000.10000001 | repaid 20000.1, owes 0      | 0 + 0
    1000000        | repaid 20000.1, owes 0      | 0 + 0
    0              | refused amount-not-positive | 20000 + 0.1
  `,
  (exchange, { amount, outcome, debt }) => {
    marginAccount(exchange)
    borrow(exchange, 'alice', '20000')
    expect(repay(exchange, 'alice', amount)).toBe(outcome)
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe(debt)
  },
)

scenario('E11: without a debt in that coin it is refused', (exchange) => {
  marginAccount(exchange)
  expect(repay(exchange, 'alice', '1')).toBe('refused no-debt')
  borrow(exchange, 'alice', '100')
  expect(repay(exchange, 'alice', '1', 'BTC')).toBe('refused no-debt')
  expect(repay(exchange, 'alice', '100.0005')).toBe('repaid 100.0005, owes 0')
  expect(repay(exchange, 'alice', '1')).toBe('refused no-debt')
  const { reply, events } = exchange.applied.at(-2) ?? {}
  if (reply?.kind !== 'repaid') throw new Error('repaid')
  expect(events).toMatchObject([
    { kind: 'repayment', repayId: reply.repayId, cause: 'request' },
    { kind: 'bill', type: 'interest' },
    { kind: 'bill', type: 'repay' },
  ])
})

scenario('what open orders hold cannot repay', (exchange) => {
  marginAccount(exchange)
  borrow(exchange, 'alice', '20000')
  exchange.given('alice: buy 0.4 on-margin @ 60000') // 24,000 of 30,000
  expect(repay(exchange, 'alice', '6000.00000001')).toBe('refused repay-above-available')
  expect(repay(exchange, 'alice', '6000')).toBe('repaid 6000, owes 14000.1')
})

scenario('interest goes to the house, principal back to the pool', (exchange) => {
  marginAccount(exchange)
  borrow(exchange, 'alice', '20000')
  repay(exchange, 'alice', '20000.1')
  expect(exchange.house('interest', 'USDT')).toBe('0.1')
  expect(exchange.house('lendingPool', 'USDT')).toBe('0')
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('9999.9')
})

// What a loan keeps in the wallet

table(
  'with a debt, assets of twice the debt stay (10,000 own, so much borrowed)',
  [
    ['5000', '4999.95'], // 15,000 of assets, twice 5,000.025
    ['10000', '0'],
    ['100', '9899.999'],
  ],
  (exchange, borrowed, transferable) => {
    marginAccount(exchange)
    borrow(exchange, 'alice', borrowed)
    expect(coins(exchange.balance('alice', 'crossed_margin', 'USDT').transferable)).toBe(transferable)
    const withdraw = { kind: 'withdraw', uid: exchange.uid('alice'), wallet: 'crossed_margin', coin: 3 } as const
    expect(exchange.refusal({ ...withdraw, amount: (units(transferable) + 1n) as never })).toBe('transferable-exceeded')
    if (transferable !== '0') expect(exchange.refusal({ ...withdraw, amount: units(transferable) })).toBe('accepted')
  },
)

scenario('a coin of very little worth can be asked about as well', (exchange) => {
  exchange.join('alice', { funds: { crossed_margin: '100 BTC, 1000000 SOL' } }).leap({ SOL: '0.00000001' })
  expect(borrow(exchange, 'alice', '1')).toBe('accepted')
  expect(coins(exchange.balance('alice', 'crossed_margin', 'SOL').transferable)).toBe('1000000')
})

// Unified wallets

scenario('design §4.36: what comes into a unified wallet pays its debt', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC', spot: '3000 USDT' } })
  expect(borrow(exchange, 'uma', '20000')).toBe('accepted')
  const spent = { kind: 'transfer', actorUid: exchange.uid('uma'), scope: 'within-account', clientOid: '' } as const
  exchange.given('bob: sell 0.3 BTC/USDT @ 60000', 'uma: buy 0.3 BTC/USDT @ 60000') // 18,000 spent
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('2000')

  exchange.pay('uma', 'uta', '1000 USDT') // what lay there before does not pay
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('19000.1 + 0')
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('2000')

  const own = { fromUid: exchange.uid('uma'), toUid: exchange.uid('uma'), coin: 3 } as const
  exchange.must({ ...spent, ...own, fromWallet: 'spot', toWallet: 'uta', amount: units('3000') })
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('16000.1 + 0')

  exchange.given('bob: buy 1 BTC/USDT @ 60000', 'uma: sell 0.3 BTC/USDT @ 60000') // brings 17,982
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('0 + 0')
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('3981.9')
})

scenario('design §4.36: a cross margin wallet keeps its debt until it is repaid', (exchange) => {
  marginAccount(exchange)
  borrow(exchange, 'alice', '20000')
  exchange.pay('alice', 'crossed_margin', '1000 USDT')
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('20000 + 0.1')
})

scenario(
  'a unified order that its futures losses robbed of its money borrows again, or gives back what is left',
  (exchange) => {
    traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC, 3000 USDT' } })
    exchange.given('bob: sell 100 SOLUSDT @ 100', 'uma: buy 100 SOLUSDT @ 100')
    exchange.given('uma: buy 0.04 BTC/USDT oid:first @ 60000') // holds 2,400 of 2,994
    exchange.given('bob: buy 100 SOLUSDT @ 80', 'uma: sell 100 SOLUSDT @ 80') // loses 2,000 and 4.8
    expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('-1410.8 + 2400 held')
    exchange.given('bob: sell 0.02 BTC/USDT @ 60000') // takes 1,200 of the 989.2 that are there
    expect(exchange.debt('uma', 'uta', 'USDT')).toBe('210.8 + 0.001054')
    exchange.cancel('uma', 'first')
    expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('0')
  },
)

scenario('a loan whose money futures have lost is repaid only with what is left of it', (exchange) => {
  traders(exchange, 'bob').join('uma', { mode: 'unified', funds: { uta: '1 BTC, 500.6 USDT' } })
  exchange.given('bob: sell 10 SOLUSDT @ 100', 'uma: buy 10 SOLUSDT @ 100') // fee 0.6
  // 500 of her own, for her bitcoin carries the position, and 700 borrowed
  exchange.given('uma: buy 0.02 BTC/USDT on-margin oid:mine @ 60000')
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('700 + 0.0035')
  exchange.given('bob: buy 10 SOLUSDT @ 20', 'uma: sell 10 SOLUSDT @ 20') // loses 800 and 0.12
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('-800.12 + 1200 held')
  exchange.cancel('uma', 'mine')
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('0')
  expect(exchange.debt('uma', 'uta', 'USDT')).toBe('300.1235 + 0') // 399.88 paid
})

// Loan types

table(
  'wire/client-endpoints §4: the loan type says whether an order borrows at placing, and repays with what it receives',
  // BTC owed before, loan type, outcome, USDT owed, BTC owed, BTC left
  `
    owed | loan type        | outcome                        | usdt        | btc             | left
    0    | normal           | refused insufficient-available | 0 + 0       | 0 + 0           | 0
    0    | autoRepay        | refused insufficient-available | 0 + 0       | 0 + 0           | 0
    0    | autoLoan         | filled 0.2                     | 2000 + 0.01 | 0 + 0           | 0.1998
    0    | autoLoanAndRepay | filled 0.2                     | 2000 + 0.01 | 0 + 0           | 0.1998
    // 0.1 BTC owed: 0.1 × 0.00007 / 24 of interest, rounded up
    0.1  | autoLoan         | filled 0.2                     | 2000 + 0.01 | 0.1 + 0.0000003 | 0.2998
    0.1  | autoLoanAndRepay | filled 0.2                     | 2000 + 0.01 | 0 + 0           | 0.1997997
  `,
  (exchange, { owed, loanType, outcome, usdt, btc, left }) => {
    marginAccount(exchange)
    exchange.given('bob: sell 0.2 @ 60000')
    if (owed !== '0') expect(borrow(exchange, 'alice', owed, 'BTC')).toBe('accepted')
    expect(exchange.place(`alice: buy 0.2 on-margin loan:${loanType} @ 60000`)).toBe(outcome)
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe(usdt)
    expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe(btc)
    expect(exchange.wallet('alice', 'crossed_margin', 'BTC')).toBe(left)
  },
)

table(
  'an order that repays pays interest first, then principal, with each of its fills and no more than they bring',
  // loan type, debt after a fill of 0.04, after another of 0.16
  `
    loan type | first           | second
    normal    | 0.1 + 0.0000003 | 0.1 + 0.0000003
    autoRepay | 0.0600403 + 0   | 0 + 0
  `,
  (exchange, { loanType, first, second }) => {
    marginAccount(exchange)
    expect(borrow(exchange, 'alice', '0.1', 'BTC')).toBe('accepted')
    exchange.given(`alice: buy 0.16 on-margin loan:${loanType} oid:mine @ 60000`)
    exchange.given('bob: sell 0.04 @ 60000')
    expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe(first)
    const paid = exchange.lastEvents.filter((event) => event.kind === 'repayment')
    expect(paid.map(({ cause, interest, principal }) => [cause, coins(interest), coins(principal)])).toEqual(
      loanType === 'normal' ? [] : [['incoming', '0.0000003', '0.0399597']],
    )
    exchange.given('bob: sell 0.12 @ 60000')
    expect(exchange.debt('alice', 'crossed_margin', 'BTC')).toBe(second)
  },
)

scenario('a sell repays with the quote coin that it receives', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '1 BTC' } }).market = 'BTC/USDT'
  expect(borrow(exchange, 'alice', '20000')).toBe('accepted')
  exchange.given('bob: buy 0.2 @ 60000')
  expect(exchange.place('alice: sell 0.2 on-margin loan:autoRepay @ 60000')).toBe('filled 0.2')
  // 12,000 less the fee of 12: the interest of 0.1, then 11,987.9 of the principal
  expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('8012.1 + 0')
  expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('20000')
})

scenario('an order keeps its loan type when it is amended or replaced', (exchange) => {
  marginAccount(exchange)
  exchange.given('alice: buy 0.1 on-margin loan:normal oid:mine @ 60000')
  const { uid } = exchange.account('alice')
  const order = { orderId: undefined, clientOid: 'mine' }
  const shown = () => exchange.query({ kind: 'order', uid, order })?.loanType
  expect(shown()).toBe('normal')
  const replace = {
    kind: 'replace-order',
    uid,
    interface: 'v2',
    order,
    categories: ['MARGIN'],
    instrument: exchange.instrument().id,
    price: undefined,
    attachedTpsl: undefined,
    clientOid: 'mine-2',
    channelCode: '',
  } as const
  const more = { unit: 'lots', lots: lotsOf(exchange.instrument(), '0.2') } as const
  expect(exchange.refusal({ ...replace, quantity: more })).toBe('insufficient-available')
  expect(shown()).toBe('normal')
})

scenario(
  '§17: what a replaced order borrowed stays for the next; what no order spends is repaid on cancel',
  (exchange) => {
    marginAccount(exchange)
    exchange.given('alice: buy 0.2 on-margin loan:autoLoan oid:first @ 60000')
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('2000 + 0.01')
    const { uid } = exchange.account('alice')
    const replace = (from: string, quantity: string, clientOid: string) => {
      exchange.must({
        kind: 'replace-order',
        uid,
        interface: 'v2',
        order: { orderId: undefined, clientOid: from },
        categories: ['MARGIN'],
        instrument: exchange.instrument().id,
        price: undefined,
        quantity: { unit: 'lots', lots: lotsOf(exchange.instrument(), quantity) },
        attachedTpsl: undefined,
        clientOid,
        channelCode: '',
      })
      return exchange.lastEvents.flatMap(({ kind }) => (kind === 'loan' || kind === 'repayment' ? [kind] : []))
    }
    expect(replace('first', '0.3', 'second')).toEqual(['loan'])
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('8000 + 0.04')
    expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('0 + 18000 held')
    exchange.cancel('alice', 'second')
    // The 8,000 that it borrowed go back: the interest first, then principal.
    expect(exchange.debt('alice', 'crossed_margin', 'USDT')).toBe('0.04 + 0')
    expect(exchange.wallet('alice', 'crossed_margin', 'USDT')).toBe('10000')
  },
)
