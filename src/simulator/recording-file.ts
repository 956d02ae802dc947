/**
 * One file of recorded prices: CSV with a header line, candles or trades, of one coin or of several.
 *
 *   candles   time, open, high, low, close; volume may be there       trades   time, price; size may be there
 *
 * Columns   in any order and case; others are ignored. `coin` or `symbol` says whose line it is (BTC, BTCUSDT); it must be
 *           there if the file was not given as COIN=FILE, and may not if it was
 * time      Unix seconds or milliseconds (from 100,000,000,000 on), or ISO 8601 with its zone; of a candle its beginning.
 *           Per coin candles follow one another, trades may share a time
 * price     US dollars, a plain decimal above 0
 * Candle    open, then the extreme that is against its direction, the other one, close: a third of its length each. It is
 *           as long as the shortest distance of two candles of its coin, or a minute if there is only one
 * Holds     a wrong line is named with file, line, field and rule, and nothing of the file is used
 */
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

/** The recordings cannot be used: the message says why. */
export class RecordingWrong extends Error {
  override name = 'RecordingWrong'
}

/** Points in time, Unix milliseconds and dollars. */
export interface RecordedPath {
  readonly times: ArrayLike<number>
  readonly prices: ArrayLike<number>
  /** A price holds until the next one; else it moves on a line to it. */
  readonly isStepped: boolean
}

const candleColumns = ['time', 'open', 'high', 'low', 'close'] as const
const tradeColumns = ['time', 'price'] as const
const optionalColumns = { candles: 'volume', trades: 'size' } as const

type Row = Readonly<Record<string, string>>

/** What of one coin was read so far. */
interface Track {
  readonly times: number[]
  /** One price of a trade, four of a candle: in the order in which they are met. */
  readonly prices: number[]
}

/** `coin`: whose file it is; undefined: a column says it. */
export async function readRecordingFile(
  file: string,
  coin: string | undefined,
  coinOf: (name: string) => string | undefined,
): Promise<ReadonlyMap<string, RecordedPath>> {
  const tracks = new Map<string, Track>()
  let kind: 'candles' | 'trades' | undefined
  const header = (names: readonly string[]): string[] => {
    const columns = names.map((name) => name.trim().toLowerCase())
    kind = kindOf(columns, coin, file)
    return columns
  }
  const options = { columns: header, bom: true, trim: true, skip_empty_lines: true, info: true } as const
  const reading = createReadStream(file)
  const parser = reading.pipe(parse(options))
  reading.on('error', (cause) => parser.destroy(cause))
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: Row; info: { lines: number } }>) {
      const line = new Line(file, info.lines, record)
      const name = coin ?? line.coin(coinOf)
      let track = tracks.get(name)
      if (track === undefined) tracks.set(name, (track = { times: [], prices: [] }))
      if (kind === 'trades') addTrade(track, line)
      else addCandle(track, line)
    }
  } catch (cause) {
    throw recordingWrong(cause, file)
  } finally {
    reading.destroy()
  }
  if (kind === undefined) throw new RecordingWrong(`${file}: is empty, it must have a header line`)
  if (tracks.size === 0) throw new RecordingWrong(`${file}: has no line after its header`)
  return new Map([...tracks].map(([name, track]) => [name, kind === 'trades' ? steps(track) : walk(track)]))
}

function kindOf(columns: readonly string[], coin: string | undefined, file: string): 'candles' | 'trades' {
  const fail = (rule: string): never => {
    throw new RecordingWrong(`${file}, line 1: ${rule}`)
  }
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice !== undefined) fail(`column ${twice} is there twice`)
  const missingOf = (wanted: readonly string[]) => wanted.filter((name) => !columns.includes(name))
  const kind = columns.includes('price') ? 'trades' : 'candles'
  const missing = missingOf(kind === 'trades' ? tradeColumns : candleColumns)
  if (missing.length > 0) {
    const needed = 'candles need time, open, high, low, close; trades need time, price'
    fail(`column ${missing.join(', ')} is missing: ${needed}`)
  }
  const naming = ['coin', 'symbol'].filter((name) => columns.includes(name))
  if (coin === undefined && naming.length === 0) fail('column coin or symbol is missing: or give the file as COIN=FILE')
  if (coin !== undefined && naming.length > 0) fail(`column ${naming[0]} is not expected in a file given as COIN=FILE`)
  if (naming.length > 1) fail('columns coin and symbol are both there')
  return kind
}

/** Of a value that is wrong, so much is repeated. */
const shownMax = 40

/** One line of values, which knows how to complain. */
class Line {
  readonly #file: string
  readonly #number: number
  readonly #row: Row

  constructor(file: string, number: number, row: Row) {
    this.#file = file
    this.#number = number
    this.#row = row
  }

  wrong(field: string, rule: string): RecordingWrong {
    const text = this.#row[field] ?? ''
    const shown = JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)} …` : text)
    return new RecordingWrong(`${this.#file}, line ${this.#number}: ${field} ${shown} ${rule}`)
  }

  coin(coinOf: (name: string) => string | undefined): string {
    const field = this.#row['coin'] === undefined ? 'symbol' : 'coin'
    const found = coinOf(this.#row[field] ?? '')
    if (found === undefined) throw this.wrong(field, `must be a listed ${field}`)
    return found
  }

  /** Unix milliseconds. */
  time(): number {
    const text = this.#row['time'] ?? ''
    let time = Number.NaN
    if (/^\d{1,16}(\.\d{1,9})?$/.test(text)) time = Number(text) < 1e11 ? Number(text) * 1000 : Number(text)
    else if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*(Z|[+-]\d{2}:?\d{2})$/.test(text)) time = Date.parse(text)
    if (!Number.isFinite(time)) {
      throw this.wrong('time', 'must be Unix seconds or milliseconds, or ISO 8601 with its zone')
    }
    return time
  }

  price(field: string): number {
    const price = this.#decimal(field)
    if (price === undefined || price <= 0) throw this.wrong(field, 'must be a plain decimal above 0')
    if (price > priceMax) throw this.wrong(field, `must be at most ${priceMax}`)
    return price
  }

  /** Of a column that may be absent or empty. */
  checkQuantity(field: string): void {
    const text = this.#row[field]
    if (text === undefined || text === '' || this.#decimal(field) !== undefined) return
    throw this.wrong(field, 'must be a plain decimal, 0 or more')
  }

  #decimal(field: string): number | undefined {
    const text = this.#row[field] ?? ''
    return /^\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : undefined
  }
}

/** More dollars than any coin costs, and few enough that every contract's ticks carry it. */
const priceMax = 10_000_000

function addTrade({ times, prices }: Track, line: Line): void {
  const time = line.time()
  const last = times.at(-1)
  if (last !== undefined && time < last) throw line.wrong('time', 'must not be before the line before it')
  const price = line.price('price')
  line.checkQuantity(optionalColumns.trades)
  times.push(time)
  prices.push(price)
}

function addCandle({ times, prices }: Track, line: Line): void {
  const time = line.time()
  const last = times.at(-1)
  if (last !== undefined && time <= last) throw line.wrong('time', 'must be after the line before it')
  const open = line.price('open')
  const high = line.price('high')
  const low = line.price('low')
  const close = line.price('close')
  if (high < Math.max(open, close, low)) throw line.wrong('high', 'must be the highest of the four prices')
  if (low > Math.min(open, close)) throw line.wrong('low', 'must be the lowest of the four prices')
  line.checkQuantity(optionalColumns.candles)
  times.push(time)
  prices.push(...(close >= open ? [open, low, high, close] : [open, high, low, close]))
}

function steps({ times, prices }: Track): RecordedPath {
  return { times: Float64Array.from(times), prices: Float64Array.from(prices), isStepped: true }
}

/** Four points of each candle, and a fifth where the next one does not touch it: until then the price stands. */
function walk({ times, prices }: Track): RecordedPath {
  let length = Number.POSITIVE_INFINITY
  for (let index = 1; index < times.length; index++) length = Math.min(length, times[index] - times[index - 1])
  if (!Number.isFinite(length)) length = 60_000
  const points: number[] = []
  const walked: number[] = []
  times.forEach((time, index) => {
    const corners = prices.slice(index * 4, index * 4 + 4)
    // The close comes just before the next candle's open: at one moment there is one price.
    corners.forEach((price, corner) => {
      points.push(time + (corner / 3) * (length - closeMs))
      walked.push(price)
    })
    const next = times[index + 1]
    if (next === undefined || next - time === length) return
    points.push(next - closeMs)
    walked.push(corners[3])
  })
  return { times: Float64Array.from(points), prices: Float64Array.from(walked), isStepped: false }
}

const closeMs = 1

function recordingWrong(cause: unknown, file: string): RecordingWrong {
  if (cause instanceof RecordingWrong) return cause
  const { code, message, lines } = cause as Error & { code?: string; lines?: number }
  if (code === 'ENOENT') return new RecordingWrong(`${file}: there is no such file`, { cause })
  return new RecordingWrong(`${file}${lines === undefined ? '' : `, line ${lines}`}: ${message}`, { cause })
}
