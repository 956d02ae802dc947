/**
 * What the account in session has: orders, trigger orders, positions, balances, settings and its latest fills.
 *
 * Streams    tell what happened; each step of an order is a push, and one that has ended leaves the list
 * Reads      at the beginning, after each reconnection, and every two seconds for what only prices change (margin ratios,
 *            liquidation prices, equity), which the streams do not push
 * Profit     of open positions moves with the mark of their ticker between the reads
 */
import { computed, effect, signal } from '@preact/signals'
import {
  type Assets,
  assetsOf,
  type AssetsRecord,
  type Fill,
  fillOf,
  type FillRecord,
  isOpen,
  type Order,
  orderOf,
  type OrderRecord,
  type Position,
  positionOf,
  type PositionRecord,
  type Settings,
  type Trigger,
  triggerOf,
  type TriggerRecord,
} from '../venue/account-records.ts'
import { categories, type Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { type Account, venueNow } from '../venue/rest.ts'
import { loginText } from '../venue/signing.ts'
import { type SocketState, VenueSocket } from '../venue/sockets.ts'
import { shown } from '../numbers/format.ts'
import { loadRatios } from './collateral.ts'
import { atNextFrame } from './frames.ts'
import { follow, instrumentNamed } from './market.ts'
import { notify } from './notices.ts'

const readEveryMs = 2_000
const readAgainMs = 600
const fillsMax = 100

export const orders = signal<ReadonlyMap<string, Order>>(new Map())
export const triggers = signal<readonly Trigger[]>([])
export const positions = signal<readonly Position[]>([])
export const assets = signal<Assets | undefined>(undefined)
export const settings = signal<Settings | undefined>(undefined)
export const fills = signal<readonly Fill[]>([])
/** Rises with every change of what has ended, so that histories in view read again. */
export const historyChanges = signal(0)
export const accountState = signal<SocketState>('closed')

let current: { readonly account: Account; readonly end: () => void } | undefined

export async function openAccount(
  account: Account,
  first: Settings,
  onRefused: (message: string) => void,
): Promise<void> {
  settings.value = first
  const socket = new VenueSocket({
    path: '/v3/ws/private',
    login: async () => {
      const timestamp = String(Math.floor(venueNow() / 1000))
      const { apiKey, passphrase } = account.credentials
      return { op: 'login', args: [{ apiKey, passphrase, timestamp, sign: await account.sign(loginText(timestamp)) }] }
    },
    onRefused,
    onState: (state) => {
      accountState.value = state
      if (state === 'open') void readEverything(account)
    },
  })
  const topics = {
    order: (rows: readonly unknown[]) => takeOrders(rows as OrderRecord[]),
    fill: (rows: readonly unknown[]) => takeFills(rows as FillRecord[]),
    position: (rows: readonly unknown[]) => takePositions(rows as PositionRecord[]),
    account: paced(() => readAssets(account)),
    'strategy-order': paced(() => readTriggers(account)),
  }
  for (const [topic, take] of Object.entries(topics)) {
    socket.subscribe({ instType: 'UTA', topic }, ({ data }) => take(data))
  }
  const reading = setInterval(() => {
    if (!document.hidden && accountState.value === 'open') void readWorth(account)
  }, readEveryMs)
  const stopFollowing = effect(() => follow(heldInstruments.value))
  current = {
    account,
    end: () => {
      clearInterval(reading)
      stopFollowing()
      socket.close()
    },
  }
  void loadRatios().catch(() => {}) // without them the preview counts every coin in full
  await readEverything(account).catch(() => {})
}

export function closeAccount(): void {
  current?.end()
  current = undefined
  orders.value = new Map()
  triggers.value = []
  positions.value = []
  fills.value = []
  assets.value = undefined
  settings.value = undefined
  chosenModes.value = new Map()
}

const heldKeys = computed(() =>
  [...new Set(positions.value.map(({ category, symbol }) => `${category}/${symbol}`))].join(),
)
/** Changes only when another set of contracts is held. */
const heldInstruments = computed<Instrument[]>(() =>
  heldKeys.value.split(',').flatMap((key) => instrumentNamed(key.split('/')[0] ?? '', key.split('/')[1] ?? '') ?? []),
)

function isCurrent(account: Account): boolean {
  return current?.account === account
}

async function readEverything(account: Account): Promise<void> {
  await Promise.all([readOrders(account), readTriggers(account), readWorth(account), readFills(account)])
}

async function readWorth(account: Account): Promise<void> {
  await Promise.all([readPositions(account), readAssets(account)]).catch(() => {}) // the next read comes soon
}

interface Page<T> {
  readonly list: readonly T[]
  readonly cursor: string | null
}

async function readOrders(account: Account): Promise<void> {
  const found = new Map<string, Order>()
  let cursor: string | undefined
  do {
    const page: Page<OrderRecord> = await account.get('/api/v3/trade/unfilled-orders', { limit: 100, cursor })
    for (const record of page.list) found.set(record.orderId, orderOf(record))
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
  if (isCurrent(account)) orders.value = found
}

async function readTriggers(account: Account): Promise<void> {
  const path = '/api/v3/trade/unfilled-strategy-orders'
  const lists = await Promise.all(categories.map((category) => account.get<TriggerRecord[]>(path, { category })))
  const found = lists.flat().map(triggerOf)
  if (isCurrent(account)) triggers.value = found.sort((a, b) => b.createdAt - a.createdAt)
}

/**
 * A read that pushes ask for: at once, then not again for a while, however many come; failures are made good by the next.
 * The venue takes only so many reads a second.
 */
function paced(read: () => Promise<void>): () => void {
  let waiting = false
  let lastAt = 0
  return () => {
    if (waiting) return
    waiting = true
    setTimeout(
      () => {
        waiting = false
        lastAt = Date.now()
        void read().catch(() => {})
      },
      Math.max(0, lastAt + readAgainMs - Date.now()),
    )
  }
}

/** Every push has all that are open, and tells those that have closed once. */
function takePositions(rows: readonly PositionRecord[]): void {
  const open = rows.filter(({ positionStatus }) => positionStatus !== 'ended').map(positionOf)
  atNextFrame('positions', () => (positions.value = open))
}

const lines = categories.filter((category) => category.endsWith('FUTURES'))

export async function readPositions(account: Account): Promise<void> {
  const path = '/api/v3/position/current-position'
  const lists = await Promise.all(
    lines.map((category) => account.get<{ list: readonly PositionRecord[] | null }>(path, { category })),
  )
  const found = lists.flatMap(({ list }) => list ?? []).map(positionOf)
  if (isCurrent(account)) atNextFrame('positions', () => (positions.value = found))
}

export async function readAssets(account: Account): Promise<void> {
  const record = await account.get<AssetsRecord>('/api/v3/account/assets')
  if (isCurrent(account)) atNextFrame('assets', () => (assets.value = assetsOf(record)))
}

export async function readSettings(account: Account): Promise<void> {
  const record = await account.get<Settings>('/api/v3/account/settings')
  if (isCurrent(account)) settings.value = record
}

async function readFills(account: Account): Promise<void> {
  const page = await account.get<Page<FillRecord>>('/api/v3/trade/fills', { limit: fillsMax })
  if (isCurrent(account)) fills.value = page.list.map(fillOf)
}

function takeOrders(rows: readonly OrderRecord[]): void {
  const next = new Map(orders.value)
  for (const row of rows) {
    const order = orderOf(row, next.get(row.orderId))
    if (isOpen(order)) next.set(order.id, order)
    else next.delete(order.id)
    if (order.status === 'cancelled') noteCancel(order)
  }
  orders.value = next
  historyChanges.value++
}

function noteCancel({ cancelReason, side, symbol }: Order): void {
  const reasons: Readonly<Record<string, string>> = {
    post_only_cancel: 'it would have taken liquidity',
    no_liquidity_cancel: 'nothing to trade with at its price',
    stp_cancel: 'it would have met your own order',
    reduce_only_cancel: 'it had nothing left to reduce',
    system_cancel: 'the venue had to',
  }
  const reason = reasons[cancelReason]
  if (reason !== undefined)
    notify('info', `${side === 'buy' ? 'Buy' : 'Sell'} ${symbol} canceled`, `Because ${reason}.`)
}

/** Fills of one order that come together are told together. */
function takeFills(rows: readonly FillRecord[]): void {
  const news = rows.map(fillOf)
  fills.value = [...news.reverse(), ...fills.value].slice(0, fillsMax)
  historyChanges.value++
  for (const fill of news) unsaid.push(fill)
  clearTimeout(saying)
  saying = setTimeout(sayFills, 120)
}

let unsaid: Fill[] = []
let saying: ReturnType<typeof setTimeout> | undefined

function sayFills(): void {
  const byOrder = Map.groupBy(unsaid, ({ orderId }) => orderId)
  unsaid = []
  for (const [fill, ...rest] of byOrder.values()) {
    if (fill === undefined) continue
    const all = [fill, ...rest]
    const quantity = all.reduce((sum, one) => sum + Number(one.quantity), 0)
    const price = all.reduce((sum, one) => sum + Number(one.price) * Number(one.quantity), 0) / quantity
    const one = instrumentNamed(fill.category, fill.symbol)
    const digits = one?.quantityPrecision ?? 4
    const said = `${shown(String(quantity), digits)} ${one?.quantityUnit ?? ''} at ${shown(String(price), one?.pricePrecision ?? 2)}`
    notify('good', `${fill.side === 'buy' ? 'Bought' : 'Sold'} ${fill.symbol}`, said)
  }
}

/** The margin mode of the next order where it is another than the venue has: v3 takes it with the order. */
export const chosenModes = signal<ReadonlyMap<string, 'crossed' | 'isolated'>>(new Map())

export function leverageOf({ category, symbol }: Pick<Instrument, 'category' | 'symbol'>): {
  readonly leverage: number
  readonly marginMode: 'crossed' | 'isolated'
} {
  const found = settings.value?.symbolConfigList.find((one) => one.category === category && one.symbol === symbol)
  const marginMode = chosenModes.value.get(`${category}/${symbol}`) ?? found?.marginMode ?? 'crossed'
  return { leverage: Number(found?.leverage ?? 1), marginMode }
}

export function isHedge(): boolean {
  return settings.value?.holdMode === 'hedge_mode'
}

export function positionsOf({ category, symbol }: Pick<Instrument, 'category' | 'symbol'>): Position[] {
  return positions.value.filter((one) => one.category === category && one.symbol === symbol)
}

export function sharesBook(category: Category, one: Instrument): boolean {
  const pair = (name: Category) => (name === 'MARGIN' ? 'SPOT' : name)
  return pair(category) === pair(one.category)
}
