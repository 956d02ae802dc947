/**
 * What can be traded, in v2 records: coins, pairs, contracts, margin pairs and tiers.
 *
 * Holds     `volumePlace` has exactly the decimals of `sizeMultiplier`; clients know kinds of records by the fields that
 *           are there (no `symbolType` on pairs, JSON booleans on margin pairs)
 * Source    wire/client-endpoints.md §4; wire/client-needs.md; wire/rate-limits-and-filters.md §5, §6
 */
import {
  type Catalog,
  chainsOf,
  type Coin,
  type CoinChain,
  type FuturesInstrument,
  type Instrument,
  type MaintenanceTier,
  networks,
  openOrdersMax,
  positionsMax,
  type SpotInstrument,
} from '../../../engine/catalog/catalog.ts'
import {
  amountMax,
  coinInsideMax,
  formatDecimal,
  type Lots,
  type Rate,
  rate,
  type Ticks,
} from '../../../engine/numbers/numbers.ts'
import type { Answer } from '../../../engine/protocol/query.ts'
import type * as records from '../records.ts'
import { mostLots } from '../../figures.ts'
import { amountText, coinName, contractsInBase, decimalsOf, priceE8, quantityText, rateText } from './figures.ts'
import { symbolStatus } from './words.ts'

const smallestAmount = amountText(1n)
const zeroRate = rate(0n)
type RiskView = Answer<'settings'>['risk']

export function coinRecord(coin: Coin): records.CoinRecord {
  return { coinId: String(coin.id), coin: coin.name, transfer: 'true', chains: chainsOf(coin).map(chainRecord) }
}

/** Nothing of the simulated networks can be looked at elsewhere: no contract, no explorer. */
function chainRecord(chain: CoinChain): records.CoinRecord['chains'][number] {
  return {
    chain: chain.network,
    needTag: String(networks[chain.network].isTagged),
    withdrawable: String(chain.canWithdraw),
    rechargeable: String(chain.canDeposit),
    withdrawFee: amountText(chain.withdrawalFee),
    extraWithdrawFee: '0',
    depositConfirm: String(chain.depositConfirmations),
    withdrawConfirm: String(chain.withdrawalConfirmations),
    minDepositAmount: amountText(chain.depositMin),
    minWithdrawAmount: amountText(chain.withdrawalMin),
    browserUrl: '',
    contractAddress: '',
    withdrawStep: '0',
    withdrawMinScale: String(chain.decimals),
    congestion: 'normal',
  }
}

export function spotSymbol(catalog: Catalog, pair: SpotInstrument): records.SpotSymbol {
  return {
    symbol: pair.symbol,
    baseCoin: coinName(catalog, pair.base),
    quoteCoin: coinName(catalog, pair.quote),
    minTradeAmount: quantityText(pair, pair.quantityMin),
    maxTradeAmount: quantityText(pair, mostLots(pair.quantityMax)),
    takerFeeRate: rateText(pair.takerFeeRate),
    makerFeeRate: rateText(pair.makerFeeRate),
    pricePrecision: String(pair.priceDecimals),
    quantityPrecision: decimalsOf(formatDecimal(pair.quantityStep, pair.quantityDecimals)),
    quotePrecision: String(pair.quoteDecimals),
    minTradeUSDT: amountText(pair.notionalMin),
    status: symbolStatus.spot[pair.status],
    buyLimitPriceRatio: rateText(pair.limitBand),
    sellLimitPriceRatio: rateText(pair.limitBand),
    orderQuantity: String(openOrdersMax),
    areaSymbol: 'no',
    offTime: '',
    openTime: String(pair.listedAt),
  }
}

/**
 * Sizes of inverse contracts are base coin here, so their step is the last decimal of a size, and the largest are those at the
 * mark price. The `UpRatio`s are what an opening order holds beyond its fee and its margin.
 */
export function contract(
  catalog: Catalog,
  instrument: FuturesInstrument,
  { risk, markPrice }: { readonly risk: RiskView; readonly markPrice: Ticks },
): records.Contract {
  const inverse = instrument.kind === 'inverse'
  const sizeStep = inverse
    ? formatDecimal(1, instrument.sizeDecimals)
    : formatDecimal(instrument.quantityStep, instrument.quantityDecimals)
  const maximum = (said: Lots) =>
    inverse
      ? amountText(contractsInBase(instrument, mostLots(said), priceE8(instrument, markPrice)))
      : quantityText(instrument, mostLots(said))
  return {
    symbol: instrument.symbol,
    baseCoin: coinName(catalog, instrument.base),
    quoteCoin: coinName(catalog, instrument.quote),
    buyLimitPriceRatio: rateText(instrument.limitBand),
    sellLimitPriceRatio: rateText(instrument.limitBand),
    feeRateUpRatio: rateText(risk.orderFeeMarkup),
    makerFeeRate: rateText(instrument.makerFeeRate),
    takerFeeRate: rateText(instrument.takerFeeRate),
    openCostUpRatio: rateText(risk.orderMarginMarkup),
    supportMarginCoins: [coinName(catalog, instrument.settle)],
    minTradeNum: inverse ? sizeStep : quantityText(instrument, instrument.quantityMin),
    priceEndStep: String(instrument.priceStep),
    volumePlace: decimalsOf(sizeStep),
    pricePlace: String(instrument.priceDecimals),
    sizeMultiplier: sizeStep,
    symbolType: 'perpetual',
    minTradeUSDT: amountText(instrument.notionalMin),
    maxSymbolOrderNum: String(openOrdersMax),
    maxProductOrderNum: String(openOrdersMax),
    maxPositionNum: String(positionsMax),
    symbolStatus: symbolStatus.contract[instrument.status],
    offTime: '-1',
    limitOpenTime: '-1',
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    launchTime: String(instrument.listedAt),
    fundInterval: String(instrument.fundingIntervalHours),
    minLever: String(instrument.leverageMin),
    maxLever: String(instrument.leverageMax),
    // One account may have all of the open interest.
    posLimit: '1',
    maintainTime: '',
    maxMarketOrderQty: maximum(instrument.marketQuantityMax),
    maxOrderQty: maximum(instrument.quantityMax),
    openTime: '',
    isRwa: 'NO',
  }
}

/** Risk ratio 1 liquidates (margin level 1.1); the warning is at margin level 1.3 (risk-engine §17). */
export function marginCurrency(catalog: Catalog, pair: SpotInstrument): records.MarginCurrency {
  const coins = [pair.base, pair.quote].flatMap((id) => catalog.coins[id] ?? [])
  const borrowable = coins.some((coin) => coin.borrowable)
  return {
    symbol: pair.symbol,
    baseCoin: coinName(catalog, pair.base),
    quoteCoin: coinName(catalog, pair.quote),
    maxCrossedLeverage: String(Math.min(...coins.map((coin) => coin.marginLeverageMax))),
    maxIsolatedLeverage: '0',
    warningRiskRatio: '0.84',
    liquidationRiskRatio: '1',
    minTradeAmount: quantityText(pair, pair.quantityMin),
    maxTradeAmount: quantityText(pair, mostLots(pair.quantityMax)),
    takerFeeRate: rateText(pair.takerFeeRate),
    makerFeeRate: rateText(pair.makerFeeRate),
    pricePrecision: String(pair.priceDecimals),
    quantityPrecision: decimalsOf(formatDecimal(pair.quantityStep, pair.quantityDecimals)),
    minTradeUSDT: amountText(pair.notionalMin),
    userMinBorrow: smallestAmount,
    status: '1',
    isBorrowable: borrowable,
    isCrossBorrowable: borrowable,
    isIsolatedBaseBorrowable: false,
    isIsolatedQuoteBorrowable: false,
  }
}

/** There is one level, for everybody. Fees are each instrument's own: the level names the highest of its market. */
export function feeLevel(instruments: readonly Instrument[]): records.FeeLevel {
  const highest = (rates: readonly Rate[]) =>
    rateText(rates.reduce((most, next) => (next > most ? next : most), zeroRate))
  return {
    level: '0',
    dealAmount: '0',
    assetAmount: '0',
    takerFeeRate: highest(instruments.map(({ takerFeeRate }) => takerFeeRate)),
    makerFeeRate: highest(instruments.map(({ makerFeeRate }) => makerFeeRate)),
    // Nothing bounds a withdrawal but what an account can have.
    btcWithdrawAmount: amountText(amountMax),
    usdtWithdrawAmount: amountText(amountMax),
  }
}

/** The share of a coin that counts as collateral, by value in USD. */
export function discountRates(coin: Coin): records.DiscountRates {
  let from = 0n
  const discountRateList = coin.collateral.map(({ to, ratio }, index) => {
    const tier = {
      tier: String(index + 1),
      minAmount: amountText(from),
      maxAmount: amountText(to),
      discountRate: rateText(ratio),
    }
    from = to
    return tier
  })
  // Nobody's collateral ends before the coins of the venue do.
  const most = amountText(coinInsideMax)
  return { coin: coin.name, userLimit: most, totalLimit: most, discountRateList }
}

/** One account reaches the end of the last tier; there is no total over several. */
export function openInterestLimit({ symbol, tiers }: FuturesInstrument): records.OpenInterestLimit {
  const notionalValue = amountText(tiers.at(-1)?.to ?? 0n)
  return { symbol, notionalValue, totalNotionalValue: '' }
}

export function positionTier(
  instrument: FuturesInstrument,
  tier: MaintenanceTier,
  index: number,
): records.PositionTier {
  return {
    symbol: instrument.symbol,
    level: String(index + 1),
    startUnit: amountText(tier.from),
    endUnit: amountText(tier.to),
    leverage: String(tier.leverageMax),
    keepMarginRate: rateText(tier.maintenanceRate),
  }
}
