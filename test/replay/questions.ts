/**
 * Questions to an engine about everything and everybody: every kind of query, for each account, open contract and coin.
 *
 * Complete   a kind of query that nobody asks does not compile
 */
import { isFutures, productLines } from '../../src/engine/catalog/catalog.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { amount, type Lots, oneCoin } from '../../src/engine/numbers/numbers.ts'
import type { Query, QueryKind } from '../../src/engine/protocol/query.ts'
import { walletTypes } from '../../src/engine/vocabulary.ts'
import { dayMs, firstDay } from '../engine/support/exchange.ts'

export type Ask = Engine['query']

type Asked = { readonly [Kind in QueryKind]: readonly Query<Kind>[] }

export function questions(ask: Ask): readonly Query[] {
  const { coins, instruments } = ask({ kind: 'catalog' })
  const contracts = instruments.filter(isFutures).filter(({ status }) => status === 'online')
  const uids = ask({ kind: 'accounts' }).map(({ uid }) => uid)
  const ofAll = { category: undefined, instrument: undefined } as const
  const speakers = uids.flatMap((uid) => (['v2', 'v3'] as const).map((version) => ({ uid, interface: version })))
  const perLine = speakers.flatMap((who) => productLines.map((line) => ({ ...who, line })))
  const perContract = speakers.flatMap((who) => contracts.map(({ id }) => ({ ...who, instrument: id })))
  const perCoin = uids.flatMap((uid) => coins.map(({ id }) => ({ uid, coin: id })))
  const orders = speakers.flatMap((who) => ask({ kind: 'open-orders', ...who, ...ofAll }).slice(0, 2))
  const triggers = speakers.flatMap((who) => ask({ kind: 'triggers', ...who, ...ofAll, kinds: [] }).slice(0, 2))

  const asked: Asked = {
    catalog: [{ kind: 'catalog' }],
    convertible: [{ kind: 'convertible' }],
    'quoted-price': [],
    'net-position': contracts.flatMap(({ id }) =>
      uids.map((uid) => ({ kind: 'net-position' as const, uid, instrument: id })),
    ),
    holders: contracts.map(({ id }) => ({ kind: 'holders', instrument: id })),
    'estimated-liquidation': perContract.flatMap((one) => {
      const price = ask({ kind: 'prices', instrument: one.instrument }).markPrice
      return (['long', 'short'] as const).map((side) => {
        return { kind: 'estimated-liquidation', ...one, side, lots: 10 as Lots, price } as const
      })
    }),
    account: uids.map((uid) => ({ kind: 'account', uid })),
    accounts: [{ kind: 'accounts' }],
    'account-count': [{ kind: 'account-count' }],
    'account-at': uids.map((_uid, place) => ({ kind: 'account-at', place })),
    'sub-accounts': uids.map((uid) => ({ kind: 'sub-accounts', uid })),
    'symbol-settings': speakers.map((who) => ({ kind: 'symbol-settings', ...who, instrument: undefined })),
    balances: uids.flatMap((uid) => walletTypes.map((wallet) => ({ kind: 'balances', uid, wallet }) as const)),
    'futures-assets': perLine.map((one) => ({ kind: 'futures-assets', ...one })),
    positions: perLine.map((one) => ({ kind: 'positions', ...one, instrument: undefined })),
    order: orders.map(({ uid, orderId }) => ({ kind: 'order', uid, order: { orderId, clientOid: '' } })),
    'open-orders': speakers.map((who) => ({ kind: 'open-orders', ...who, ...ofAll })),
    trigger: triggers.map(({ uid, orderId }) => ({ kind: 'trigger', uid, order: { orderId, clientOid: '' } })),
    triggers: speakers.map((who) => ({ kind: 'triggers', ...who, ...ofAll, kinds: [] })),
    depth: instruments.map(({ id }) => ({ kind: 'depth', instrument: id, limit: 100 })),
    'queue-place': orders.map(({ orderId }) => ({ kind: 'queue-place', orderId })),
    'book-sequence': instruments.map(({ id }) => ({ kind: 'book-sequence', instrument: id })),
    'index-prices': [{ kind: 'index-prices' }],
    prices: instruments.map(({ id }) => ({ kind: 'prices', instrument: id })),
    'index-halts': [{ kind: 'index-halts' }],
    'falls-due': [{ kind: 'falls-due', by: firstDay + 10 * dayMs }],
    'margin-account': perCoin.map((one) => ({ kind: 'margin-account', ...one })),
    'margin-wallet': speakers.map((who) => ({ kind: 'margin-wallet', ...who })),
    'unified-margin': uids.map((uid) => ({ kind: 'unified-margin', uid })),
    'margin-pools': uids.map((uid) => ({ kind: 'margin-pools', uid })),
    'near-liquidation': [{ kind: 'near-liquidation', limit: 10 }],
    exposure: [{ kind: 'exposure' }],
    lending: coins.map(({ id }) => ({ kind: 'lending', coin: id })),
    'adl-ranks': speakers.map((who) => ({ kind: 'adl-ranks', ...who, line: undefined })),
    'max-open': perContract.map((one) => ({ kind: 'max-open', ...one, price: 0, size: undefined })),
    'leverage-preview': perContract.flatMap((one) =>
      (['cross', 'isolated'] as const).map((marginMode) => {
        return { kind: 'leverage-preview', ...one, marginMode, long: 20, short: 20 } as const
      }),
    ),
    'coin-leverage-preview': perCoin.map((one) => ({ kind: 'coin-leverage-preview', ...one, leverage: 2 })),
    'open-count': contracts.map(({ id }) => {
      const { markPrice } = ask({ kind: 'prices', instrument: id })
      return { kind: 'open-count', instrument: id, amount: amount(oneCoin), price: markPrice, leverage: 10 }
    }),
    'deposit-address': [],
    'chain-transfers': uids.map((uid) => ({ kind: 'chain-transfers', uid, direction: 'deposit' })),
    'withdrawal-addresses': uids.map((uid) => ({ kind: 'withdrawal-addresses', uid })),
    'insurance-fund': coins.map(({ id }) => ({ kind: 'insurance-fund', coin: id })),
    'insurance-funds': [{ kind: 'insurance-funds' }],
    'coin-sums': [{ kind: 'coin-sums' }],
    reserves: [{ kind: 'reserves' }],
    collateral: uids.map((uid) => ({ kind: 'collateral', uid })),
    'daily-orders': [{ kind: 'daily-orders' }],
    // How the state is laid out is no answer to anybody: it may change where replies may not.
    'table-counts': [],
    settings: [{ kind: 'settings' }],
    verify: [{ kind: 'verify' }],
    explain: [
      ...uids.map((uid) => ({ kind: 'account', uid }) as const),
      ...uids.flatMap((uid) =>
        contracts.map(({ id }) => ({ kind: 'position', uid, instrument: id, side: undefined }) as const),
      ),
      ...instruments.map(({ id }) => ({ kind: 'instrument', instrument: id }) as const),
      ...orders.map(({ orderId }) => ({ kind: 'live-order', orderId, fills: [] }) as const),
    ].map((subject) => ({ kind: 'explain', subject })),
  }
  return Object.values(asked).flat()
}
