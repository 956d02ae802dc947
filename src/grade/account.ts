/**
 * The account of the bot over time, from the journal: positions and open orders between one change and the next.
 *
 * Positions  what was bought less what was sold, of each symbol: fills of every kind count, a liquidation's too
 * Orders     from `order-accepted` to `order-ended`; trigger orders from `trigger-accepted` to `trigger-ended`
 * Begins     flat and without orders, as demo accounts do
 */
import type { Evidence, JournalLine } from './evidence.ts'

export interface OpenOrder {
  readonly orderId: string
  readonly clientOid: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** In quote coin; of a trigger order what triggers it. Zero: at market. */
  readonly price: number
  /** In base coin, what is left of it. */
  readonly quantity: number
  readonly isTrigger: boolean
  readonly since: number
}

export interface AccountState {
  readonly from: number
  readonly until: number
  /** By symbol, in base coin, short ones negative; those that are not zero. */
  readonly positions: Readonly<Record<string, number>>
  readonly orders: readonly OpenOrder[]
}

/** Oldest first, without gaps up to the end of the run. */
export function accountStates(evidence: Evidence): readonly AccountState[] {
  const account = new Account(evidence)
  const states: AccountState[] = []
  let from = evidence.journal[0]?.at ?? evidence.warm
  for (const line of evidence.journal) {
    const before = account.shown()
    account.take(line)
    if (line.at > from) states.push({ from, until: line.at, ...before })
    from = line.at
  }
  states.push({ from, until: Math.max(from, evidence.ended), ...account.shown() })
  return states
}

/** As it stands after these lines. */
export function accountNow(evidence: Evidence): Pick<AccountState, 'positions' | 'orders'> {
  const account = new Account(evidence)
  for (const line of evidence.journal) account.take(line)
  return account.shown()
}

interface Order extends OpenOrder {
  readonly lots: number
}

class Account {
  readonly #evidence: Pick<Evidence, 'uid' | 'steps'>
  readonly #lots = new Map<string, number>()
  #orders = new Map<string, Order>()

  constructor(evidence: Pick<Evidence, 'uid' | 'steps'>) {
    this.#evidence = evidence
  }

  shown(): Pick<AccountState, 'positions' | 'orders'> {
    const positions = [...this.#lots].flatMap(([symbol, lots]): [string, number][] => {
      return lots === 0 ? [] : [[symbol, lots * this.#steps(symbol).quantity]]
    })
    const orders = [...this.#orders.values()].map(({ lots, ...order }) => {
      return { ...order, quantity: lots * this.#steps(order.symbol).quantity }
    })
    return { positions: Object.fromEntries(positions), orders }
  }

  take(line: JournalLine): void {
    for (const event of line.events) {
      const ofOthers = event['uid'] !== undefined && event['uid'] !== this.#evidence.uid
      if (!ofOthers) this.#see(event, line)
    }
  }

  #see(event: JournalLine['events'][number], line: JournalLine): void {
    if (event.kind === 'fill') this.#fill(event)
    else if (event.kind === 'order-accepted' || event.kind === 'trigger-accepted') this.#accept(event, line)
    else if (event.kind === 'order-amended') this.#amend(event, line)
    else if (event.kind === 'order-cut') this.#lessen(String(event['orderId']), Number(event['cut']))
    else if (event.kind === 'order-ended') this.#end(event['order'])
    else if (event.kind === 'trigger-ended') this.#end(event['trigger'])
  }

  #fill(event: Readonly<Record<string, unknown>>): void {
    const symbol = String(event['symbol'])
    const lots = Number(event['quantity'])
    if (event['effect'] !== 'spot') {
      this.#lots.set(symbol, (this.#lots.get(symbol) ?? 0) + (event['bookSide'] === 'buy' ? lots : -lots))
    }
    this.#lessen(String(event['orderId']), lots)
  }

  /** What rests is what the command asked for; fills of the same line are counted already, since they came first. */
  #accept(event: Readonly<Record<string, unknown>>, { at, command, events }: JournalLine): void {
    const orderId = String(event['orderId'])
    const symbol = textOf(command['symbol'])
    const isTrigger = event['kind'] === 'trigger-accepted'
    const asked = (command['quantity'] as { readonly lots?: number } | undefined)?.lots ?? 0
    const filled = events
      .filter(({ kind, orderId: of }) => kind === 'fill' && String(of) === orderId)
      .reduce((sum, fill) => sum + Number(fill['quantity']), 0)
    const ticks = Number((isTrigger ? command['trigger'] : command['price']) ?? 0)
    this.#orders.set(orderId, {
      orderId,
      clientOid: textOf(command['clientOid']),
      symbol,
      side: command['side'] === 'sell' ? 'sell' : 'buy',
      price: ticks * this.#steps(symbol).price,
      quantity: 0,
      lots: asked - filled,
      isTrigger,
      since: at,
    })
  }

  #amend(event: Readonly<Record<string, unknown>>, { command }: JournalLine): void {
    const order = this.#orders.get(String(event['orderId']))
    if (order === undefined) return
    const price =
      command['price'] === undefined ? order.price : Number(command['price']) * this.#steps(order.symbol).price
    const lots = typeof command['quantity'] === 'number' ? command['quantity'] : order.lots
    this.#orders.set(order.orderId, { ...order, price, lots })
  }

  #lessen(orderId: string, lots: number): void {
    const order = this.#orders.get(orderId)
    if (order !== undefined) this.#orders.set(orderId, { ...order, lots: order.lots - lots })
  }

  #end(ended: unknown): void {
    const { orderId, uid } = ended as { readonly orderId: number | string; readonly uid: number }
    if (uid === this.#evidence.uid) this.#orders.delete(String(orderId))
  }

  #steps(symbol: string): Evidence['steps'][string] {
    return this.#evidence.steps[symbol] ?? { price: 1, quantity: 1 }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
