/**
 * Answers from the state. Nothing here writes.
 *
 * Source  design.md §1 (the query port); query.ts for the shapes
 */
import { transferable } from '../account-rules/account-rules.ts'
import { maxOpen } from '../admission/admission.ts'
import { bestPrice, nextPrice, quantityAt } from '../book/book.ts'
import { type Coin, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { explain } from '../explain/explain.ts'
import { borrowable, coinLeverage, spendable } from '../lending/lending.ts'
import { isDeleveraging } from '../liquidation-rules/liquidation-rules.ts'
import { collateralCoins } from '../margin/margin.ts'
import { amount, type Amount, type Lots, maxAmount, rate, type Ticks, zero } from '../numbers/numbers.ts'
import { freezeOf, nextFundingAt, runningRate } from '../price-rules/price-rules.ts'
import type {
  AccountView,
  Answer,
  BalanceView,
  DepthView,
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
import { coinSums, verify } from '../verify.ts'
import type { Side, WalletType } from '../vocabulary.ts'
import { adlRanks } from './adl-indicator.ts'
import { coinLeveragePreview } from './coin-leverage-preview.ts'
import { marginStanding, unionStandingView } from './margin.ts'
import { leveragePreview, openCount } from './max-open.ts'
import { futuresAssets, positionViews, symbolSettings } from './positions.ts'
import { reserves } from './reserves.ts'

type Answers = { [K in QueryKind]: (venue: Reading, ask: { readonly kind: K } & Query<K>) => Answer<K> }

export function answer<K extends QueryKind>(venue: Reading, query: { readonly kind: K } & Query<K>): Answer<K> {
  return answers[query.kind](venue, query)
}

const answers: Answers = {
  catalog: (venue) => venue.catalog,
  account: (venue, { uid }) => {
    const account = venue.accounts.byUid(uid)
    return account === undefined ? undefined : accountView(venue, account)
  },
  accounts: (venue) => venue.accounts.all().map((account) => accountView(venue, account)),
  'sub-accounts': (venue, { uid }) => {
    const main = venue.accounts.byUid(uid)
    return main === undefined ? [] : venue.accounts.subsOf(main).map((account) => accountView(venue, account))
  },
  'symbol-settings': (venue, ask) => {
    const account = venue.accounts.byUid(ask.uid)
    return account === undefined ? [] : symbolSettings(venue, account, ask.interface, ask.instrument)
  },
  balances: (venue, { uid, wallet }) => {
    const account = venue.accounts.byUid(uid)
    return account === undefined ? [] : venue.catalog.coins.map((coin) => balanceView(venue, account, wallet, coin))
  },
  'futures-assets': (venue, ask) => {
    const account = venue.accounts.byUid(ask.uid)
    return account === undefined ? [] : futuresAssets(venue, account, ask.interface, ask.line)
  },
  positions: (venue, ask) => {
    const account = venue.accounts.byUid(ask.uid)
    if (account === undefined) return []
    const views = positionViews(venue, account, ask.interface, ask.line, ask.instrument)
    return views.map((view) => ({ ...view, ...feesOf(venue, account, view) }))
  },
  order: (venue, { uid, order }) => {
    const account = venue.accounts.byUid(uid)
    const row = account === undefined ? 0 : findOrder(venue, account, order)
    return row === 0 ? undefined : recordOf(venue, row)
  },
  'open-orders': (venue, ask) => {
    const account = venue.accounts.byUid(ask.uid)
    return account === undefined ? [] : openOrders(venue, account, ask.interface, ask.category, ask.instrument)
  },
  trigger: (venue, { uid, order }) => {
    const account = venue.accounts.byUid(uid)
    const row = account === undefined ? 0 : findTrigger(venue, account, order)
    return row === 0 ? undefined : triggerRecord(venue, row)
  },
  triggers: (venue, ask) => {
    const account = venue.accounts.byUid(ask.uid)
    return account === undefined ? [] : [...triggersOf(venue, account, ask)].map((row) => triggerRecord(venue, row))
  },
  depth: (venue, { instrument, limit }) => depthView(venue, instrument, limit),
  'book-sequence': (venue, { instrument }) => venue.bookSequence(instrument),
  'index-prices': (venue) => venue.catalog.coins.map(({ id }) => venue.prices.usdE8(id)),
  prices: (venue, { instrument }) => pricesView(venue, instrument),
  'margin-account': (venue, { uid, coin }) => {
    const record = venue.catalog.coins[coin]
    const account = venue.accounts.byUid(uid)
    const { dailyInterestRate, marginLeverageMax } = record
    const none = { borrowable: zero, transferable: zero, dailyInterestRate, leverage: marginLeverageMax }
    if (account === undefined) return none
    const wallet = readingWallet(account, 'v2', 'MARGIN') as MarginWallet
    return {
      borrowable: borrowable(venue, account, wallet, record),
      transferable: maxAmount(zero, transferable(venue, account, wallet, coin)),
      dailyInterestRate,
      leverage: coinLeverage(venue, account, record),
    }
  },
  'margin-standing': (venue, ask) => marginStanding(venue, ask.uid, ask.interface),
  'union-standing': (venue, { uid }) => unionStandingView(venue, uid),
  lending: (venue, { coin }) => ({ lent: lentOut(venue, coin), levels: venue.settings.margin }),
  collateral: (venue, { uid }) => {
    const choice = venue.accounts.byUid(uid)?.collateral ?? 'all'
    const coins = collateralCoins(venue, choice)
    return { choice: choice === 'all' || choice === 'mainstream' ? choice : 'custom', coins }
  },
  'daily-orders': (venue) => {
    const mains = venue.accounts.all().filter((account) => account.kind === 'main')
    const counts = mains.map((account) => venue.accounts.ordersToday(account, venue.at))
    return {
      total: counts.reduce((sum, count) => sum + count, 0),
      highest: counts.reduce((most, count) => Math.max(most, count), 0),
    }
  },
  'adl-ranks': (venue, { uid, interface: version, line }) => {
    const account = venue.accounts.byUid(uid)
    return account === undefined ? [] : adlRanks(venue, account, version, line)
  },
  'max-open': (venue, ask) => maxOpen(venue, ask),
  'leverage-preview': leveragePreview,
  'coin-leverage-preview': coinLeveragePreview,
  'open-count': (venue, { instrument, ...ask }) => openCount(venue, instrument, ask),
  settings: ({ settings: { risk }, prices: { settings } }) => ({
    risk,
    pricing: {
      ...settings,
      indexAgeMsMax: [...settings.indexAgeMsMax],
      impactNotional: [...settings.impactNotional],
    },
  }),
  'insurance-fund': (venue, { coin }) => venue.ledger.houseBalance('insurance', coin),
  'insurance-funds': (venue) =>
    venue.catalog.coins.map(({ id }) => ({
      coin: id,
      balance: venue.ledger.houseBalance('insurance', id),
      highest: amount(venue.ledger.peaks[id] ?? 0n),
      deleveraging: isDeleveraging(venue, id),
    })),
  'coin-sums': (venue) => coinSums(venue),
  reserves: (venue) => reserves(venue),
  verify: (venue) => verify(venue),
  explain: (venue, { subject }) => explain(venue, subject),
}

function accountView(venue: Reading, account: Account): AccountView {
  const { uid, kind, name, note, mode, stpMode, holdMode, broker, copyTrader, createdAt } = account
  const parentUid = kind === 'sub' ? venue.accounts.byHandle(account.main).uid : undefined
  const dailyOrders = venue.accounts.ordersToday(account, venue.at)
  return {
    uid,
    kind,
    parentUid,
    name,
    note,
    mode,
    stpMode,
    holdMode: { ...holdMode },
    broker,
    copyTrader,
    createdAt,
    boundAt: account.boundAt,
    updatedAt: account.updatedAt,
    frozen: account.frozen,
    permissions: account.permissions,
    dailyOrders,
  }
}

function balanceView(venue: Reading, account: Account, wallet: WalletType, coin: Coin): BalanceView {
  const row = venue.ledger.find(account.handle, wallet, coin.id)
  return {
    coin: coin.id,
    balance: venue.ledger.balanceOf(row),
    held: venue.ledger.heldOf(row),
    available: maxAmount(zero, spendable(venue, account, wallet, coin.id)),
    transferable: maxAmount(zero, transferable(venue, account, wallet, coin.id)),
    principal: venue.ledger.principal[row] as Amount,
    interest: amount(venue.ledger.interest[row] + pendingInterest(venue, row)),
  }
}

/** What a position that is open has paid. */
function feesOf(venue: Reading, account: Account, { wallet, instrument, side }: PositionView) {
  const exposure = venue.futures.find(account.handle, wallet, instrument)
  const position = exposure === undefined ? undefined : positionOf(exposure, side)
  return { openFees: position?.openFees ?? zero, closeFees: position?.closeFees ?? zero }
}

function depthView(venue: Reading, instrument: InstrumentId, limit: number): DepthView {
  const book = venue.book(instrument)
  const levels = (side: Side) => {
    const rows: [Ticks, Lots][] = []
    for (let price = bestPrice(book, side); price !== 0 && rows.length < limit; price = nextPrice(book, side, price)) {
      rows.push([price as Ticks, quantityAt(book, side, price) as Lots])
    }
    return rows
  }
  return { bids: levels('buy'), asks: levels('sell'), at: venue.at }
}

function pricesView(venue: Reading, id: InstrumentId): PricesView {
  const instrument = venue.instrument(id)
  const futures = isFutures(instrument) ? instrument : undefined
  return {
    instrument: id,
    lastPrice: venue.prices.lastPrice(id),
    markPrice: venue.prices.markPrice(id),
    indexPrice: venue.prices.indexPrice(id),
    fundingRate: futures === undefined ? rate(0n) : runningRate(venue, futures),
    nextFundingAt: futures === undefined ? 0 : nextFundingAt(futures, venue.at),
    openInterest: (venue.futures.openInterest[id] ?? 0) as Lots,
    frozen: freezeOf(venue, id),
  }
}
