/**
 * What the account in session has: orders, trigger orders, positions, wallets, settings and its latest fills.
 *
 * Streams    tell what happened; each step of an order is a push, and one that has ended leaves the list
 * Reads      at the beginning, after each reconnection, and every two seconds for what only prices change (margin ratios,
 *            liquidation prices, equity), which the streams do not push; each kind no sooner again than the account can bear,
 *            for the venue takes only so many reads a second
 * TP/SL      take-profit and stop-loss of orders are read where the pushes leave them out
 * Profit     of open positions moves with the mark of their ticker between the reads
 */
import { computed, effect, signal, untracked } from '@preact/signals'
import {
  type ContractTerms,
  type Fill,
  isOpen,
  type Order,
  type OrderStep,
  type Position,
  type Settings,
  type Trigger,
  type Wallet,
} from '../venue/account-records.ts'
import type { Account } from '../venue/account.ts'
import type { Category } from '../venue/categories.ts'
import { type Instrument, isFutures } from '../venue/instruments.ts'
import type { SocketState } from '../venue/sockets.ts'
import { forgetCauses, noteCauses, withCauses } from './causes.ts'
import { loadRatios } from './collateral.ts'
import { atNextFrame } from './frames.ts'
import { currentInstrument, follow, instrumentNamed } from './market.ts'
import { endNoticesOf } from './notices.ts'
import { tellCancel, tellFills } from './telling.ts'

const readEveryMs = 2_000
const fillsMax = 100

export const orders = signal<ReadonlyMap<string, Order>>(new Map())
export const triggers = signal<readonly Trigger[]>([])
export const positions = signal<readonly Position[]>([])
export const wallets = signal<readonly Wallet[] | undefined>(undefined)
export const settings = signal<Settings | undefined>(undefined)
export const fills = signal<readonly Fill[]>([])
/** Of contracts that have been in view, by key. */
const contractTerms = signal<ReadonlyMap<string, ContractTerms>>(new Map())
/** Rises with every change of what has ended, so that histories in view read again. */
export const historyChanges = signal(0)
export const accountState = signal<SocketState>('closed')

interface Current {
  readonly account: Account
  readonly read: Record<'positions' | 'wallets' | 'triggers' | 'tpsl', () => void>
  readonly end: () => void
}

let current: Current | undefined

export function openAccount(account: Account, onRefused: (message: string) => void): void {
  const read = {
    positions: paced(account, readPositions),
    wallets: paced(account, readWallets),
    triggers: paced(account, readTriggers),
    tpsl: paced(account, readTpsl),
  }
  const readPositionsAndWallets = () => {
    read.positions()
    read.wallets()
  }
  const readEverything = () => {
    if (settings.value === undefined) void readSettings(account).catch(() => {})
    void readOrders(account).catch(() => {})
    void readFills(account).catch(() => {})
    read.triggers()
    readPositionsAndWallets()
  }
  const endStreams = account.watch({
    onState: (state) => {
      accountState.value = state
      if (state === 'open') readEverything()
    },
    onRefused,
    onOrders: takeOrders,
    onFills: takeFills,
    onPositions: takePositions,
    onWallets: read.wallets,
    onTriggers: read.triggers,
    onTpsl: read.tpsl,
  })
  const reading = setInterval(() => {
    if (!document.hidden && accountState.value === 'open') readPositionsAndWallets()
  }, readEveryMs)
  const stopFollowing = effect(() => follow(heldInstruments.value))
  const stopReadingTerms = effect(() => {
    const instrument = currentInstrument.value
    if (instrument !== undefined && isFutures(instrument)) untracked(() => void readTermsOnce(account, instrument))
  })
  current = {
    account,
    read,
    end: () => {
      clearInterval(reading)
      stopFollowing()
      stopReadingTerms()
      endStreams()
    },
  }
  void loadRatios().catch(() => {}) // without them the preview counts every coin in full
  void readSettings(account).catch(() => {}) // with the connection they are read again
}

export function closeAccount(): void {
  current?.end()
  current = undefined
  orders.value = new Map()
  triggers.value = []
  positions.value = []
  fills.value = []
  forgetCauses()
  wallets.value = undefined
  settings.value = undefined
  contractTerms.value = new Map()
  chosenTerms.value = new Map()
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

/** What an act has changed and no push may tell. */
export function readAnew(kind: 'positions' | 'wallets'): void {
  current?.read[kind]()
}

async function readOrders(account: Account): Promise<void> {
  const found = await account.orders()
  if (isCurrent(account)) orders.value = new Map(found.map((order) => [order.id, order]))
}

/** Of orders that are known to be open: what the read says of others may be older than the pushes. */
async function readTpsl(account: Account): Promise<void> {
  const found = await account.orders()
  if (!isCurrent(account)) return
  const next = new Map(orders.value)
  for (const { id, takeProfit, stopLoss } of found) {
    const known = next.get(id)
    if (known !== undefined) next.set(id, { ...known, takeProfit, stopLoss })
  }
  orders.value = next
}

async function readTriggers(account: Account): Promise<void> {
  const found = await account.triggers()
  if (isCurrent(account)) triggers.value = found.sort((a, b) => b.createdAt - a.createdAt)
}

/** At once, then not again for a while, however often it is asked for; a failure is made good by the next. */
function paced(account: Account, read: (account: Account) => Promise<void>): () => void {
  let waiting = false
  let lastAt = 0
  return () => {
    if (waiting) return
    waiting = true
    setTimeout(
      () => {
        waiting = false
        lastAt = Date.now()
        void read(account).catch(() => {})
      },
      Math.max(0, lastAt + account.readAgainMs - Date.now()),
    )
  }
}

function takePositions(open: readonly Position[]): void {
  atNextFrame('positions', () => (positions.value = open))
}

async function readPositions(account: Account): Promise<void> {
  const found = await account.positions()
  if (isCurrent(account)) takePositions(found)
}

async function readWallets(account: Account): Promise<void> {
  const found = await account.holdings()
  if (isCurrent(account)) atNextFrame('wallets', () => (wallets.value = found))
}

export async function readSettings(account: Account): Promise<void> {
  const found = await account.settings()
  if (isCurrent(account)) settings.value = found
}

async function readTermsOnce(account: Account, instrument: Instrument): Promise<void> {
  if (!contractTerms.value.has(instrument.key)) await readTerms(account, instrument).catch(() => {})
}

export async function readTerms(account: Account, instrument: Instrument): Promise<void> {
  const found = await account.contractTerms(instrument)
  if (isCurrent(account)) contractTerms.value = new Map(contractTerms.value).set(instrument.key, found)
}

async function readFills(account: Account): Promise<void> {
  const page = await account.fills(undefined)
  if (!isCurrent(account)) return
  const read = new Set(page.rows.map(({ id }) => id))
  // What was pushed meanwhile stays.
  fills.value = [...fills.value.filter(({ id }) => !read.has(id)), ...page.rows].slice(0, fillsMax)
  await withCauses(account, page, ({ at }) => at)
}

function takeOrders(steps: readonly OrderStep[]): void {
  noteCauses(steps)
  const next = new Map(orders.value)
  for (const step of steps) {
    const before = next.get(step.id)
    const { takeProfit = before?.takeProfit ?? '', stopLoss = before?.stopLoss ?? '' } = step
    if (isOpen(step)) next.set(step.id, { ...step, takeProfit, stopLoss })
    else next.delete(step.id)
    if (!isOpen(step)) endNoticesOf(step.clientOid)
    if (step.status === 'canceled') tellCancel(step)
  }
  orders.value = next
  historyChanges.value++
}

/** One that comes twice is told once. */
function takeFills(found: readonly Fill[]): void {
  const known = new Set(fills.value.map(({ id }) => id))
  const news = found.filter(({ id }) => !known.has(id))
  if (news.length === 0) return
  fills.value = [...news.toReversed(), ...fills.value].slice(0, fillsMax)
  historyChanges.value++
  tellFills(news)
}

/**
 * The terms of the next order where their margin mode is another than the venue has: an order takes the mode along. Until then
 * the venue tells the leverage of the mode that it has, which in hedge mode is another.
 */
export const chosenTerms = signal<ReadonlyMap<string, ContractTerms>>(new Map())

export function leverageOf({ key }: Pick<Instrument, 'key'>): {
  readonly leverage: number
  readonly marginMode: ContractTerms['marginMode']
} {
  const found = contractTerms.value.get(key)
  const chosen = chosenTerms.value.get(key)
  const inForce = chosen === undefined || chosen.marginMode === found?.marginMode
  const { leverage, marginMode } = (inForce ? found : chosen) ?? unknownTerms
  return { leverage: Number(leverage), marginMode }
}

const unknownTerms: ContractTerms = { leverage: '1', marginMode: 'crossed' }

export function isHedge({ category }: Pick<Instrument, 'category'>): boolean {
  const found = settings.value?.holdModes.find(({ lines }) => lines.includes(category))
  return found?.mode === 'hedge_mode'
}

export function positionsOf({ category, symbol }: Pick<Instrument, 'category' | 'symbol'>): Position[] {
  return positions.value.filter((position) => position.category === category && position.symbol === symbol)
}

/** The take-profit and stop-loss that wait for a position, of the whole of it before those of a part; empty: none. */
export function tpslOf(position: Position): { readonly takeProfit: string; readonly stopLoss: string } {
  return tpslPrices(tpslTriggersOf(position))
}

/** Of the whole of it alone. */
export function wholeTpslOf(position: Position): Trigger[] {
  return tpslTriggersOf(position).filter(({ quantity }) => quantity === '')
}

export function tpslPrices(waiting: readonly Trigger[]): { readonly takeProfit: string; readonly stopLoss: string } {
  const first = (name: 'takeProfit' | 'stopLoss') => waiting.find((trigger) => trigger[name] !== '')?.[name] ?? ''
  return { takeProfit: first('takeProfit'), stopLoss: first('stopLoss') }
}

function tpslTriggersOf(position: Position): Trigger[] {
  const other = position.side === 'long' ? 'short' : 'long'
  return triggers.value
    .filter(
      ({ category, symbol, kind, posSide }) =>
        kind === 'tpsl' && category === position.category && symbol === position.symbol && posSide !== other,
    )
    .toSorted((a, b) => Number(a.quantity !== '') - Number(b.quantity !== ''))
}

export function sharesBook(category: Category, instrument: Instrument): boolean {
  const pair = (name: Category) => (name === 'MARGIN' ? 'SPOT' : name)
  return pair(category) === pair(instrument.category)
}

export function owes(): { coin: string; debt: string }[] {
  const coins = (wallets.value ?? []).flatMap((wallet) => wallet.coins)
  return coins.filter(({ debt }) => Number(debt) > 0).map(({ coin, debt }) => ({ coin, debt }))
}
