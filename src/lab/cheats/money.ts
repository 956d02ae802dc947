/**
 * The balance of a wallet as a test wants it: by a deposit or a withdrawal of the difference. And a deposit over a network, which
 * arrives when its blocks have confirmed it.
 *
 * Debt     what comes in pays the debt of its coin first, as always; the difference then goes in once more
 * Source   lab.md §4.2 (cheats)
 */
import { chainsOf, type Coin, confirmedAt, type NetworkName } from '../../engine/catalog/catalog.ts'
import { type Amount, amount, amountDecimals, formatDecimal, zero } from '../../engine/numbers/numbers.ts'
import type { Uid, WalletType } from '../../engine/vocabulary.ts'
import { LabRefusal } from '../refusals.ts'
import type { Rehearsal } from '../rehearsal.ts'

export interface BalanceWish {
  readonly uid: Uid
  readonly wallet: WalletType
  readonly coin: Coin
  readonly amount: Amount
}

const roundsMax = 4

export function setBalance(rehearsal: Rehearsal, { uid, wallet, coin, amount: wanted }: BalanceWish) {
  const balance = () => {
    const views = rehearsal.query({ kind: 'balances', uid, wallet })
    return views.find((view) => view.coin === coin.id)?.balance ?? zero
  }
  for (let round = 0; round < roundsMax && balance() !== wanted; round++) {
    const difference = wanted - balance()
    const kind = difference > 0n ? 'deposit' : 'withdraw'
    const units = amount(difference > 0n ? difference : -difference)
    rehearsal.submit({ kind, uid, wallet, coin: coin.id, amount: units })
  }
  const reached = balance()
  if (reached !== wanted) {
    const [shown, asked] = [reached, wanted].map((units) => formatDecimal(units, amountDecimals))
    throw new LabRefusal(409, 'balance-not-reached', `balance: it came to ${shown}, not ${asked}`)
  }
  return { uid: String(uid), wallet, coin: coin.name, balance: formatDecimal(reached, amountDecimals) }
}

interface DepositWish {
  readonly uid: Uid
  readonly coin: Coin
  readonly chain?: NetworkName
  readonly amount: Amount
}

export function sendDeposit(rehearsal: Rehearsal, { uid, coin, chain, amount: units }: DepositWish) {
  const network = chain ?? chainsOf(coin)[0].network
  const reply = rehearsal.submit({ kind: 'send-deposit', uid, coin: coin.id, network, amount: units })
  const orderId = reply.kind === 'deposit-sent' ? String(reply.id) : ''
  const [sent] = rehearsal.query({ kind: 'chain-transfers', uid, direction: 'deposit' })
  const arrivesAt = confirmedAt(network, sent.transfer.block, sent.transfer.confirmations)
  return {
    orderId,
    uid: String(uid),
    coin: coin.name,
    chain: network,
    amount: formatDecimal(units, amountDecimals),
    arrivesAt,
  }
}
