/**
 * Answers to queries, from the state. The room's door; nothing here writes.
 *
 * margin     margin wallet, unified account       positions              positions, futures wallets, settings
 * max-open   what a leverage or an amount opens   coin-leverage-preview  what a leverage of borrowing allows
 * reserves   what the venue owes and has          adl-indicator          places in the deleveraging queues
 * falls-due  what time alone would do            table-counts           entries of each table
 * margin-pools  what pools of collateral have and need
 * near-liquidation  who is nearest to it         exposure               what is open by contract
 * queue-place  what is before and behind an order at its price
 * estimated-liquidation  where an order's position would be liquidated
 * Source     design.md §1 (the query port); protocol/query.ts for the shapes
 */
import { conversionRange, isConvertible, transferable } from '../account-rules/account-rules.ts'
import { maxOpen } from '../admission/admission.ts'
import { bestPrice, nextPrice, quantityAt } from '../book/book.ts'
import { type Coin, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { explain } from '../explain/explain.ts'
import { borrowable, coinLeverage, spendable } from '../lending/lending.ts'
import { isDeleveraging } from '../liquidation-rules/liquidation-rules.ts'
import { collateralCoins } from '../margin/margin.ts'
import { amount, type Amount, type Lots, maxAmount, rate, type Ticks, zero } from '../numbers/numbers.ts'
import { coinHalt, haltOf, nextFundingAt, runningRate } from '../price-rules/price-rules.ts'
import type {
  AccountView,
  Answer,
  BalanceView,
  DepthView,
  IndexHaltsView,
  PositionView,
  PricesView,
  Query,
  QueryKind,
} from '../protocol/query.ts'
import {
  findOrder,
  findTrigger,
  lentOut,
  type MarginWallet,
  openOrders,
  pendingInterest,
  readingWallet,
  recordOf,
  triggerRecord,
  triggersOf,
} from '../records/records.ts'
import { type Account, positionOf, type Reading } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import { coinSums, verify } from '../verify.ts'
import type { Side, WalletType } from '../vocabulary.ts'
import { adlRanks } from './adl-indicator.ts'
import { chainTransferViews, depositAddressView, withdrawalAddresses } from './chain-transfers.ts'
import { coinLeveragePreview } from './coin-leverage-preview.ts'
import { estimatedLiquidation } from './estimated-liquidation.ts'
import { exposures } from './exposure.ts'
import { fallsDue } from './falls-due.ts'
import { marginPools } from './margin-pools.ts'
import { marginWalletView, unifiedMarginView } from './margin.ts'
import { leveragePreview, openCount } from './max-open.ts'
import { nearLiquidation } from './near-liquidation.ts'
import { futuresAssets, netPosition, positionViews, symbolSettings } from './positions.ts'
import { queuePlace } from './queue-place.ts'
import { reserves } from './reserves.ts'
import { tableCounts } from './table-counts.ts'

type Answers = { [K in QueryKind]: (reading: Reading, ask: { readonly kind: K } & Query<K>) => Answer<K> }

/** Answers one query. */
export function answer<K extends QueryKind>(reading: Reading, query: { readonly kind: K } & Query<K>): Answer<K> {
  return answers[query.kind](reading, query)
}

const answers: Answers = {
  catalog: (reading) => reading.catalog,
  account: (reading, { uid }) => {
    const account = reading.accounts.byUid(uid)
    return account === undefined ? undefined : accountView(reading, account)
  },
  accounts: (reading) => reading.accounts.all().map((account) => accountView(reading, account)),
  'account-count': (reading) => reading.accounts.count,
  'account-at': (reading, { place }) => {
    const account = reading.accounts.at(place)
    return account === undefined ? undefined : accountView(reading, account)
  },
  'sub-accounts': (reading, { uid }) => {
    const main = reading.accounts.byUid(uid)
    return main === undefined ? [] : reading.accounts.subsOf(main).map((account) => accountView(reading, account))
  },
  'symbol-settings': (reading, ask) => {
    const account = reading.accounts.byUid(ask.uid)
    return account === undefined ? [] : symbolSettings(reading, account, ask.interface, ask.instrument)
  },
  balances: (reading, { uid, wallet }) => {
    const account = reading.accounts.byUid(uid)
    return account === undefined ? [] : reading.catalog.coins.map((coin) => balanceView(reading, account, wallet, coin))
  },
  'futures-assets': (reading, ask) => {
    const account = reading.accounts.byUid(ask.uid)
    return account === undefined ? [] : futuresAssets(reading, account, ask.interface, ask.line)
  },
  positions: (reading, ask) => {
    const account = reading.accounts.byUid(ask.uid)
    if (account === undefined) return []
    const views = positionViews(reading, account, ask.interface, ask.line, ask.instrument)
    return views.map((view) => ({ ...view, ...feesOf(reading, account, view) }))
  },
  order: (reading, { uid, order }) => {
    const account = reading.accounts.byUid(uid)
    const row = account === undefined ? noRow : findOrder(reading, account, order)
    return row === noRow ? undefined : recordOf(reading, row)
  },
  'open-orders': (reading, ask) => {
    const account = reading.accounts.byUid(ask.uid)
    return account === undefined ? [] : openOrders(reading, account, ask.interface, ask.category, ask.instrument)
  },
  trigger: (reading, { uid, order }) => {
    const account = reading.accounts.byUid(uid)
    const row = account === undefined ? noRow : findTrigger(reading, account, order)
    return row === noRow ? undefined : triggerRecord(reading, row)
  },
  triggers: (reading, ask) => {
    const account = reading.accounts.byUid(ask.uid)
    return account === undefined ? [] : [...triggersOf(reading, account, ask)].map((row) => triggerRecord(reading, row))
  },
  depth: (reading, { instrument, limit }) => depthView(reading, instrument, limit),
  'queue-place': (reading, { orderId }) => queuePlace(reading, orderId),
  'book-sequence': (reading, { instrument }) => reading.bookSequence(instrument),
  'index-prices': (reading) => reading.catalog.coins.map(({ id }) => reading.prices.usdE8(id)),
  prices: (reading, { instrument }) => pricesView(reading, instrument),
  'index-halts': indexHalts,
  'falls-due': (reading, { by }) => fallsDue(reading, by),
  'margin-account': (reading, { uid, coin }) => {
    const record = reading.catalog.coins[coin]
    const account = reading.accounts.byUid(uid)
    const { dailyInterestRate, marginLeverageMax } = record
    const none = { borrowable: zero, transferable: zero, dailyInterestRate, leverage: marginLeverageMax }
    if (account === undefined) return none
    const wallet = readingWallet(account, 'v2', 'MARGIN') as MarginWallet
    return {
      borrowable: borrowable(reading, account, wallet, record),
      transferable: maxAmount(zero, transferable(reading, account, wallet, coin)),
      dailyInterestRate,
      leverage: coinLeverage(reading, account, record),
    }
  },
  'margin-wallet': (reading, ask) => marginWalletView(reading, ask.uid, ask.interface),
  'unified-margin': (reading, { uid }) => unifiedMarginView(reading, uid),
  'margin-pools': (reading, { uid }) => {
    const account = reading.accounts.byUid(uid)
    return account === undefined ? [] : marginPools(reading, account)
  },
  'near-liquidation': (reading, { limit }) => nearLiquidation(reading, limit),
  exposure: exposures,
  lending: (reading, { coin }) => ({ lent: lentOut(reading, coin), levels: reading.settings.margin }),
  collateral: (reading, { uid }) => {
    const choice = reading.accounts.byUid(uid)?.collateral ?? 'all'
    const coins = collateralCoins(reading, choice)
    return { choice: choice === 'all' || choice === 'mainstream' ? choice : 'custom', coins }
  },
  'daily-orders': (reading) => {
    const mains = reading.accounts.all().filter((account) => account.kind === 'main')
    const counts = mains.map((account) => reading.accounts.ordersToday(account, reading.at))
    return {
      total: counts.reduce((sum, count) => sum + count, 0),
      highest: counts.reduce((most, count) => Math.max(most, count), 0),
    }
  },
  'table-counts': (reading) => tableCounts(reading),
  'adl-ranks': (reading, { uid, interface: version, line }) => {
    const account = reading.accounts.byUid(uid)
    return account === undefined ? [] : adlRanks(reading, account, version, line)
  },
  'max-open': (reading, ask) => maxOpen(reading, ask),
  'leverage-preview': leveragePreview,
  'coin-leverage-preview': coinLeveragePreview,
  'open-count': (reading, { instrument, ...ask }) => openCount(reading, instrument, ask),
  'estimated-liquidation': estimatedLiquidation,
  holders: ({ futures }, { instrument }) => ({
    long: futures.holdersLong[instrument] ?? 0,
    short: futures.holdersShort[instrument] ?? 0,
  }),
  'net-position': netPosition,
  convertible: (reading) =>
    reading.catalog.coins
      .filter(({ id }) => isConvertible(reading, id))
      .map(({ id }) => ({ coin: id, ...conversionRange(reading, id) })),
  'quoted-price': (reading, { uid, quoteId }) =>
    reading.conversions.find(reading.accounts.handleOf(uid), quoteId)?.price,
  settings: ({ settings: { risk }, prices: { settings }, conversions }) => ({
    conversion: conversions.settings,
    risk,
    pricing: {
      ...settings,
      indexAgeMsMax: [...settings.indexAgeMsMax],
      impactNotional: [...settings.impactNotional],
    },
  }),
  'deposit-address': depositAddressView,
  'chain-transfers': chainTransferViews,
  'withdrawal-addresses': withdrawalAddresses,
  'insurance-fund': (reading, { coin }) => reading.ledger.houseBalance('insurance', coin),
  'insurance-funds': (reading) =>
    reading.catalog.coins.map(({ id }) => ({
      coin: id,
      balance: reading.ledger.houseBalance('insurance', id),
      highest: amount(reading.ledger.peaks[id] ?? 0n),
      deleveraging: isDeleveraging(reading, id),
    })),
  'coin-sums': (reading) => coinSums(reading),
  reserves: (reading) => reserves(reading),
  verify: (reading) => verify(reading),
  explain: (reading, { subject }) => explain(reading, subject),
}

function accountView(reading: Reading, account: Account): AccountView {
  const { uid, kind, name, note, mode, stpMode, holdMode, broker, copyTrader, createdAt } = account
  const parentUid = kind === 'sub' ? reading.accounts.byHandle(account.main).uid : undefined
  const dailyOrders = reading.accounts.ordersToday(account, reading.at)
  return {
    uid,
    kind,
    parentUid,
    name,
    note,
    mode,
    ...(account.leavesHybrid && { leavesHybrid: true as const }),
    stpMode,
    holdMode: { ...holdMode },
    broker,
    copyTrader,
    createdAt,
    boundAt: account.boundAt,
    updatedAt: account.updatedAt,
    frozen: account.frozen,
    frozenByOperator: account.frozenByOperator === true,
    permissions: account.permissions,
    dailyOrders,
  }
}

function balanceView(reading: Reading, account: Account, wallet: WalletType, coin: Coin): BalanceView {
  const row = reading.ledger.find(account.handle, wallet, coin.id)
  return {
    coin: coin.id,
    balance: reading.ledger.balanceOf(row),
    held: reading.ledger.heldOf(row),
    available: maxAmount(zero, spendable(reading, account, wallet, coin.id)),
    transferable: maxAmount(zero, transferable(reading, account, wallet, coin.id)),
    principal: reading.ledger.principal[row] as Amount,
    interest: amount(reading.ledger.interest[row] + pendingInterest(reading, row)),
  }
}

/** Fees that an open position has paid, apart for opening and closing. */
function feesOf(reading: Reading, account: Account, { wallet, instrument, side }: PositionView) {
  const exposure = reading.futures.find(account.handle, wallet, instrument)
  const position = exposure === undefined ? undefined : positionOf(exposure, side)
  return { openFees: position?.openFees ?? zero, closeFees: position?.closeFees ?? zero }
}

function depthView(reading: Reading, instrument: InstrumentId, limit: number): DepthView {
  const book = reading.book(instrument)
  const levels = (side: Side) => {
    const rows: [Ticks, Lots][] = []
    for (let price = bestPrice(book, side); price !== 0 && rows.length < limit; price = nextPrice(book, side, price)) {
      rows.push([price as Ticks, quantityAt(book, side, price) as Lots])
    }
    return rows
  }
  return { bids: levels('buy'), asks: levels('sell'), at: reading.at }
}

function indexHalts(reading: Reading): IndexHaltsView {
  const { coins, instruments } = reading.catalog
  return {
    coins: coins.flatMap(({ id: coin }) => {
      const cause = coinHalt(reading, coin)
      return cause === undefined ? [] : [{ coin, cause }]
    }),
    instruments: instruments.map(({ id }) => id).filter((id) => haltOf(reading, id) !== undefined),
  }
}

function pricesView(reading: Reading, id: InstrumentId): PricesView {
  const instrument = reading.instrument(id)
  const futures = isFutures(instrument) ? instrument : undefined
  return {
    instrument: id,
    lastPrice: reading.prices.lastPrice(id),
    markPrice: reading.prices.markPrice(id),
    indexPrice: reading.prices.indexPrice(id),
    fundingRate: futures === undefined ? rate(0n) : runningRate(reading, futures),
    nextFundingAt: futures === undefined ? 0 : nextFundingAt(futures, reading.at),
    openInterest: (reading.futures.openInterest[id] ?? 0) as Lots,
    indexHalt: haltOf(reading, id),
    given: reading.prices.given.get(id),
  }
}
