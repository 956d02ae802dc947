/**
 * A unified or hybrid account, over v3; loans that are asked for go over v2, because v3 has no call for them.
 *
 * Streams   v3 tells fills and positions in full, orders without their take-profit and stop-loss. Of wallets and triggers it
 *           tells that something has changed
 * Source    interface.md E1, E2, E6, E9; wire/v3-endpoints.md
 */
import { fixedText, parseUnits, units, unitsText } from '../../numbers/decimal.ts'
import type {
  Account,
  AccountEvents,
  MaxOrder,
  MaxOrderQuery,
  OrderCapabilities,
  OrderChange,
  OrderDraft,
  Page,
  Relative,
  Tpsl,
  Transfer,
  TriggerChange,
} from '../account.ts'
import {
  type ClosedPosition,
  type ContractTerms,
  type Fill,
  type FundingPayment,
  type HoldMode,
  isOpen,
  type Order,
  type Position,
  type Settings,
  type Trigger,
  type Wallet,
  type WalletName,
} from '../account-records.ts'
import type { Bill, BillCategory } from '../bills.ts'
import { categories, type Category, futuresLines } from '../categories.ts'
import { type Chain, chainOf } from '../chain.ts'
import { type EquitySample, readEquity } from '../equity.ts'
import { type Instrument, isFutures } from '../instruments.ts'
import type { Query } from '../query.ts'
import { type Caller, VenueError } from '../rest.ts'
import { VenueSocket } from '../sockets.ts'
import {
  type AssetsRecord,
  closedPositionOf,
  type ClosedPositionRecord,
  fillOf,
  withFeeTurned,
  type FillRecord,
  type FundingAssetRecord,
  fundingWalletOf,
  orderOf,
  type OrderRecord,
  orderStepOf,
  positionOf,
  type PositionRecord,
  settingsOf,
  type SettingsRecord,
  triggerOf,
  type TriggerRecord,
  unifiedWalletOf,
} from './records.ts'
import { t } from '../../words/words.ts'

const pageSize = 50
/** Triggers are canceled one by one, as fast as the venue takes it. */
const cancelsPerSecond = 9

const unifiedMain: readonly WalletName[] = ['uta', 'spot', 'p2p']
const unifiedSub: readonly WalletName[] = ['uta', 'spot']
const classicWallets: readonly WalletName[] = ['usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin']

const allCapabilities: OrderCapabilities = {
  kinds: ['limit', 'market', 'trigger'],
  tpslBy: ['market', 'mark'],
  coinStep: undefined,
}

interface Listed<T> {
  readonly list: readonly T[]
  readonly cursor: string | null
}

interface Info {
  readonly parentId: string
  readonly permType: string
}

export async function openUnified(caller: Caller, settings: SettingsRecord): Promise<Account> {
  return new UnifiedAccount(caller, settings, await caller.get<Info>('/api/v3/account/info'))
}

class UnifiedAccount implements Account {
  readonly uid: string
  readonly parentUid: string
  readonly mode: string
  readonly readOnly: boolean
  readonly wallets: readonly WalletName[]
  readonly repaysWith = 'coins'
  readonly readAgainMs = 600
  readonly chain: Chain
  readonly #caller: Caller
  #settings: SettingsRecord

  constructor(caller: Caller, settings: SettingsRecord, { parentId, permType }: Info) {
    this.#caller = caller
    this.chain = chainOf(caller, 'v3')
    this.#settings = settings
    this.uid = settings.uid
    this.parentUid = parentId
    this.mode = settings.accountMode
    this.readOnly = permType === 'read-only'
    const isMain = parentId === ''
    this.wallets = isMain ? [...unifiedMain, ...(this.mode === 'hybrid' ? classicWallets : [])] : unifiedSub
  }

  walletOf(): WalletName {
    return 'uta'
  }

  orderCapabilities(): OrderCapabilities {
    return allCapabilities
  }

  watch(events: AccountEvents): () => void {
    const socket = new VenueSocket({
      path: '/v3/ws/private',
      login: () => this.#caller.login(),
      onRefused: events.onRefused,
      onState: events.onState,
    })
    const topics: Readonly<Record<string, (rows: readonly unknown[]) => void>> = {
      order: (rows) => {
        const steps = (rows as OrderRecord[]).map(orderStepOf)
        events.onOrders(steps)
        if (steps.some(isOpen)) events.onTpsl()
      },
      fill: (rows) => events.onFills((rows as FillRecord[]).map(fillOf)),
      // Every push has all that are open, and tells those that have closed once.
      position: (rows) => {
        const open = (rows as PositionRecord[]).filter(({ positionStatus }) => positionStatus !== 'ended')
        events.onPositions(open.map(positionOf))
      },
      account: events.onWallets,
      'strategy-order': events.onTriggers,
    }
    for (const [topic, take] of Object.entries(topics)) {
      socket.subscribe({ instType: 'UTA', topic }, ({ data }) => take(data))
    }
    return () => socket.close()
  }

  async settings(): Promise<Settings> {
    this.#settings = await this.#caller.get<SettingsRecord>('/api/v3/account/settings')
    return settingsOf(this.#settings)
  }

  async contractTerms({ category, symbol }: Instrument): Promise<ContractTerms> {
    const found = this.#settings.symbolConfigList.find(
      (config) => config.category === category && config.symbol === symbol,
    )
    const { leverage = '1', marginMode = 'crossed' } = found ?? {}
    // The page knows one for both sides: of two the lower, which promises no more than either takes.
    return { leverage: typeof leverage === 'string' ? leverage : lower(leverage), marginMode }
  }

  async orders(): Promise<Order[]> {
    const found: Order[] = []
    let cursor: string | undefined
    do {
      const query = { limit: 100, cursor }
      const page: Listed<OrderRecord> = await this.#caller.get('/api/v3/trade/unfilled-orders', query)
      found.push(...page.list.map(orderOf))
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined)
    return found
  }

  async triggers(): Promise<Trigger[]> {
    const path = '/api/v3/trade/unfilled-strategy-orders'
    const lists = await Promise.all(categories.map((category) => this.#caller.get<TriggerRecord[]>(path, { category })))
    return lists.flat().map(triggerOf)
  }

  async positions(): Promise<Position[]> {
    const path = '/api/v3/position/current-position'
    const lists = await Promise.all(
      futuresLines.map((category) => this.#caller.get<{ list: readonly PositionRecord[] | null }>(path, { category })),
    )
    return lists.flatMap(({ list }) => list ?? []).map(positionOf)
  }

  async holdings(): Promise<Wallet[]> {
    const [unified, funding] = await Promise.all([
      this.#caller.get<AssetsRecord>('/api/v3/account/assets'),
      this.#caller.get<FundingAssetRecord[]>('/api/v3/account/funding-assets'),
    ])
    return [unifiedWalletOf(unified), fundingWalletOf(funding)]
  }

  async maxOrder({ instrument, side, price }: MaxOrderQuery): Promise<MaxOrder> {
    const { category, symbol } = instrument
    const order = price === '' ? { orderType: 'market' } : { orderType: 'limit', price }
    const answer = await this.#caller.post<{
      readonly available: string
      readonly maxOpen: string
      readonly maxBuyOpen: string
      readonly maxSellOpen: string
    }>('/api/v3/account/max-open-available', { category, symbol, side, ...order })
    const available = units(answer.available)
    return {
      available,
      withLoans: isFutures(instrument) || answer.maxOpen === '' ? available : units(answer.maxOpen),
      most: isFutures(instrument) ? { buy: units(answer.maxBuyOpen), sell: units(answer.maxSellOpen) } : undefined,
    }
  }

  async ordersToday(): Promise<string> {
    return (await this.#caller.get<{ orderCount: string }>('/api/v3/account/order-count')).orderCount
  }

  endedOrders(category: Category, cursor: string | undefined): Promise<Page<Order>> {
    return this.#page<OrderRecord, Order>('/api/v3/trade/history-orders', { category, cursor }, orderOf)
  }

  async fills(cursor: string | undefined): Promise<Page<Fill>> {
    const page = await this.#read<FillRecord>('/api/v3/trade/fills', { cursor })
    // The dialect whose cursors are ids has fees negative when paid, sockets and the other one positive.
    const isLive = page.cursor !== null && page.cursor === page.list.at(-1)?.execId
    return shownPage(page, (row) => fillOf(isLive ? withFeeTurned(row) : row))
  }

  closedPositions(category: Category, cursor: string | undefined): Promise<Page<ClosedPosition>> {
    const path = '/api/v3/position/history-position'
    return this.#page<ClosedPositionRecord, ClosedPosition>(path, { category, cursor }, closedPositionOf)
  }

  async #page<Row, T>(path: string, query: Query, read: (row: Row) => T): Promise<Page<T>> {
    return shownPage(await this.#read<Row>(path, query), read)
  }

  #read<Row>(path: string, query: Query): Promise<Listed<Row>> {
    return this.#caller.get<Listed<Row>>(path, { ...query, limit: pageSize })
  }

  async fundingPayments(category: Category): Promise<FundingPayment[]> {
    const types = ['CONTRACT_MAIN_SETTLE_FEE_USER_IN', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT']
    const pages = await Promise.all(
      types.map((type) =>
        this.#caller.get<{ list: (Omit<FundingPayment, 'at'> & { readonly ts: string })[] }>(
          '/api/v3/account/financial-records',
          { category, type, limit: 100 },
        ),
      ),
    )
    const payments = pages.flatMap(({ list }) => list.map(({ ts, ...payment }) => ({ ...payment, at: Number(ts) })))
    return payments.sort((a, b) => b.at - a.at)
  }

  get billCategories(): readonly BillCategory[] {
    return [...categories, 'OTHER']
  }

  equity(from: number | undefined): Promise<EquitySample[]> {
    return readEquity(this.#caller, from)
  }

  bills(category: BillCategory, cursor: string | undefined): Promise<Page<Bill>> {
    return this.#page<Omit<Bill, 'at' | 'change'> & { readonly ts: string }, Bill>(
      '/api/v3/account/financial-records',
      { category, cursor },
      ({ id, symbol, coin, type, amount, fee, balance, ts }) => {
        return { id, symbol, coin, type, amount, fee, change: amount, balance, at: Number(ts) }
      },
    )
  }

  async place(draft: OrderDraft): Promise<boolean> {
    const path = draft.trigger === undefined ? '/api/v3/trade/place-order' : '/api/v3/trade/place-strategy-order'
    const { orderId } = await this.#caller.post<{ readonly orderId: string | null }>(path, orderBody(draft))
    return orderId === null
  }

  async placeAll(drafts: readonly OrderDraft[]): Promise<readonly VenueError[]> {
    const entries = await this.#caller.post<readonly { readonly code?: string; readonly msg?: string }[]>(
      '/api/v3/trade/place-batch',
      drafts.map(orderBody),
    )
    return entries.flatMap(({ code, msg = '' }) =>
      code === undefined || code === '00000' ? [] : new VenueError(code, msg),
    )
  }

  async cancel({ id, category, symbol }: Order): Promise<void> {
    await this.#caller.post('/api/v3/trade/cancel-order', { orderId: id, category, symbol })
  }

  async cancelTrigger({ id }: Trigger): Promise<void> {
    await this.#caller.post('/api/v3/trade/cancel-strategy-order', { orderId: id })
  }

  async cancelAll(orders: readonly Order[], triggers: readonly Trigger[], symbol?: string): Promise<void> {
    const path = '/api/v3/trade/cancel-symbol-order'
    const meant = [...new Set(orders.map(({ category }) => category))]
    await Promise.all(meant.map((category) => this.#caller.post(path, { category, ...(symbol && { symbol }) })))
    for (const [index, trigger] of triggers.entries()) {
      if (index > 0 && index % cancelsPerSecond === 0) await new Promise((resolve) => setTimeout(resolve, 1_100))
      await this.cancelTrigger(trigger)
    }
  }

  async change({ id, category, symbol }: Order, { quantity, ...change }: OrderChange): Promise<void> {
    const qty = quantity === undefined ? {} : { qty: quantity }
    await this.#caller.post('/api/v3/trade/modify-order', { orderId: id, category, symbol, ...change, ...qty })
  }

  async changeTrigger(
    { id, trailing }: Trigger,
    { quantity, limitPrice, callback, ...change }: TriggerChange,
  ): Promise<void> {
    const rate = trailing?.stopsPosition === true ? 'rangeRate' : 'callbackRatio'
    await this.#caller.post('/api/v3/trade/modify-strategy-order', {
      orderId: id,
      ...change,
      ...(quantity === undefined ? {} : { qty: quantity }),
      ...(limitPrice === undefined ? {} : { triggerOrderPrice: limitPrice }),
      ...(callback === undefined ? {} : { [rate]: callback }),
    })
  }

  async close(position: Position): Promise<void> {
    const { category, symbol } = position
    await this.#caller.post('/api/v3/trade/close-positions', { category, symbol, ...sideNamed(position) })
  }

  /** In one-way mode with one order of twice the size. */
  async reverse(position: Position, clientOid: () => string): Promise<void> {
    const { category, symbol, side, hedge, quantity } = position
    const path = '/api/v3/trade/place-order'
    const away = { category, symbol, side: side === 'long' ? 'sell' : 'buy', orderType: 'market' }
    if (!hedge) {
      await this.#caller.post(path, { ...away, qty: unitsText(units(quantity) * 2n), clientOid: clientOid() })
      return
    }
    const other = side === 'long' ? 'short' : 'long'
    await this.#caller.post(path, { ...away, qty: quantity, posSide: side, clientOid: clientOid() })
    await this.#caller.post(path, { ...away, qty: quantity, posSide: other, clientOid: clientOid() })
  }

  async changeMargin(position: Position, operation: 'add' | 'remove', amount: string): Promise<void> {
    const { category, symbol } = position
    const named = { category, symbol, ...sideNamed(position) }
    await this.#caller.post('/api/v3/account/set-margin', { ...named, operation, amount })
  }

  async setTpsl({ category, symbol, side }: Position, tpsl: { takeProfit: string; stopLoss: string }): Promise<void> {
    const prices = Object.fromEntries(Object.entries(tpsl).filter(([, text]) => text !== ''))
    const body = { category, symbol, type: 'tpsl', tpslMode: 'full', posSide: side, ...prices }
    await this.#caller.post('/api/v3/trade/place-strategy-order', body)
  }

  async setContractTerms({ category, symbol }: Instrument, terms: ContractTerms): Promise<void> {
    await this.#caller.post('/api/v3/account/set-leverage', { category, symbol, ...terms })
    await this.settings()
  }

  async setHoldMode(_lines: readonly Category[], holdMode: HoldMode): Promise<void> {
    await this.#caller.post('/api/v3/account/set-hold-mode', { holdMode })
  }

  async setStpMode(stpMode: string): Promise<void> {
    await this.#caller.post('/api/v3/account/set-stp-mode', { stpMode })
  }

  async relatives(): Promise<Relative[]> {
    if (this.parentUid !== '') {
      return [{ uid: this.parentUid, name: t.money.mainAccount, wallets: unifiedSub }]
    }
    const { list } = await this.#caller.get<{
      readonly list: readonly { readonly subUid: string; readonly username: string; readonly accountMode: string }[]
    }>('/api/v3/user/sub-list', { limit: 100 })
    return list.map(({ subUid: uid, username: name, accountMode }) => {
      return { uid, name: name || uid, wallets: accountMode === 'CLASSIC' ? ['spot', ...classicWallets] : unifiedSub }
    })
  }

  transferableCoins(fromType: WalletName, toType: WalletName): Promise<readonly string[]> {
    return this.#caller.get<string[]>('/api/v3/account/transferable-coins', { fromType, toType })
  }

  async mostTransferable(wallet: WalletName, coin: string): Promise<string | undefined> {
    if (wallet === 'uta') {
      return (await this.#caller.get<{ maxTransfer: string }>('/api/v3/account/max-transferable', { coin })).maxTransfer
    }
    if (wallet !== 'spot') return undefined
    const [found] = await this.#caller.get<FundingAssetRecord[]>('/api/v3/account/funding-assets', { coin })
    return found?.available ?? '0'
  }

  /** Between own wallets by one call, with a sub-account by another, and up from a sub-account by a third. */
  async transfer({ coin, amount, from, to, clientOid }: Transfer): Promise<void> {
    const common = { fromType: from.wallet, toType: to.wallet, amount, coin, clientOid }
    if (from.uid === to.uid && from.uid === this.uid) await this.#caller.post('/api/v3/account/transfer', common)
    else if (to.uid === this.parentUid) await this.#caller.post('/api/v3/account/sub-master-transfer', common)
    else {
      const ends = { fromUserId: from.uid, toUserId: to.uid }
      await this.#caller.post('/api/v3/account/sub-transfer', { ...common, ...ends })
    }
  }

  /** The unified wallet of a hybrid account borrows by its margin orders alone. */
  borrowable(): readonly string[] {
    return this.mode === 'hybrid' ? [] : this.#settings.coinConfigList.map(({ coin }) => coin)
  }

  async mostBorrowable(coin: string): Promise<string> {
    const path = '/api/v2/margin/crossed/account/max-borrowable-amount'
    return (await this.#caller.get<{ maxBorrowableAmount: string }>(path, { coin })).maxBorrowableAmount
  }

  async borrow(coin: string, borrowAmount: string): Promise<void> {
    await this.#caller.post('/api/v2/margin/crossed/account/borrow', { coin, borrowAmount })
  }

  async setCoinLeverage(coin: string, leverage: string): Promise<void> {
    await this.#caller.post('/api/v3/account/set-leverage', { category: 'MARGIN', coin, leverage })
  }

  async repay(coin: string, payment: string): Promise<string> {
    const body = { repayableCoinList: [coin], paymentCoinList: [payment] }
    const { repayAmount } = await this.#caller.post<{ repayAmount: string }>('/api/v3/account/repay', body)
    return t.told.repaid(fixedText(parseUnits(repayAmount) ?? 0n, 2))
  }

  async interestDueAt(): Promise<number | undefined> {
    const { interestPaymentTime } = await this.#caller.get<{ interestPaymentTime: string }>('/api/v3/trade/loan-data')
    return Number(interestPaymentTime) || undefined
  }
}

function lower([long, short]: readonly [long: string, short: string]): string {
  return Number(long) < Number(short) ? long : short
}

function sideNamed({ hedge, side }: Position): { posSide?: 'long' | 'short' } {
  return hedge ? { posSide: side } : {}
}

function orderBody(draft: OrderDraft): object {
  const { instrument, orderType, price, trigger, posSide, stpMode } = draft
  const futures = isFutures(instrument)
  const common = {
    category: instrument.category,
    symbol: instrument.symbol,
    side: draft.side,
    qty: draft.quantity,
    clientOid: draft.clientOid,
    ...(futures ? { marginMode: draft.marginMode } : {}),
    ...(posSide === undefined ? {} : { posSide }),
    ...(posSide === undefined && draft.reduces ? { reduceOnly: 'yes' } : {}),
    ...(stpMode === undefined ? {} : { stpMode }),
    ...tpslFields('tp', 'takeProfit', draft.takeProfit),
    ...tpslFields('sl', 'stopLoss', draft.stopLoss),
  }
  if (trigger === undefined) {
    return { ...common, orderType, ...(orderType === 'limit' ? { price, timeInForce: draft.timeInForce } : {}) }
  }
  return {
    ...common,
    type: 'trigger',
    triggerPrice: trigger.price,
    triggerBy: trigger.by,
    ...(trigger.callback === undefined ? {} : { callbackRatio: trigger.callback }),
    triggerOrderType: orderType,
    ...(orderType === 'limit' ? { triggerOrderPrice: price } : {}),
  }
}

function tpslFields(name: 'tp' | 'sl', long: 'takeProfit' | 'stopLoss', tpsl: Tpsl | undefined): object {
  if (tpsl === undefined) return {}
  const { price, by, limit } = tpsl
  const execution =
    limit === '' ? { [`${name}OrderType`]: 'market' } : { [`${name}OrderType`]: 'limit', [`${name}LimitPrice`]: limit }
  return { [long]: price, [`${name}TriggerBy`]: by, ...execution }
}

/** A page that is not full is the last one, whatever its cursor. */
function shownPage<Row, T>({ list, cursor }: Listed<Row>, read: (row: Row) => T): Page<T> {
  return { rows: list.map((row) => read(row)), next: list.length < pageSize ? undefined : (cursor ?? undefined) }
}
