/**
 * The simulated chain in the operator's words: deposits that somebody sends, withdrawals that are refused, terms of networks.
 *
 * Networks  by their names in any case; without a name a deposit takes the coin's usual one, and a status is set on all
 * Source    docs/decisions/0027-simulated-chain.md; docs/operations.md
 */
import type { StaticDecode } from 'typebox'
import {
  chainsOf,
  type Coin,
  type CoinChain,
  confirmationsMax,
  type NetworkName,
  networkNames,
  networks,
} from '../../engine/catalog/catalog.ts'
import { amountDecimals, formatDecimal } from '../../engine/numbers/numbers.ts'
import type { SendDeposit, SetCoinChain } from '../../engine/protocol/command.ts'
import { amountOrZero, body, coinName, optional, positiveAmount, uid, wholeNumber, word } from './fields.ts'
import { fieldWrong } from './refusals.ts'

/** A network by its name. */
export const network = word<NetworkName>(networkNames, (text) => text.toUpperCase())

export const chainDepositBody = body({ uid, coin: coinName, chain: optional(network), amount: positiveAmount })

export function chainDepositCommand(sent: StaticDecode<typeof chainDepositBody>, coin: Coin): SendDeposit {
  const { chain = chainsOf(coin)[0].network, amount } = sent
  return { kind: 'send-deposit', uid: sent.uid, coin: coin.id, network: chain, amount }
}

const yesOrNo = word(['yes', 'no'])
const confirmations = wholeNumber(1, confirmationsMax)

export const coinChainBody = body({
  coin: coinName,
  chain: optional(network),
  deposit: optional(yesOrNo),
  withdraw: optional(yesOrNo),
  withdrawFee: optional(amountOrZero),
  minDepositAmount: optional(positiveAmount),
  minWithdrawAmount: optional(positiveAmount),
  depositConfirm: optional(confirmations),
  withdrawConfirm: optional(confirmations),
})

/** A command for each network that is meant. Statuses alone are never refused, so that what is meant for all is done for all. */
export function coinChainCommands(sent: StaticDecode<typeof coinChainBody>, coin: Coin): SetCoinChain[] {
  const { chain, deposit, withdraw, coin: _name, ...terms } = sent
  if (chain === undefined && Object.values(terms).some((term) => term !== undefined)) {
    throw fieldWrong('chain', 'is required but to set deposit and withdraw of all networks')
  }
  if (chain === undefined && deposit === undefined && withdraw === undefined) {
    throw fieldWrong('chain', 'or deposit or withdraw is required')
  }
  const meant = chain === undefined ? chainsOf(coin).map((listed) => listed.network) : [chain]
  return meant.map((of) => ({
    kind: 'set-coin-chain',
    coin: coin.id,
    network: of,
    canDeposit: deposit && deposit === 'yes',
    canWithdraw: withdraw && withdraw === 'yes',
    withdrawalFee: terms.withdrawFee,
    depositMin: terms.minDepositAmount,
    withdrawalMin: terms.minWithdrawAmount,
    depositConfirmations: terms.depositConfirm,
    withdrawalConfirmations: terms.withdrawConfirm,
  }))
}

export function chainShown(chain: CoinChain) {
  const text = (units: bigint) => formatDecimal(units, amountDecimals)
  return {
    chain: chain.network,
    deposit: chain.canDeposit ? 'yes' : 'no',
    withdraw: chain.canWithdraw ? 'yes' : 'no',
    withdrawFee: text(chain.withdrawalFee),
    minDepositAmount: text(chain.depositMin),
    minWithdrawAmount: text(chain.withdrawalMin),
    depositConfirm: chain.depositConfirmations,
    withdrawConfirm: chain.withdrawalConfirmations,
    blockMs: networks[chain.network].blockMs,
    decimals: chain.decimals,
  }
}
