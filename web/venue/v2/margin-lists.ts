/**
 * Orders and fills of cross margin. The venue tells them of one pair at a time, so that a list of all pairs asks each.
 *
 * Turns   a list may be asked ten times a second: with many pairs it takes its time, and who asks meanwhile shares the next
 * Order   newest first; numbers of orders and of fills rise over the whole venue
 * Since   the beginning: the venue cuts histories to 90 days, and what rests may be older
 * Source  wire/client-endpoints.md §4 "Cross margin"
 */
import type { Fill } from '../account-records.ts'
import type { Query } from '../query.ts'
import type { Caller } from '../rest.ts'
import { everyPage } from './every-page.ts'
import { type MarginOrderRecord, type PairFillRecord, pairFillOf } from './pair-records.ts'
import { SharedRead, Turns } from './turns.ts'

interface Answers {
  readonly 'open-orders': { readonly orderList: readonly MarginOrderRecord[] }
  readonly 'history-orders': { readonly orderList: readonly MarginOrderRecord[] }
  readonly fills: { readonly fills: readonly PairFillRecord[] }
}

const perSecond = 9
const pageSize = 50

export class MarginLists {
  readonly #caller: Caller
  readonly #symbols: readonly string[]
  readonly #turns = {
    'open-orders': new Turns(perSecond),
    'history-orders': new Turns(perSecond),
    fills: new Turns(perSecond),
  } as const
  readonly #newestEnded = new SharedRead(() => this.#ended(undefined))
  readonly #newestFills = new SharedRead(() => this.#fills(undefined))

  constructor(caller: Caller, symbols: readonly string[]) {
    this.#caller = caller
    this.#symbols = symbols
  }

  open(): Promise<MarginOrderRecord[]> {
    const read = async (query: Query) => (await this.#ask('open-orders', query)).orderList
    return this.#ofEach((symbol) => everyPage((query) => read({ symbol, ...query }), orderIdOf))
  }

  /** A page of orders that have ended, before the order with this number. */
  ended(before: string | undefined): Promise<MarginOrderRecord[]> {
    return before === undefined ? this.#newestEnded.get() : this.#ended(before)
  }

  /** A page of fills, before the fill with this number. */
  fills(before: string | undefined): Promise<Fill[]> {
    return before === undefined ? this.#newestFills.get() : this.#fills(before)
  }

  async fillsOf(orderId: string, symbol: string): Promise<Fill[]> {
    return fillsIn(symbol, await this.#ask('fills', { orderId, symbol }))
  }

  async #ended(idLessThan: string | undefined): Promise<MarginOrderRecord[]> {
    const query = { limit: pageSize, idLessThan }
    const rows = await this.#ofEach(async (symbol) => {
      return (await this.#ask('history-orders', { symbol, ...query })).orderList
    })
    return newest(rows, orderIdOf)
  }

  async #fills(idLessThan: string | undefined): Promise<Fill[]> {
    const query = { limit: pageSize, idLessThan }
    const rows = await this.#ofEach(async (symbol) => fillsIn(symbol, await this.#ask('fills', { symbol, ...query })))
    return newest(rows, ({ id }) => id)
  }

  async #ask<List extends keyof Answers>(list: List, query: Query): Promise<Answers[List]> {
    await this.#turns[list].take()
    return this.#caller.get(`/api/v2/margin/crossed/${list}`, { startTime: 0, ...query })
  }

  async #ofEach<Row>(read: (symbol: string) => Promise<readonly Row[]>): Promise<Row[]> {
    return (await Promise.all(this.#symbols.map(read))).flat()
  }
}

function orderIdOf({ orderId }: MarginOrderRecord): string {
  return orderId
}

/** They do not say their symbol: the question does. */
function fillsIn(symbol: string, { fills }: Answers['fills']): Fill[] {
  return fills.map((row) => pairFillOf('MARGIN', symbol, row))
}

function newest<Row>(rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  return rows.toSorted((a, b) => Number(idOf(b)) - Number(idOf(a))).slice(0, pageSize)
}
