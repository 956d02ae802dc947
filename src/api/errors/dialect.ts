/**
 * Where v3 has two dialects: as the interface and its decisions have it, and as recorded messages of a live venue do.
 *
 * Complete   every difference is a row here, with both columns. The edge, the lists, the tests and docs/clients.md read these rows
 * Codes      by the reason of a refusal, or by the code that the edge gives; whatever has no row is the same in both
 * v2         has one dialect
 * Source     design.md §4.40; fidelity.md §0, §1 rows 3, 5, 6, §3; wire/errors.md
 */
import type { Amount } from '../../engine/numbers/numbers.ts'
import type { FillEvent } from '../../engine/protocol/event.ts'
import type { Refusal } from '../../engine/protocol/reply.ts'
import type { Code } from './sentences.ts'

export const dialects = ['interface', 'live'] as const
export type V3Dialect = (typeof dialects)[number]

/** What v3 answers to the reasons of the engine: [interface, live]. */
export const refusalCodes = {
  'account-unknown': ['40013', '25005'],
  'account-changing-mode': ['40013', '25006'],
  'account-mode-unsuitable': ['40084', '25245'],
  'coin-unknown': ['43129', '25201'],
  'instrument-unknown': ['40034', '25100'],
  'instrument-closed': ['41114', '25102'],
  'instrument-not-announced': ['22004', '25013'],
  'quantity-below-minimum': ['45111', '25207'],
  'quantity-above-maximum': ['45112', '25208'],
  'notional-below-minimum': ['45110', '25611'],
  'price-above-limit': ['40815', '25206'],
  'price-below-limit': ['40816', '25205'],
  'duplicate-client-order-id': ['40786', '25212'],
  'transfer-id-reused': ['40786', '25212'],
  'withdrawal-id-reused': ['40786', '25212'],
  'open-orders-max': ['40761', '25211'],
  'order-unknown': ['43001', '25204'],
  'order-unchanged': ['40923', '25571'],
  'insufficient-available': ['43012', '25202'],
  'insufficient-margin': ['40762', '25203'],
  'position-tier-exceeded': ['40762', '25233'],
  'index-stale': ['45043', '25106'],
  'trigger-unknown': ['43025', '25597'],
  'position-trigger-unknown': ['43020', '25597'],
  'trigger-position-short': ['40891', '25601'],
  'long-take-profit-not-above': ['40915', '25585'],
  'long-stop-loss-not-below': ['40917', '25586'],
  'short-take-profit-not-below': ['45061', '25587'],
  'short-stop-loss-not-above': ['45122', '25588'],
  'nothing-to-reduce': ['22002', '25227'],
  'no-position': ['40802', '25227'],
  'insufficient-position': ['40757', '25225'],
  'position-side-required': ['40774', '25236'],
  'hold-mode-in-use': ['40920', '25010'],
  'leverage-out-of-range': ['43050', '25223'],
  'leverage-margin-short': ['40893', '25228'],
  'repay-above-available': ['50041', '25217'],
} as const satisfies Partial<Record<Refusal['kind'], readonly [inInterface: Code, live: Code]>>

/** What the edge of v3 refuses by itself: [interface, live]. */
export const edgeCodes = {
  'the account is not unified': ['40084', '25245'],
  'the key lacks a permission': ['40014', '25620'],
  'the user is not in order': ['40013', '25006'],
  'no such symbol': ['40034', '25100'],
  'no such coin': ['40034', '25201'],
  'no such coin to transfer': ['43129', '25201'],
  'no such order': ['43001', '25204'],
  'no such strategy order': ['43025', '25597'],
  'a change that changes nothing': ['40923', '25571'],
  'a price with too many decimals, of a pair': ['41103', '25244'],
  'a price with too many decimals, of a contract': ['40808', '25244'],
  'a price off its step': ['45115', '25244'],
  'a quantity with too many decimals, of a pair': ['41103', '25610'],
  'a quantity with too many decimals, of a contract': ['40808', '25610'],
  'a quantity off its step': ['22038', '25610'],
  'more of a pair than the venue counts': ['43007', '25208'],
  'more of a contract than the venue counts': ['45112', '25208'],
} as const satisfies Record<string, readonly [inInterface: Code, live: Code]>

/** A field or parameter that is written in two ways. `says` is for people. */
interface TwoWays<Write> {
  readonly where: readonly string[]
  readonly field: string
  readonly interface: { readonly says: string; readonly write: Write }
  readonly live: { readonly says: string; readonly write: Write }
}

const cursorLists = [
  'GET /api/v3/trade/fills',
  'GET /api/v3/trade/unfilled-orders',
  'GET /api/v3/trade/history-orders',
  'GET /api/v3/trade/history-strategy-orders',
  'GET /api/v3/position/history-position',
  'GET /api/v3/account/financial-records',
  'GET /api/v3/account/funding-financial-records',
  'GET /api/v3/account/convert-records',
  'GET /api/v3/account/sub-transfer-record',
  'GET /api/v3/account/move-position-history',
  'GET /api/v3/account/withdraw-address',
  'GET /api/v3/market/liquidations',
  'GET /api/v3/user/sub-list',
  'GET /api/v3/user/sub-api-list',
] as const

/** The row that a page's cursor stands for: `next` of the last row if there are more, `last` of the last row anyway. */
export const lastCursor: TwoWays<(next: number | undefined, last: number | undefined) => number | undefined> = {
  where: cursorLists,
  field: 'cursor of the last page',
  interface: { says: 'null', write: (next) => next },
  live: { says: 'the id of the last row; null with an empty list', write: (_next, last) => last },
}

/** How a cursor spells its row; `opaque` is the venue's own way. */
export const cursorText: TwoWays<(id: number, opaque: (id: number) => string) => string> = {
  where: [...cursorLists, 'GET /api/v3/account/sub-unified-assets'],
  field: 'cursor',
  interface: { says: 'opaque', write: (id, opaque) => opaque(id) },
  live: { says: 'the id of the last row; an opaque one is taken too', write: (id) => String(id) },
}

const ownFills = ['GET /api/v3/trade/fills']

export const fillFee: TwoWays<(fee: Amount) => Amount> = {
  where: ownFills,
  field: 'feeDetail[].fee',
  interface: { says: 'positive when paid', write: (fee) => fee },
  live: { says: 'negative when paid', write: (fee) => -fee as Amount },
}

export const fillTradeSide: TwoWays<(fill: Pick<FillEvent, 'effect' | 'holdMode' | 'positionSide'>) => string> = {
  where: ownFills,
  field: 'tradeSide in hedge mode',
  interface: { says: '`open`, `close`', write: ({ effect }) => (effect === 'spot' ? '' : effect) },
  live: {
    says: '`open_long`, `open_short`, `close_long`, `close_short`',
    write: ({ effect, holdMode, positionSide }) => {
      if (effect === 'spot') return ''
      return holdMode === 'hedge_mode' ? `${effect}_${positionSide}` : effect
    },
  },
}

export const fieldDifferences = [lastCursor, cursorText, fillFee, fillTradeSide] as const

/** The live code of what the edge refuses, where its code alone says what it is. */
const liveByCode: ReadonlyMap<string, Code> = new Map(Object.values(edgeCodes).toReversed())

export function liveCode(code: Code): Code {
  return liveByCode.get(code) ?? code
}
