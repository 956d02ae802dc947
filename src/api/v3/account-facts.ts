/**
 * Facts about an account in v3: who it is, what it pays, how much may leave it or be opened by it, how its mode changes.
 *
 * Withdrawal  what may leave each wallet: everything that may be transferred out of it
 * Positions   an account reaches the end of a contract's last position tier; accounts are not added up, and makers of
 *             markets have no limit of their own
 * Deduction   fees are paid in the coin of the trade: no coin of the venue pays them at a discount
 * Switch      back to a classic account: without orders, positions and debt, done a minute later; from then on v3 is
 *             closed to the account (40084), which is how it learns that it is done
 * Source      wire/v3-endpoints.md §4; design.md §3
 */
import Type from 'typebox'
import type { ProductLine } from '../../engine/catalog/catalog.ts'
import { amount } from '../../engine/numbers/numbers.ts'
import { type WalletType, walletTypes } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { refusalError, unknownCoin, wrongParameter } from '../errors/errors.ts'
import { formatAmount, formatRate } from '../figures.ts'
import * as field from '../parsing/fields.ts'
import * as wire from './dictionary.ts'
import { transferableCoins } from '../transferable-coins.ts'
import { instrumentsAsked, namedInstrument } from './market.ts'
import * as records from './records.ts'

const reading = { permission: 'uta_mgt', level: 'read' } as const
const writing = { permission: 'uta_mgt', level: 'write' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const
const source = 'wire/v3-endpoints §4'

const info = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/info',
  summary: 'The account behind the key, and what the key may do',
  source,
  access: reading,
  limit: perSecond(5),
  request: field.nothing,
  response: records.AccountInfo,
  handle: ({ account, key }) => wire.accountInfoRecord(account, key),
})

const allFeeRate = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/all-fee-rate',
  summary: 'Fee rates of every symbol of a category, or of one',
  source,
  access: reading,
  limit: perSecond(3),
  request: Type.Object({ category: field.category(), symbol: Type.Optional(field.symbol()) }),
  response: Type.Array(records.SymbolFeeRate),
  handle: ({ catalog }, { category, symbol }) =>
    instrumentsAsked(catalog, category, symbol).map((instrument) => ({
      symbol: instrument.symbol,
      makerFeeRate: formatRate(instrument.makerFeeRate),
      takerFeeRate: formatRate(instrument.takerFeeRate),
    })),
})

const maxWithdrawal = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/max-withdrawal',
  summary: 'How much of a coin may leave each wallet',
  source,
  access: reading,
  limit: perSecond(10),
  request: Type.Object({ coin: field.coin() }),
  response: records.MaxWithdrawal,
  handle: ({ account, catalog, core }, { coin }) => {
    const asked = catalog.coinNamed(coin)
    if (asked === undefined) throw unknownCoin(coin)
    const most = (wallet: WalletType) =>
      core.query({ kind: 'balances', uid: account.uid, wallet }).find((balance) => balance.coin === asked.id)
        ?.transferable ?? amount(0n)
    const [otc, spot, uta] = [most('p2p'), most('spot'), most('uta')]
    return {
      coin,
      otcMaxWithdrawal: formatAmount(otc),
      spotMaxWithdrawal: formatAmount(spot),
      utaMaxWithdrawal: formatAmount(uta),
      totalMaxWithdrawal: formatAmount(otc + spot + uta),
    }
  },
})

const openInterestLimit = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/open-interest-limit',
  summary: 'The largest position value of one account',
  source,
  access: reading,
  limit: perSecond(5),
  request: Type.Object({ symbol: field.symbol(), category: field.productType() }),
  response: records.UserOpenInterestLimit,
  handle: ({ catalog }, { category, symbol }) => {
    const { notionalValue } = wire.openInterestLimitRecord(namedInstrument<ProductLine>(catalog, category, symbol))
    return { symbol, singleUserLimit: notionalValue, masterSubLimit: '', marketMakerLimit: notionalValue }
  },
})

const wallet = () => field.oneOf(walletTypes)

const transferableCoinList = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/transferable-coins',
  summary: 'Coins that may be moved from one wallet of the account to another',
  source,
  access: reading,
  limit: perSecond(10),
  request: Type.Object({ fromType: wallet(), toType: wallet() }),
  response: Type.Array(Type.String()),
  handle: (context, input) => transferableCoins(context, 'v3', input),
})

const deductInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/deduct-info',
  summary: 'Whether fees are paid in a coin that gets a discount: never',
  source,
  access: reading,
  limit: perSecond(1),
  request: field.nothing,
  response: records.DeductInfo,
  handle: () => ({ deduct: 'off' }),
})

const switchDeduct = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/switch-deduct',
  summary: 'Paying fees in a coin that gets a discount: the venue has none, so that it stays off',
  source,
  access: writing,
  limit: perSecond(1),
  request: Type.Object({ deduct: field.oneOf(['on', 'off']) }),
  response: records.Done,
  handle: (_, { deduct }) => {
    if (deduct === 'on') throw wrongParameter('v3', 'deduct', 'should be off: no coin of this venue pays fees')
    return 'success' as const
  },
})

const switchAccount = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/switch',
  summary: 'Turns the account back into a classic one, which takes a minute',
  source,
  access: { ...writing, mainAccount: true },
  limit: perSecond(1),
  request: field.nothing,
  response: Type.Null(),
  handle: async ({ account, core }) => {
    const reply = await core.submit({ kind: 'set-account-mode', uid: account.uid, mode: 'classic' })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    return null
  },
})

const switchStatus = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/switch-status',
  summary: 'Whether a change of the account mode is under way',
  source,
  access: { ...reading, mainAccount: true },
  limit: perSecond(5),
  request: field.nothing,
  response: records.SwitchStatus,
  handle: ({ account: { mode } }) => ({
    status: mode === 'upgrading' || mode === 'switching' ? 'process' : 'success',
    reason: '',
  }),
})

export const accountFactEndpoints: readonly Endpoint[] = [
  info,
  allFeeRate,
  maxWithdrawal,
  openInterestLimit,
  transferableCoinList,
  deductInfo,
  switchDeduct,
  switchAccount,
  switchStatus,
]
