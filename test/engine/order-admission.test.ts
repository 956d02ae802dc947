/**
 * Who may place, change, replace and cancel orders, and close and turn round positions: whose, of what, in which wallet.
 * Source  interface E2, E3, E7; design §3, §4.13, §4.18, §4.43, §6; wire/client-endpoints.md §4
 */
import { expect } from 'vitest'
import type { Lots, Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { type Exchange, instrumentId } from './support/exchange.ts'
import { units } from './support/figures.ts'
import { plenty, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

/** Alice is a sub-account, long 10 against Bob, with an offer of 5 at 110 that is called `mine`. */
function people(exchange: Exchange): Exchange {
  traders(exchange, 'main', 'bob').join('alice', { parent: 'main', funds: plenty })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'alice: sell 5 oid:mine @ 110')
  return exchange.given('bob: buy 100 @ 90', 'bob: sell 100 @ 115')
}

const commands = {
  place: { kind: 'place-order', price: 111 as Ticks, clientOid: 'more' },
  amend: {
    kind: 'amend-order',
    category: undefined,
    instrument: undefined,
    price: 111 as Ticks,
    quantity: undefined,
    attachedTpsl: undefined,
    autoCancel: false,
    requestId: '',
  },
  replace: {
    kind: 'replace-order',
    interface: 'v2',
    categories: ['USDT-FUTURES'],
    instrument: instrumentId('SOLUSDT'),
    price: 111 as Ticks,
    quantity: undefined,
    attachedTpsl: undefined,
    clientOid: 'new',
    channelCode: '',
  },
  cancel: { kind: 'cancel-order', category: undefined, instrument: undefined },
  'cancel all': { kind: 'cancel-orders', interface: 'v2', category: 'USDT-FUTURES', instrument: undefined },
  close: {
    kind: 'close-positions',
    interface: 'v2',
    line: 'USDT-FUTURES',
    instrument: undefined,
    positionSide: undefined,
    channelCode: '',
  },
  reverse: {
    kind: 'reverse-position',
    instrument: instrumentId('SOLUSDT'),
    marginCoin: undefined,
    side: 'sell',
    tradeSide: undefined,
    quantity: undefined,
    clientOid: '',
    channelCode: '',
  },
  countdown: { kind: 'set-countdown', ms: 5000 },
} as const

/** What is otherwise than it should be, by its words. */
function change(exchange: Exchange, said: string): object {
  switch (said) {
    case 'unknown account':
      return { uid: 5 }
    case 'account of bob':
      return { uid: exchange.uid('bob') }
    case 'unknown order':
      return { order: { orderId: 5, clientOid: '' } }
    case 'its category':
      return { category: 'USDT-FUTURES', categories: ['USDC-FUTURES', 'USDT-FUTURES'] }
    case 'another category':
      return { category: 'USDC-FUTURES', categories: ['USDC-FUTURES'], line: 'USDC-FUTURES' }
    case 'its market':
      return { instrument: instrumentId('SOLUSDT') }
    case 'another market':
      return { instrument: instrumentId('BTCUSDT') }
    case 'unknown market':
      return { instrument: 99 }
    case 'a pair':
      return { instrument: instrumentId('SOL/USDT') }
    case 'over v3':
      return { interface: 'v3' }
    case 'the same terms':
      return { price: 110, clientOid: 'new' }
    case 'its margin coin':
      return { marginCoin: 3 }
    case 'another margin coin':
      return { marginCoin: 0 }
    case 'in quote coin':
      return { quantity: { unit: 'quote', amount: units('100') } }
    case 'all of it':
      return { quantity: { unit: 'lots', lots: 10 as Lots } }
    case 'more than it':
      return { quantity: { unit: 'lots', lots: 11 as Lots } }
    case 'the other side':
      return { side: 'buy' }
    case 'halted market':
    case 'market that only cancels': {
      const none = {
        tiers: undefined,
        makerFeeRate: undefined,
        takerFeeRate: undefined,
        limitBand: undefined,
        marketBand: undefined,
      }
      const status = said === 'halted market' ? 'halted' : 'cancel_only'
      exchange.must({ kind: 'set-instrument', instrument: instrumentId('SOLUSDT'), ...none, status })
      return {}
    }
    case 'frozen account': {
      const [actorUid, uid] = [exchange.uid('main'), exchange.uid('alice')]
      exchange.must({ kind: 'set-sub-account', actorUid, uid, frozen: true, permissions: undefined })
      return {}
    }
    default:
      return {}
  }
}

table(
  'whose order or position, of what',
  `
    command    | said                     | outcome
    place      | -                        | accepted
    place      | unknown account          | account-unknown
    place      | frozen account           | account-frozen
    place      | over v3                  | account-mode-unsuitable
    place      | unknown market           | instrument-unknown
    place      | a pair                   | instrument-unknown
    place      | halted market            | instrument-closed
    place      | market that only cancels | instrument-closed
    amend      | -                        | accepted
    amend      | unknown account          | account-unknown
    amend      | account of bob           | order-unknown
    amend      | unknown order            | order-unknown
    amend      | its category             | accepted
    amend      | another category         | order-unknown
    amend      | its market               | accepted
    amend      | another market           | order-unknown
    amend      | the same terms           | order-unchanged
    amend      | halted market            | instrument-closed
    amend      | market that only cancels | instrument-closed
    replace    | -                        | accepted
    replace    | unknown account          | account-unknown
    replace    | account of bob           | order-unknown
    replace    | unknown order            | order-unknown
    replace    | its category             | accepted
    replace    | another category         | order-unknown
    replace    | another market           | order-unknown
    replace    | over v3                  | order-unknown
    replace    | the same terms           | order-unchanged
    replace    | halted market            | instrument-closed
    cancel     | -                        | accepted
    cancel     | unknown account          | account-unknown
    cancel     | account of bob           | order-unknown
    cancel     | unknown order            | order-unknown
    cancel     | its category             | accepted
    cancel     | another category         | order-unknown
    cancel     | its market               | accepted
    cancel     | another market           | order-unknown
    // A halted market, and a frozen account, still cancel
    cancel     | halted market            | accepted
    cancel     | frozen account           | accepted
    cancel all | unknown account          | account-unknown
    cancel all | halted market            | accepted
    close      | -                        | accepted
    close      | unknown account          | account-unknown
    close      | over v3                  | account-mode-unsuitable
    close      | its market               | accepted
    close      | another market           | nothing-to-reduce
    close      | another category         | nothing-to-reduce
    reverse    | -                        | accepted
    reverse    | unknown account          | account-unknown
    reverse    | unknown market           | instrument-unknown
    reverse    | a pair                   | instrument-unknown
    reverse    | its margin coin          | accepted
    reverse    | another margin coin      | margin-coin-wrong
    reverse    | another market           | nothing-to-reduce
    reverse    | the other side           | nothing-to-reduce
    reverse    | in quote coin            | quantity-unit-unsuitable
    reverse    | all of it                | accepted
    reverse    | more than it             | insufficient-position
    countdown  | -                        | account-mode-unsuitable
    countdown  | unknown account          | account-unknown
  `,
  (exchange, { command, said, outcome }) => {
    people(exchange)
    const order = { orderId: undefined, clientOid: 'mine' }
    const plain = command === 'place' ? exchange.order('alice: sell 5 @ 110') : { order }
    const asked = { uid: exchange.uid('alice'), ...plain, ...commands[command as keyof typeof commands] }
    expect(exchange.refusal({ ...asked, ...change(exchange, said) } as Command)).toBe(outcome)
    const stays = outcome !== 'accepted' || !/^(?:amend|replace|cancel)/.test(command)
    const rests = exchange.resting().includes('alice sell 5 @ 110')
    if (!/^(?:close|reverse)$/.test(command)) expect(rests, 'the order as it was').toBe(stays)
  },
)

table(
  'refused while the account changes its mode',
  `
    command   | outcome
    place     | account-changing-mode
    close     | account-changing-mode
    reverse   | account-changing-mode
    countdown | account-changing-mode
  `,
  (exchange, { command, outcome }) => {
    traders(exchange, 'alice')
    const order = exchange.order('alice: sell 5 @ 110')
    const uid = exchange.uid('alice')
    exchange.must({ kind: 'set-account-mode', uid, mode: 'unified' })
    const asked = { ...order, ...commands[command as keyof typeof commands], uid }
    expect(exchange.refusal(asked as Command)).toBe(outcome)
  },
)

scenario('all of a category are canceled, of one market or all, newest first; margin is not spot', (exchange) => {
  traders(exchange, 'alice')
  exchange.given('alice: buy 1 oid:a @ 90; buy 2 oid:b @ 91; buy 1 BTCUSDT oid:c @ 50000')
  exchange.given('alice: buy 1 SOL/USDT oid:d @ 90; buy 1 SOL/USDT on-margin oid:e @ 90')
  const all = { ...commands['cancel all'], uid: exchange.uid('alice') } as const
  const names = (more: Partial<typeof all> | { readonly category: 'SPOT' | 'MARGIN' | 'COIN-FUTURES' } | object) => {
    const reply = exchange.apply({ ...all, ...more })
    return reply.kind === 'canceled' ? reply.orders.map(({ clientOid }) => clientOid) : reply.kind
  }
  expect(names({ category: 'COIN-FUTURES' })).toEqual([])
  expect(names({ instrument: instrumentId('SOLUSDT') })).toEqual(['b', 'a'])
  expect(names({})).toEqual(['c'])
  expect(names({ category: 'MARGIN' })).toEqual(['e'])
  expect(names({ category: 'SPOT' })).toEqual(['d'])
})
