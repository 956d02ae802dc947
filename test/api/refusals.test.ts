/**
 * Every reason of the engine has its code on every version and in both dialects of v3, and a sentence without holes in both languages.
 *
 * Source  wire/errors.md; design §4.4, §4.21, §4.40; fidelity.md §3
 */
import { expect, test } from 'vitest'
import type { CatalogIndex } from '../../src/api/api.ts'
import { type V3Dialect, edgeCodes, liveCode, refusalCodes } from '../../src/api/errors/dialect.ts'
import {
  ApiError,
  type Family,
  inDialect,
  messageOf,
  orderNotFound,
  refusalError,
  unknownCoin,
  unknownSymbol,
} from '../../src/api/errors/errors.ts'
import { parsePrice, parseQuantity } from '../../src/api/parsing/orders.ts'
import { amount, lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { FuturesInstrument, SpotInstrument } from '../../src/engine/catalog/catalog.ts'
import type { Refusal } from '../../src/engine/protocol/reply.ts'

type Row<Kind> = readonly [facts: Omit<Extract<Refusal, { kind: Kind }>, 'kind'>, ...codes: Codes]
/** On v2 spot, v2 margin, v2 futures, v3, and v3 in the live dialect. */
type Codes = readonly [spot: string, margin: string, futures: string, v3: string, live: string]

const all = (code: string): Codes => [code, code, code, code, code]
const [price, some, few] = [{ price: ticks(5) }, amount(100_000_000n), lots(7)]
const short = { required: some, available: some }

const rows: { readonly [Kind in Refusal['kind']]: Row<Kind> } = {
  'account-unknown': [{}, '40013', '40013', '40013', '40013', '25005'],
  'account-changing-mode': [{}, '40013', '40013', '40013', '40013', '25006'],
  'account-mode-unsuitable': [{}, '40085', '40085', '40085', '40084', '25245'],
  'account-not-flat': [{ what: 'debt' }, ...all('40872')],
  'parent-unsuitable': [{}, ...all('40013')],
  'account-frozen': [{}, ...all('40024')],
  'account-name-taken': [{}, ...all('40020')],
  'sub-accounts-max': [{ maximum: 9 }, ...all('40069')],
  'sub-account-unknown': [{}, ...all('40028')],
  'channel-code-taken': [{}, ...all('40020')],
  'coin-unknown': [{}, '43129', '43129', '43129', '43129', '25201'],
  'coin-listed-already': [{}, ...all('40020')],
  'instrument-unknown': [{}, '40034', '40034', '40034', '40034', '25100'],
  'instrument-listed-already': [{}, ...all('40020')],
  'instrument-record-wrong': [{ field: 'symbol', rule: 'is wrong' }, ...all('40020')],
  'instrument-closed': [{ status: 'halted' }, '41114', '50025', '40844', '41114', '25102'],
  'instrument-not-announced': [{}, '22004', '22004', '22004', '22004', '25013'],
  'price-beyond-positions': [{}, ...all('40020')],
  'margin-coin-wrong': [{}, ...all('40778')],
  'quantity-below-minimum': [{ minimum: few, unit: 'lots' }, '43006', '50016', '45111', '45111', '25207'],
  'quantity-above-maximum': [{ maximum: few }, '43007', '50017', '45112', '45112', '25208'],
  'notional-below-minimum': [{ minimum: some }, '45110', '45110', '45110', '45110', '25611'],
  'price-above-limit': [{ limit: ticks(5) }, '43009', '43009', '40815', '40815', '25206'],
  'price-below-limit': [{ limit: ticks(5) }, '43008', '43008', '40816', '40816', '25205'],
  'duplicate-client-order-id': [{ orderId: 1 }, '40786', '40786', '40786', '40786', '25212'],
  'open-orders-max': [{ maximum: 400 }, '43005', '43005', '40761', '40761', '25211'],
  'positions-max': [{ maximum: 150 }, ...all('45116')],
  'daily-orders-max': [{ maximum: 9 }, ...all('40022')],
  'order-unknown': [{}, '43001', '43001', '40768', '43001', '25204'],
  'order-unchanged': [{}, '40923', '40923', '40923', '40923', '25571'],
  'order-only-reduces': [{}, ...all('25568')],
  'quantity-below-filled': [{ filled: few }, ...all('40812')],
  'index-stale': [{}, '45043', '45043', '45043', '45043', '25106'],
  'insufficient-available': [short, '43012', '50020', '40762', '43012', '25202'],
  'insufficient-margin': [short, '43012', '50020', '40762', '40762', '25203'],
  'position-tier-exceeded': [{ notionalMax: some }, '40762', '40762', '40762', '40762', '25233'],
  'trigger-unknown': [{}, '43025', '43025', '43025', '43025', '25597'],
  'position-trigger-unknown': [{}, '43020', '43020', '43020', '43020', '25597'],
  'trigger-position-short': [{}, '40891', '40891', '40891', '40891', '25601'],
  'quantity-unit-unsuitable': [{}, ...all('40812')],
  'long-take-profit-not-above': [price, '40915', '40915', '40915', '40915', '25585'],
  'short-take-profit-not-below': [price, '45061', '45061', '45061', '45061', '25587'],
  'long-stop-loss-not-below': [price, '40917', '40917', '40917', '40917', '25586'],
  'short-stop-loss-not-above': [price, '45122', '45122', '45122', '45122', '25588'],
  'trigger-not-above': [price, ...all('43011')],
  'trigger-not-below': [price, ...all('43011')],
  'nothing-to-reduce': [{}, '22002', '22002', '22002', '22002', '25227'],
  'insufficient-position': [{ free: few }, '40757', '40757', '40757', '40757', '25225'],
  'position-side-required': [{}, '40774', '40774', '40774', '40774', '25236'],
  'margin-mode-in-use': [{}, ...all('45117')],
  'hold-mode-in-use': [{}, '40920', '40920', '40920', '40920', '25010'],
  'leverage-out-of-range': [{ minimum: 1, maximum: 125 }, '43050', '43050', '45044', '43050', '25223'],
  'leverage-margin-short': [{}, '40893', '40893', '40893', '40893', '25228'],
  'margin-mode-not-isolated': [{}, ...all('40875')],
  'collateral-short': [{}, ...all('40812')],
  'no-position': [{}, '40802', '40802', '40802', '40802', '25227'],
  'opposite-position': [{}, ...all('40812')],
  'margin-change-exceeded': [{ most: some }, ...all('40801')],
  'amount-not-positive': [{}, '40020', '50040', '40020', '400172', '400172'],
  'deposits-exceeded': [{}, ...all('43117')],
  'wallet-unsuitable': [{}, ...all('42013')],
  'coin-unsuitable': [{}, ...all('43129')],
  'transfer-unrelated': [{}, ...all('43127')],
  'transfer-same-place': [{}, ...all('42013')],
  'transfer-id-reused': [{}, '40786', '40786', '40786', '40786', '25212'],
  'transferable-exceeded': [{ transferable: some }, ...all('43117')],
  'coin-not-borrowable': [{}, ...all('50037')],
  'borrow-limit-exceeded': [{ borrowable: some }, ...all('50035')],
  'lending-pool-empty': [{ borrowable: some }, ...all('50038')],
  'no-debt': [{}, ...all('40812')],
  'repay-above-available': [{ available: some }, '50041', '50041', '50041', '50041', '25217'],
  'conversion-same-coin': [{}, ...all('40017')],
  'conversion-below-minimum': [{ minimum: some }, ...all('43037')],
  'conversion-above-maximum': [{ maximum: some }, ...all('43038')],
  'quote-unknown': [{}, ...all('40017')],
  'quote-over': [{}, ...all('40017')],
  'quote-used': [{}, ...all('40017')],
  'quote-differs': [{ field: 'fromCoin' }, ...all('40017')],
  'network-unknown': [{}, ...all('40034')],
  'deposits-suspended': [{}, ...all('47001')],
  'withdrawals-suspended': [{}, ...all('43126')],
  'deposit-below-minimum': [{ minimum: some }, ...all('43114')],
  'withdrawal-below-minimum': [{ minimum: some }, ...all('43114')],
  'amount-too-fine': [{ decimals: 4 }, ...all('43124')],
  'address-wrong': [{}, ...all('47002')],
  'tag-required': [{}, ...all('43116')],
  'tag-wrong': [{}, ...all('47002')],
  'receiver-unknown': [{}, ...all('47002')],
  'receiver-unsuitable': [{}, ...all('43136')],
  'withdrawal-to-self': [{}, ...all('43121')],
  'daily-withdrawals-exceeded': [{ remainingUsd: some }, ...all('43113')],
  'withdrawal-unknown': [{}, ...all('43001')],
  'withdrawal-sent': [{}, ...all('45055')],
  'chain-record-wrong': [{ field: 'chain', rule: 'is wrong' }, ...all('40020')],
  'withdrawal-id-reused': [{}, '40786', '40786', '40786', '40786', '25212'],
  poisoned: [{}, ...all('45001')],
}

const columns: readonly (readonly [Family, V3Dialect])[] = [
  ['spot', 'interface'],
  ['margin', 'interface'],
  ['futures', 'interface'],
  ['v3', 'interface'],
  ['v3', 'live'],
]
const scales = {
  symbol: 'BTCUSDT',
  priceDecimals: 2,
  priceStep: 10,
  quantityDecimals: 4,
  quantityStep: 1,
  quantityMax: 0,
}
const spot = { kind: 'spot', ...scales } as SpotInstrument
const linear = { kind: 'linear', ...scales } as FuturesInstrument
const subject = { catalog: { coinName: () => 'USDT' } as unknown as CatalogIndex, instrument: linear }

test.each(Object.entries(rows))('%s', (kind, [facts, ...codes]) => {
  const refusal = { kind, ...facts } as Refusal
  const errors = columns.map(([family, dialect]) => inDialect(refusalError(refusal, family, subject), dialect))
  expect(errors.map(({ code }) => code)).toEqual(codes)
  for (const error of errors) {
    expect(error.httpStatus).toBe(kind === 'poisoned' ? 500 : 400)
    for (const locale of ['en-US', 'zh-CN'] as const) {
      const sentence = messageOf(error, locale)
      expect(sentence).toMatch(/^[^\s{}].*[^\s{}]$/)
      expect(sentence, 'no facts of another kind').not.toContain('undefined')
    }
  }
})

test('every reason with two dialects has its row, with both columns as they are answered', () => {
  for (const [kind, pair] of Object.entries(refusalCodes)) {
    expect(pair, kind).toEqual(rows[kind as Refusal['kind']].slice(-2))
    expect(pair[0], kind).not.toBe(pair[1])
  }
})

function thrown(act: () => unknown): ApiError {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was taken')
}

/** What the edge says, row by row: the error, and the sentence of the live dialect. */
const edge: { readonly [Name in keyof typeof edgeCodes]: readonly [ApiError, string] } = {
  'the account is not unified': [new ApiError('40084'), 'The account is not the unified account mode'],
  'the key lacks a permission': [new ApiError('40014', ['uta_trade']), 'permission denied: uta_trade'],
  'the user is not in order': [new ApiError('40013'), 'Abnormal account status'],
  'no such symbol': [unknownSymbol('NOSUCH'), 'Trading pair NOSUCH does not exist'],
  'no such coin': [unknownCoin('NOSUCH'), 'Currency does not exist NOSUCH'],
  'no such coin to transfer': [new ApiError('43129'), 'Currency does not exist'],
  'no such order': [orderNotFound('v3'), 'Order does not exist'],
  'no such strategy order': [new ApiError('43025'), 'Strategy does not exist or has already been stopped'],
  'a change that changes nothing': [
    new ApiError('40923'),
    'The modification price and qty is the same as the original value. Please adjust and try again.',
  ],
  'a price with too many decimals, of a pair': [
    thrown(() => parsePrice('1.00000000001', spot)),
    'Price should be a multiple of 0.1',
  ],
  'a price with too many decimals, of a contract': [
    thrown(() => parsePrice('1.00000000001', linear)),
    'Price should be a multiple of 0.1',
  ],
  'a price off its step': [new ApiError('45115', ['0.5']), 'Price should be a multiple of 0.5'],
  'a quantity with too many decimals, of a pair': [
    thrown(() => parseQuantity('1.00000000001', spot)),
    'Order amount does not meet precision requirements 0.0001',
  ],
  'a quantity with too many decimals, of a contract': [
    thrown(() => parseQuantity('1.00000000001', linear)),
    'Order amount does not meet precision requirements 0.0001',
  ],
  'a quantity off its step': [
    new ApiError('22038', ['0.002']),
    'Order amount does not meet precision requirements 0.002',
  ],
  'more of a pair than the venue counts': [
    thrown(() => parseQuantity('9'.repeat(40), spot)),
    expect.stringMatching(/^trading quantity cannot exceed [\d.]+ units$/),
  ],
  'more of a contract than the venue counts': [
    thrown(() => parseQuantity('9'.repeat(40), linear)),
    expect.stringMatching(/^trading quantity cannot exceed [\d.]+ units$/),
  ],
}

test.each(Object.entries(edge))('%s', (name, [error, sentence]) => {
  const [code, live] = edgeCodes[name as keyof typeof edgeCodes]
  expect(inDialect(error, 'interface')).toBe(error)
  expect(error.code).toBe(code)
  const said = inDialect(error, 'live')
  expect(said.code).toBe(live)
  expect(messageOf(said, 'en-US')).toEqual(sentence)
  expect(inDialect(said, 'live').code, 'said twice it stays').toBe(live)
})

test('a code without a row is the same in both dialects', () => {
  for (const code of ['400172', '40019', '40015', '429', '40010', '45001', '40725'] as const) {
    expect(liveCode(code)).toBe(code)
  }
})
