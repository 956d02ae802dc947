/**
 * Deposits and withdrawals over the simulated chain: states by the blocks, money in double entry, refusals in order.
 * Source  design §4.14, §4.41; docs/decisions/0027-simulated-chain.md
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addressOwner,
  depositAddress,
  type NetworkName,
  networkNames,
  networks,
} from '../../src/engine/catalog/catalog.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { Command, RequestWithdrawal } from '../../src/engine/protocol/command.ts'
import type { ChainTransfer } from '../../src/engine/protocol/event.ts'
import type { WalletType } from '../../src/engine/vocabulary.ts'
import { coinId, dayMs, Exchange, secondMs } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { expectSound } from './support/soundness.ts'
import { scenario, table } from './support/table.ts'

const outside: Readonly<Record<NetworkName, string>> = {
  BTC: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  ERC20: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
  BEP20: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
  TRC20: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  SOL: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  XRP: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  DOGE: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
}

/** Ann is classic, Uma unified, Hal hybrid; everybody has 1,000 USDT and 2 BTC in `spot`, Uma in `uta` too. */
function people(exchange: Exchange): void {
  const spot = '1000 USDT, 2 BTC'
  exchange.join('ann', { funds: { spot } })
  exchange.join('uma', { mode: 'unified', funds: { spot, uta: '500 USDT, 1 BTC' } })
  exchange.join('hal', { mode: 'hybrid', funds: { spot } })
}

/** `ann 100 USDT ERC20`: to somebody outside. */
function withdrawal(exchange: Exchange, line: string, more: Partial<RequestWithdrawal> = {}): RequestWithdrawal {
  const [who, amount, coin, network] = line.split(' ') as [string, string, CoinName, NetworkName]
  return {
    kind: 'request-withdrawal',
    uid: exchange.uid(who),
    wallets: ['spot'],
    coin: coinId(coin),
    amount: units(amount),
    network,
    address: outside[network],
    tag: '',
    toUid: undefined,
    clientOid: '',
    remark: '',
    ...more,
  }
}

function inside(exchange: Exchange, from: string, to: number, amount: string, more: Partial<RequestWithdrawal> = {}) {
  return withdrawal(exchange, `${from} ${amount} USDT ERC20`, { network: undefined, address: '', toUid: to, ...more })
}

function deposit(exchange: Exchange, line: string): Command {
  const [who, amount, coin, network] = line.split(' ') as [string, string, CoinName, NetworkName]
  return { kind: 'send-deposit', uid: exchange.uid(who), coin: coinId(coin), network, amount: units(amount) }
}

/** What is under way of an account: `deposit pending 1 of 12`. */
function underWay(exchange: Exchange, who: string): string[] {
  return (['deposit', 'withdrawal'] as const).flatMap((direction) =>
    exchange.query({ kind: 'chain-transfers', uid: exchange.uid(who), direction }).map(({ transfer, confirmed }) => {
      return `${direction} ${transfer.status} ${confirmed} of ${transfer.confirmations}`
    }),
  )
}

/** What ended with the last command: `withdrawal success 100`. */
function ended(exchange: Exchange): string[] {
  return exchange.lastEvents
    .filter((event): event is ChainTransfer => event.kind === 'chain-transfer')
    .map(({ direction, status, amount }) => `${direction} ${status} ${coins(amount)}`)
}

function bills(exchange: Exchange): string[] {
  return exchange.lastEvents
    .filter((event) => event.kind === 'bill')
    .map(
      ({ type, wallet, amount, fee }) => `${type} ${wallet} ${coins(amount)}${fee === 0n ? '' : ` fee ${coins(fee)}`}`,
    )
}

scenario('a deposit is in transit until its blocks have confirmed it, and then in the wallet', (exchange) => {
  people(exchange)
  const before = exchange.house('external', 'USDT')
  exchange.must(deposit(exchange, 'ann 100 USDT ERC20'))
  expect([before, exchange.house('external', 'USDT'), exchange.house('inTransit', 'USDT')]).toEqual([
    '-3500',
    '-3600',
    '100',
  ])
  expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('1000')
  expect(underWay(exchange, 'ann')).toEqual(['deposit pending 0 of 12'])
  // It stands in the next block, at 12 seconds; the twelfth is eleven blocks later.
  exchange.wait(12 * secondMs).runTimers()
  expect(underWay(exchange, 'ann')).toEqual(['deposit pending 1 of 12'])
  exchange.at = exchange.applied[0].at - 1 + 12 * 12 * secondMs - 2
  exchange.runTimers()
  expect(underWay(exchange, 'ann')).toEqual(['deposit pending 11 of 12'])
  exchange.runTimers()
  expect(ended(exchange)).toEqual(['deposit success 100'])
  expect(bills(exchange)).toEqual(['deposit spot 100'])
  expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('1100')
  expect(exchange.house('inTransit', 'USDT')).toBe('0')
})

scenario('a withdrawal leaves the wallet at once, the venue when it is sent, and is done by its blocks', (exchange) => {
  people(exchange)
  const reply = exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20', { clientOid: 'w-1' }))
  expect(reply).toEqual({ kind: 'withdrawal-requested', id: 9_000_000_000_000_001, clientOid: 'w-1' })
  expect(bills(exchange)).toEqual(['withdrawal spot -100 fee 1.5'])
  expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('900')
  expect(exchange.house('inTransit', 'USDT')).toBe('100')
  expect(underWay(exchange, 'ann')).toEqual(['withdrawal pending 0 of 20'])
  exchange.wait(30 * secondMs).runTimers()
  expect(underWay(exchange, 'ann')).toEqual(['withdrawal processing 0 of 20'])
  expect(exchange.house('inTransit', 'USDT')).toBe('0')
  expect(exchange.house('fees', 'USDT')).toBe('1.5')
  expect(exchange.house('external', 'USDT')).toBe('-3401.5')
  exchange.wait(60 * secondMs).runTimers()
  expect(ended(exchange)).toEqual(['withdrawal success 100'])
  expect(underWay(exchange, 'ann')).toEqual([])
})

scenario('one step of the clock takes everything that fell due to its end', (exchange) => {
  people(exchange)
  exchange.must(withdrawal(exchange, 'ann 1 BTC BTC'))
  exchange.must(deposit(exchange, 'ann 0.5 BTC BTC'))
  exchange.wait(dayMs).runTimers()
  expect(ended(exchange)).toEqual(['deposit success 0.5', 'withdrawal success 1'])
  expect(exchange.wallet('ann', 'spot', 'BTC')).toBe('1.5')
  expect(exchange.tableCounts()).toMatchObject({ 'chain-transfers': 0 })
})

scenario(
  'a withdrawal that waits is canceled by its owner or refused by the operator; once sent it is neither',
  (exchange) => {
    people(exchange)
    const request = (clientOid: string) => exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20', { clientOid }))
    const cancel = (more: object) =>
      exchange.refusal({ kind: 'cancel-withdrawal', uid: exchange.uid('ann'), id: undefined, clientOid: '', ...more })
    const { id } = request('a') as { readonly id: number }
    expect(exchange.refusal({ kind: 'cancel-withdrawal', uid: exchange.uid('uma'), id, clientOid: '' })).toBe(
      'withdrawal-unknown',
    )
    expect(cancel({ id: 1 })).toBe('withdrawal-unknown')
    expect(cancel({ id })).toBe('accepted')
    expect(ended(exchange)).toEqual(['withdrawal cancel 100'])
    expect(bills(exchange)).toEqual(['withdrawal_returned spot 100 fee -1.5'])
    expect(cancel({ id })).toBe('withdrawal-unknown')
    request('b')
    expect(cancel({ clientOid: 'b' })).toBe('accepted')
    const third = request('c') as { readonly id: number }
    expect(exchange.refusal({ kind: 'reject-withdrawal', id: third.id })).toBe('accepted')
    expect(ended(exchange)).toEqual(['withdrawal fail 100'])
    expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('1000')
    const fourth = request('d') as { readonly id: number }
    exchange.wait(30 * secondMs).runTimers()
    expect(cancel({ id: fourth.id })).toBe('withdrawal-sent')
    expect(exchange.refusal({ kind: 'reject-withdrawal', id: fourth.id })).toBe('withdrawal-sent')
    const sent = exchange.must(deposit(exchange, 'ann 100 USDT ERC20')) as { readonly id: number }
    expect(cancel({ id: sent.id })).toBe('withdrawal-unknown')
  },
)

scenario('what is sent to an address of the venue arrives as a deposit of its owner, less the fee', (exchange) => {
  people(exchange)
  const { address } = depositAddress('TRC20', 'USDT', exchange.uid('uma'))
  exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20', { address }))
  exchange.wait(30 * secondMs).runTimers()
  expect(underWay(exchange, 'uma')).toEqual(['deposit pending 0 of 20'])
  const [{ transfer: out }] = exchange.query({
    kind: 'chain-transfers',
    uid: exchange.uid('ann'),
    direction: 'withdrawal',
  })
  const [{ transfer: come }] = exchange.query({
    kind: 'chain-transfers',
    uid: exchange.uid('uma'),
    direction: 'deposit',
  })
  expect(come).toMatchObject({ transactionId: out.transactionId, block: out.block, fromAddress: out.fromAddress })
  expect(exchange.house('inTransit', 'USDT')).toBe('98.5')
  exchange.wait(60 * secondMs).runTimers()
  expect(ended(exchange)).toEqual(['withdrawal success 100', 'deposit success 98.5'])
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('598.5')
})

scenario('inside the venue money changes hands at once and without a fee', (exchange) => {
  people(exchange)
  exchange.must(inside(exchange, 'ann', exchange.uid('uma'), '0.00000001'))
  expect(ended(exchange)).toEqual(['withdrawal success 0.00000001', 'deposit success 0.00000001'])
  expect(bills(exchange)).toEqual(['withdrawal spot -0.00000001', 'deposit uta 0.00000001'])
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('500.00000001')
  expect(exchange.house('fees', 'USDT')).toBe('0')
})

table(
  'each wallet gives what it can, in the order that was asked for; a fee is named where it was paid',
  `
    who | wallets  | amount      | outcome                | spot | uta
    uma | spot     | 1000        | accepted               | 0    | 500
    uma | spot     | 1000.000001 | insufficient-available | 1000 | 500
    uma | spot,uta | 1200        | accepted               | 0    | 300
    uma | uta,spot | 1200        | accepted               | 300  | 0
    uma | spot,uta | 1500        | accepted               | 0    | 0
    uma | spot,uta | 1500.000001 | insufficient-available | 1000 | 500
    ann | uta      | 100         | wallet-unsuitable      | 1000 | 0
  `,
  (exchange, { who, wallets, amount, outcome, spot, uta }) => {
    people(exchange)
    const list = wallets.split(',') as WalletType[]
    expect(exchange.refusal(withdrawal(exchange, `${who} ${amount} USDT TRC20`, { wallets: list }))).toBe(outcome)
    expect([exchange.wallet(who, 'spot', 'USDT'), exchange.wallet(who, 'uta', 'USDT')]).toEqual([spot, uta])
  },
)

table(
  'refusals, in the order in which they are found; the least amount and one step less',
  [
    ['ann 10 USDT TRC20', {}, 'accepted'],
    ['ann 9.999999 USDT TRC20', {}, 'withdrawal-below-minimum'],
    ['ann 10.0000001 USDT TRC20', {}, 'amount-too-fine'],
    ['ann 0 USDT TRC20', {}, 'amount-not-positive'],
    ['ann 10 USDT BTC', {}, 'network-unknown'],
    ['ann 10 USDT ERC20', { address: outside.TRC20 }, 'address-wrong'],
    ['ann 10 USDT TRC20', { address: outside.ERC20 }, 'address-wrong'],
    ['ann 10 USDT ERC20', { address: '' }, 'address-wrong'],
    ['ann 10 USDT ERC20', { tag: '7' }, 'tag-wrong'],
    ['ann 1 BTC BTC', { coin: 99 }, 'coin-unknown'],
    ['ann 2.00000001 BTC BTC', {}, 'insufficient-available'],
    ['ann 10 USDT TRC20', { uid: 5 }, 'account-unknown'],
  ],
  (exchange, line, more, outcome) => {
    people(exchange)
    expect(exchange.refusal(withdrawal(exchange, line, more))).toBe(outcome)
  },
)

table(
  'inside the venue: to somebody, who can take it',
  [
    ['uma', 'accepted'],
    ['ann', 'withdrawal-to-self'],
    ['nobody', 'receiver-unknown'],
    ['sub', 'receiver-unsuitable'],
  ],
  (exchange, to, outcome) => {
    people(exchange)
    exchange.join('sub', { parent: 'ann' })
    const sub = exchange.uid('sub')
    exchange.must({
      kind: 'set-sub-account',
      actorUid: exchange.uid('ann'),
      uid: sub,
      frozen: true,
      permissions: undefined,
    })
    expect(exchange.refusal(inside(exchange, 'ann', to === 'nobody' ? 5 : exchange.uid(to), '1'))).toBe(outcome)
  },
)

scenario('an address of the venue for another coin, and one of nobody, are no addresses', (exchange) => {
  people(exchange)
  const of = (network: NetworkName, coin: string, uid: number) => depositAddress(network, coin, uid).address
  for (const address of [of('ERC20', 'ETH', exchange.uid('uma')), of('ERC20', 'USDT', 1_000_000_999)]) {
    expect(exchange.refusal(withdrawal(exchange, 'ann 10 USDT ERC20', { address }))).toBe('address-wrong')
  }
})

scenario('networks are closed and opened, terms change, what is under way goes on', (exchange) => {
  people(exchange)
  const same = {
    canDeposit: undefined,
    canWithdraw: undefined,
    withdrawalFee: undefined,
    depositMin: undefined,
    withdrawalMin: undefined,
    depositConfirmations: undefined,
    withdrawalConfirmations: undefined,
  }
  const set = (more: object, network: NetworkName = 'TRC20') =>
    exchange.refusal({ kind: 'set-coin-chain', coin: coinId('USDT'), network, ...same, ...more })
  exchange.must(deposit(exchange, 'ann 100 USDT TRC20'))
  expect(set({ canDeposit: false, canWithdraw: false })).toBe('accepted')
  expect(exchange.refusal(deposit(exchange, 'ann 100 USDT TRC20'))).toBe('deposits-suspended')
  expect(exchange.refusal(withdrawal(exchange, 'ann 100 USDT TRC20'))).toBe('withdrawals-suspended')
  exchange.wait(60 * secondMs).runTimers()
  expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('1100')
  expect(exchange.refusal(withdrawal(exchange, 'ann 100 USDT ERC20'))).toBe('accepted')
  expect(set({ canWithdraw: true, withdrawalFee: units('2'), withdrawalMin: units('2.01') })).toBe('accepted')
  expect(set({ withdrawalMin: units('2.009999') })).toBe('chain-record-wrong')
  expect(set({ withdrawalFee: units('-1') })).toBe('chain-record-wrong')
  expect(set({ depositMin: units('0') })).toBe('chain-record-wrong')
  expect(set({ depositConfirmations: 0 })).toBe('chain-record-wrong')
  expect(set({ withdrawalConfirmations: 1_001 })).toBe('chain-record-wrong')
  expect(exchange.refusal(withdrawal(exchange, 'ann 2.01 USDT TRC20'))).toBe('accepted')
  // A network that the coin did not have gets the terms of a token.
  expect(set({}, 'XRP')).toBe('accepted')
  expect(exchange.refusal(withdrawal(exchange, 'ann 20 USDT XRP', { tag: '' }))).toBe('tag-required')
  expect(exchange.refusal(withdrawal(exchange, 'ann 20 USDT XRP', { tag: '4294967296' }))).toBe('tag-wrong')
  expect(exchange.refusal(withdrawal(exchange, 'ann 20 USDT XRP', { tag: '4294967295' }))).toBe('accepted')
  const { address, tag } = depositAddress('XRP', 'USDT', exchange.uid('uma'))
  expect(exchange.refusal(withdrawal(exchange, 'ann 20 USDT XRP', { address, tag: '1' }))).toBe('address-wrong')
  expect(exchange.refusal(withdrawal(exchange, 'ann 20 USDT XRP', { address, tag }))).toBe('accepted')
  exchange.wait(dayMs).runTimers()
  expect(exchange.wallet('uma', 'uta', 'USDT')).toBe('517')
})

table(
  'deposits below the least, and finer than the coin, are not sent',
  `
    line                     | outcome
    ann 0.01 USDT TRC20      | accepted
    ann 0.009999 USDT TRC20  | deposit-below-minimum
    ann 0.0100001 USDT TRC20 | amount-too-fine
    ann 0 USDT TRC20         | amount-not-positive
    ann 1 SOL TRC20          | network-unknown
    ann 92233720368 USDT SOL | deposits-exceeded
  `,
  (exchange, { line, outcome }) => {
    people(exchange)
    expect(exchange.refusal(deposit(exchange, line))).toBe(outcome)
  },
)

scenario(
  'a repeat answers the first for 90 days, other content is refused, each account has its own ids',
  (exchange) => {
    people(exchange)
    const first = exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20', { clientOid: 'once' }))
    expect(exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20', { clientOid: 'once' }))).toEqual(first)
    expect(exchange.wallet('ann', 'spot', 'USDT')).toBe('900')
    expect(exchange.refusal(withdrawal(exchange, 'ann 101 USDT TRC20', { clientOid: 'once' }))).toBe(
      'withdrawal-id-reused',
    )
    expect(exchange.must(withdrawal(exchange, 'uma 100 USDT TRC20', { clientOid: 'once' }))).not.toEqual(first)
    exchange.wait(90 * dayMs).runTimers()
    expect(exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20', { clientOid: 'once' }))).not.toEqual(first)
    expect(exchange.tableCounts()).toMatchObject({ 'withdrawals-known': 1 })
  },
)

scenario('a family sends at most five million USD in a UTC day; what is taken back counts no more', (exchange) => {
  people(exchange)
  exchange.pay('ann', 'spot', '200 BTC')
  // 83 BTC at 60,000 are 4,980,000 USD.
  const { id } = exchange.must(withdrawal(exchange, 'ann 83 BTC BTC')) as { readonly id: number }
  expect(exchange.refusal(withdrawal(exchange, 'ann 0.33333334 BTC BTC'))).toBe('daily-withdrawals-exceeded')
  expect(exchange.refusal(withdrawal(exchange, 'ann 0.33333333 BTC BTC'))).toBe('accepted')
  exchange.prices({ BTC: '61000' })
  exchange.must({ kind: 'cancel-withdrawal', uid: exchange.uid('ann'), id, clientOid: '' })
  exchange.prices({ BTC: '60000' })
  expect(exchange.refusal(withdrawal(exchange, 'ann 83 BTC BTC'))).toBe('accepted')
  expect(exchange.refusal(inside(exchange, 'ann', exchange.uid('uma'), '1000'))).toBe('accepted')
  exchange.wait(dayMs).runTimers()
  exchange.prices({ BTC: '60000', USDT: '1' })
  expect(exchange.refusal(withdrawal(exchange, 'ann 83 BTC BTC'))).toBe('accepted')
})

table(
  'the operator says how much it is, also while a day runs; zero: any amount',
  // 60,000 USD went before the limit was set
  `
    limit  | more  | outcome
    60000  | 10    | daily-withdrawals-exceeded
    50000  | 10    | daily-withdrawals-exceeded
    60010  | 10    | accepted
    60010  | 10.01 | daily-withdrawals-exceeded
    70000  | 900   | accepted
    0      | 900   | accepted
  `,
  (exchange, { limit, more, outcome }) => {
    people(exchange)
    exchange.pay('ann', 'spot', '1 BTC')
    exchange.must(withdrawal(exchange, 'ann 1 BTC BTC'))
    exchange.must({ kind: 'limit-withdrawals', usdPerDayMax: units(limit) })
    expect(exchange.refusal(withdrawal(exchange, `ann ${more} USDT TRC20`))).toBe(outcome)
  },
)

scenario('where the operator lifted the limit, six million go; the limit comes back from a saved state', (exchange) => {
  people(exchange)
  exchange.pay('ann', 'spot', '200 BTC')
  exchange.must({ kind: 'limit-withdrawals', usdPerDayMax: units('0') })
  exchange.must(withdrawal(exchange, 'ann 100 BTC BTC'))
  exchange.must({ kind: 'limit-withdrawals', usdPerDayMax: units('6000100') })
  const reply = exchange.apply(withdrawal(exchange, 'ann 101 USDT TRC20'))
  expect(reply).toEqual({
    kind: 'refused',
    refusal: { kind: 'daily-withdrawals-exceeded', remainingUsd: units('100') },
  })
})

table(
  'where a deposit goes: as the account chose, as long as it has that wallet',
  `
    who | wallet       | choice            | into
    ann | -            | -                 | spot
    uma | -            | -                 | uta
    hal | -            | -                 | spot
    hal | uta          | accepted          | uta
    uma | spot         | accepted          | spot
    uma | p2p          | accepted          | p2p
    ann | usdt_futures | accepted          | usdt_futures
    ann | coin_futures | coin-unsuitable   | spot
    ann | uta          | wallet-unsuitable | spot
  `,
  (exchange, { who, wallet, choice, into }) => {
    people(exchange)
    const uid = exchange.uid(who)
    const chosen = { kind: 'set-deposit-wallet', uid, coin: coinId('USDT'), wallet: wallet as WalletType } as const
    if (wallet !== '') expect(exchange.refusal(chosen)).toBe(choice)
    exchange.must(deposit(exchange, `${who} 7 USDT TRC20`))
    exchange.wait(dayMs).runTimers()
    expect(bills(exchange)).toEqual([`deposit ${into} 7`])
  },
)

scenario(
  'a frozen account, and one that changes its mode, withdraw nothing; what was sent to them arrives',
  (exchange) => {
    people(exchange)
    exchange.join('sub', { parent: 'ann', funds: { spot: '100 USDT' } })
    exchange.must(deposit(exchange, 'sub 50 USDT TRC20'))
    const [actorUid, uid] = [exchange.uid('ann'), exchange.uid('sub')]
    exchange.must({ kind: 'set-sub-account', actorUid, uid, frozen: true, permissions: undefined })
    expect(exchange.refusal(withdrawal(exchange, 'sub 10 USDT TRC20'))).toBe('account-frozen')
    exchange.must(deposit(exchange, 'uma 50 USDT TRC20'))
    exchange.must(withdrawal(exchange, 'uma 50 USDT TRC20', { wallets: ['uta'], clientOid: 'w' }))
    exchange.must({ kind: 'set-account-mode', uid: exchange.uid('uma'), mode: 'classic' })
    expect(exchange.refusal(withdrawal(exchange, 'uma 10 USDT TRC20'))).toBe('account-changing-mode')
    exchange.must({ kind: 'cancel-withdrawal', uid: exchange.uid('uma'), id: undefined, clientOid: 'w' })
    exchange.wait(dayMs).runTimers()
    expect(exchange.wallet('sub', 'spot', 'USDT')).toBe('150')
    expect(exchange.wallet('uma', 'spot', 'USDT')).toBe('1550')
  },
)

scenario('where an account withdrew to is noted once, latest first', (exchange) => {
  people(exchange)
  for (const line of ['ann 10 USDT TRC20', 'ann 11 USDT ERC20', 'ann 12 USDT TRC20']) {
    exchange.must(withdrawal(exchange, line))
  }
  const noted = exchange.query({ kind: 'withdrawal-addresses', uid: exchange.uid('ann') })
  expect(noted.map(({ network }) => network)).toEqual(['ERC20', 'TRC20'])
})

scenario('an explanation of the account shows what is in transit', (exchange) => {
  people(exchange)
  exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20'))
  const explained = exchange.query({ kind: 'explain', subject: { kind: 'account', uid: exchange.uid('ann') } })
  expect(explained?.inputs).toContainEqual({
    of: 'withdrawal 9000000000000001',
    name: 'in transit',
    value: '100',
    unit: 'USDT',
  })
})

test('a state without any has the bytes that it had before there were deposits over networks', () => {
  const exchange = new Exchange()
  people(exchange)
  expect(exchange.save().includes('chainTransfers')).toBe(false)
  expect(exchange.save().includes('inTransit')).toBe(false)
})

test('whatever is sent, taken back and stepped over at random, the books stay sound', () => {
  const step = fc.record({
    what: fc.constantFrom('withdraw', 'inside', 'own', 'deposit', 'cancel', 'reject', 'wait'),
    who: fc.constantFrom('ann', 'uma', 'hal'),
    other: fc.constantFrom('ann', 'uma', 'hal'),
    network: fc.constantFrom('ERC20', 'TRC20', 'BEP20', 'SOL'),
    amount: fc.integer({ min: 1, max: 400 }),
    ms: fc.integer({ min: 1, max: 200_000 }),
    age: fc.nat(6),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const exchange = new Exchange()
      people(exchange)
      for (const { what, who, other, network, amount, ms, age } of steps) {
        const id = 9_000_000_000_000_001 + age
        const line = `${who} ${amount} USDT ${network}`
        const wallets: WalletType[] = who === 'uma' ? ['uta', 'spot'] : ['spot']
        if (what === 'withdraw') exchange.apply(withdrawal(exchange, line, { wallets }))
        else if (what === 'inside')
          exchange.apply(inside(exchange, who, exchange.uid(other), String(amount), { wallets }))
        else if (what === 'own') {
          const { address } = depositAddress(network, 'USDT', exchange.uid(other))
          exchange.apply(withdrawal(exchange, line, { wallets, address }))
        } else if (what === 'deposit') exchange.apply(deposit(exchange, line))
        else if (what === 'cancel')
          exchange.apply({ kind: 'cancel-withdrawal', uid: exchange.uid(who), id, clientOid: '' })
        else if (what === 'reject') exchange.apply({ kind: 'reject-withdrawal', id })
        else exchange.wait(ms).runTimers()
      }
      expectSound(exchange)
    }),
    { numRuns: 30, seed: 20260727 },
  )
})

test('addresses say whose they are, on every network, and are of nobody else', () => {
  const uids = fc.integer({ min: 1_000_000_001, max: 2_000_000_000 })
  fc.assert(
    fc.property(fc.constantFrom(...networkNames), uids, uids, (network, uid, other) => {
      const own = depositAddress(network, 'USDT', uid)
      expect(own).toEqual(depositAddress(network, 'USDT', uid))
      expect(addressOwner(network, 'USDT', own)).toBe(uid)
      expect(addressOwner(network, 'ETH', own)).not.toBe(uid)
      expect(own.tag === '').toBe(!networks[network].isTagged)
      if (uid !== other) expect(own).not.toEqual(depositAddress(network, 'USDT', other))
    }),
    { numRuns: 200, seed: 20260727 },
  )
})

test('a snapshot with transfers under way goes on as the engine did', () => {
  const exchange = new Exchange()
  people(exchange)
  exchange.must(deposit(exchange, 'ann 100 USDT ERC20'))
  exchange.must(withdrawal(exchange, 'ann 100 USDT TRC20'))
  const loaded = Engine.load([exchange.save()], () => {})
  const at = exchange.at + dayMs
  exchange.at = at - 1
  exchange.runTimers()
  loaded.apply({ kind: 'run-timers' }, loaded.sequence + 1, at)
  expect(Buffer.concat(loaded.save()).equals(exchange.save())).toBe(true)
})
