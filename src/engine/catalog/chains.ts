/**
 * The networks over which a coin comes in and goes out, with its terms on each.
 *
 * Defaults   a coin that was listed without networks has those of `usualTerms`; terms that are set replace all of them
 * Fee        is taken out of what is withdrawn. The least withdrawal pays the fee and the least deposit
 * Source     design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import {
  type Amount,
  amount,
  amountDecimals,
  divCeil,
  maxAmount,
  oneCoin,
  parseDecimal,
  pow10,
} from '../numbers/numbers.ts'
import type { Coin } from './instrument.ts'
import { type CoinChain, type NetworkName, networks } from './networks.ts'

/** What an account and its sub-accounts may withdraw on chain in a UTC day, at index prices, until the operator says otherwise. */
export const withdrawnUsdPerDayDefault = 5_000_000

/** Most blocks that may have to confirm something. */
export const confirmationsMax = 1_000

/** How long a withdrawal can be canceled before it is sent. */
export const withdrawalReviewMs = 30_000

type Terms = readonly [network: NetworkName, fee: string, depositMin: string, withdrawalMin: string]

const dollarTerms: readonly Terms[] = [
  ['ERC20', '3', '1', '10'],
  ['TRC20', '1.5', '0.01', '10'],
  ['BEP20', '0.5', '0.01', '10'],
  ['SOL', '1', '0.01', '10'],
]

const usualTerms: Readonly<Record<string, readonly Terms[]>> = {
  BTC: [['BTC', '0.0001', '0.0001', '0.001']],
  ETH: [['ERC20', '0.001', '0.0001', '0.01']],
  SOL: [['SOL', '0.01', '0.01', '0.1']],
  XRP: [['XRP', '0.25', '1', '10']],
  DOGE: [['DOGE', '4', '10', '20']],
  USDT: dollarTerms,
  USDC: dollarTerms.filter(([network]) => network !== 'TRC20'),
}

/** Decimals of the tokens that have fewer than a coin of the venue. */
const tokenDecimals: Readonly<Record<string, number>> = { USDT: 6, USDC: 6, XRP: 6 }

const usual = new WeakMap<Coin, readonly CoinChain[]>()

/** The networks of a coin, the usual one first. There is at least one. */
export function chainsOf(coin: Coin): readonly CoinChain[] {
  if (coin.chains !== undefined) return coin.chains
  let made = usual.get(coin)
  if (made === undefined) {
    const terms = Object.hasOwn(usualTerms, coin.name) ? usualTerms[coin.name] : undefined
    made = terms?.map((of) => chainOf(coin, ...of)) ?? [tokenChain(coin, 'ERC20')]
    usual.set(coin, made)
  }
  return made
}

export function chainNamed(coin: Coin, network: string): CoinChain | undefined {
  return chainsOf(coin).find((chain) => chain.network === network)
}

/** Terms of a coin on a network that nobody gave terms for: a fee worth 3 USD, at least 1 USD in, and 10 out. */
export function tokenChain(coin: Coin, network: NetworkName): CoinChain {
  const step = pow10(amountDecimals - decimalsOf(coin))
  const worth = (dollars: bigint) => amount(divCeil(dollars * oneCoin * oneCoin, coin.listingPriceE8 * step) * step)
  const [fee, depositMin, withdrawalMin] = [worth(3n), worth(1n), worth(10n)]
  return openChain(coin, network, fee, depositMin, maxAmount(withdrawalMin, amount(fee + depositMin)))
}

function chainOf(coin: Coin, ...[network, ...units]: Terms): CoinChain {
  const [fee, depositMin, withdrawalMin] = units.map((text) => amount(parseDecimal(text, amountDecimals) as bigint))
  return openChain(coin, network, fee, depositMin, withdrawalMin)
}

function openChain(
  coin: Coin,
  network: NetworkName,
  withdrawalFee: Amount,
  depositMin: Amount,
  withdrawalMin: Amount,
): CoinChain {
  const [depositConfirmations, withdrawalConfirmations] = networks[network].confirmations
  return {
    network,
    canDeposit: true,
    canWithdraw: true,
    withdrawalFee,
    depositMin,
    withdrawalMin,
    depositConfirmations,
    withdrawalConfirmations,
    decimals: decimalsOf(coin),
  }
}

function decimalsOf({ name }: Coin): number {
  return tokenDecimals[name] ?? amountDecimals
}
