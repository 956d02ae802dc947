/**
 * The formats that are known: their columns, and how a file is recognised by its header, or without one by its shape.
 *
 *   tardis-…    CSV with both times in microseconds       binance-…   public data, with or without a header, ms or µs
 *   own-…       candles and trades as `--prices` takes, and quotes    columns     whatever somebody names the columns of
 *
 * Header   the first format of the table whose columns are all there; case does not matter, further columns are passed over
 * Shape    of Binance's files without a header: how many fields there are, which are times, and which are true or false
 */
import { looksLikeHeader } from './lines.ts'
import { TapeWrong } from './wrong.ts'

/** How rows of a file are read. */
type Table = 'levels' | 'snapshots' | 'quotes' | 'depth' | 'trades' | 'liquidations' | 'ticker' | 'candles'

/** What a column means, and where it is: the number of its field. */
export type Places = Readonly<Record<string, number>>

export interface Recognised {
  readonly format: string
  readonly table: Table
  readonly places: Places
  /** The first row is a header. */
  readonly hasHeader: boolean
  readonly names: readonly string[]
}

interface Format {
  readonly name: string
  readonly table: Table
  /** Meaning and name of each column, in the order of the file; those with a question mark may be missing. */
  readonly columns: Readonly<Record<string, string>>
  /** Without a header: whether these fields can be such a row. */
  readonly shape?: (fields: readonly string[]) => boolean
  /** Part of the file's name that a format with the same columns as the next one has. */
  readonly named?: RegExp
}

const isTime = (text = '') => /^[0-9]{13}([0-9]{3})?$/.test(text)
const isFlag = (text = '') => /^(true|false)$/i.test(text)
const isNumber = (text = '') => /^-?[0-9]+(\.[0-9]*)?$/.test(text)

const tardis = { symbol: 'symbol', time: 'timestamp', local: 'local_timestamp' }
const tardisTrades = { ...tardis, id: 'id', side: 'side', price: 'price', size: 'amount' }

function snapshotColumns(depth: number): Record<string, string> {
  const columns: Record<string, string> = { ...tardis }
  for (let level = 0; level < depth; level++) {
    for (const side of ['ask', 'bid']) {
      columns[`${side}${level}`] = `${side}s[${level}].price`
      columns[`${side}${level}Size`] = `${side}s[${level}].amount`
    }
  }
  return columns
}

const klineNames = {
  time: 'open_time',
  open: 'open',
  high: 'high',
  low: 'low',
  close: 'close',
  volume: 'volume',
}

const formats: readonly Format[] = [
  {
    name: 'tardis-incremental_book_L2',
    table: 'levels',
    columns: { ...tardis, snapshot: 'is_snapshot', side: 'side', price: 'price', size: 'amount' },
  },
  { name: 'tardis-book_snapshot_25', table: 'snapshots', columns: snapshotColumns(25) },
  { name: 'tardis-book_snapshot_5', table: 'snapshots', columns: snapshotColumns(5) },
  { name: 'tardis-liquidations', table: 'liquidations', columns: tardisTrades, named: /liquidations/i },
  { name: 'tardis-trades', table: 'trades', columns: tardisTrades },
  {
    name: 'tardis-quotes',
    table: 'quotes',
    columns: { ...tardis, askSize: 'ask_amount', ask: 'ask_price', bid: 'bid_price', bidSize: 'bid_amount' },
  },
  {
    name: 'tardis-derivative_ticker',
    table: 'ticker',
    columns: { ...tardis, funding: 'funding_rate', index: 'index_price', mark: 'mark_price' },
  },
  {
    name: 'binance-aggTrades',
    table: 'trades',
    columns: {
      id: 'agg_trade_id',
      price: 'price',
      size: 'quantity',
      time: 'transact_time',
      buyerMakes: 'is_buyer_maker',
    },
    shape: (fields) => (fields.length === 7 || fields.length === 8) && isTime(fields[5]) && isFlag(fields[6]),
  },
  {
    name: 'binance-trades',
    table: 'trades',
    columns: { id: 'id', price: 'price', size: 'qty', time: 'time', buyerMakes: 'is_buyer_maker' },
    shape: (fields) => (fields.length === 6 || fields.length === 7) && isTime(fields[4]) && isFlag(fields[5]),
  },
  {
    name: 'binance-klines',
    table: 'candles',
    columns: klineNames,
    shape: (fields) => fields.length === 12 && isTime(fields[0]) && isTime(fields[6]),
  },
  {
    name: 'binance-bookTicker',
    table: 'quotes',
    columns: {
      bid: 'best_bid_price',
      bidSize: 'best_bid_qty',
      ask: 'best_ask_price',
      askSize: 'best_ask_qty',
      time: 'transaction_time',
    },
    shape: (fields) => fields.length === 7 && isTime(fields[5]) && isTime(fields[6]),
  },
  {
    name: 'binance-bookDepth',
    table: 'depth',
    columns: { timeUtc: 'timestamp', percentage: 'percentage', depth: 'depth', notional: 'notional' },
    shape: (fields) => fields.length === 4 && /^\d{4}-\d{2}-\d{2} /.test(fields[0]) && fields.slice(1).every(isNumber),
  },
  {
    name: 'own-candles',
    table: 'candles',
    columns: { time: 'time', open: 'open', high: 'high', low: 'low', close: 'close' },
  },
  { name: 'own-quotes', table: 'quotes', columns: { time: 'time', bid: 'bid', ask: 'ask' } },
  { name: 'own-trades', table: 'trades', columns: { time: 'time', price: 'price' } },
]

/** Where the columns are in Binance's files without a header. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  'binance-aggTrades': ['id', 'price', 'size', 'first', 'last', 'time', 'buyerMakes'],
  'binance-trades': ['id', 'price', 'size', 'quote', 'time', 'buyerMakes'],
  'binance-klines': ['time', 'open', 'high', 'low', 'close', 'volume'],
  'binance-bookTicker': ['id', 'bid', 'bidSize', 'ask', 'askSize', 'time'],
  'binance-bookDepth': ['timeUtc', 'percentage', 'depth', 'notional'],
}

/** Columns that own files may have besides. */
const further: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'own-candles': { volume: 'volume', symbol: 'symbol' },
  'own-quotes': { bidSize: 'bidSize', askSize: 'askSize', symbol: 'symbol' },
  'own-trades': { size: 'size', side: 'side', symbol: 'symbol' },
}

/** Of a column map: which meanings a table needs, and which it may have. */
const mapped: Readonly<Record<Exclude<Table, 'depth' | 'snapshots'>, readonly [needs: string, may: string]>> = {
  levels: ['time side price size', 'snapshot symbol'],
  quotes: ['time bid ask', 'bidSize askSize symbol'],
  trades: ['time price', 'size side buyerMakes symbol'],
  liquidations: ['time side price', 'size symbol'],
  ticker: ['time', 'index mark funding symbol'],
  candles: ['time open high low close', 'volume symbol'],
}

const formatNames: readonly string[] = formats.map(({ name }) => name)

/** Whether `--format` can mean it: the whole name, or a part of it. */
function isMeant(name: string, asked: string): boolean {
  return name === asked || name.endsWith(`-${asked}`) || name.startsWith(`${asked}-`)
}

/** `first`: the fields of the first row. Throws TapeWrong for what is none of the formats. */
export function recognise(file: string, first: readonly string[], asked: string | undefined): Recognised {
  const candidates = formats.filter(({ name }) => asked === undefined || isMeant(name, asked))
  if (candidates.length === 0) {
    throw new TapeWrong(`--format ${asked}: there is no such format: ${formatNames.join(', ')}, or one of a column map`)
  }
  if (!looksLikeHeader(first[0])) {
    const found = candidates.find(({ shape }) => shape?.(first))
    const columns = found && shapes[found.name]
    if (found === undefined || columns === undefined) throw unknown(file, first, asked)
    const places = Object.fromEntries(columns.map((meaning, place) => [meaning, place]))
    return { format: found.name, table: found.table, places, hasHeader: false, names: columns }
  }
  const header = first.map((name) => name.toLowerCase())
  const twice = header.find((name, place) => name !== '' && header.indexOf(name) !== place)
  if (twice !== undefined) throw new TapeWrong(`${file}, row 1: column ${twice} is there twice`)
  const found = candidates.find(({ columns, named }) => {
    const isThere = Object.values(columns).every((name) => header.includes(name.toLowerCase()))
    return isThere && (named === undefined || named.test(file) || asked !== undefined)
  })
  if (found === undefined) throw unknown(file, first, asked)
  const places: Record<string, number> = {}
  for (const [meaning, name] of Object.entries({ ...found.columns, ...further[found.name] })) {
    const place = header.indexOf(name.toLowerCase())
    if (place >= 0) places[meaning] = place
  }
  return { format: found.name, table: found.table, places, hasHeader: true, names: first }
}

/**
 * Columns as somebody named them: `time=ts,price=px`, each by its name in the header or its number from 1. The table is what
 * `--format` says, or what the columns make clear.
 */
export function byColumnMap(
  file: string,
  first: readonly string[],
  columns: Readonly<Record<string, string>>,
  asked: string | undefined,
): Recognised {
  const table = (asked ?? tableOf(columns)) as keyof typeof mapped
  const known = mapped[table]
  if (known === undefined) {
    throw new TapeWrong(`--format ${asked}: with --columns it is one of ${Object.keys(mapped).join(', ')}`)
  }
  const [needs, may] = known.map((names) => names.split(' '))
  const strange = Object.keys(columns).find((meaning) => ![...needs, ...may].includes(meaning))
  const ofTable = `${table} have ${needs.join(', ')}, and may have ${may.join(', ')}`
  if (strange !== undefined) throw new TapeWrong(`--columns ${strange}: is not known here: ${ofTable}`)
  const missing = needs.find((meaning) => columns[meaning] === undefined)
  if (missing !== undefined) throw new TapeWrong(`--columns: ${missing} is missing: ${ofTable}`)
  const header = first.map((name) => name.toLowerCase())
  const isNumbered = Object.values(columns).every((name) => /^[1-9][0-9]{0,2}$/.test(name))
  const hasHeader = !isNumbered || looksLikeHeader(first[0])
  const places: Record<string, number> = {}
  for (const [meaning, name] of Object.entries(columns)) {
    const place = isNumbered ? Number(name) - 1 : header.indexOf(name.toLowerCase())
    if (place < 0 || place >= first.length) {
      throw new TapeWrong(`${file}, row 1: column ${name} is missing, --columns says that it is ${meaning}`)
    }
    places[meaning] = place
  }
  const names = hasHeader ? first : first.map((_, place) => `field ${place + 1}`)
  return { format: `columns-${table}`, table, places, hasHeader, names }
}

function tableOf(columns: Readonly<Record<string, string>>): string {
  const has = (meaning: string) => columns[meaning] !== undefined
  if (has('open')) return 'candles'
  if (has('bid') || has('ask')) return 'quotes'
  if (has('snapshot')) return 'levels'
  return has('price') ? 'trades' : 'ticker'
}

function unknown(file: string, first: readonly string[], asked: string | undefined): TapeWrong {
  const shown = first.slice(0, 8).join(',').slice(0, 100)
  const rule = asked === undefined ? 'is none of the known formats' : `is no ${asked}`
  return new TapeWrong(
    `${file}, row 1: ${JSON.stringify(shown)} ${rule}: name its columns with --columns time=…,price=…`,
  )
}
