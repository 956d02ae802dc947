/**
 * Liquidation of a margin wallet: its assets are sold until its debt can be repaid.
 *
 * Steps      cancel its orders and check again · pay each debt out of its own coin · sell for what is left, the largest
 *            debt first · the insurance fund pays what the account cannot, and the debt ends at zero
 * Selling    the most valuable asset (of a unified wallet the one with the highest collateral ratio). It is sold whole for
 *            the coin of the debt, or for one that buys that coin. Where it is itself the quote coin, it buys what is missing
 * Book       market orders of the venue within the protection band, free of trading fees
 * Fund       what the book does not take the insurance fund takes at the index price, so that an empty venue can
 *            liquidate as well; it may come to owe one coin while it has another
 * Fee        a share of what is sold goes to the insurance fund; money that came out of a sale pays no second time
 * Source     risk-engine.md §17, §20.9; design.md §4.25, §4.26
 */
import { plainOrder } from '../admission/admission.ts'
import type { CoinId, SpotInstrument } from '../catalog/catalog.ts'
import { insure, publishInsurance } from '../ledger-postings/ledger-postings.ts'
import { isAtOrBelow, levelOf, riskRateOf, walletStateOf } from '../lending/lending.ts'
import { balancesOf } from '../liquidation-rules/liquidation-rules.ts'
import { bookInterest, payDebt, reduceLoans, publishConversion } from '../loans/loans.ts'
import {
  type Amount,
  amount,
  amountMax,
  cappedAmount,
  divCeil,
  divFloor,
  type Lots,
  minAmount,
  oneCoin,
  rateOne,
  shareCeil,
  type Ticks,
  zero,
} from '../numbers/numbers.ts'
import { closeOrder, placeOrder } from '../orders/orders.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import { debtOf, type MarginWallet } from '../records/records.ts'
import type { AccountRow, Reading, State } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { Side } from '../vocabulary.ts'

/** Orders that one sale may be cut into by the largest quantity of an order. */
const piecesMax = 100

/** One liquidation as it goes on. */
interface Sale {
  readonly state: State
  readonly account: AccountRow
  readonly wallet: MarginWallet
  /** By coin: proceeds of sales that have paid the fee. */
  readonly charged: Map<CoinId, bigint>
  /** Fees so far, in 1e-16 USD. */
  fees: bigint
}

/** Whether a unified wallet is breached is found with its positions (scan.ts): here it is not tested again. */
export function liquidateMargin(state: State, account: AccountRow, wallet: MarginWallet): void {
  cancelOrders(state, account, wallet)
  const { margin: levels } = state.settings
  const walletState = walletStateOf(state, account, wallet)
  const level = levelOf(walletState)
  if (level === undefined) return
  if (wallet === 'crossed_margin' && !isAtOrBelow(walletState, levels.liquidation)) return

  const balances = balancesOf(state, account.handle, (row) => state.ledger.walletOf(row) === wallet)
  const firstOrder = state.counters.order
  const liquidationId = state.counters.flow++
  const sale: Sale = { state, account, wallet, charged: new Map(), fees: 0n }
  payOwn(sale)
  for (let debt = largest(sale, debtUnits); debt !== undefined; debt = largest(sale, debtUnits)) {
    const asset = wallet === 'uta' ? dearest(sale) : largest(sale, balanceUnits)
    if (asset === undefined) break
    raise(sale, asset, debt)
    payOwn(sale)
  }
  const covered = coverRest(sale)
  state.emit({
    kind: 'margin-liquidation',
    liquidationId,
    uid: account.uid,
    wallet,
    level,
    riskRate: riskRateOf(walletState, levels),
    assetsUsd: usdAmount(walletState.assets),
    debtUsd: usdAmount(walletState.debt),
    feeUsd: usdAmount(sale.fees),
    coveredUsd: usdAmount(covered),
    balances,
    liquidationLevel: levels.liquidation,
    feeRate: levels.liquidationFee,
    firstOrder,
    lastOrder: state.counters.order - 1,
    lastFlow: state.counters.flow - 1,
    at: state.at,
  })
}

/** From 1e-16 USD to 1e-8, rounded down. */
function usdAmount(usdE16: bigint): Amount {
  return cappedAmount(divFloor(usdE16, oneCoin))
}

function cancelOrders(state: State, account: AccountRow, wallet: MarginWallet): void {
  const { orders } = state
  const open = [...orders.of(account.firstOrder)].filter((row) => orders.walletOf(row) === wallet)
  for (const row of open) closeOrder(state, row, 'canceled', 'system')
}

// What there is

type Measure = (sale: Sale, row: Row) => bigint

const debtUnits: Measure = ({ state }, row) => debtOf(state, row)
const balanceUnits: Measure = ({ state }, row) => state.ledger.balanceOf(row)

/** The coin of which the account owes or has most by its worth; of equals the first listed. */
function largest(sale: Sale, units: Measure): CoinId | undefined {
  const { ledger, prices } = sale.state
  let best: CoinId | undefined
  let most = 0n
  for (const row of ledger.rowsOf(sale.account.handle)) {
    if (ledger.walletOf(row) !== sale.wallet) continue
    const coin = ledger.coinOf(row)
    const worth = units(sale, row) * prices.usdE8(coin)
    if (worth > most || (worth === most && best !== undefined && worth > 0n && coin < best)) {
      best = coin
      most = worth
    }
  }
  return best
}

/** Of a unified wallet the coin that counts for most as collateral (risk-engine §16); of equals the one worth most. */
function dearest(sale: Sale): CoinId | undefined {
  const { ledger, prices, catalog } = sale.state
  const held: { readonly coin: CoinId; readonly ratio: bigint; readonly worth: bigint }[] = []
  for (const row of ledger.rowsOf(sale.account.handle)) {
    const coin = ledger.coinOf(row)
    if (ledger.walletOf(row) !== sale.wallet || ledger.balanceOf(row) <= 0n) continue
    const ratio: bigint = catalog.coins[coin].collateral[0]?.ratio ?? 0n
    held.push({ coin, ratio, worth: ledger.balanceOf(row) * prices.usdE8(coin) })
  }
  held.sort((a, b) => {
    if (a.ratio !== b.ratio) return a.ratio > b.ratio ? -1 : 1
    return a.worth === b.worth ? a.coin - b.coin : a.worth > b.worth ? -1 : 1
  })
  return held[0]?.coin
}

function rowOf({ state, account, wallet }: Sale, coin: CoinId): Row {
  return state.ledger.slot(account.handle, wallet, coin)
}

function has(sale: Sale, coin: CoinId): Amount {
  return sale.state.ledger.balanceOf(rowOf(sale, coin))
}

/** Balance less debt: what comes in, whether or not it paid debt by itself (unified wallets). */
function netOf(sale: Sale, coin: CoinId): bigint {
  return has(sale, coin) - debtOf(sale.state, rowOf(sale, coin))
}

// Paying

/** Pays each debt out of its own coin. */
function payOwn(sale: Sale): void {
  const { state, account, wallet } = sale
  for (const { id } of state.catalog.coins) {
    const row = state.ledger.find(account.handle, wallet, id)
    const units = minAmount(debtOf(state, row), state.ledger.balanceOf(row))
    if (units > 0n) payDebt(state, account, wallet, { coin: id, units, cause: 'liquidation' })
  }
}

/** The insurance fund pays what is left; answers how much, in 1e-16 USD. */
function coverRest(sale: Sale): bigint {
  const { state, account, wallet } = sale
  const { ledger } = state
  let covered = 0n
  for (const { id } of state.catalog.coins) {
    const row = ledger.find(account.handle, wallet, id)
    const debt = debtOf(state, row)
    if (debt === 0n) continue
    bookInterest(state, row)
    const paid = ledger.coverDebt(row)
    reduceLoans(state, row, paid.principal)
    ledger.updatedAt[row] = state.at
    covered += debt * state.prices.usdE8(id)
    const where = { uid: account.uid, wallet, coin: id, at: state.at } as const
    publishInsurance(state, account.handle, wallet, id, debt)
    state.emit({ kind: 'repayment', repayId: state.counters.repay++, ...where, ...paid, cause: 'insurance' })
  }
  return covered
}

// Selling

/** Turns an asset into the coin of a debt, or into money that buys it. */
function raise(sale: Sale, asset: CoinId, debt: CoinId): void {
  const direct = pairOf(sale.state, asset, debt)
  const reverse = pairOf(sale.state, debt, asset)
  if (direct !== undefined) return sellWhole(sale, asset, debt, direct)
  const missing = debtOf(sale.state, rowOf(sale, debt))
  if (reverse !== undefined) return buy(sale, asset, debt, missing, reverse)
  // Money that buys the coin of the debt.
  const money = sale.state.catalog.instruments.find(
    (pair) => pair.kind === 'spot' && pair.base === asset && pairOf(sale.state, debt, pair.quote) !== undefined,
  )
  if (money?.kind === 'spot') return sellWhole(sale, asset, money.quote, money)
  buy(sale, asset, debt, missing, undefined)
}

function pairOf({ catalog }: Reading, base: CoinId, quote: CoinId): SpotInstrument | undefined {
  const found = catalog.instruments.find((pair) => pair.kind === 'spot' && pair.base === base && pair.quote === quote)
  return found?.kind === 'spot' ? found : undefined
}

/** Sells all of an asset: to the book, and what it does not take to the fund. */
function sellWhole(sale: Sale, asset: CoinId, into: CoinId, pair: SpotInstrument): void {
  const { state } = sale
  const before = netOf(sale, into)
  for (let piece = 0; piece < piecesMax; piece++) {
    const lots = wholeLots(state, pair, has(sale, asset))
    if (lots === 0 || !trade(sale, pair, 'sell', lots, 0)) break
  }
  const rest = has(sale, asset)
  const price = state.prices
  if (rest > 0n) exchange(sale, asset, rest, into, payable(rest * price.usdE8(asset), price.usdE8(into)))
  const proceeds = amount(netOf(sale, into) - before)
  chargeFee(sale, into, proceeds)
  sale.charged.set(into, (sale.charged.get(into) ?? 0n) + proceeds)
}

/** Buys what is missing of a coin: from the book, then from the fund, with at most what there is of the asset. */
function buy(sale: Sale, asset: CoinId, coin: CoinId, missing: Amount, pair: SpotInstrument | undefined): void {
  const { state } = sale
  const before = has(sale, asset)
  const charged = sale.charged.get(asset) ?? 0n
  const { liquidationFee } = state.settings.margin
  // spent + fee · (spent − charged) <= balance
  const most =
    before <= charged ? before : divFloor(before * rateOne + liquidationFee * charged, rateOne + liquidationFee)
  const spent = () => before - has(sale, asset)
  const start = netOf(sale, coin)
  const bought = () => netOf(sale, coin) - start
  for (let piece = 0; pair !== undefined && piece < piecesMax && bought() < missing; piece++) {
    const price = highestPrice(state, pair)
    const affordable = (most - spent()) / (BigInt(price) * state.scale(pair.id).unit)
    const wanted = divCeil(missing - bought(), state.scale(pair.id).baseUnit)
    const lots = bounded(pair, affordable < wanted ? affordable : wanted)
    if (lots === 0 || !trade(sale, pair, 'buy', lots, price)) break
  }
  const left = missing - bought()
  if (left > 0n) {
    const { prices } = state
    const cost = divCeil(left * prices.usdE8(coin), prices.usdE8(asset))
    const budget = most - spent()
    if (cost <= budget) exchange(sale, asset, amount(cost), coin, amount(left))
    else exchange(sale, asset, amount(budget), coin, payable(budget * prices.usdE8(asset), prices.usdE8(coin)))
  }
  const sold = spent()
  chargeFee(sale, asset, amount(sold > charged ? sold - charged : 0n))
  sale.charged.set(asset, charged > sold ? charged - sold : 0n)
  // Dust of the asset that buys nothing would keep the sale from its end.
  if (bought() < missing) exchange(sale, asset, has(sale, asset), coin, zero)
}

function wholeLots(reading: Reading, pair: SpotInstrument, units: Amount): Lots {
  return bounded(pair, units / reading.scale(pair.id).baseUnit)
}

/** At most what one order of the pair may be. */
function bounded(pair: SpotInstrument, lots: bigint): Lots {
  const maxima = [pair.quantityMax, pair.marketQuantityMax].filter((most) => most > 0)
  return Math.min(Number(lots), ...maxima, Number.MAX_SAFE_INTEGER) as Lots
}

/** The edge of the protection band, for a buy that has to name its price. */
function highestPrice(reading: Reading, pair: SpotInstrument): Ticks {
  const { marketBand, limitBand } = pair
  const band = limitBand > 0n && limitBand < marketBand ? limitBand : marketBand
  const mark = BigInt(reading.prices.markPrice(pair.id))
  return Number(divFloor(mark * (rateOne + band), rateOne)) as Ticks
}

/** Places one order of the venue for the account; answers whether it traded. */
function trade(sale: Sale, pair: SpotInstrument, side: Side, lots: Lots, price: Ticks | 0): boolean {
  const { state, account, wallet } = sale
  const base = netOf(sale, pair.base)
  const quote = netOf(sale, pair.quote)
  const command: PlaceOrder = {
    ...plainOrder,
    uid: account.uid,
    interface: wallet === 'uta' ? 'v3' : 'v2',
    category: 'MARGIN',
    instrument: pair.id,
    side,
    orderType: price === 0 ? 'market' : 'limit',
    price,
    quantity: { unit: 'lots', lots },
    stpMode: 'none',
  }
  if (placeOrder(state, command, 'liquidation').kind !== 'placed') return false
  const [baseIn, quoteIn] = [netOf(sale, pair.base) - base, netOf(sale, pair.quote) - quote]
  const sold = {
    fromCoin: pair.base,
    fromAmount: cappedAmount(-baseIn),
    toCoin: pair.quote,
    toAmount: cappedAmount(quoteIn),
  }
  const bought = {
    fromCoin: pair.quote,
    fromAmount: cappedAmount(-quoteIn),
    toCoin: pair.base,
    toAmount: cappedAmount(baseIn),
  }
  publishConversion(state, sale, side === 'sell' ? sold : bought)
  return baseIn !== 0n
}

/** Units of a coin for so much USD, rounded down; a coin that is worth next to nothing leaves room in its wallet. */
function payable(usdE16: bigint, usdE8: bigint): Amount {
  const units = divFloor(usdE16, usdE8)
  return amount(units < unitsMost ? units : unitsMost)
}

const unitsMost = amountMax / 4n

/** The insurance fund takes one coin and gives another. */
function exchange(sale: Sale, from: CoinId, units: Amount, to: CoinId, given: Amount): void {
  if (units === 0n && given === 0n) return
  const source = rowOf(sale, from)
  const target = rowOf(sale, to)
  insure(sale.state, source, amount(-units), { type: 'sys_exchange_out' })
  insure(sale.state, target, given, { type: 'sys_exchange_in' })
  publishConversion(sale.state, sale, { fromCoin: from, fromAmount: units, toCoin: to, toAmount: given })
}

/** The fee of a sale, rounded up, at most what there is of the coin. */
function chargeFee(sale: Sale, coin: CoinId, sold: Amount): void {
  const { state } = sale
  const fee = minAmount(shareCeil(sold, state.settings.margin.liquidationFee), has(sale, coin))
  if (fee === 0n) return
  const row = rowOf(sale, coin)
  insure(state, row, amount(-fee), { type: 'liquidation_fee', fee })
  sale.fees += fee * state.prices.usdE8(coin)
}
