/**
 * A classic account, over v2: spot, cross margin and three futures lines, each with a wallet and calls of its own.
 *
 * Keys       read and trade by field (spot, margin, futures): what a key may not read is left out
 * Streams    orders, fills and positions are told in full, except what spot orders bring along and fills of cross margin:
 *            these are read when such an order comes, or fills; of wallets and triggers the streams tell that something has
 *            changed
 * Fills      numbers of fills rise over the whole venue, so that lists of several fields can be put together by them
 * Source     interface.md E3, E5, E7, E9, E11, E13; wire/client-endpoints.md §4; wire/websocket.md §4
 */
import { units, unitsText } from '../../numbers/decimal.ts'
import type {
  Account,
  AccountEvents,
  Offers,
  OrderChange,
  OrderDraft,
  OrderShape,
  Page,
  Relative,
  Room,
  RoomQuestion,
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
  type OrderStep,
  type Position,
  type Settings,
  type Trigger,
  type Wallet,
  type WalletName,
} from '../account-records.ts'
import { type Category, type FuturesLine, futuresLines, isFuturesLine } from '../categories.ts'
import { type Instrument, isFutures, loadInstruments } from '../instruments.ts'
import { loadTickers } from '../market-records.ts'
import type { Query } from '../query.ts'
import { type Caller, publicGet, VenueError } from '../rest.ts'
import { type Argument, VenueSocket } from '../sockets.ts'
import { sizeText } from './contracts.ts'
import * as futures from './futures-records.ts'
import { contractNamed, directionOf, offersOf, orderRequest } from './order-requests.ts'
import * as pairs from './pair-records.ts'

const listMax = 100
const pageSize = 50
/** Of one batch of cancels (E7). */
const batchMax = 50
/** The venue tells what the whole account is worth once a second. */
const worthEveryMs = 1_500

const futuresWallets = {
  'USDT-FUTURES': 'usdt_futures',
  'COIN-FUTURES': 'coin_futures',
  'USDC-FUTURES': 'usdc_futures',
} as const satisfies Record<FuturesLine, WalletName>
const subWallets: readonly WalletName[] = ['spot', 'crossed_margin', ...Object.values(futuresWallets)]

/** What a key needs to read, and to trade, in a category. */
const permissions: Readonly<Record<Category, string>> = {
  SPOT: 'spot_trade',
  MARGIN: 'margin_trade',
  'USDT-FUTURES': 'contract_trade',
  'COIN-FUTURES': 'contract_trade',
  'USDC-FUTURES': 'contract_trade',
}

interface Info {
  readonly userId: string
  /** Of a main account its own. */
  readonly parentId: number
  readonly authorities: readonly string[]
}

interface ContractSetting {
  readonly crossedMaxAvailable: string
  readonly isolatedMaxAvailable: string
  readonly crossedMarginLeverage: number
  readonly isolatedLongLever: number
  readonly marginMode: 'crossed' | 'isolated'
  readonly posMode: HoldMode
}

interface Failures {
  readonly failureList: readonly { readonly errorMsg: string; readonly errorCode?: string }[]
}

export async function openClassic(caller: Caller): Promise<Account> {
  const [info, instruments, contracts] = await Promise.all([
    caller.get<Info>('/api/v2/spot/account/info'),
    loadInstruments(),
    publicGet<{ symbol: string; volumePlace: string }[]>('/api/v2/mix/market/contracts', {
      productType: 'COIN-FUTURES',
    }),
  ])
  const decimals = new Map(contracts.map(({ symbol, volumePlace }) => [symbol, Number(volumePlace)]))
  return new ClassicAccount(caller, info, instruments, decimals)
}

class ClassicAccount implements Account {
  readonly uid: string
  readonly parentUid: string
  readonly mode = 'classic'
  readonly readOnly: boolean
  readonly wallets: readonly WalletName[]
  readonly repaysWith = 'amount'
  /** A read of one kind is a call for each field. */
  readonly readAgainMs = 1_200
  readonly #caller: Caller
  readonly #instruments: ReadonlyMap<string, Instrument>
  /** Of a size of a coin-margined contract, by symbol. */
  readonly #sizeDecimals: ReadonlyMap<string, number>
  /** Those that the key may read. */
  readonly #lines: readonly FuturesLine[]
  readonly #seesSpot: boolean
  readonly #seesMargin: boolean
  /** As the last read or push of each line had them. */
  readonly #positions = new Map<FuturesLine, readonly Position[]>()
  #worth: { readonly at: number; readonly byPart: ReadonlyMap<string, string> } = { at: 0, byPart: new Map() }

  constructor(
    caller: Caller,
    { userId, parentId, authorities }: Info,
    instruments: readonly Instrument[],
    sizeDecimals: ReadonlyMap<string, number>,
  ) {
    this.#caller = caller
    this.#instruments = new Map(instruments.map((one) => [one.key, one]))
    this.#sizeDecimals = sizeDecimals
    this.uid = userId
    this.parentUid = String(parentId) === userId ? '' : String(parentId)
    this.wallets = this.parentUid === '' ? [...subWallets, 'p2p'] : subWallets
    const sees = (category: Category) => authorities.includes('read') || authorities.includes(permissions[category])
    this.readOnly = !Object.values(permissions).some((permission) => authorities.includes(permission))
    this.#lines = futuresLines.filter(sees)
    this.#seesSpot = sees('SPOT')
    this.#seesMargin = sees('MARGIN')
  }

  walletOf(category: Category): WalletName {
    if (isFuturesLine(category)) return futuresWallets[category]
    return category === 'MARGIN' ? 'crossed_margin' : 'spot'
  }

  offers(instrument: Instrument, shape: OrderShape): Offers {
    const { kind, symbol } = instrument
    const coinStep = kind === 'inverse' ? 10n ** BigInt(8 - this.#decimalsOf(symbol)) : undefined
    return { ...offersOf(instrument, shape), coinStep }
  }

  // Streams

  watch(events: AccountEvents): () => void {
    const socket = new VenueSocket({
      path: '/v2/ws/private',
      login: () => this.#caller.login(),
      onRefused: events.onRefused,
      onState: events.onState,
    })
    const take = (arg: Argument, heard: (rows: readonly unknown[]) => void) =>
      socket.subscribe(arg, ({ data }) => heard(data))
    const all = { instId: 'default' }
    for (const line of this.#lines) {
      take({ instType: line, channel: 'orders', ...all }, (rows) =>
        events.onOrders(this.#read(line, rows as futures.OrderRecord[], this.#orderReader(line))),
      )
      take({ instType: line, channel: 'fill', ...all }, (rows) =>
        events.onFills(
          this.#read(line, rows as futures.FillRecord[], (one, row) => futures.pushedFillOf(line, one, row)),
        ),
      )
      take({ instType: line, channel: 'positions', ...all }, (rows) => {
        this.#keepPositions(line, rows as futures.PositionRecord[])
        events.onPositions(this.#allPositions())
      })
      take({ instType: line, channel: 'orders-algo', ...all }, events.onTriggers)
      take({ instType: line, channel: 'account', coin: 'default' }, events.onWallets)
    }
    if (this.#seesSpot) {
      take({ instType: 'SPOT', channel: 'orders', ...all }, (rows) =>
        this.#takeSpotOrders((rows as pairs.SpotPushRecord[]).map(pairs.spotStepOf), events),
      )
      take({ instType: 'SPOT', channel: 'fill', ...all }, (rows) =>
        events.onFills((rows as pairs.PairFillRecord[]).map((row) => pairs.pairFillOf('SPOT', row.symbol ?? '', row))),
      )
      take({ instType: 'SPOT', channel: 'orders-algo', ...all }, events.onTriggers)
      take({ instType: 'SPOT', channel: 'account', coin: 'default' }, events.onWallets)
    }
    if (this.#seesMargin) {
      take({ instType: 'MARGIN', channel: 'orders-crossed', ...all }, (rows) => {
        const steps = (rows as pairs.MarginOrderRecord[]).map(pairs.marginOrderOf)
        events.onOrders(steps)
        for (const { id, symbol, filled } of steps) {
          if (Number(filled) > 0) void this.#marginFillsOf(id, symbol).then(events.onFills, () => {})
        }
      })
      take({ instType: 'MARGIN', channel: 'account-crossed', coin: 'default' }, events.onWallets)
    }
    return () => socket.close()
  }

  #takeSpotOrders(steps: readonly OrderStep[], events: AccountEvents): void {
    events.onOrders(steps)
    for (const step of steps) {
      if (!isOpen(step) || step.createdAt !== step.updatedAt) continue
      const query = { orderId: step.id }
      void this.#caller.get<pairs.OpenSpotRecord[]>('/api/v2/spot/trade/unfilled-orders', query).then(
        (found) =>
          events.onOrders(found.map((record) => ({ ...pairs.openSpotOf(record), timeInForce: step.timeInForce }))),
        () => {}, // it is read again with the next connection
      )
    }
  }

  // Reads

  async settings(): Promise<Settings> {
    const modes = await Promise.all(
      this.#lines.map(async (line) => {
        const contract = this.#contractsOf(line)[0]
        return contract === undefined ? [] : [{ lines: [line], mode: (await this.#setting(contract)).posMode }]
      }),
    )
    return { holdModes: modes.flat(), stpMode: undefined, coinLeverages: [] }
  }

  async contractTerms(instrument: Instrument): Promise<ContractTerms> {
    const { marginMode, crossedMarginLeverage, isolatedLongLever } = await this.#setting(instrument)
    return { marginMode, leverage: String(marginMode === 'crossed' ? crossedMarginLeverage : isolatedLongLever) }
  }

  #setting(instrument: Instrument): Promise<ContractSetting> {
    return this.#caller.get('/api/v2/mix/account/account', contractNamed(instrument))
  }

  async orders(): Promise<Order[]> {
    const lists = await Promise.all([
      ...this.#lines.map(async (line) => {
        const path = '/api/v2/mix/order/orders-pending'
        const rows = await this.#everyPage(
          (query) => this.#entrusted<futures.OrderRecord>(path, { productType: line, ...query }),
          ({ orderId }) => orderId,
        )
        return this.#read(line, rows, this.#orderReader(line))
      }),
      this.#seesSpot
        ? this.#everyPage(
            (query) => this.#caller.get<pairs.OpenSpotRecord[]>('/api/v2/spot/trade/unfilled-orders', query),
            ({ orderId }) => orderId,
          ).then((rows) => rows.map(pairs.openSpotOf))
        : [],
      this.#seesMargin
        ? this.#everyPage(
            (query) => this.#marginOrders('/api/v2/margin/crossed/open-orders', query),
            ({ orderId }) => orderId,
          ).then((rows) => rows.map(pairs.marginOrderOf))
        : [],
    ])
    return lists.flat()
  }

  async triggers(): Promise<Trigger[]> {
    const lists = await Promise.all([
      ...this.#lines.flatMap((line) =>
        (['normal_plan', 'profit_loss'] as const).map(async (planType) => {
          const path = '/api/v2/mix/order/orders-plan-pending'
          const rows = await this.#everyPage(
            (query) => this.#entrusted<futures.PlanRecord>(path, { productType: line, planType, ...query }),
            ({ orderId }) => orderId,
          )
          return this.#read(line, rows, (one, row) =>
            futures.planOf(line, one, row, this.#entryPrice(line, row.symbol, row.posSide)),
          )
        }),
      ),
      this.#seesSpot
        ? this.#everyPage(
            async (query) =>
              (
                await this.#caller.get<{ orderList: pairs.SpotPlanRecord[] }>(
                  '/api/v2/spot/trade/current-plan-order',
                  query,
                )
              ).orderList,
            ({ orderId }) => orderId,
          ).then((rows) => rows.map(pairs.spotPlanOf))
        : [],
    ])
    return lists.flat()
  }

  async positions(): Promise<Position[]> {
    await Promise.all(
      this.#lines.map(async (line) => {
        const path = '/api/v2/mix/position/all-position'
        this.#keepPositions(line, await this.#caller.get<futures.PositionRecord[]>(path, { productType: line }))
      }),
    )
    return this.#allPositions()
  }

  async holdings(): Promise<Wallet[]> {
    const [worth, spot, margin, ...lines] = await Promise.all([
      this.#worthByPart(),
      this.#seesSpot ? this.#caller.get<pairs.SpotBalanceRecord[]>('/api/v2/account/funding-assets') : [],
      this.#seesMargin ? this.#marginWallet() : undefined,
      ...this.#lines.map(async (line): Promise<Wallet> => {
        const path = '/api/v2/mix/account/accounts'
        const records = await this.#caller.get<futures.AssetRecord[]>(path, { productType: line })
        const sum = records.reduce((total, { usdtEquity }) => total + units(usdtEquity), 0n)
        const coins = records.map(futures.futuresBalanceOf)
        return { name: futuresWallets[line], worth: unitsText(sum), coins }
      }),
    ])
    return [
      ...lines,
      ...(this.#seesSpot
        ? [{ name: 'spot', worth: worth.get('spot') ?? '', coins: spot.map(pairs.spotBalanceOf) } as const]
        : []),
      ...(margin === undefined ? [] : [{ ...margin, worth: worth.get('margin') ?? '' }]),
    ]
  }

  async #marginWallet(): Promise<Wallet> {
    const [records, { riskRateRatio }] = await Promise.all([
      this.#caller.get<pairs.MarginBalanceRecord[]>('/api/v2/margin/crossed/account/assets'),
      this.#caller.get<{ riskRateRatio: string }>('/api/v2/margin/crossed/account/risk-rate'),
    ])
    const standing = { initialMargin: '', maintenanceMargin: '', marginRatio: riskRateRatio }
    return { name: 'crossed_margin', worth: '', coins: records.map(pairs.marginBalanceOf), standing }
  }

  async #worthByPart(): Promise<ReadonlyMap<string, string>> {
    if (!this.#seesSpot || Date.now() - this.#worth.at < worthEveryMs) return this.#worth.byPart
    this.#worth = { ...this.#worth, at: Date.now() }
    const path = '/api/v2/account/all-account-balance'
    const parts = await this.#caller.get<{ accountType: string; usdtBalance: string }[]>(path)
    this.#worth = { at: Date.now(), byPart: new Map(parts.map((part) => [part.accountType, part.usdtBalance])) }
    return this.#worth.byPart
  }

  async room({ instrument, side, marginMode }: RoomQuestion): Promise<Room> {
    if (isFutures(instrument)) {
      const { crossedMaxAvailable, isolatedMaxAvailable } = await this.#setting(instrument)
      const available = units(marginMode === 'crossed' ? crossedMaxAvailable : isolatedMaxAvailable)
      return { available, withLoans: available, most: undefined }
    }
    const coin = side === 'buy' ? instrument.quote : instrument.base
    if (instrument.kind === 'spot') {
      const [found] = await this.#caller.get<{ available: string }[]>('/api/v2/spot/account/assets', { coin })
      const available = units(found?.available)
      return { available, withLoans: available, most: undefined }
    }
    const [found, borrowable] = await Promise.all([
      this.#caller.get<{ available: string }[]>('/api/v2/margin/crossed/account/assets', { coin }),
      this.mostBorrowable(coin),
    ])
    const available = units(found[0]?.available)
    return { available, withLoans: available + units(borrowable), most: undefined }
  }

  async ordersToday(): Promise<undefined> {
    return undefined
  }

  // Histories

  async endedOrders(category: Category, cursor: string | undefined): Promise<Page<Order>> {
    const query = { limit: pageSize, idLessThan: cursor }
    if (isFuturesLine(category)) {
      const path = '/api/v2/mix/order/orders-history'
      const rows = await this.#entrusted<futures.OrderRecord>(path, { productType: category, ...query })
      return pageOf(this.#read(category, rows, this.#orderReader(category)))
    }
    if (category === 'SPOT') {
      const rows = await this.#caller.get<pairs.EndedSpotRecord[]>('/api/v2/spot/trade/history-orders', query)
      return pageOf(rows.map(pairs.endedSpotOf))
    }
    const rows = await this.#marginOrders('/api/v2/margin/crossed/history-orders', query)
    return pageOf(rows.map(pairs.marginOrderOf))
  }

  async fills(cursor: string | undefined): Promise<Page<Fill>> {
    const query = { limit: pageSize, idLessThan: cursor }
    const lists = await Promise.all([
      ...this.#lines.map(async (line) => {
        const { fillList } = await this.#caller.get<{ fillList: futures.FillRecord[] }>('/api/v2/mix/order/fills', {
          productType: line,
          ...query,
        })
        return this.#read(line, fillList, (one, row) => futures.fillOf(line, one, row))
      }),
      this.#seesSpot
        ? this.#caller
            .get<pairs.PairFillRecord[]>('/api/v2/spot/trade/fills', query)
            .then((rows) => rows.map((row) => pairs.pairFillOf('SPOT', row.symbol ?? '', row)))
        : [],
      this.#seesMargin ? this.#marginFills(query) : [],
    ])
    return pageOf(
      lists
        .flat()
        .sort((a, b) => Number(b.id) - Number(a.id))
        .slice(0, pageSize),
    )
  }

  /** They do not say their symbol: their orders do. */
  async #marginFills(query: Query): Promise<Fill[]> {
    const path = '/api/v2/margin/crossed/fills'
    const { fills } = await this.#caller.get<{ fills: pairs.PairFillRecord[] }>(path, query)
    if (fills.length === 0) return []
    const newest = Math.max(...fills.map(({ orderId }) => Number(orderId)))
    const before = { idLessThan: String(newest + 1), limit: 500 }
    const orders = await Promise.all(
      ['open-orders', 'history-orders'].map((list) => this.#marginOrders(`/api/v2/margin/crossed/${list}`, before)),
    )
    const symbols = new Map(orders.flat().map(({ orderId, symbol = '' }) => [orderId, symbol]))
    return fills.map((row) => pairs.pairFillOf('MARGIN', symbols.get(row.orderId) ?? '', row))
  }

  async #marginFillsOf(orderId: string, symbol: string): Promise<Fill[]> {
    const path = '/api/v2/margin/crossed/fills'
    const { fills } = await this.#caller.get<{ fills: pairs.PairFillRecord[] }>(path, { orderId, symbol })
    return fills.map((row) => pairs.pairFillOf('MARGIN', symbol, row))
  }

  async closedPositions(category: Category, cursor: string | undefined): Promise<Page<ClosedPosition>> {
    if (!isFuturesLine(category)) return { rows: [], next: undefined }
    const { list, endId } = await this.#caller.get<{ list: futures.ClosedPositionRecord[]; endId: string }>(
      '/api/v2/mix/position/history-position',
      { productType: category, limit: pageSize, idLessThan: cursor },
    )
    const rows = this.#read(category, list, (one, row) => futures.closedPositionOf(category, one, row))
    return { rows, next: endId === '' ? undefined : endId }
  }

  async fundingPayments(category: Category): Promise<FundingPayment[]> {
    const { bills } = await this.#caller.get<{ bills: futures.BillRecord[] }>('/api/v2/mix/account/bill', {
      productType: category,
      businessType: 'contract_settle_fee',
      limit: 100,
    })
    return bills.map(futures.fundingPaymentOf)
  }

  // Orders

  async place(draft: OrderDraft): Promise<boolean> {
    const { instrument, price, trigger, posSide, reduces, side } = draft
    const closes = posSide ?? (side === 'sell' ? 'long' : 'short')
    const entry = reduces ? this.#entryPrice(instrument.category, instrument.symbol, closes) : undefined
    const at = units(entry ?? (price || trigger?.price || (await this.#markPrice(instrument))))
    const { path, body } = orderRequest(draft, this.#size(instrument, draft.quantity, at))
    const { orderId } = await this.#caller.post<{ readonly orderId?: string }>(path, body)
    return orderId === undefined
  }

  async cancel({ id: orderId, category, symbol }: Order): Promise<void> {
    const path = isFuturesLine(category)
      ? '/api/v2/mix/order/cancel-order'
      : category === 'SPOT'
        ? '/api/v2/spot/trade/cancel-order'
        : '/api/v2/margin/crossed/cancel-order'
    await this.#caller.post(path, { orderId, symbol, ...(isFuturesLine(category) ? { productType: category } : {}) })
  }

  async cancelTrigger({ id: orderId, category, symbol }: Trigger): Promise<void> {
    if (!isFuturesLine(category)) {
      await this.#caller.post('/api/v2/spot/trade/cancel-plan-order', { orderId })
      return
    }
    const body = { productType: category, symbol, orderIdList: [{ orderId }] }
    check(await this.#caller.post<Failures>('/api/v2/mix/order/cancel-plan-order', body))
  }

  async cancelAll(orders: readonly Order[], triggers: readonly Trigger[], symbol?: string): Promise<void> {
    const one = symbol === undefined ? {} : { symbol }
    const of = (list: readonly { category: Category }[], category: Category) =>
      list.some((row) => row.category === category)
    const cancel = async (path: string, body: object) => check(await this.#caller.post<Failures>(path, body))
    await Promise.all([
      ...futuresLines.flatMap((productType) => [
        ...(of(orders, productType) ? [cancel('/api/v2/mix/order/batch-cancel-orders', { productType, ...one })] : []),
        ...(of(triggers, productType) ? [cancel('/api/v2/mix/order/cancel-plan-order', { productType, ...one })] : []),
      ]),
      ...(of(triggers, 'SPOT')
        ? [cancel('/api/v2/spot/trade/batch-cancel-plan-order', symbol === undefined ? {} : { symbolList: [symbol] })]
        : []),
      ...batches(orders.filter(({ category }) => category === 'SPOT')).map((batch) =>
        cancel('/api/v2/spot/trade/batch-cancel-order', {
          batchMode: 'multiple',
          orderList: batch.map((order) => ({ orderId: order.id, symbol: order.symbol })),
        }),
      ),
      ...[
        ...Map.groupBy(
          orders.filter(({ category }) => category === 'MARGIN'),
          (order) => order.symbol,
        ),
      ].flatMap(([pair, found]) =>
        batches(found).map((batch) =>
          cancel('/api/v2/margin/crossed/batch-cancel-order', {
            symbol: pair,
            orderIdList: batch.map(({ id: orderId }) => ({ orderId })),
          }),
        ),
      ),
    ])
  }

  /** A new price or quantity is a new order for what is left. */
  async change(order: Order, { price, quantity, takeProfit, stopLoss }: OrderChange): Promise<void> {
    const { id: orderId, category, symbol } = order
    const left = unitsText(units(quantity ?? order.quantity) - units(order.filled))
    const newClientOid = `${order.clientOid.slice(0, 20)}-${Date.now().toString(36)}`
    if (!isFuturesLine(category)) {
      await this.#caller.post('/api/v2/spot/trade/cancel-replace-order', {
        orderId,
        symbol,
        price: price ?? order.price,
        size: left,
        newClientOid,
        ...(takeProfit === undefined ? {} : { presetTakeProfitPrice: takeProfit }),
        ...(stopLoss === undefined ? {} : { presetStopLossPrice: stopLoss }),
      })
      return
    }
    const instrument = this.#instrument(category, symbol)
    const at = units(this.#closedEntry(order) ?? price ?? order.price)
    const replaces = price !== undefined || quantity !== undefined
    await this.#caller.post('/api/v2/mix/order/modify-order', {
      orderId,
      symbol,
      productType: category,
      ...(replaces ? { newClientOid } : {}),
      ...(price === undefined ? {} : { newPrice: price }),
      ...(quantity === undefined ? {} : { newSize: this.#size(instrument, left, at) }),
      ...(takeProfit === undefined ? {} : { newPresetStopSurplusPrice: takeProfit }),
      ...(stopLoss === undefined ? {} : { newPresetStopLossPrice: stopLoss }),
    })
  }

  async changeTrigger(trigger: Trigger, change: TriggerChange): Promise<void> {
    const { id: orderId, category, symbol, kind } = trigger
    const { triggerPrice, limitPrice, quantity, takeProfit, stopLoss } = { ...trigger, ...change }
    if (!isFuturesLine(category)) {
      await this.#caller.post('/api/v2/spot/trade/modify-plan-order', {
        orderId,
        triggerPrice,
        orderType: limitPrice === '' ? 'market' : 'limit',
        ...(limitPrice === '' ? {} : { executePrice: limitPrice }),
        size: quantity,
      })
      return
    }
    const instrument = this.#instrument(category, symbol)
    if (kind === 'tpsl') {
      const at = units(this.#entryPrice(category, symbol, trigger.posSide))
      await this.#caller.post('/api/v2/mix/order/modify-tpsl-order', {
        ...contractNamed(instrument),
        orderId,
        triggerPrice: takeProfit || stopLoss,
        ...(change.quantity === undefined ? {} : { size: this.#size(instrument, change.quantity, at) }),
      })
      return
    }
    const at = units(limitPrice || triggerPrice)
    await this.#caller.post('/api/v2/mix/order/modify-plan-order', {
      orderId,
      productType: category,
      ...(change.triggerPrice === undefined ? {} : { newTriggerPrice: triggerPrice }),
      ...(change.limitPrice === undefined ? {} : { newPrice: limitPrice }),
      ...(change.quantity === undefined ? {} : { newSize: this.#size(instrument, quantity, at) }),
      ...(change.takeProfit === undefined ? {} : { newStopSurplusTriggerPrice: takeProfit || '0' }),
      ...(change.stopLoss === undefined ? {} : { newStopLossTriggerPrice: stopLoss || '0' }),
    })
  }

  // Positions

  async close({ category, symbol, side, hedge }: Position): Promise<void> {
    const body = { productType: category, symbol, ...(hedge ? { holdSide: side } : {}) }
    check(await this.#caller.post<Failures>('/api/v2/mix/order/close-positions', body))
  }

  /** In one-way mode `side` is the order's, in hedge mode the direction of the position that is closed. */
  async reverse({ category, symbol, side, hedge }: Position, clientOid: () => string): Promise<void> {
    const away = side === 'long' ? 'sell' : 'buy'
    await this.#caller.post('/api/v2/mix/order/click-backhand', {
      ...contractNamed(this.#instrument(category, symbol)),
      ...(hedge ? { side: directionOf(side), tradeSide: 'close' } : { side: away }),
      clientOid: clientOid(),
    })
  }

  async changeMargin(
    { category, symbol, side, hedge }: Position,
    operation: 'add' | 'remove',
    amount: string,
  ): Promise<void> {
    await this.#caller.post('/api/v2/mix/account/set-margin', {
      ...contractNamed(this.#instrument(category, symbol)),
      ...(hedge ? { holdSide: side } : {}),
      amount: operation === 'add' ? amount : `-${amount}`,
    })
  }

  async guard(
    { category, symbol, side }: Position,
    { takeProfit, stopLoss }: { readonly takeProfit: string; readonly stopLoss: string },
  ): Promise<void> {
    await this.#caller.post('/api/v2/mix/order/place-pos-tpsl', {
      ...contractNamed(this.#instrument(category, symbol)),
      holdSide: side,
      ...(takeProfit === '' ? {} : { stopSurplusTriggerPrice: takeProfit }),
      ...(stopLoss === '' ? {} : { stopLossTriggerPrice: stopLoss }),
    })
  }

  /** The leverage acts on the margin mode in force: the mode first. */
  async setContractTerms(instrument: Instrument, { leverage, marginMode }: ContractTerms): Promise<void> {
    const named = contractNamed(instrument)
    const now = await this.contractTerms(instrument)
    if (now.marginMode !== marginMode) {
      await this.#caller.post('/api/v2/mix/account/set-margin-mode', { ...named, marginMode })
    }
    await this.#caller.post('/api/v2/mix/account/set-leverage', { ...named, leverage })
  }

  async setHoldMode(lines: readonly Category[], posMode: HoldMode): Promise<void> {
    for (const productType of lines) {
      await this.#caller.post('/api/v2/mix/account/set-position-mode', { productType, posMode })
    }
  }

  /** v2 keeps none: each order names its own. */
  async setStpMode(): Promise<void> {}

  // Money

  async relatives(): Promise<Relative[]> {
    if (this.parentUid !== '') return []
    const { subAccountList } = await this.#caller.get<{
      readonly subAccountList: readonly { subAccountUid: string; subAccountName: string; accountType: string }[]
    }>('/api/v2/user/virtual-subaccount-list', { limit: 100 })
    return subAccountList.map(({ subAccountUid: uid, subAccountName: name, accountType }) => {
      return { uid, name: name || uid, wallets: accountType === 'classic' ? subWallets : (['uta', 'spot'] as const) }
    })
  }

  /** Those of pairs and contracts that both wallets take: a futures wallet takes the margin coins of its line. */
  async transferableCoins(from: WalletName, to: WalletName): Promise<readonly string[]> {
    const taken = (wallet: WalletName): Set<string> => {
      const line = futuresLines.find((one) => futuresWallets[one] === wallet)
      const all = [...this.#instruments.values()]
      return new Set(
        line === undefined
          ? all.flatMap(({ base, settle, quote }) => (quote === 'USD' ? [base] : [base, settle]))
          : this.#contractsOf(line).map(({ settle }) => settle),
      )
    }
    const takes = taken(to)
    return [...taken(from)].filter((coin) => takes.has(coin)).sort(byUse)
  }

  async mostTransferable(wallet: WalletName, coin: string): Promise<string | undefined> {
    const line = futuresLines.find((one) => futuresWallets[one] === wallet)
    if (line !== undefined) {
      const path = '/api/v2/mix/account/accounts'
      const records = await this.#caller.get<futures.AssetRecord[]>(path, { productType: line })
      return records.find(({ marginCoin }) => marginCoin === coin)?.maxTransferOut ?? '0'
    }
    if (wallet === 'crossed_margin') {
      const path = '/api/v2/margin/crossed/account/max-transfer-out-amount'
      return (await this.#caller.get<{ maxTransferOutAmount: string }>(path, { coin })).maxTransferOutAmount
    }
    if (wallet !== 'spot') return undefined
    const [found] = await this.#caller.get<{ available: string }[]>('/api/v2/spot/account/assets', { coin })
    return found?.available ?? '0'
  }

  async transfer({ coin, amount, from, to, clientOid }: Transfer): Promise<void> {
    const common = { fromType: from.wallet, toType: to.wallet, amount, coin, clientOid }
    if (from.uid === to.uid && from.uid === this.uid) {
      await this.#caller.post('/api/v2/spot/wallet/transfer', common)
      return
    }
    const ends = { fromUserId: from.uid, toUserId: to.uid }
    await this.#caller.post('/api/v2/spot/wallet/subaccount-transfer', { ...common, ...ends })
  }

  borrowable(): readonly string[] {
    const margin = [...this.#instruments.values()].filter(({ kind }) => kind === 'margin')
    return this.#seesMargin ? [...new Set(margin.flatMap(({ base, quote }) => [quote, base]))].sort(byUse) : []
  }

  async mostBorrowable(coin: string): Promise<string> {
    const path = '/api/v2/margin/crossed/account/max-borrowable-amount'
    return (await this.#caller.get<{ maxBorrowableAmount: string }>(path, { coin })).maxBorrowableAmount
  }

  async borrow(coin: string, borrowAmount: string): Promise<void> {
    await this.#caller.post('/api/v2/margin/crossed/account/borrow', { coin, borrowAmount })
  }

  async setCoinLeverage(): Promise<void> {
    throw new VenueError('40812', 'the leverage of borrowing cannot be chosen')
  }

  async repay(coin: string, repayAmount: string): Promise<string> {
    const path = '/api/v2/margin/crossed/account/repay'
    const repaid = await this.#caller.post<{ repayAmount: string; remainDebtAmount: string }>(path, {
      coin,
      repayAmount,
    })
    return `Repaid ${repaid.repayAmount} ${coin}, ${repaid.remainDebtAmount} are left`
  }

  async interestDueAt(): Promise<undefined> {
    return undefined
  }

  // Reading

  #instrument(category: Category, symbol: string): Instrument {
    const found = this.#instruments.get(`${category}/${symbol}`)
    if (found === undefined) throw new Error(`${symbol} was listed after the page was loaded: load it anew`)
    return found
  }

  #contractsOf(line: FuturesLine): Instrument[] {
    return [...this.#instruments.values()].filter(({ category }) => category === line)
  }

  /** Records of instruments that the page knows. */
  #read<Record extends { readonly symbol?: string; readonly instId?: string }, T>(
    line: FuturesLine,
    rows: readonly Record[],
    read: (instrument: Instrument, row: Record) => T,
  ): T[] {
    return rows.flatMap((row) => {
      const instrument = this.#instruments.get(`${line}/${futures.symbolOf(row)}`)
      return instrument === undefined ? [] : [read(instrument, row)]
    })
  }

  #orderReader(line: FuturesLine) {
    return (instrument: Instrument, row: futures.OrderRecord): Order => {
      const closes = row.posSide === 'net' ? (row.side === 'sell' ? 'long' : 'short') : row.posSide
      return futures.orderOf(line, instrument, row, this.#entryPrice(line, instrument.symbol, closes))
    }
  }

  #keepPositions(line: FuturesLine, rows: readonly futures.PositionRecord[]): void {
    this.#positions.set(
      line,
      this.#read(line, rows, (one, row) => futures.positionOf(line, one, row)),
    )
  }

  #allPositions(): Position[] {
    return [...this.#positions.values()].flat()
  }

  /** `side` empty: whichever is there. */
  #entryPrice(category: Category, symbol: string, side: string): string | undefined {
    return this.#allPositions().find(
      (one) => one.category === category && one.symbol === symbol && (side === '' || one.side === side),
    )?.entryPrice
  }

  /** Of the position that an order closes. */
  #closedEntry({ category, symbol, side, posSide, reduceOnly }: Order): string | undefined {
    const closes = side === 'sell' ? 'long' : 'short'
    return reduceOnly || posSide === closes ? this.#entryPrice(category, symbol, closes) : undefined
  }

  #size(instrument: Instrument, quantity: string, price: bigint): string {
    return sizeText(instrument, quantity, price, this.#decimalsOf(instrument.symbol))
  }

  #decimalsOf(symbol: string): number {
    return this.#sizeDecimals.get(symbol) ?? 8
  }

  /** Of a coin-margined contract; nothing else is turned at a price. */
  async #markPrice({ kind, category, key }: Instrument): Promise<string> {
    if (kind !== 'inverse') return '0'
    return new Map(await loadTickers(category)).get(key)?.mark ?? '0'
  }

  async #entrusted<Record>(path: string, query: Query): Promise<Record[]> {
    return (await this.#caller.get<{ entrustedList: Record[] | null }>(path, query)).entrustedList ?? []
  }

  async #marginOrders(path: string, query: Query): Promise<pairs.MarginOrderRecord[]> {
    return (await this.#caller.get<{ orderList: pairs.MarginOrderRecord[] }>(path, query)).orderList
  }

  async #everyPage<Row>(read: (query: Query) => Promise<Row[]>, idOf: (row: Row) => string): Promise<Row[]> {
    const found: Row[] = []
    for (;;) {
      const last = found.at(-1)
      const page = await read({ limit: listMax, idLessThan: last && idOf(last) })
      found.push(...page)
      if (page.length < listMax) return found
    }
  }
}

/** A whole page may not be the last one. */
function pageOf<T extends { readonly id: string }>(rows: readonly T[]): Page<T> {
  return { rows, next: rows.length < pageSize ? undefined : rows.at(-1)?.id }
}

function batches<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / batchMax)
  return Array.from({ length: count }, (_, index) => rows.slice(index * batchMax, (index + 1) * batchMax))
}

/** The first failure of a batch is the failure. */
function check({ failureList }: Failures): void {
  const [first] = failureList
  if (first !== undefined) throw new VenueError(first.errorCode ?? '', first.errorMsg)
}

/** Dollars first. */
function byUse(a: string, b: string): number {
  const rank = (coin: string) => (coin === 'USDT' ? 0 : coin === 'USDC' ? 1 : 2)
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}
