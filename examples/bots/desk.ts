/**
 * What a careful bot does with orders, and what it knows of them: sent until somebody has heard, followed to their end, and the position
 * that they make.
 *
 * Orders    have our own id before they are sent. Whatever happened to a request, the same order is sent under the same id, so it
 *           can exist but once. What stays unknown is looked up
 * Position  is what our fills make it. Where the venue says something else for long enough, the venue is right
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Exchange, type ExchangeOptions } from './exchange.ts'

export interface DeskOptions extends ExchangeOptions {
  readonly symbol: string
}

export interface Order {
  readonly clientOid: string
  readonly side: 'buy' | 'sell'
  readonly size: number
  readonly price: number
  readonly timeInForce: 'gtc' | 'ioc'
  readonly reduceOnly?: boolean
}

/** What is known of an order: how much of it is filled, and whether that is its end. */
interface Known {
  readonly filled: number
  readonly isEnded: boolean
}

export const category = 'USDT-FUTURES'
/** Rows of a page. Small, so that there are pages. */
const pageRows = 1
const endings = ['filled', 'cancelled', 'canceled']
/** An order of this id exists already. */
const duplicateCodes = ['40786', '25212']
const sendsMax = 4

export class Desk {
  readonly exchange: Exchange
  protected readonly symbol: string
  /** As our fills make it; undefined: not known yet. */
  protected position: number | undefined
  /** How long what the venue says may be old. */
  protected readonly settleMs: number
  protected steps = { price: 0.1, size: 0.0001, min: 0.0001 }
  protected areStepsKnown = false
  readonly #known = new Map<string, Known>()
  #ids = 0

  constructor(options: DeskOptions) {
    this.exchange = new Exchange(options)
    this.symbol = options.symbol
    this.settleMs = Math.max(700, 4_000 * options.scale)
  }

  /**
   * Sends orders until the venue has said of each that it is there or is refused. The same id each time: it can exist but once.
   * False: one was refused or stays unknown.
   */
  protected async send(orders: readonly Order[]): Promise<boolean> {
    let left = orders
    for (let sends = 0; sends < sendsMax; sends += 1) {
      const rows = left.map((order) => this.body(order))
      const answer =
        rows.length === 1
          ? await this.exchange.post('/api/v3/trade/place-order', rows[0])
          : await this.exchange.post('/api/v3/trade/place-batch', rows)
      const outcomes = outcomesOf(answer, left)
      if (outcomes.some((outcome) => outcome === 'refused')) {
        this.areStepsKnown = false
        return false
      }
      left = left.filter((_, index) => outcomes[index] === 'unknown')
      if (left.length === 0) return true
      await this.afterUnknown(left)
    }
    return false
  }

  /** For those who do worse. */
  protected async afterUnknown(_orders: readonly Order[]): Promise<void> {}

  protected body({ clientOid, side, size, price, timeInForce, reduceOnly = false }: Order): object {
    return {
      category,
      symbol: this.symbol,
      side,
      orderType: 'limit',
      timeInForce,
      price: this.#text(price, this.steps.price),
      qty: this.#text(size, this.steps.size),
      clientOid,
      ...(reduceOnly && { reduceOnly: 'yes' }),
    }
  }

  protected async cancel(order: { readonly clientOid: string } | { readonly orderId: string }): Promise<Answer> {
    const body = { category, symbol: this.symbol, ...order }
    for (let sends = 1; ; sends += 1) {
      const answer = await this.exchange.post('/api/v3/trade/cancel-order', body)
      // Refused: it has ended, or it is not there yet. Who asks afterwards finds out.
      if (answer.kind !== 'unknown' || sends === sendsMax) return answer
    }
  }

  /** Follows an order to its end and counts what was filled. False: its end is not known. */
  protected async settle(order: Order): Promise<boolean> {
    const until = Date.now() + this.settleMs
    do {
      const known = this.#known.get(order.clientOid)
      if (known?.isEnded === true) {
        this.position! += order.side === 'buy' ? known.filled : -known.filled
        this.#known.delete(order.clientOid)
        return true
      }
      await this.#look(order)
      if (this.#known.get(order.clientOid)?.isEnded !== true) await sleep(60)
    } while (Date.now() < until)
    return false
  }

  async #look({ clientOid }: Order): Promise<void> {
    const answer = await this.exchange.get('/api/v3/trade/order-info', { clientOid })
    if (answer.kind === 'ok') this.note(answer.data as Readonly<Record<string, string>>)
  }

  /** What was filled never becomes less, and an end is an end, in whatever order news comes. */
  protected note({ clientOid, cumExecQty, orderStatus }: Readonly<Record<string, unknown>>): void {
    const before = this.#known.get(String(clientOid))
    this.#known.set(String(clientOid), {
      filled: Math.max(before?.filled ?? 0, Number(cumExecQty)),
      isEnded: before?.isEnded === true || endings.includes(String(orderStatus)),
    })
    if (this.#known.size > 1_000) this.#known.delete(this.#known.keys().next().value!)
  }

  protected isEnded({ clientOid }: Order): boolean {
    return this.#known.get(clientOid)?.isEnded === true
  }

  /** Nothing of ours is open between two rounds: whatever is there was forgotten by somebody, and goes. */
  protected async clearOrders(): Promise<boolean> {
    for (let looks = 0; looks < 5; looks += 1) {
      const open = await this.openOrders()
      if (open === undefined) return false
      if (open.length === 0) return true
      for (const { orderId } of open) await this.cancel({ orderId })
      await sleep(100)
    }
    return false
  }

  /** All pages, each row once: rows may shift from one page to the next. */
  protected async openOrders(): Promise<readonly { readonly orderId: string }[] | undefined> {
    const found = new Map<string, { readonly orderId: string }>()
    let cursor: string | null = null
    do {
      const query: Record<string, string> = {
        category,
        symbol: this.symbol,
        limit: String(pageRows),
        ...(cursor !== null && { cursor }),
      }
      const answer = await this.exchange.get('/api/v3/trade/unfilled-orders', query)
      if (answer.kind !== 'ok') return undefined
      const page = answer.data as {
        readonly list: readonly { readonly orderId: string }[] | null
        readonly cursor: string | null
      }
      for (const row of page.list ?? []) found.set(row.orderId, row)
      cursor = (page.list ?? []).length < pageRows ? null : page.cursor
    } while (cursor !== null && cursor !== '')
    return [...found.values()]
  }

  /** Ours and the venue's are the same; or the venue has said another one for long enough. */
  protected async agreeOnPosition(): Promise<boolean> {
    let since: { readonly held: number; readonly at: number } | undefined
    for (;;) {
      const held = await this.#positionHeld()
      if (held === undefined) return false
      if (this.position !== undefined && Math.abs(held - this.position) < this.steps.size / 2) return true
      if (since?.held !== held) since = { held, at: Date.now() }
      if (this.position === undefined || Date.now() - since.at >= this.settleMs) {
        this.position = held
        return true
      }
      await sleep(100)
    }
  }

  async #positionHeld(): Promise<number | undefined> {
    const answer = await this.exchange.get('/api/v3/position/current-position', { category, symbol: this.symbol })
    if (answer.kind !== 'ok') return undefined
    const { list } = answer.data as {
      readonly list: readonly { readonly posSide: string; readonly total: string }[] | null
    }
    return (list ?? []).reduce((sum, { posSide, total }) => sum + (posSide === 'short' ? -1 : 1) * Number(total), 0)
  }

  protected async learnSteps(): Promise<boolean> {
    const answer = await this.exchange.get('/api/v3/market/instruments', { category, symbol: this.symbol })
    if (answer.kind !== 'ok') return false
    const [found] = answer.data as readonly Readonly<Record<string, string>>[]
    if (found === undefined || found['status'] !== 'online') return false
    this.steps = {
      price: Number(found['priceMultiplier']),
      size: Number(found['quantityMultiplier']),
      min: Number(found['minOrderQty']),
    }
    this.areStepsKnown = true
    return true
  }

  protected newId(): string {
    this.#ids += 1
    return `m${Date.now().toString(36)}${process.pid.toString(36)}${this.#ids.toString(36)}`
  }

  protected priced(price: number): number {
    return Math.round(price / this.steps.price) * this.steps.price
  }

  #text(value: number, step: number): string {
    return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
  }
}

type Outcome = 'there' | 'refused' | 'unknown'

function outcomesOf(answer: Answer, orders: readonly Order[]): readonly Outcome[] {
  if (answer.kind === 'unknown') return orders.map(() => 'unknown')
  if (answer.kind === 'refused')
    return orders.map(() => (duplicateCodes.includes(answer.code) ? 'there' : refusalOf(answer.code)))
  const { data } = answer
  if (!Array.isArray(data)) return orders.map(() => 'there')
  return orders.map((_, index) => {
    const row = data[index] as { readonly code?: string | number } | undefined
    const code = String(row?.code ?? '00000')
    return code === '00000' || code === '0' || duplicateCodes.includes(code) ? 'there' : refusalOf(code)
  })
}

/** A venue that is too busy has not done it: it is sent again. */
function refusalOf(code: string): Outcome {
  return ['429', '40015', '40200'].includes(code) ? 'unknown' : 'refused'
}
