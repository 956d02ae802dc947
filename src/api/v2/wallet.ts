/**
 * The wallets of v2: spot balances, who the caller is, and moving money.
 *
 * Assets     a unified account trades spot from `uta`, and that is what it sees here (design §3)
 * Transfers  within one account by its own key; between main and sub-accounts by the main account's key alone
 * Amounts    clients send a JSON number; it counts by its text
 * Source     wire/client-endpoints.md §4; interface.md E9; design.md §4.14, §4.36
 */
import Type from 'typebox'
import { type CoinId, productLines } from '../../engine/catalog/catalog.ts'
import { zero } from '../../engine/numbers/numbers.ts'
import type { Transfer } from '../../engine/protocol/command.ts'
import type { BalanceView } from '../../engine/protocol/query.ts'
import { walletTypes } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { unknownSymbol } from '../errors/errors.ts'
import { coin, decimal, id, nothing, oneOf, oneOfOr, symbol, text } from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import { uuidFrom } from '../random-source.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, pairNamed, walletOf } from './lookups.ts'
import * as records from './records.ts'
import { accepted } from './replies.ts'

const spotRead = { permission: 'spot_trade', level: 'read' } as const
const transferAccess = { permission: 'transfer', level: 'write' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const

const assets = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/assets',
  summary: 'Balances that spot trades with',
  source: 'wire/client-endpoints §4',
  access: spotRead,
  limit: perSecond(10),
  request: Type.Object({
    coin: Type.Optional(coin()),
    assetType: oneOfOr(['hold_only', 'all'], 'hold_only', { description: 'a coin that is named is always shown' }),
  }),
  response: Type.Array(records.SpotAsset),
  handle(context, input) {
    const wallet = walletOf(context.account, 'SPOT')
    const held = context.core.query({ kind: 'balances', uid: context.account.uid, wallet })
    const shown = (which: CoinId) => {
      const balance = held.find((candidate) => candidate.coin === which) ?? emptyBalance(which)
      return dictionary.spotAsset(context.catalog.catalog, balance, context.now)
    }
    if (input.coin !== undefined) return [shown(coinNamed(context, input.coin).id)]
    if (input.assetType === 'all') return context.catalog.catalog.coins.map((listed) => shown(listed.id))
    return held.filter((balance) => balance.balance !== 0n).map((balance) => shown(balance.coin))
  },
})

function emptyBalance(which: CoinId): BalanceView {
  return {
    coin: which,
    balance: zero,
    held: zero,
    available: zero,
    transferable: zero,
    principal: zero,
    interest: zero,
  }
}

const info = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/info',
  summary: 'The account behind the key, and what the key may do',
  source: 'wire/client-endpoints §4',
  access: spotRead,
  limit: perSecond(1),
  request: nothing,
  response: records.AccountInfo,
  handle: ({ account, key }) => dictionary.accountInfo(account, key),
})

const transferFields = {
  fromType: oneOf(walletTypes),
  toType: oneOf(walletTypes),
  amount: decimal(),
  coin: coin(),
  clientOid: Type.Optional(text(64)),
}

const transfer = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/wallet/transfer',
  summary: 'Moves money between the wallets of one account',
  source: 'wire/client-endpoints §4',
  access: transferAccess,
  limit: perSecond(10),
  request: Type.Object(transferFields),
  response: records.WalletTransferred,
  async handle(context, input) {
    const { uid } = context.account
    const moved = await moveMoney(context, {
      kind: 'transfer',
      actorUid: uid,
      scope: 'within-account',
      fromUid: uid,
      toUid: uid,
      fromWallet: input.fromType,
      toWallet: input.toType,
      coin: coinNamed(context, input.coin).id,
      amount: parseAmount(input.amount, 'v2'),
      clientOid: input.clientOid ?? '',
    })
    return { ...moved, clientOrderId: null }
  },
})

const subAccountTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/wallet/subaccount-transfer',
  summary: 'Moves money between a main account and its sub-accounts',
  source: 'wire/client-endpoints §4; interface E9',
  access: { ...transferAccess, mainAccount: true },
  limit: perSecond(10),
  request: Type.Object({ ...transferFields, fromUserId: id(), toUserId: id() }),
  response: records.Transferred,
  handle(context, input) {
    return moveMoney(context, {
      kind: 'transfer',
      actorUid: context.account.uid,
      scope: 'between-accounts',
      fromUid: input.fromUserId,
      toUid: input.toUserId,
      fromWallet: input.fromType,
      toWallet: input.toType,
      coin: coinNamed(context, input.coin).id,
      amount: parseAmount(input.amount, 'v2'),
      clientOid: input.clientOid ?? uuidFrom(context.random),
    })
  },
})

async function moveMoney(context: PrivateContext, command: Transfer) {
  const { transferId, clientOid } = accepted(await context.core.submit(command), 'transferred', 'spot')
  return { transferId: String(transferId), clientOid }
}

const tradeRate = defineEndpoint({
  method: 'GET',
  path: '/api/v2/common/trade-rate',
  summary: 'Fee rates of a symbol for the caller',
  source: 'wire/client-endpoints §4',
  access: spotRead,
  limit: perSecond(10),
  request: Type.Object({ symbol: symbol(), businessType: oneOf(['mix', 'spot', 'margin']) }),
  response: records.TradeRate,
  handle: (context, input) => dictionary.tradeRate(tradedAs(context, input.businessType, input.symbol)),
})

/** A futures symbol belongs to one product line. */
function tradedAs(context: PrivateContext, business: 'mix' | 'spot' | 'margin', name: string) {
  if (business !== 'mix') return pairNamed(context, business === 'spot' ? 'SPOT' : 'MARGIN', name)
  for (const line of productLines) {
    const contract = context.catalog.find(line, name)
    if (contract !== undefined) return contract
  }
  throw unknownSymbol(name)
}

export const walletEndpoints: readonly Endpoint[] = [assets, info, transfer, subAccountTransfer, tradeRate]
