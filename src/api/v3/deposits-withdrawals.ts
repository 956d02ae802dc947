/**
 * Deposits and withdrawals of v3: addresses, requests, records, the address book.
 *
 * Wallets  funding (`spot`), otc (`p2p`) and uta give in this order what they can, those that are named or all
 * Paths    the request of a withdrawal and the deposits of a sub-account are called in two ways each by clients
 * Pages    an answer is a bare list: its cursor is the `orderId` of the last row, the address book's is in the answer
 * Book     addresses that the account has withdrawn to
 * Source   wire/v3-endpoints.md §4; docs/decisions/0027-simulated-chain.md
 */
import Type from 'typebox'
import { walletAllowed, type WalletType } from '../../engine/vocabulary.ts'
import { addressOf, chainTransfers, takeBack, withdraw } from '../chain-transfers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, refusalError, unknownCoin, wrongParameter } from '../errors/errors.ts'
import { ownSub } from '../own-sub-accounts.ts'
import * as field from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import { dayMs, timeWindow } from '../parsing/time-window.ts'
import * as wire from './dictionary.ts'
import { before, nextCursor, spanDays } from './pages.ts'
import * as records from './records.ts'

const source = 'wire/v3-endpoints §4; design §4.41'
const reading = { permission: 'uta_mgt', level: 'read' } as const
const withdrawing = { permission: 'withdraw', level: 'write', mainAccount: true } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const

function coinNamed({ catalog }: PrivateContext, name: string) {
  const found = catalog.coinNamed(name)
  if (found === undefined) throw unknownCoin(name)
  return found
}

const addressFields = {
  coin: field.coin(),
  chain: Type.Optional(field.text(32, { description: "the coin's first network by default" })),
  size: Type.Optional(field.decimal({ description: 'of payments that need one; not looked at' })),
}

const depositAddress = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/deposit-address',
  summary: 'Where the account receives a coin over a network',
  source,
  access: reading,
  limit: perSecond(10),
  request: Type.Object(addressFields),
  response: records.DepositAddress,
  handle: (context, { coin, chain }) =>
    wire.depositAddress(addressOf(context, context.account.uid, coinNamed(context, coin), chain)),
})

const subDepositAddress = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/sub-deposit-address',
  summary: 'Where a sub-account receives a coin over a network',
  source,
  access: { ...reading, mainAccount: true },
  limit: perSecond(10),
  request: Type.Object({ subUid: field.id(), ...addressFields }),
  response: records.DepositAddress,
  handle: (context, { subUid, coin, chain }) =>
    wire.depositAddress(addressOf(context, ownSub(context, subUid).uid, coinNamed(context, coin), chain)),
})

const depositWallets = { funding: 'spot', unified: 'uta', otc: 'p2p' } as const

const depositAccount = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/deposit-account',
  summary: 'Chooses the wallet that deposits of a coin go into',
  source,
  access: { permission: 'uta_mgt', level: 'write' },
  limit: perSecond(1),
  request: Type.Object({ coin: field.coin(), accountType: field.oneOf(['funding', 'unified', 'otc']) }),
  response: records.Done,
  async handle(context, { coin, accountType }) {
    const { id } = coinNamed(context, coin)
    const { uid } = context.account
    const wallet = depositWallets[accountType]
    const reply = await context.core.submit({ kind: 'set-deposit-wallet', uid, coin: id, wallet })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    return 'success' as const
  },
})

/** In the order in which they give. */
const payingWallets = [
  ['funding', 'spot'],
  ['otc', 'p2p'],
  ['uta', 'uta'],
] as const

function walletsNamed({ account }: PrivateContext, accountType: string | undefined): readonly WalletType[] {
  if (accountType === undefined) {
    return payingWallets.map(([, wallet]) => wallet).filter((wallet) => walletAllowed(account, wallet))
  }
  const names = accountType.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!payingWallets.some(([known]) => known === name)) {
      throw wrongParameter('v3', 'accountType', 'should be one of funding, otc, uta')
    }
  }
  return payingWallets.filter(([name]) => names.includes(name)).map(([, wallet]) => wallet)
}

/** Under the two names that clients have for it. */
const withdrawals = (['/api/v3/account/withdrawal', '/api/v3/account/withdraw'] as const).map((path) =>
  defineEndpoint({
    method: 'POST',
    path,
    summary: 'Withdraws over a network, or to another account of the venue. The fee is taken out of the size',
    source,
    access: withdrawing,
    limit: perSecond(1),
    request: Type.Object({
      coin: field.coin(),
      transferType: field.oneOf(['on_chain', 'internal_transfer']),
      address: field.text(128, { description: 'with internal_transfer an account number' }),
      chain: Type.Optional(field.text(32, { description: 'required on_chain' })),
      accountType: Type.Optional(
        field.text(32, { description: 'funding, otc, uta, separated by commas; default all' }),
      ),
      innerToType: field.oneOfOr(['uid', 'email', 'mobile'], 'uid', { description: 'only uid is served' }),
      areaCode: Type.Optional(field.text(8)),
      tag: Type.Optional(field.text(32)),
      size: field.decimal(),
      remark: Type.Optional(field.text(128)),
      clientOid: Type.Optional(field.text(64)),
    }),
    response: records.Acknowledgement,
    handle: (context, input) =>
      withdraw(context, 'v3', {
        ...input,
        coin: coinNamed(context, input.coin),
        wallets: walletsNamed(context, input.accountType),
        amount: parseAmount(input.size, 'v3'),
      }),
  }),
)

const cancelWithdrawal = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/cancel-withdrawal',
  summary: 'Takes a withdrawal back that was not sent yet',
  source,
  access: withdrawing,
  limit: perSecond(1),
  urgent: true,
  request: Type.Object({ orderId: Type.Optional(field.id()), clientOid: Type.Optional(field.text(64)) }),
  response: records.Done,
  async handle(context, { orderId, clientOid = '' }) {
    if (orderId === undefined && clientOid === '') throw new ApiError('40924')
    await takeBack(context, 'v3', { id: orderId, clientOid })
    return 'success' as const
  },
})

const recordFields = {
  coin: Type.Optional(field.coin()),
  startTime: Type.Optional(field.timestamp()),
  endTime: Type.Optional(field.timestamp()),
  limit: field.limit(100, 100),
  cursor: Type.Optional(field.id({ description: 'the last orderId of the page before' })),
}

interface RecordsAsked {
  readonly coin?: string
  readonly orderId?: number
  readonly clientOid?: string
  readonly startTime?: number
  readonly endTime?: number
  readonly cursor?: number
  readonly limit: number
}

/** Clients name 30 days back from a moment ago to now: the moment between counts for nothing. */
function windowOf(context: PrivateContext, { startTime, endTime }: RecordsAsked) {
  const spanMs = spanDays * dayMs
  const over = startTime === undefined || endTime === undefined ? 0 : endTime - startTime - spanMs
  const from = over > 0 && over <= 60_000 ? (startTime ?? 0) + over : startTime
  return timeWindow({ startTime: from, endTime }, { now: context.now, spanDays })
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
    beforeId: input.cursor,
    limit: input.limit,
    ...windowOf(context, input),
  })
}

const depositRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/deposit-records',
  summary: 'Deposits of the account, newest first',
  source,
  access: reading,
  limit: perSecond(10),
  request: Type.Object({ ...recordFields, orderId: Type.Optional(field.id()) }),
  response: Type.Array(records.DepositRecord),
  handle: async (context, input) => {
    const shown = await transfersFound(context, context.account.uid, 'deposit', input)
    return shown.map((transfer) => wire.depositRecord(transfer, context.catalog))
  },
})

/** By both methods that clients have for it. */
const subDepositRecords = (['GET', 'POST'] as const).map((method) =>
  defineEndpoint({
    method,
    path: '/api/v3/account/sub-deposit-records',
    summary: 'Deposits of a sub-account, newest first',
    source,
    access: { ...reading, mainAccount: true },
    limit: perSecond(10),
    request: Type.Object({ ...recordFields, subUid: field.id() }),
    response: Type.Array(records.DepositRecord),
    handle: async (context, input) => {
      const shown = await transfersFound(context, ownSub(context, input.subUid).uid, 'deposit', input)
      return shown.map((transfer) => wire.depositRecord(transfer, context.catalog))
    },
  }),
)

const withdrawalRecords = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/withdrawal-records',
  summary: 'Withdrawals of the account, newest first',
  source,
  access: reading,
  limit: perSecond(10),
  request: Type.Object({
    ...recordFields,
    orderId: Type.Optional(field.id()),
    clientOid: Type.Optional(field.text(64)),
  }),
  response: Type.Array(records.WithdrawalRecord),
  handle: async (context, input) => {
    const shown = await transfersFound(context, context.account.uid, 'withdrawal', input)
    return shown.map((transfer) => wire.withdrawalRecord(transfer, context.catalog))
  },
})

const withdrawAddress = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/withdraw-address',
  summary: 'Addresses that the account has withdrawn to, latest first',
  source,
  access: reading,
  limit: perSecond(1),
  request: Type.Object({
    coin: Type.Optional(field.coin()),
    type: Type.Optional(field.oneOf(['EVM', 'regular', 'universal', 'internal'])),
    limit: field.limit(100, 100),
    cursor: Type.Optional(field.cursor()),
  }),
  response: records.WithdrawalAddresses,
  handle(context, input) {
    const { core, account, catalog, dialect } = context
    const coin = input.coin === undefined ? undefined : coinNamed(context, input.coin).id
    const beforeId = before('withdrawal-addresses', input.cursor, dialect) ?? Number.POSITIVE_INFINITY
    const noted = core
      .query({ kind: 'withdrawal-addresses', uid: account.uid })
      .filter((entry) => entry.id < beforeId && (coin === undefined || entry.coin === coin))
      .map((entry) => ({ id: entry.id, record: wire.withdrawalAddress(entry, catalog) }))
      .filter(({ record }) => input.type === undefined || record.type === input.type)
    const page = noted.slice(0, input.limit)
    const last = page.at(-1)?.id
    const next = noted.length > page.length ? last : undefined
    return {
      addressList: page.map(({ record }) => record),
      cursor: nextCursor(dialect, 'withdrawal-addresses', { next, last }),
    }
  },
})

export const depositWithdrawalEndpoints: readonly Endpoint[] = [
  depositAddress,
  subDepositAddress,
  depositAccount,
  ...withdrawals,
  cancelWithdrawal,
  depositRecords,
  ...subDepositRecords,
  withdrawalRecords,
  withdrawAddress,
]
