/**
 * Deposits and withdrawals, as both versions of the interface know them: networks by their names, lists of what is under way and of
 * what has ended, and the command of a withdrawal.
 *
 * Networks  in any case; some clients use names of their own for three of them (`aliases`)
 * Lists     newest first by number: what is under way comes from the engine, what has ended from history
 * Cancel    what has ended cannot be canceled, and is not unknown either
 * Source    design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import { chainsOf, type Coin, type NetworkName } from '../engine/catalog/catalog.ts'
import type { Amount } from '../engine/numbers/numbers.ts'
import type { ChainStatus, ChainTransfer } from '../engine/protocol/event.ts'
import type { Uid, WalletType } from '../engine/vocabulary.ts'
import type { PrivateContext } from './endpoint.ts'
import { ApiError, missingParameter, refusalError, type Version, wrongParameter } from './errors/errors.ts'
import type { TimeWindow } from './parsing/time-window.ts'

const aliases: Readonly<Record<string, NetworkName>> = { BSC: 'BEP20', ETH: 'ERC20', TRX: 'TRC20' }

/** The network that a request names, the coin's usual one without a name. */
function networkNamed(coin: Coin, name: string | undefined): NetworkName {
  const chains = chainsOf(coin)
  if (name === undefined) return chains[0].network
  const folded = name.toUpperCase()
  const wanted = chains.some(({ network }) => network === folded) ? folded : aliases[folded]
  const found = chains.find(({ network }) => network === wanted)
  if (found === undefined) throw new ApiError('40034', [`chain ${name}`])
  return found.network
}

/** Where an account receives a coin; refused while the network takes no deposits of it. */
export function addressOf({ core }: PrivateContext, uid: Uid, coin: Coin, chain: string | undefined) {
  const network = networkNamed(coin, chain)
  if (chainsOf(coin).find((listed) => listed.network === network)?.canDeposit !== true) throw new ApiError('47001')
  const found = core.query({ kind: 'deposit-address', uid, coin: coin.id, network })
  if (found === undefined) throw new ApiError('40013')
  return { coin: coin.name, network, ...found }
}

export interface ShownTransfer {
  readonly transfer: ChainTransfer
  readonly confirmed: number
}

interface TransfersAsk extends TimeWindow {
  readonly uid: Uid
  readonly direction: ChainTransfer['direction']
  readonly coin: number | undefined
  readonly id: number | undefined
  readonly clientOid: string | undefined
  readonly beforeId: number | undefined
  readonly limit: number
}

/** What is under way and what has ended. What ends meanwhile is in both, and shown as it ended. */
export async function chainTransfers(context: PrivateContext, ask: TransfersAsk): Promise<readonly ShownTransfer[]> {
  const { core, history } = context
  const underWay = core.query({ kind: 'chain-transfers', uid: ask.uid, direction: ask.direction })
  const { rows } = await history.chainTransfers(ask)
  const ended = new Set(rows.map(({ id }) => id))
  const shown = [
    ...underWay.filter(({ transfer }) => !ended.has(transfer.id) && isAsked(transfer, ask)),
    ...rows.map((transfer) => ({ transfer, confirmed: transfer.status === 'success' ? transfer.confirmations : 0 })),
  ]
  return shown.sort((a, b) => b.transfer.id - a.transfer.id).slice(0, ask.limit)
}

function isAsked(transfer: ChainTransfer, ask: TransfersAsk): boolean {
  const { id, coin, clientOid, createdAt } = transfer
  return (
    (ask.coin === undefined || coin === ask.coin) &&
    (ask.id === undefined || id === ask.id) &&
    (ask.clientOid === undefined || clientOid === ask.clientOid) &&
    (ask.beforeId === undefined || id < ask.beforeId) &&
    createdAt >= ask.from &&
    (ask.to === undefined || createdAt <= ask.to)
  )
}

export interface WithdrawalWords {
  readonly transferType: 'on_chain' | 'internal_transfer'
  readonly coin: Coin
  readonly wallets: readonly WalletType[]
  readonly amount: Amount
  readonly address: string
  readonly chain?: string
  readonly innerToType?: 'uid' | 'email' | 'mobile'
  readonly tag?: string
  readonly clientOid?: string
  readonly remark?: string
}

/** Asks for a withdrawal; of several refusals the first. */
export async function withdraw({ core, account }: PrivateContext, version: Version, words: WithdrawalWords) {
  const { coin, address, tag = '', clientOid = '', remark = '' } = words
  const reply = await core.submit({
    kind: 'request-withdrawal',
    uid: account.uid,
    wallets: words.wallets,
    coin: coin.id,
    amount: words.amount,
    ...destination(version, words),
    address,
    tag,
    clientOid,
    remark,
  })
  if (reply.kind === 'refused') throw refusalError(reply.refusal, version === 'v3' ? 'v3' : 'spot')
  if (reply.kind !== 'withdrawal-requested') throw new Error(`a withdrawal was answered with ${reply.kind}`)
  return { orderId: String(reply.id), clientOid: reply.clientOid }
}

function destination(version: Version, { transferType, coin, chain, address, innerToType = 'uid' }: WithdrawalWords) {
  if (transferType === 'on_chain') {
    if (chain === undefined) throw missingParameter('chain')
    return { network: networkNamed(coin, chain), toUid: undefined }
  }
  if (innerToType !== 'uid') throw wrongParameter(version, 'innerToType', 'should be uid: nobody has another name here')
  if (!/^[0-9]{1,15}$/.test(address)) throw new ApiError('47002', ['address: no account has this number'])
  return { network: undefined, toUid: Number(address) }
}

/** Takes a withdrawal back that was not sent yet. */
export async function takeBack(
  context: PrivateContext,
  version: Version,
  { id, clientOid = '' }: { readonly id: number | undefined; readonly clientOid?: string | undefined },
): Promise<void> {
  const { core, account, history } = context
  const reply = await core.submit({ kind: 'cancel-withdrawal', uid: account.uid, id, clientOid })
  if (reply.kind !== 'refused') return
  if (reply.refusal.kind === 'withdrawal-unknown') {
    const named = id === undefined ? { clientOid } : { id }
    const ask = { uid: account.uid, direction: 'withdrawal', limit: 1, ...named } as const
    const { rows } = await history.chainTransfers(ask)
    if (rows.length > 0) throw new ApiError('45055')
  }
  throw refusalError(reply.refusal, version === 'v3' ? 'v3' : 'spot')
}

/** Of a withdrawal that is to be sent, and of one that waits for its blocks, the interface says the same. */
export const statusWords = {
  pending: 'pending',
  processing: 'pending',
  success: 'success',
  fail: 'fail',
  cancel: 'cancel',
} as const satisfies Record<ChainStatus, string>

/** What transactions are called on the wire; inside the venue there are none, so it is the number. */
export function transactionWord({ destination: way, id, transactionId }: ChainTransfer): string {
  return way === 'internal' ? String(id) : transactionId
}

export const destinationWords = { on_chain: 'on_chain', internal: 'internal_transfer' } as const
