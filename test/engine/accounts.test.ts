/**
 * Making accounts, changing their mode, brokers and their rebates.
 * Source  interface E6; design §3, §4.22, §6
 */
import { expect } from 'vitest'
import type { CreateAccount } from '../../src/engine/protocol/command.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { share, units } from './support/figures.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

table(
  'who may be made under whom',
  `
    account | parent | mode    | outcome
    main    | -      | unified | accepted
    main    | -      | hybrid  | accepted
    main    | -      | classic | accepted
    main    | mia    | unified | parent-unsuitable
    sub     | mia    | unified | accepted
    sub     | mia    | classic | accepted
    sub     | mia    | hybrid  | account-mode-unsuitable
    sub     | -      | unified | parent-unsuitable
    sub     | cleo   | classic | parent-unsuitable
  `,
  (exchange, { account, parent, mode, outcome }) => {
    exchange.join('mia', { mode: 'unified' }).join('cleo', { parent: 'mia' })
    const parentUid = parent === '' ? undefined : exchange.uid(parent)
    const kinds = { account: account as CreateAccount['account'], mode: mode as CreateAccount['mode'] }
    expect(exchange.refusal({ kind: 'create-account', ...kinds, parentUid, name: 'new' })).toBe(outcome)
  },
)

scenario('uids are given in order; a family is found by its main account', (exchange) => {
  exchange.join('mia').join('zoe').join('uma', { mode: 'unified', parent: 'mia' }).join('cleo', { parent: 'mia' })
  expect(exchange.uid('zoe')).toBe(exchange.uid('mia') + 1)
  const subs = exchange.query({ kind: 'sub-accounts', uid: exchange.uid('mia') })
  expect(subs.map(({ name, parentUid }) => [name, parentUid])).toEqual([
    ['uma', exchange.uid('mia')],
    ['cleo', exchange.uid('mia')],
  ])
  expect(exchange.query({ kind: 'sub-accounts', uid: exchange.uid('zoe') })).toEqual([])
  expect(exchange.query({ kind: 'accounts' })).toHaveLength(4)
  expect(exchange.query({ kind: 'account', uid: 7 })).toBeUndefined()
})

// Changing the mode

function setMode(exchange: Exchange, who: string, mode: 'unified' | 'classic'): string {
  return exchange.refusal({ kind: 'set-account-mode', uid: exchange.uid(who), mode })
}

scenario('classic to unified: upgrading for a minute, then all balances are in uta', (exchange) => {
  traders(exchange, 'bob').join('alice', {
    funds: { spot: '1 BTC, 5 USDT', usdt_futures: '100 USDT', crossed_margin: '2 ETH', p2p: '7 USDT' },
  })
  expect(setMode(exchange, 'alice', 'unified')).toBe('accepted')
  expect(exchange.account('alice').mode).toBe('upgrading')
  expect(exchange.nextTimerAt()).toBe(exchange.at + 60_000)

  // Nothing that moves money or takes risk, on either interface; reads still show the classic wallets.
  expect(exchange.place('alice: buy 1 SOLUSDT v2 @ 90')).toBe('refused account-changing-mode')
  expect(exchange.place('alice: buy 1 SOLUSDT v3 @ 90')).toBe('refused account-changing-mode')
  expect(exchange.place('alice: buy 1 SOL/USDT v2 @ 1')).toBe('refused account-changing-mode')
  expect(exchange.refusal({ kind: 'borrow', uid: exchange.uid('alice'), coin: 3, amount: units('1') })).toBe(
    'account-changing-mode',
  )
  expect(exchange.refusal({ kind: 'repay', uid: exchange.uid('alice'), coin: 3, amount: units('1') })).toBe(
    'account-changing-mode',
  )
  expect(
    exchange.refusal({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: undefined, holdMode: 'hedge_mode' }),
  ).toBe('account-changing-mode')
  expect(setMode(exchange, 'alice', 'classic')).toBe('account-changing-mode')
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('100')

  exchange.wait(59_000).runTimers()
  expect(exchange.account('alice').mode).toBe('upgrading')
  exchange.wait(1000).runTimers()
  expect(exchange.account('alice').mode).toBe('unified')
  expect(exchange.wallet('alice', 'uta', 'USDT')).toBe('105')
  expect(exchange.wallet('alice', 'uta', 'BTC')).toBe('1')
  expect(exchange.wallet('alice', 'uta', 'ETH')).toBe('2')
  expect(exchange.wallet('alice', 'p2p', 'USDT')).toBe('7')
  expect(exchange.place('alice: buy 1 SOLUSDT v3 @ 90')).toBe('rests 1')
  const transfers = exchange.applied.at(-2)?.events.filter(({ kind }) => kind === 'transfer')
  expect(transfers).toHaveLength(4)
})

scenario('unified to classic: switching, then all of uta is in spot', (exchange) => {
  exchange.join('alice', { mode: 'unified', funds: { uta: '1 BTC, 5 USDT', spot: '3 USDT' } })
  expect(setMode(exchange, 'alice', 'classic')).toBe('accepted')
  expect(exchange.account('alice').mode).toBe('switching')
  exchange.wait(60_000).runTimers()
  expect(exchange.account('alice').mode).toBe('classic')
  expect(exchange.wallet('alice', 'spot', 'BTC')).toBe('1')
  expect(exchange.wallet('alice', 'spot', 'USDT')).toBe('8')
  expect(exchange.wallet('alice', 'uta', 'USDT')).toBe('0')
})

scenario('a hybrid account goes either way', (exchange) => {
  const funds = { uta: '5 USDT', spot: '3 USDT', usdt_futures: '2 USDT' }
  exchange.join('hal', { mode: 'hybrid', funds }).join('hugo', { mode: 'hybrid', funds })
  expect(setMode(exchange, 'hal', 'unified')).toBe('accepted')
  expect(setMode(exchange, 'hugo', 'classic')).toBe('accepted')
  exchange.wait(60_000).runTimers()
  expect([exchange.account('hal').mode, exchange.account('hugo').mode]).toEqual(['unified', 'classic'])
  expect(exchange.wallet('hal', 'uta', 'USDT')).toBe('10')
  expect(exchange.wallet('hugo', 'spot', 'USDT')).toBe('8')
  expect(exchange.wallet('hugo', 'usdt_futures', 'USDT')).toBe('2')
})

scenario('a change that is there already is none', (exchange) => {
  exchange.join('alice', { mode: 'unified' })
  expect(setMode(exchange, 'alice', 'unified')).toBe('accepted')
  expect(exchange.account('alice').mode).toBe('unified')
})

table(
  'only an account without orders, positions and debt changes its mode',
  `
    what                       | outcome
    alice: buy 1 SOLUSDT @ 90  | orders
    alice: buy 1 SOL/USDT @ 90 | orders
    alice: buy 1 SOLUSDT @ 100 | positions
    borrow                     | debt
    nothing                    | accepted
  `,
  (exchange, { what, outcome }) => {
    traders(exchange, 'alice', 'bob').given('bob: sell 1 SOLUSDT @ 100')
    if (what === 'borrow') exchange.must({ kind: 'borrow', uid: exchange.uid('alice'), coin: 3, amount: units('1') })
    else if (what !== 'nothing') exchange.given(what)
    const reply = exchange.apply({ kind: 'set-account-mode', uid: exchange.uid('alice'), mode: 'unified' })
    if (outcome === 'accepted') expect(reply.kind).toBe('done')
    else expect(reply).toEqual({ kind: 'refused', refusal: { kind: 'account-not-flat', what: outcome } })
  },
)

scenario('transfers to and from an account that changes its mode wait', (exchange) => {
  exchange.join('mia', { mode: 'unified', funds: { uta: '10 USDT' } })
  exchange.join('cleo', { parent: 'mia', funds: { spot: '10 USDT' } })
  setMode(exchange, 'cleo', 'unified')
  const uid = exchange.uid('mia')
  const transfer = { kind: 'transfer', actorUid: uid, scope: 'between-accounts', coin: 3, amount: units('1') } as const
  const out = {
    fromUid: uid,
    toUid: exchange.uid('cleo'),
    fromWallet: 'uta',
    toWallet: 'spot',
    clientOid: 'a',
  } as const
  const back = {
    fromUid: exchange.uid('cleo'),
    toUid: uid,
    fromWallet: 'spot',
    toWallet: 'uta',
    clientOid: 'b',
  } as const
  expect(exchange.refusal({ ...transfer, ...out })).toBe('account-changing-mode')
  expect(exchange.refusal({ ...transfer, ...back })).toBe('account-changing-mode')
})

scenario('an account that nobody knows is refused everywhere', (exchange) => {
  const uid = 5
  for (const refused of [
    exchange.refusal({ kind: 'set-account-mode', uid, mode: 'unified' }),
    exchange.refusal({ kind: 'set-stp-mode', uid, stpMode: 'none' }),
    exchange.refusal({ kind: 'set-broker', uid, channelCode: 'x', rebateRate: share('0') }),
    exchange.refusal({ kind: 'set-copy-trader', uid, instruments: [] }),
    exchange.refusal({ kind: 'bind-account', uid, boundAt: 1 }),
    exchange.refusal({ kind: 'borrow', uid, coin: 3, amount: units('1') }),
    exchange.refusal({ kind: 'repay', uid, coin: 3, amount: units('1') }),
    exchange.refusal({ kind: 'cancel-orders', uid, interface: 'v2', category: 'SPOT', instrument: undefined }),
    exchange.refusal({ kind: 'record-key-change', uid, apiKey: 'k', change: 'created' }),
    exchange.refusal({ kind: 'set-hold-mode', uid, line: undefined, holdMode: 'hedge_mode' }),
  ]) {
    expect(refused).toBe('account-unknown')
  }
})

// Brokers (design §4.22)

function programme(exchange: Exchange, who: string, channelCode: string, rate = '0.3'): string {
  return exchange.refusal({ kind: 'set-broker', uid: exchange.uid(who), channelCode, rebateRate: share(rate) })
}

scenario("a broker gets his share of the fees of orders that carry his code, out of the house's", (exchange) => {
  traders(exchange, 'alice', 'bob').join('brook')
  expect(programme(exchange, 'brook', 'brook')).toBe('accepted')
  exchange.market = 'BTCUSDT'
  exchange.given('bob: sell 0.3 channel:unheard-of @ 60000.1', 'alice: buy 0.3 channel:brook @ 60000.1')
  // 30 % of 10.80001800
  expect(exchange.wallet('brook', 'spot', 'USDT')).toBe('3.2400054')
  expect(exchange.house('fees', 'USDT')).toBe('11.1600186') // 10.800018 + 3.600006 − 3.2400054
  expect(exchange.lastEvents.filter(({ kind }) => kind === 'rebate')).toMatchObject([
    { brokerUid: exchange.uid('brook'), coin: coinId('USDT'), amount: units('3.2400054') },
  ])
})

scenario('rebates are rounded down, in the coin of the fee; maker and taker orders both count', (exchange) => {
  traders(exchange, 'alice', 'bob').join('brook')
  programme(exchange, 'brook', 'brook')
  exchange.market = 'BTC/USDT'
  exchange.given('bob: sell 0.000007 channel:brook @ 60000.01', 'alice: buy 0.000007 channel:brook @ 60000.01')
  expect(exchange.wallet('brook', 'spot', 'BTC')).toBe('0') // 30 % of one unit
  expect(exchange.wallet('brook', 'spot', 'USDT')).toBe('0.000126') // 30 % of 0.00042001
})

scenario('a code belongs to one broker and can be given up', (exchange) => {
  traders(exchange, 'alice', 'bob').join('brook').join('brian').join('sub', { parent: 'brook' })
  expect(programme(exchange, 'brook', 'code')).toBe('accepted')
  expect(programme(exchange, 'brook', 'code', '0.5')).toBe('accepted')
  expect(programme(exchange, 'brian', 'code')).toBe('channel-code-taken')
  expect(programme(exchange, 'sub', 'other')).toBe('parent-unsuitable')
  expect(programme(exchange, 'brook', 'newer')).toBe('accepted')
  expect(programme(exchange, 'brian', 'code')).toBe('accepted')
  expect(programme(exchange, 'brian', '')).toBe('accepted')
  expect(exchange.account('brian').broker).toBeUndefined()
  exchange.given('bob: sell 1 @ 100', 'alice: buy 1 channel:code @ 100')
  expect(exchange.wallet('brian', 'spot', 'USDT')).toBe('0')
})

// Canceling

scenario('an order is canceled by number or by its own id, the number wins', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: buy 1 oid:a @ 90', 'alice: buy 2 oid:b @ 91')
  const [a, b] = exchange.applied.slice(-2).map(({ reply }) => (reply.kind === 'placed' ? reply.orderId : 0))
  const cancel = (who: string, orderId: number | undefined, clientOid: string, more = {}) => {
    const reply = exchange.apply({
      kind: 'cancel-order',
      uid: exchange.uid(who),
      order: { orderId, clientOid },
      category: undefined,
      instrument: undefined,
      ...more,
    })
    return reply.kind === 'canceled' ? reply.orders.map((order) => order.clientOid).join() : 'refused'
  }
  expect(cancel('bob', a, '')).toBe('refused')
  expect(cancel('bob', undefined, 'a')).toBe('refused')
  expect(cancel('alice', 17, '')).toBe('refused')
  expect(cancel('alice', undefined, 'c')).toBe('refused')
  expect(cancel('alice', a, '', { instrument: instrumentId('BTCUSDT') })).toBe('refused')
  expect(cancel('alice', a, '', { category: 'SPOT' })).toBe('refused')
  expect(cancel('alice', b, 'a')).toBe('b')
  expect(cancel('alice', undefined, 'a', { category: 'USDT-FUTURES', instrument: instrumentId('SOLUSDT') })).toBe('a')
  expect(cancel('alice', undefined, 'a')).toBe('refused')
  expect(exchange.applied.at(-2)?.events).toMatchObject([
    { kind: 'order-ended', order: { status: 'canceled', cancelReason: 'user', clientOid: 'a' } },
  ])
})

table(
  'all orders of a category, or of one market of it; spot and margin apart',
  [
    ['USDT-FUTURES', undefined, 'f2,f1,e1'],
    ['USDT-FUTURES', 'SOLUSDT', 'f2,f1'],
    ['COIN-FUTURES', undefined, ''],
    ['SPOT', undefined, 's1'],
    ['MARGIN', undefined, 'm1'],
    ['MARGIN', 'BTC/USDT', ''],
  ] as const,
  (exchange, category, market, canceled) => {
    traders(exchange, 'alice', 'bob')
    exchange.given('alice: buy 1 ETHUSDT oid:e1 @ 2000', 'alice: buy 1 oid:f1 @ 90', 'alice: sell 1 oid:f2 @ 110')
    exchange.given(
      'alice: buy 1 SOL/USDT oid:s1 @ 90',
      'alice: buy 1 SOL/USDT on-margin oid:m1 @ 90',
      'bob: buy 1 @ 90',
    )
    const instrument = market === undefined ? undefined : instrumentId(market)
    const reply = exchange.apply({
      kind: 'cancel-orders',
      uid: exchange.uid('alice'),
      interface: 'v2',
      category,
      instrument,
    })
    expect(reply.kind === 'canceled' && reply.orders.map(({ clientOid }) => clientOid).join()).toBe(canceled)
  },
)
