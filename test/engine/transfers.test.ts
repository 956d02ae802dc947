/**
 * Money in, out, and between wallets and accounts of one family.
 * Source  interface E9; design §3, §4.14, §4.36
 */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Deposit, Transfer } from '../../src/engine/protocol/command.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import type { WalletType } from '../../src/engine/vocabulary.ts'
import { coinId, dayMs, Exchange } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import type { CoinName } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/**
 * Mia, a unified main account, with uma (unified) and cleo and carl (classic); Hal, hybrid; Zoe, classic. Everybody has
 * 1,000 USDT in `spot`.
 */
function family(exchange: Exchange): void {
  const funds = { spot: '1000 USDT' }
  exchange.join('mia', { mode: 'unified', funds: { ...funds, uta: '1000 USDT', p2p: '1000 USDT' } })
  exchange.join('uma', { mode: 'unified', parent: 'mia', funds: { ...funds, uta: '1000 USDT' } })
  exchange.join('cleo', { parent: 'mia', funds: { ...funds, usdt_futures: '1000 USDT' } })
  exchange.join('carl', { parent: 'mia', funds })
  exchange.join('hal', { mode: 'hybrid', funds })
  exchange.join('zoe', { funds })
}

/** `mia spot > cleo usdt_futures 100`, by mia's key unless another is given. */
function transfer(exchange: Exchange, line: string, more: Partial<Transfer> = {}): Transfer {
  const [from, fromWallet, , to, toWallet, amount] = line.split(' ') as [
    string,
    WalletType,
    '>',
    string,
    WalletType,
    string,
  ]
  return {
    kind: 'transfer',
    actorUid: exchange.uid('mia'),
    scope: 'between-accounts',
    fromUid: exchange.uid(from),
    toUid: exchange.uid(to),
    fromWallet,
    toWallet,
    coin: coinId('USDT'),
    amount: units(amount),
    clientOid: `t-${exchange.applied.length}`,
    ...more,
  }
}

table(
  "E9: the four directions with the main account's key, and none other",
  `
    line                                | actor | outcome
    mia spot > cleo usdt_futures 100    | mia   | accepted
    cleo usdt_futures > mia spot 100    | mia   | accepted
    cleo spot > carl crossed_margin 100 | mia   | accepted
    cleo spot > cleo usdt_futures 100   | mia   | accepted
    mia spot > mia uta 100              | mia   | transfer-unrelated
    mia spot > cleo usdt_futures 100    | cleo  | transfer-unrelated
    cleo spot > mia spot 100            | cleo  | transfer-unrelated
    cleo spot > cleo usdt_futures 100   | cleo  | transfer-unrelated
    mia spot > zoe spot 100             | mia   | transfer-unrelated
    zoe spot > mia spot 100             | mia   | transfer-unrelated
    zoe spot > cleo spot 100            | mia   | transfer-unrelated
    mia spot > cleo usdt_futures 100    | zoe   | transfer-unrelated
  `,
  (exchange, { line, actor, outcome }) => {
    family(exchange)
    expect(exchange.refusal(transfer(exchange, line, { actorUid: exchange.uid(actor) }))).toBe(outcome)
  },
)

table(
  'E9: wallets by kind and mode of the account',
  `
    line                                   | outcome
    mia spot > uma uta 1                   | accepted
    mia uta > uma spot 1                   | accepted
    mia p2p > uma uta 1                    | accepted
    mia spot > uma p2p 1                   | wallet-unsuitable
    mia spot > uma usdt_futures 1          | wallet-unsuitable
    mia spot > uma crossed_margin 1        | wallet-unsuitable
    mia spot > cleo spot 1                 | accepted
    mia spot > cleo usdt_futures 1         | accepted
    mia spot > cleo crossed_margin 1       | accepted
    mia spot > cleo uta 1                  | wallet-unsuitable
    mia spot > cleo p2p 1                  | wallet-unsuitable
    cleo usdt_futures > mia usdt_futures 1 | accepted
    cleo uta > mia spot 1                  | wallet-unsuitable
    cleo spot > cleo spot 1                | transfer-same-place
  `,
  (exchange, { line, outcome }) => {
    family(exchange)
    expect(exchange.refusal(transfer(exchange, line))).toBe(outcome)
  },
)

table(
  'a classic futures wallet takes the margin coins of its line and no other; it gives back whatever it has',
  `
    coin | wallet         | outcome
    USDT | usdt_futures   | accepted
    BTC  | usdt_futures   | coin-unsuitable
    USDC | usdt_futures   | coin-unsuitable
    BTC  | coin_futures   | accepted
    USDT | coin_futures   | coin-unsuitable
    USDC | usdc_futures   | accepted
    USDT | usdc_futures   | coin-unsuitable
    SOL  | crossed_margin | accepted
    SOL  | spot           | accepted
  `,
  (exchange, { coin, wallet, outcome }) => {
    traders(exchange, 'mia').join('zac', { parent: 'mia' })
    const more = { coin: coinId(coin as CoinName) }
    const to = { uid: exchange.uid('zac'), wallet: wallet as WalletType }
    expect(exchange.refusal({ kind: 'deposit', ...to, ...more, amount: units('1') })).toBe(outcome)
    expect(exchange.refusal(transfer(exchange, `mia spot > zac ${wallet} 1`, more))).toBe(outcome)
    const within = { ...more, scope: 'within-account', clientOid: '' } as const
    expect(exchange.refusal(transfer(exchange, `mia spot > mia ${wallet} 1`, within))).toBe(
      wallet === 'spot' ? 'transfer-same-place' : outcome,
    )
  },
)

table(
  'amounts and coins: all there is, one unit more',
  [
    ['mia spot > cleo spot 1000', {}, 'accepted'],
    ['mia spot > cleo spot 1000.00000001', {}, 'transferable-exceeded'],
    ['mia spot > cleo spot 0', {}, 'amount-not-positive'],
    ['mia spot > cleo spot -1', {}, 'amount-not-positive'],
    ['mia spot > cleo spot 1', { coin: 1 }, 'transferable-exceeded'],
    ['mia spot > cleo spot 1', { coin: 99 }, 'coin-unknown'],
    ['mia spot > cleo spot 1', { toUid: 5 }, 'transfer-unrelated'],
    ['mia spot > cleo spot 1', { actorUid: 5 }, 'account-unknown'],
  ] as const,
  (exchange, line, more, outcome) => {
    family(exchange)
    expect(exchange.refusal(transfer(exchange, line, more))).toBe(outcome)
  },
)

scenario('the money is there at once, and the event says from where to where', (exchange) => {
  family(exchange)
  exchange.must(transfer(exchange, 'mia spot > cleo usdt_futures 400.5', { clientOid: 'mine' }))
  expect(exchange.wallet('mia', 'spot', 'USDT')).toBe('599.5')
  expect(exchange.wallet('cleo', 'usdt_futures', 'USDT')).toBe('1400.5')
  const { reply } = exchange.applied.at(-1) ?? {}
  if (reply?.kind !== 'transferred') throw new Error('transferred')
  const { transferId } = reply
  expect(exchange.lastEvents).toMatchObject([
    { kind: 'transfer', transferId, clientOid: 'mine', fromWallet: 'spot', toWallet: 'usdt_futures' },
    { kind: 'bill', type: 'transfer_out', otherWallet: 'usdt_futures' },
    { kind: 'bill', type: 'transfer_in', otherWallet: 'spot' },
  ])
})

// Idempotence (design §4.14)

scenario('the same request again answers the first transfer and moves nothing', (exchange) => {
  family(exchange)
  const once = transfer(exchange, 'mia spot > cleo spot 600', { clientOid: 'mine' })
  const first = exchange.must(once)
  expect(exchange.must(once)).toEqual(first)
  expect(exchange.lastEvents).toEqual([])
  expect(exchange.wallet('mia', 'spot', 'USDT')).toBe('400')
  // even when it could not be made again
  exchange.must(transfer(exchange, 'mia spot > carl spot 400'))
  expect(exchange.must(once)).toEqual(first)
})

table(
  'the same id with other content is refused',
  [
    [{ amount: units('601') }],
    [{ coin: 0 }],
    [{ fromWallet: 'uta' }],
    [{ toWallet: 'usdt_futures' }],
    [{ toUid: 1_000_000_004 }],
    [{ fromUid: 1_000_000_002 }],
  ] as const,
  (exchange, more) => {
    family(exchange)
    const once = transfer(exchange, 'mia spot > cleo spot 600', { clientOid: 'mine' })
    exchange.must(once)
    expect(exchange.refusal({ ...once, ...more })).toBe('transfer-id-reused')
  },
)

scenario('a refused transfer leaves its id free; another family has its own ids', (exchange) => {
  family(exchange)
  exchange.join('zac', { parent: 'zoe' })
  const much = transfer(exchange, 'mia spot > cleo spot 1001', { clientOid: 'mine' })
  expect(exchange.refusal(much)).toBe('transferable-exceeded')
  exchange.must({ ...much, amount: units('1') })
  exchange.must(transfer(exchange, 'zoe spot > zac spot 1', { clientOid: 'mine', actorUid: exchange.uid('zoe') }))
})

scenario(
  'a transfer is known by its id for 90 days; then the id is free, and the venue holds no more of it',
  (exchange) => {
    family(exchange)
    const once = transfer(exchange, 'mia spot > cleo spot 1', { clientOid: 'mine' })
    const first = exchange.must(once)
    const freeAt = exchange.at + 90 * dayMs
    exchange.wait(60 * dayMs)
    exchange.must(transfer(exchange, 'mia spot > cleo spot 1', { clientOid: 'later' }))
    exchange.at = freeAt - 3
    expect(exchange.refusal({ ...once, amount: units('2') })).toBe('transfer-id-reused')
    expect(exchange.must(once), 'a millisecond before').toEqual(first)
    const second = exchange.must({ ...once, amount: units('2') })
    expect(second).toMatchObject({ kind: 'transferred', clientOid: 'mine' })
    expect(second).not.toEqual(first)
    expect(exchange.must({ ...once, amount: units('2') }), 'known anew').toEqual(second)
    expect(idsKept(exchange.save())).toEqual(['later', 'mine'])
    exchange.wait(90 * dayMs)
    exchange.must(transfer(exchange, 'mia spot > cleo spot 1', { clientOid: 'last' }))
    expect(idsKept(exchange.save())).toEqual(['last'])
  },
)

test('a state that was saved before transfers had their time counts it from its own', () => {
  const exchange = new Exchange()
  family(exchange)
  const once = transfer(exchange, 'mia spot > cleo spot 1', { clientOid: 'mine' })
  const first = exchange.must(once)
  const saved = decode([exchange.save()]) as { transfers: Map<string, object>; sequence: number; at: number }
  for (const [name, { at: _at, ...known }] of saved.transfers as Map<string, { at: number }>)
    saved.transfers.set(name, known)
  const engine = Engine.load(encode(saved), () => {})
  expect(engine.apply(once, saved.sequence + 1, saved.at + 90 * dayMs - 1)).toEqual(first)
  expect(engine.apply(once, saved.sequence + 2, saved.at + 90 * dayMs)).not.toEqual(first)
})

function idsKept(saved: Buffer): string[] {
  const { transfers } = decode([saved]) as { transfers: Map<string, unknown> }
  return [...transfers.keys()].map((name) => name.split(':')[1])
}

// Between one's own wallets

table(
  'within an account: its own wallets with its own key',
  `
    actor | line                            | outcome
    mia   | mia spot > mia uta 1            | accepted
    mia   | mia uta > mia p2p 1             | accepted
    hal   | hal spot > hal uta 1            | accepted
    hal   | hal spot > hal usdt_futures 1   | accepted
    zoe   | zoe spot > zoe usdt_futures 1   | accepted
    zoe   | zoe spot > zoe uta 1            | wallet-unsuitable
    cleo  | cleo spot > cleo usdt_futures 1 | accepted
    cleo  | cleo spot > mia spot 1          | transfer-unrelated
    mia   | cleo spot > cleo usdt_futures 1 | transfer-unrelated
    mia   | mia spot > mia spot 1           | transfer-same-place
  `,
  (exchange, { actor, line, outcome }) => {
    family(exchange)
    const command = transfer(exchange, line, { scope: 'within-account', actorUid: exchange.uid(actor), clientOid: '' })
    expect(exchange.refusal(command)).toBe(outcome)
  },
)

// Margin counts

scenario('margin of orders and positions cannot leave', (exchange) => {
  traders(exchange, 'bob')
  family(exchange)
  exchange.given('cleo: buy 50 @ 100') // holds 250 + 3
  const out = (amount: string) => transfer(exchange, `cleo usdt_futures > mia spot ${amount}`)
  expect(exchange.refusal(out('747.00000001'))).toBe('transferable-exceeded')
  exchange.given('bob: sell 50 @ 100') // margin 250, fee 1
  expect(coins(exchange.balance('cleo', 'usdt_futures', 'USDT').transferable)).toBe('749')
  expect(exchange.refusal(out('749.00000001'))).toBe('transferable-exceeded')
  exchange.prices({ SOL: '110' }) // profit of 500 stays on paper, margin is 275
  expect(coins(exchange.balance('cleo', 'usdt_futures', 'USDT').transferable)).toBe('724')
  exchange.prices({ SOL: '90' }) // 500 lost on paper, margin 225
  expect(exchange.refusal(out('274.00000001'))).toBe('transferable-exceeded')
  expect(exchange.refusal(out('274'))).toBe('accepted')
})

// The world outside

table(
  'deposits and withdrawals',
  `
    kind     | wallet       | amount        | outcome               | left
    deposit  | spot         | 5             | accepted              | 1005
    deposit  | usdt_futures | 5             | accepted              | 1000
    deposit  | uta          | 5             | wallet-unsuitable     | 1000
    deposit  | spot         | 0             | amount-not-positive   | 1000
    deposit  | spot         | -5            | amount-not-positive   | 1000
    withdraw | spot         | 1000          | accepted              | 0
    withdraw | spot         | 1000.00000001 | transferable-exceeded | 1000
    withdraw | spot         | -5            | amount-not-positive   | 1000
    withdraw | uta          | 5             | wallet-unsuitable     | 1000
    withdraw | usdt_futures | 5             | transferable-exceeded | 1000
  `,
  (exchange, { kind, wallet, amount, outcome, left }) => {
    family(exchange)
    const command: Deposit = {
      kind: kind as Deposit['kind'],
      uid: exchange.uid('zoe'),
      wallet: wallet as WalletType,
      coin: coinId('USDT'),
      amount: units(amount),
    }
    expect(exchange.refusal(command)).toBe(outcome)
    expect(exchange.wallet('zoe', 'spot', 'USDT')).toBe(left)
    expect(exchange.refusal({ ...command, uid: 5 })).toBe('account-unknown')
    expect(exchange.refusal({ ...command, coin: 99 })).toBe('coin-unknown')
  },
)

scenario('all that came in of a coin stays within the numbers of the venue', (exchange) => {
  family(exchange)
  const most = units('92233720368')
  const deposit = { kind: 'deposit', uid: exchange.uid('zoe'), wallet: 'spot', coin: coinId('BTC') } as const
  const fund = { kind: 'fund-house', account: 'insurance', coin: coinId('BTC') } as const
  let accepted = 0
  while (exchange.refusal({ ...deposit, amount: most }) === 'accepted' && accepted < 3) accepted++
  expect(accepted).toBeLessThanOrEqual(1)
  expect(exchange.refusal({ ...fund, amount: most })).toBe('deposits-exceeded')
})

scenario('what is outside is minus all that is inside', (exchange) => {
  exchange.join('zoe', { funds: { spot: '1000 USDT' } })
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units('50') })
  exchange.must({
    kind: 'withdraw',
    uid: exchange.uid('zoe'),
    wallet: 'spot',
    coin: coinId('USDT'),
    amount: units('300'),
  })
  expect(exchange.house('external', 'USDT')).toBe('-750')
  expect(exchange.house('insurance', 'USDT')).toBe('50')
})
