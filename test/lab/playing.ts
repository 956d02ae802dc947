/** Tapes for tests: rows in words, a file of them, and a laboratory that plays it. */
import { imported, written } from '../tape/read.ts'
import { openHere } from './in-process.ts'

const header = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'
const tradeHeader = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount'

/** The first moment of every tape, Unix milliseconds. */
export const t = 1_704_067_200_000

export type Row =
  | {
      readonly at: number
      readonly side: 'bid' | 'ask'
      readonly price: number
      readonly size: number
      readonly snapshot?: true
    }
  | { readonly at: number; readonly trade: 'buy' | 'sell'; readonly price: number; readonly size: number }

/** A tape of rows, times in milliseconds from its beginning. */
export async function tapeOf(rows: readonly Row[], beside: readonly string[] = []): Promise<string> {
  const levels = rows.flatMap((row) => {
    if ('trade' in row) return []
    const at = (t + row.at) * 1_000
    return [`x,BTCUSDT,${at},${at},${row.snapshot === true},${row.side},${row.price},${row.size}`]
  })
  const trades = rows.flatMap((row, id) => {
    const at = (t + row.at) * 1_000
    return 'trade' in row ? [`x,BTCUSDT,${at},${at},${id},${row.trade},${row.price},${row.size}`] : []
  })
  const files = [written('levels.csv', [header, ...levels, ''].join('\n')), ...beside]
  if (trades.length > 0) files.push(written('trades.csv', [tradeHeader, ...trades, ''].join('\n')))
  const { out } = await imported(files)
  return out
}

/** Whatever the interface answers. */
interface Level {
  readonly a: readonly (readonly [string, string])[]
  readonly b: readonly (readonly [string, string])[]
}

export async function open(settings: Readonly<Record<string, string>>) {
  const here = await openHere(settings)
  const { venue } = here
  let now = t
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${venue.url}${path}`)
    return ((await answer.json()) as { data: T }).data
  }
  const shown = (levels: Level['a']) => levels.map(([price, size]) => `${Number(price)} x ${Number(size)}`)
  const market = 'category=USDT-FUTURES&symbol=BTCUSDT'
  return {
    venue,
    person: (role: string) => venue.person(role, () => now),
    /** The data of a public call. */
    ask: get,
    async book() {
      const { a, b } = await get<Level>(`/api/v3/market/orderbook?${market}&limit=200`)
      return { bids: shown(b), asks: shown(a) }
    },
    async trades(): Promise<string[]> {
      const fills = await get<Record<string, string>[]>(`/api/v3/market/fills?${market}&limit=100`)
      return fills.toReversed().map(({ side, price, size }) => `${side} ${Number(price)} x ${Number(size)}`)
    },
    impact: () => venue.get<Record<string, unknown>>('/market/impact'),
    async clock(move: object) {
      const moved = await venue.post<{ now: number }>('/clock', move)
      now = moved.now
      return moved
    },
    async verified() {
      return (await venue.get<{ balanced: boolean }>('/operator/verify')).balanced
    },
    [Symbol.asyncDispose]: () => here.close(),
  }
}
