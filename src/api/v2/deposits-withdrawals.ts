/**
 * Deposits and withdrawals of v2: addresses, requests, records.
 *
 * Wallets  a withdrawal leaves the wallet that the account trades spot from
 * Sub      a main account asks for the addresses and deposits of its sub-accounts; only a main account withdraws
 * Times    records of the last 90 days; clients ask from 90 days before their own clock
 * Source   wire/client-endpoints.md §4; docs/decisions/0027-simulated-chain.md
 */
import Type from 'typebox'
import type { WalletType } from '../../engine/vocabulary.ts'
import { addressOf, chainTransfers, takeBack, withdraw } from '../chain-transfers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { refusalError } from '../errors/errors.ts'
import { ownSub } from '../own-sub-accounts.ts'
import { coin, decimal, id, limit, oneOf, oneOfOr, text, timestamp } from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, historyWindowCut, walletOf } from './lookups.ts'
import * as records from './records.ts'

const source = 'wire/client-endpoints §4; design §4.41'
const reading = { permission: 'spot_trade', level: 'read' } as const
const withdrawing = { permission: 'withdraw', level: 'write', mainAccount: true } as const
const tenPerSecond = { perSecond: 10, per: 'uid' } as const

const addressFields = {
  coin: coin(),
  chain: Type.Optional(text(32, { description: "the coin's first network by default" })),
  size: Type.Optional(decimal({ description: 'of payments that need one; not looked at' })),
}

const depositAddress = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/wallet/deposit-address',
  summary: 'Where the account receives a coin over a network',
  source,
  access: reading,
  limit: tenPerSecond,
  request: Type.Object(addressFields),
  response: records.DepositAddress,
  handle: (context, input) => addressRecord(context, context.account.uid, input),
})

const subDepositAddress = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/wallet/subaccount-deposit-address',
  summary: 'Where a sub-account receives a coin over a network',
  source,
  access: { ...reading, mainAccount: true },
  limit: tenPerSecond,
  request: Type.Object({ subUid: id(), ...addressFields }),
  response: records.DepositAddress,
  handle: (context, input) => addressRecord(context, ownSub(context, input.subUid).uid, input),
})

function addressRecord(
  context: PrivateContext,
  uid: number,
  input: { readonly coin: string; readonly chain?: string },
) {
  return dictionary.depositAddress(addressOf(context, uid, coinNamed(context, input.coin), input.chain))
}

const depositWallets = {
  spot: 'spot',
  funding: 'p2p',
  p2p: 'p2p',
  unified: 'uta',
  uta: 'uta',
  'usdt-futures': 'usdt_futures',
  usdt_futures: 'usdt_futures',
  'usdc-futures': 'usdc_futures',
  usdc_futures: 'usdc_futures',
  'coin-futures': 'coin_futures',
  coin_futures: 'coin_futures',
} as const satisfies Record<string, WalletType>
type DepositAccount = keyof typeof depositWallets

const modifyDepositAccount = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/wallet/modify-deposit-account',
  summary: 'Chooses the wallet that deposits of a coin go into',
  source,
  access: { permission: 'transfer', level: 'write' },
  limit: tenPerSecond,
  request: Type.Object({ accountType: oneOf(Object.keys(depositWallets) as DepositAccount[]), coin: coin() }),
  response: records.Done,
  async handle(context, input) {
    const wallet = depositWallets[input.accountType]
    const { id: of } = coinNamed(context, input.coin)
    const { uid } = context.account
    const reply = await context.core.submit({ kind: 'set-deposit-wallet', uid, coin: of, wallet })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'spot')
    return 'success' as const
  },
})

const withdrawal = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/wallet/withdrawal',
  summary: 'Withdraws over a network, or to another account of the venue. The fee is taken out of the size',
  source,
  access: withdrawing,
  limit: tenPerSecond,
  request: Type.Object({
    coin: coin(),
    transferType: oneOf(['on_chain', 'internal_transfer']),
    address: text(128, { description: 'with internal_transfer an account number' }),
    chain: Type.Optional(text(32, { description: 'required on_chain' })),
    innerToType: oneOfOr(['uid', 'email', 'mobile'], 'uid', { description: 'only uid is served' }),
    areaCode: Type.Optional(text(8)),
    tag: Type.Optional(text(32)),
    size: decimal(),
    remark: Type.Optional(text(128)),
    clientOid: Type.Optional(text(64)),
  }),
  response: records.Acknowledgement,
  handle: (context, input) =>
    withdraw(context, 'v2', {
      ...input,
      coin: coinNamed(context, input.coin),
      wallets: [walletOf(context.account, 'SPOT')],
      amount: parseAmount(input.size, 'v2'),
    }),
})

const cancelWithdrawal = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/wallet/cancel-withdrawal',
  summary: 'Takes a withdrawal back that was not sent yet',
  source,
  access: withdrawing,
  limit: tenPerSecond,
  urgent: true,
  request: Type.Object({ orderId: id() }),
  response: records.Done,
  async handle(context, input) {
    await takeBack(context, 'v2', { id: input.orderId })
    return 'success' as const
  },
})

const recordFields = {
  coin: Type.Optional(coin()),
  startTime: Type.Optional(timestamp()),
  endTime: Type.Optional(timestamp()),
  idLessThan: Type.Optional(id()),
  limit: limit(20, 100),
}

interface RecordsAsked {
  readonly coin?: string
  readonly orderId?: number
  readonly clientOid?: string
  readonly startTime?: number
  readonly endTime?: number
  readonly idLessThan?: number
  readonly limit: number
}

function transfersFound(
  context: PrivateContext,
  uid: number,
  direction: 'deposit' | 'withdrawal',
  input: RecordsAsked,
) {
  return chainTransfers(context, {
    uid,
    direction,
    coin: input.coin === undefined ? undefined : coinNamed(context, input.coin).id,
    id: input.orderId,
    clientOid: input.clientOid,
    beforeId: input.idLessThan,
    limit: input.limit,
    ...historyWindowCut(context.now, input),
  })
}

const depositRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/wallet/deposit-records',
  summary: 'Deposits of the account, newest first',
  source,
  access: reading,
  limit: tenPerSecond,
  request: Type.Object({ ...recordFields, orderId: Type.Optional(id()) }),
  response: Type.Array(records.DepositRecord),
  handle: async (context, input) => {
    const shown = await transfersFound(context, context.account.uid, 'deposit', input)
    return shown.map((transfer) => dictionary.depositRecord(context.catalog.catalog, transfer))
  },
})

const subDepositRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/wallet/subaccount-deposit-records',
  summary: 'Deposits of a sub-account, newest first',
  source,
  access: { ...reading, mainAccount: true },
  limit: tenPerSecond,
  request: Type.Object({ ...recordFields, subUid: id() }),
  response: Type.Array(records.DepositRecord),
  handle: async (context, input) => {
    const shown = await transfersFound(context, ownSub(context, input.subUid).uid, 'deposit', input)
    return shown.map((transfer) => dictionary.depositRecord(context.catalog.catalog, transfer))
  },
})

const withdrawalRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/wallet/withdrawal-records',
  summary: 'Withdrawals of the account, newest first',
  source,
  access: reading,
  limit: tenPerSecond,
  request: Type.Object({ ...recordFields, orderId: Type.Optional(id()), clientOid: Type.Optional(text(64)) }),
  response: Type.Array(records.WithdrawalRecord),
  handle: async (context, input) => {
    const shown = await transfersFound(context, context.account.uid, 'withdrawal', input)
    return shown.map((transfer) => dictionary.withdrawalRecord(context.catalog.catalog, transfer))
  },
})

export const depositWithdrawalEndpoints: readonly Endpoint[] = [
  depositAddress,
  subDepositAddress,
  modifyDepositAccount,
  withdrawal,
  cancelWithdrawal,
  depositRecords,
  subDepositRecords,
  withdrawalRecords,
]
