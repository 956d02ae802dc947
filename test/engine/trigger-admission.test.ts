/**
 * Who may set, change and cancel trigger orders, and on what: plans, take-profits and stop-losses, and both as trailing orders.
 * Source  design §4.6, §4.18, §4.20, §4.23, §4.43, §6; interface E3, E7; wire/errors.md (Price, Position)
 */
import { expect } from 'vitest'
import type { Lots, Ticks } from '../../src/engine/numbers/numbers.ts'
import type {
  Command,
  PlacePositionTrailing,
  PlacePositionTriggers,
  PlaceTrailing,
  PlaceTrigger,
} from '../../src/engine/protocol/command.ts'
import { type Exchange, instrumentId } from './support/exchange.ts'
import { units } from './support/figures.ts'
import { plenty, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { trail, trails, trailStop } from './support/trailing.ts'
import { plan, setTpsl, waiting } from './support/triggers.ts'

type Setting = PlaceTrigger | PlacePositionTriggers | PlaceTrailing | PlacePositionTrailing

/** Each way of setting one; those of a position need one. */
const ways: Readonly<Record<string, (exchange: Exchange) => string>> = {
  plan: (exchange) => plan(exchange, 'alice: buy 1 @ 90', 'last 104'),
  'trailing plan': (exchange) => trail(exchange, 'alice: buy 1', '5%'),
  'stop-loss': (exchange) => setTpsl(exchange, 'alice', ['loss 90']),
  'trailing stop': (exchange) => trailStop(exchange, 'alice', '5%'),
}

function setStatus(exchange: Exchange, status: 'halted' | 'cancel_only'): void {
  const none = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId(exchange.market), status, ...none })
}

function freeze(exchange: Exchange): void {
  const [actorUid, uid] = [exchange.uid('main'), exchange.uid('alice')]
  exchange.must({ kind: 'set-sub-account', actorUid, uid, frozen: true, permissions: undefined })
}

/** Alice is a sub-account with a long 10 against Bob. */
function alice(exchange: Exchange): Exchange {
  traders(exchange, 'main', 'bob').join('alice', { parent: 'main', funds: plenty })
  return exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
}

/** What is wrong, besides the command itself. */
const wrongs: Readonly<Record<string, (exchange: Exchange) => Partial<Setting>>> = {
  nothing: () => ({}),
  'its own margin coin': () => ({ marginCoin: 3 }),
  'unknown account': () => ({ uid: 5 }),
  'frozen account': (exchange) => {
    freeze(exchange)
    return {}
  },
  'classic account on v3': () => ({ interface: 'v3' }),
  'unknown market': () => ({ instrument: 99 }),
  'market of another category': () => ({ instrument: instrumentId('SOL/USDT') }),
  'halted market': (exchange) => {
    setStatus(exchange, 'halted')
    return {}
  },
  'market that only cancels': (exchange) => {
    setStatus(exchange, 'cancel_only')
    return {}
  },
  'wrong margin coin': () => ({ marginCoin: 0 }),
  'orders of the day': (exchange) => {
    exchange.must({ kind: 'configure-venue', dailyOrdersRestriction: 1 })
    return {}
  },
}

for (const [way, set] of Object.entries(ways)) {
  table(
    `${way}: refused for who asks, and for what`,
    `
      wrong                      | outcome
      nothing                    | accepted
      its own margin coin        | accepted
      unknown account            | account-unknown
      frozen account             | account-frozen
      classic account on v3      | account-mode-unsuitable
      unknown market             | instrument-unknown
      market of another category | instrument-unknown
      halted market              | instrument-closed
      market that only cancels   | instrument-closed
      wrong margin coin          | margin-coin-wrong
      orders of the day          | daily-orders-max
    `,
    (exchange, { wrong, outcome }) => {
      alice(exchange)
      expect(set(exchange)).toMatch(/placed$/)
      const { command } = exchange.applied.at(-1) ?? {}
      const change = wrongs[wrong]?.(exchange)
      expect(exchange.refusal({ ...command, ...change } as Command)).toBe(outcome)
    },
  )

  scenario(`${way}: refused while the account changes its mode`, (exchange) => {
    alice(exchange)
    set(exchange)
    const { command } = exchange.applied.at(-1) as { command: Setting }
    const uid = exchange.uid('bob')
    exchange.given('bob: buy 10 @ 100', 'alice: sell 10 @ 100')
    exchange.must({ kind: 'set-account-mode', uid, mode: 'unified' })
    expect(exchange.refusal({ ...command, uid })).toBe('account-changing-mode')
  })
}

table(
  'a copy trader: a plan opens in announced contracts only, and may close in any (design §4.23)',
  `
    way           | line                       | outcome
    plan          | alice: buy 1 @ 90          | refused instrument-not-announced
    trailing plan | alice: buy 1               | refused instrument-not-announced
    plan          | alice: sell 1 reduce-only  | placed
    trailing plan | alice: sell 1 reduce-only  | placed
  `,
  (exchange, { way, line, outcome }) => {
    alice(exchange)
    exchange.must({ kind: 'set-copy-trader', uid: exchange.uid('alice'), instruments: [instrumentId('BTCUSDT')] })
    expect(way === 'plan' ? plan(exchange, line, 'last 104') : trail(exchange, line, '5%')).toBe(outcome)
  },
)

scenario('hedge mode: a plan has to say which position it means', (exchange) => {
  traders(exchange, 'alice')
  exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: undefined, holdMode: 'hedge_mode' })
  expect(plan(exchange, 'alice: buy 1 @ 90', 'last 104')).toBe('refused position-side-required')
  expect(trail(exchange, 'alice: buy 1', '5%')).toBe('refused position-side-required')
  expect(plan(exchange, 'alice: buy 1 open @ 90', 'last 104')).toBe('placed')
  expect(trail(exchange, 'alice: buy 1 open', '5%')).toBe('placed')
})

/** Changes and cancels of the last trigger order that was set, with its number. */
function changes(exchange: Exchange) {
  const placed = exchange.lastEvents.find((event) => event.kind === 'trigger-accepted')
  const order = { orderId: placed?.orderId, clientOid: '' }
  const uid = exchange.uid('alice')
  const none = { kinds: [], quantity: undefined } as const
  return {
    modify: {
      kind: 'modify-trigger',
      uid,
      order,
      ...none,
      trigger: 95 as Ticks,
      by: 'last',
      execute: 0,
      takeProfit: undefined,
      stopLoss: undefined,
    },
    trail: {
      kind: 'modify-trailing',
      uid,
      order,
      ...none,
      rate: 300,
      trigger: 0,
      by: 'last',
      takeProfitRate: 0,
      stopLossRate: 0,
    },
    cancel: { kind: 'cancel-trigger', uid, order, kinds: [], category: undefined, instrument: undefined },
  } as const
}

table(
  'changes and cancels: whose order, and of which kind',
  `
    set           | command | said                   | outcome
    plan          | modify  | -                      | accepted
    plan          | trail   | -                      | trigger-unknown
    stop-loss     | modify  | -                      | accepted
    stop-loss     | trail   | -                      | trigger-unknown
    trailing plan | trail   | -                      | accepted
    trailing plan | modify  | -                      | trigger-unknown
    trailing stop | trail   | -                      | accepted
    trailing stop | modify  | -                      | trigger-unknown
    // Of the kind that is meant
    plan          | modify  | plan                   | accepted
    plan          | modify  | stop-loss              | position-trigger-unknown
    plan          | modify  | trailing-plan          | trigger-unknown
    stop-loss     | modify  | position-stop-loss     | accepted
    stop-loss     | modify  | plan                   | trigger-unknown
    trailing plan | trail   | trailing-plan          | accepted
    trailing plan | trail   | plan                   | trigger-unknown
    trailing stop | trail   | position-trailing-stop | accepted
    trailing stop | trail   | trailing-stop          | position-trigger-unknown
    plan          | cancel  | plan                   | accepted
    plan          | cancel  | trailing-plan          | trigger-unknown
    stop-loss     | cancel  | position-take-profit   | position-trigger-unknown
    // Of the account, which may be frozen
    plan          | modify  | unknown account        | account-unknown
    plan          | modify  | account of bob         | trigger-unknown
    plan          | modify  | frozen account         | account-frozen
    trailing plan | trail   | unknown account        | account-unknown
    trailing plan | trail   | account of bob         | trigger-unknown
    trailing plan | trail   | frozen account         | account-frozen
    plan          | cancel  | unknown account        | account-unknown
    plan          | cancel  | account of bob         | trigger-unknown
    plan          | cancel  | frozen account         | accepted
    // Of the category and the market that are named (design §4.43)
    plan          | cancel  | its category           | accepted
    plan          | cancel  | another category       | trigger-unknown
    plan          | cancel  | its market             | accepted
    plan          | cancel  | another market         | trigger-unknown
    // A halted market still lets its orders be canceled (design §6)
    plan          | cancel  | halted market          | accepted
  `,
  (exchange, { set, command, said, outcome }) => {
    alice(exchange)
    ways[set]?.(exchange)
    const asked = changes(exchange)[command as 'modify' | 'trail' | 'cancel']
    if (said === 'frozen account') freeze(exchange)
    if (said === 'halted market') setStatus(exchange, 'halted')
    const named: Readonly<Record<string, object>> = {
      '': {},
      'frozen account': {},
      'halted market': {},
      'unknown account': { uid: 5 },
      'account of bob': { uid: exchange.uid('bob') },
      'its category': { category: 'USDT-FUTURES' },
      'another category': { category: 'USDC-FUTURES' },
      'its market': { instrument: instrumentId('SOLUSDT') },
      'another market': { instrument: instrumentId('BTCUSDT') },
    }
    expect(exchange.refusal({ ...asked, ...(named[said] ?? { kinds: [said] }) })).toBe(outcome)
  },
)

table(
  'a changed quantity fits its market and its position; what is refused stays as it was',
  // SOLUSDT counts lots; a stop has no more than the position
  `
    set           | unit  | quantity | outcome                  | after
    plan          | lots  | 3        | accepted                 | plan buy 3 at 95
    plan          | lots  | 0        | quantity-below-minimum   | plan buy 1 at 104
    plan          | quote | 100      | quantity-unit-unsuitable | plan buy 1 at 104
    plan          | base  | 1        | quantity-unit-unsuitable | plan buy 1 at 104
    trailing plan | lots  | 3        | accepted                 | buy 3 best 100 due at 103
    trailing plan | lots  | 0        | quantity-below-minimum   | buy 1 best 100 due at 105
    trailing plan | base  | 1        | quantity-unit-unsuitable | buy 1 best 100 due at 105
    stop of 4     | lots  | 10       | accepted                 | stop-loss 10 at 95
    stop of 4     | lots  | 11       | trigger-position-short   | stop-loss 4 at 90
    stop of 4     | lots  | 0        | quantity-below-minimum   | stop-loss 4 at 90
    stop of 4     | base  | 1        | quantity-unit-unsuitable | stop-loss 4 at 90
    trailing of 4 | lots  | 10       | accepted                 | sell 10 best 100 due at 97
    trailing of 4 | lots  | 11       | trigger-position-short   | sell 4 best 100 due at 95
    trailing of 4 | lots  | 0        | quantity-below-minimum   | sell 4 best 100 due at 95
    trailing of 4 | base  | 1        | quantity-unit-unsuitable | sell 4 best 100 due at 95
    // Those of the whole position stay so
    stop-loss     | lots  | 11       | accepted                 | position-stop-loss at 95
    trailing stop | lots  | 11       | accepted                 | sell best 100 due at 97
  `,
  (exchange, { set, unit, quantity, outcome, after }) => {
    alice(exchange)
    const more: typeof ways = {
      ...ways,
      'stop of 4': (at) => setTpsl(at, 'alice', ['loss 90 of 4']),
      'trailing of 4': (at) => trailStop(at, 'alice', '5% of 4'),
    }
    more[set]?.(exchange)
    const { modify, trail: follow } = changes(exchange)
    const follows = set.startsWith('trailing')
    const amount = unit === 'lots' ? { lots: Number(quantity) as Lots } : { amount: units(quantity) }
    const asked = { ...(follows ? follow : modify), quantity: { unit, ...amount } } as Command
    expect(exchange.refusal(asked)).toBe(outcome)
    expect(follows ? trails(exchange, 'alice') : waiting(exchange, 'alice')).toEqual([after])
  },
)

scenario('all of a category are canceled, newest first, each by its number and its name', (exchange) => {
  alice(exchange)
  const placed: number[] = []
  const put = (reply: string) => {
    expect(reply).toMatch(/placed$/)
    for (const event of exchange.lastEvents) if (event.kind === 'trigger-accepted') placed.push(event.orderId)
  }
  put(plan(exchange, 'alice: buy 1 oid:first @ 90', 'last 104'))
  put(trail(exchange, 'alice: buy 1 oid:second', '5%'))
  put(plan(exchange, 'alice: buy 1 BTCUSDT oid:third @ 50000', 'last 104'))
  const all = {
    kind: 'cancel-triggers',
    uid: exchange.uid('alice'),
    interface: 'v2',
    category: 'USDT-FUTURES',
    instrument: instrumentId('SOLUSDT'),
    kinds: [],
  } as const
  expect(exchange.refusal({ ...all, uid: 5 })).toBe('account-unknown')
  expect(exchange.apply({ ...all, category: 'USDC-FUTURES', instrument: undefined })).toEqual({
    kind: 'canceled',
    orders: [],
  })
  expect(exchange.apply(all)).toEqual({
    kind: 'canceled',
    orders: [
      { orderId: placed[1], clientOid: 'second' },
      { orderId: placed[0], clientOid: 'first' },
    ],
  })
  expect(exchange.apply({ ...all, instrument: undefined })).toEqual({
    kind: 'canceled',
    orders: [{ orderId: placed[2], clientOid: 'third' }],
  })
})
