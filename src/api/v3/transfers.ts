/**
 * Moving coins through v3: between main and sub-accounts (E9, and by a sub-account's own key to
 * its main account), and between the wallets of one account.
 *
 * E9         main-account key only; main and sub, or two subs of the caller, or within one sub. Within the main account
 *            itself it is refused: the wallet transfer does that
 * Wallets    a unified sub-account has `uta` and `spot`, a classic one everything but `uta` and `p2p`
 * Repeats    the same request with the same `clientOid` answers the first `transferId`; other content is refused. The
 *            engine keeps that promise (design §4.14), so that nothing that may change since is looked at before it
 * Source     interface.md E9; design.md §4.14, §4.36; wire/v3-endpoints.md §4
 */
import Type from 'typebox'
import type { Transfer } from '../../engine/protocol/command.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import { type WalletType, walletTypes } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, refusalError, wrongParameter } from '../errors/errors.ts'
import * as field from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import * as records from './records.ts'

const access = { permission: 'uta_mgt', level: 'write' } as const

const wallet = () => field.oneOf(walletTypes)

const subTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/sub-transfer',
  summary: 'Transfer between a main account and its sub-accounts',
  source: 'interface E9; design §4.14',
  access: { ...access, mainAccount: true },
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({
    fromType: wallet(),
    toType: wallet(),
    amount: field.decimal(),
    coin: field.coin(),
    fromUserId: field.id(),
    toUserId: field.id(),
    clientOid: field.text(64),
  }),
  response: records.Transferred,
  handle: (context, input) => {
    const amount = parseAmount(input.amount, 'v3')
    const from = relatedAccount(context, input.fromUserId)
    const to = relatedAccount(context, input.toUserId)
    if (from.kind === 'main' && to.kind === 'main') {
      throw new ApiError('42013', ['a transfer within the main account is made with account/transfer'])
    }
    const words = {
      scope: 'between-accounts',
      fromUid: from.uid,
      toUid: to.uid,
      fromWallet: input.fromType,
      toWallet: input.toType,
      coin: input.coin,
      amount,
      clientOid: input.clientOid,
    } as const
    return transfer(context, words, () => {
      checkWallet('fromType', input.fromType, from)
      checkWallet('toType', input.toType, to)
    })
  },
})

/** The caller's own account or one of its sub-accounts; anybody else's answers like an account that does not exist. */
function relatedAccount({ account, core }: PrivateContext, uid: number): AccountView {
  const found = uid === account.uid ? account : core.query({ kind: 'account', uid })
  if (found === undefined || (found.uid !== account.uid && found.parentUid !== account.uid)) throw new ApiError('43127')
  return found
}

/** Names the field of a wallet that a sub-account does not have. */
function checkWallet(name: string, type: WalletType, account: AccountView): void {
  if (account.kind === 'main') return
  const unified = account.mode !== 'classic'
  const fits = unified ? type === 'uta' || type === 'spot' : type !== 'uta' && type !== 'p2p'
  if (!fits) {
    throw wrongParameter('v3', name, `${type} is not supported by a ${unified ? 'unified' : 'classic'} sub-account`)
  }
}

const walletTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/transfer',
  summary: "Transfer between the account's own wallets",
  source: 'wire/v3-endpoints §4',
  access,
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({
    fromType: wallet(),
    toType: wallet(),
    amount: field.decimal(),
    coin: field.coin(),
    clientOid: Type.Optional(field.text(64)),
  }),
  response: records.Transferred,
  handle: (context, input) =>
    transfer(context, {
      scope: 'within-account',
      fromUid: context.account.uid,
      toUid: context.account.uid,
      fromWallet: input.fromType,
      toWallet: input.toType,
      coin: input.coin,
      amount: parseAmount(input.amount, 'v3'),
      clientOid: input.clientOid ?? '',
    }),
})

const subMasterTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/sub-master-transfer',
  summary: 'Transfer from a sub-account to its main account, by the key of the sub-account',
  source: 'wire/v3-endpoints §4',
  access,
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({
    fromType: field.oneOf(['spot', 'uta']),
    toType: field.oneOf(['spot', 'p2p', 'uta']),
    amount: field.decimal(),
    coin: field.coin(),
    clientOid: Type.Optional(field.text(64)),
  }),
  response: records.Transferred,
  handle: (context, input) => {
    const { uid, parentUid } = context.account
    if (parentUid === undefined) throw new ApiError('43127')
    return transfer(context, {
      scope: 'to-main',
      fromUid: uid,
      toUid: parentUid,
      fromWallet: input.fromType,
      toWallet: input.toType,
      coin: input.coin,
      amount: parseAmount(input.amount, 'v3'),
      clientOid: input.clientOid ?? '',
    })
  },
})

type TransferWords = Omit<Transfer, 'kind' | 'actorUid' | 'coin'> & { readonly coin: string }

/** `explain` may say better than the engine why a wallet does not suit. */
async function transfer({ account, catalog, core }: PrivateContext, words: TransferWords, explain?: () => void) {
  const coin = catalog.coinNamed(words.coin)
  if (coin === undefined) throw new ApiError('43129')
  const reply = await core.submit({ ...words, kind: 'transfer', actorUid: account.uid, coin: coin.id })
  if (reply.kind === 'refused') {
    if (reply.refusal.kind === 'wallet-unsuitable') explain?.()
    throw refusalError(reply.refusal, 'v3')
  }
  if (reply.kind !== 'transferred') throw new Error(`a transfer was answered with ${reply.kind}`)
  return { transferId: String(reply.transferId), clientOid: reply.clientOid }
}

export const transferEndpoints: readonly Endpoint[] = [subTransfer, walletTransfer, subMasterTransfer]
