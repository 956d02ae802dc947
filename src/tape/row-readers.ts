/**
 * What a row of each table means: one file's rows, one after the other, into an intake.
 *
 * Levels     the row's amount is the level's from now on. What comes before the first snapshot is dropped. A snapshot empties the book
 * Snapshots  and quotes say a whole book each: only what changed since the one before becomes rows
 * Depth      cumulated amounts within percentages of the middle: each band is one level, at its own average price
 * Books      a level that a newer one meets is taken away at the end of its moment, and counted
 * Trades     of which no side is said: as the price moved, and if it did not, as the one before
 * Candles    four rows, in the order in which their prices are met: open, the extreme against the direction, the other one, close
 */
import { rowKind } from './columns.ts'
import type { Places, Recognised } from './formats.ts'
import type { Intake } from './intake.ts'
import { bytesOf, type Lines, timeOf } from './lines.ts'
import { RecordedBook } from './recorded-book.ts'

export interface Crossed {
  count: number
  /** File and row. */
  first: string | undefined
}

export interface RowReader {
  /** The row that `lines` stands at. Throws TapeWrong. */
  take(): void
  /** Behind the last row. */
  end(): void
}

interface Reading {
  readonly lines: Lines
  readonly intake: Intake
  readonly crossed: Crossed
  readonly recognised: Recognised
  /** Which of Tardis' two times counts. */
  readonly time: 'exchange' | 'local'
}

const yes = bytesOf('true')
const oneLetter = { b: 98, s: 115, a: 97, t: 116 }
const nowhere = -1

export function readerOf(reading: Reading): RowReader {
  switch (reading.recognised.table) {
    case 'levels':
      return new LevelReader(reading)
    case 'snapshots':
      return new BookReader(reading, 25)
    case 'quotes':
      return new BookReader(reading, 0)
    case 'depth':
      return new DepthReader(reading)
    case 'trades':
      return new TradeReader(reading, rowKind.buy, rowKind.sell)
    case 'liquidations':
      return new TradeReader(reading, rowKind.liquidationBuy, rowKind.liquidationSell)
    case 'ticker':
      return new TickerReader(reading)
    case 'candles':
      return new CandleReader(reading)
  }
}

abstract class Reader {
  protected readonly lines: Lines
  protected readonly intake: Intake
  protected readonly places: Places
  readonly #time: number

  constructor({ lines, intake, recognised, time }: Reading) {
    this.lines = lines
    this.intake = intake
    this.places = recognised.places
    this.#time = (time === 'local' ? recognised.places['local'] : undefined) ?? recognised.places['time'] ?? nowhere
  }

  protected place(meaning: string): number {
    return this.places[meaning] ?? nowhere
  }

  protected time(): number {
    const time = this.lines.time(this.#time)
    if (Number.isNaN(time)) throw this.lines.wrong(this.#time, timeRule)
    return time
  }
}

const timeRule = 'must be a Unix time in seconds, milli- or microseconds, or ISO 8601 with its zone'

/** Rows of one book, which are never crossed at the end of a moment. */
abstract class Books extends Reader {
  readonly #book = new RecordedBook()
  readonly #crossed: Crossed
  protected at = Number.NaN

  constructor(reading: Reading) {
    super(reading)
    this.#crossed = reading.crossed
    this.intake.onGrown = (field, factor) => {
      this.#book.rescale(field, factor)
      this.grown(field, factor)
    }
  }

  protected grown(_field: 'price' | 'amount', _factor: number): void {}

  protected moment(time: number): void {
    if (time !== this.at) this.#uncross()
    this.at = time
  }

  protected level(isBid: boolean, price: number, amount: number): void {
    this.#book.set(isBid, price, amount)
    this.intake.add(this.at, isBid ? rowKind.bid : rowKind.ask, price, amount)
  }

  protected clear(): void {
    this.#book.clear()
    this.intake.add(this.at, rowKind.clear, 0, 0)
  }

  #uncross(): void {
    for (let met = this.#book.uncross(); met !== undefined; met = this.#book.uncross()) {
      this.#crossed.count += 1
      this.#crossed.first ??= `${this.lines.file}, row ${this.lines.row}`
      this.intake.add(this.at, met.isBid ? rowKind.bid : rowKind.ask, met.price, 0)
    }
  }

  end(): void {
    this.#uncross()
  }
}

class LevelReader extends Books implements RowReader {
  readonly #snapshot = this.place('snapshot')
  readonly #side = this.place('side')
  readonly #price = this.place('price')
  readonly #size = this.place('size')
  #isSnapshot = false
  #isBegun = this.#snapshot === nowhere

  take(): void {
    const { lines, intake } = this
    const isSnapshot = this.#snapshot !== nowhere && lines.is(this.#snapshot, yes)
    if (!isSnapshot && !this.#isBegun) return intake.drop(lines, 'before the first snapshot')
    this.moment(this.time())
    if (isSnapshot && !this.#isSnapshot) this.clear()
    this.#isSnapshot = isSnapshot
    this.#isBegun = true
    const side = lines.letter(this.#side)
    if (side !== oneLetter.b && side !== oneLetter.a && side !== oneLetter.s) {
      throw lines.wrong(this.#side, 'must be bid or ask')
    }
    this.level(side === oneLetter.b, intake.price(lines, this.#price), intake.amount(lines, this.#size))
  }
}

/** Each row is a whole book: of many levels, or of the best ones. */
class BookReader extends Books implements RowReader {
  /** Fields of price and amount, asks and bids. */
  readonly #fields: readonly (readonly (readonly [price: number, size: number])[])[]
  #before: Map<number, number>[] = [new Map(), new Map()]

  constructor(reading: Reading, depth: number) {
    super(reading)
    this.#fields = ['ask', 'bid'].map((side) => {
      if (depth === 0) return [[this.place(side), this.place(`${side}Size`)] as const]
      const levels = Array.from({ length: depth }, (_, level) => {
        return [this.place(`${side}${level}`), this.place(`${side}${level}Size`)] as const
      })
      return levels.filter(([price]) => price !== nowhere)
    })
  }

  protected override grown(field: 'price' | 'amount', factor: number): void {
    this.#before = this.#before.map((levels) => {
      const grown = ([price, amount]: [number, number]): [number, number] => {
        return field === 'price' ? [price * factor, amount] : [price, amount * factor]
      }
      return new Map([...levels].map(grown))
    })
  }

  take(): void {
    const { lines, intake } = this
    const time = this.time()
    if (time < this.at) throw lines.wrong(this.places['time'] ?? 0, 'must not be before the row before it')
    this.moment(time)
    // A scale that grows half-way would leave what was read before it behind: so all is read once more then.
    let now = this.#levels()
    const { price, amount } = intake.scales
    now = price === this.#price && amount === this.#amount ? now : this.#levels()
    this.#price = price
    this.#amount = amount
    now.forEach((levels, side) => {
      const before = this.#before[side]
      for (const gone of before.keys()) if (!levels.has(gone)) this.level(side === 1, gone, 0)
      for (const [at, size] of levels) if (before.get(at) !== size) this.level(side === 1, at, size)
    })
    this.#before = now
  }

  #price = 0
  #amount = 0

  #levels(): Map<number, number>[] {
    const { lines, intake } = this
    return this.#fields.map((fields) => {
      const levels = new Map<number, number>()
      for (const [price, size] of fields) {
        if (lines.isEmpty(price)) continue
        const amount = size === nowhere ? 10 ** intake.scales.amount : intake.amount(lines, size)
        if (amount > 0) levels.set(intake.price(lines, price), amount)
      }
      return levels
    })
  }
}

/** Decimals of an average price: as many as make it as fine as a tick is. */
const averageDigits = 8

class DepthReader extends Books implements RowReader {
  #bands: { percentage: number; depth: number; notional: number }[] = []
  #time = Number.NaN

  take(): void {
    const { lines, intake } = this
    const field = this.place('timeUtc')
    const time = timeOf(lines.text(field), true) || lines.time(field)
    if (Number.isNaN(time)) throw lines.wrong(field, timeRule)
    if (time < this.#time) throw lines.wrong(field, 'must not be before the row before it')
    if (time !== this.#time) this.#say()
    this.#time = time
    const number = (meaning: string): number => {
      const place = this.place(meaning)
      if (!lines.decimal(place)) throw lines.wrong(place, 'must be a plain decimal')
      return lines.digits / 10 ** lines.decimals
    }
    const band = { percentage: number('percentage'), depth: number('depth'), notional: number('notional') }
    if (band.percentage === 0 || band.depth < 0 || band.notional < 0) return intake.drop(lines, 'no band of a book')
    this.#bands.push(band)
  }

  override end(): void {
    this.#say()
    super.end()
  }

  #say(): void {
    const bands = this.#bands
    this.#bands = []
    if (bands.length === 0) return
    this.moment(this.#time)
    this.clear()
    for (const sign of [-1, 1]) {
      let [depth, notional] = [0, 0]
      const side = bands.filter(({ percentage }) => Math.sign(percentage) === sign)
      for (const band of side.toSorted((a, b) => Math.abs(a.percentage) - Math.abs(b.percentage))) {
        const [amount, value] = [band.depth - depth, band.notional - notional]
        ;[depth, notional] = [band.depth, band.notional]
        if (amount <= 0 || value <= 0) continue
        const average = value / amount
        const decimals = Math.max(0, Math.min(8, averageDigits - Math.ceil(Math.log10(average))))
        const price = this.intake.computed('price', average, decimals)
        this.level(sign < 0, price, this.intake.computed('amount', amount, 6))
      }
    }
  }
}

class TradeReader extends Reader implements RowReader {
  readonly #side = this.place('side')
  readonly #buyerMakes = this.place('buyerMakes')
  readonly #price = this.place('price')
  readonly #size = this.place('size')
  readonly #buy: number
  readonly #sell: number
  #lastPrice = 0
  #lastBought = true

  constructor(reading: Reading, buy: number, sell: number) {
    super(reading)
    this.#buy = buy
    this.#sell = sell
    this.intake.onGrown = (field, factor) => {
      if (field === 'price') this.#lastPrice *= factor
    }
  }

  take(): void {
    const { lines, intake } = this
    const price = intake.price(lines, this.#price)
    const isBought = this.#isBought(price)
    this.#lastPrice = price
    this.#lastBought = isBought
    const size = this.#size === nowhere ? 0 : intake.amount(lines, this.#size)
    if (size === 0 && this.#size !== nowhere) return intake.drop(lines, 'trades of nothing')
    intake.add(this.time(), isBought ? this.#buy : this.#sell, price, size)
  }

  end(): void {}

  #isBought(price: number): boolean {
    if (this.#buyerMakes !== nowhere) return this.lines.letter(this.#buyerMakes) !== oneLetter.t
    const letter = this.#side === nowhere ? 0 : this.lines.letter(this.#side)
    if (letter === oneLetter.b) return true
    if (letter === oneLetter.s || letter === oneLetter.a) return false
    const text = this.#side === nowhere ? '' : this.lines.text(this.#side)
    if (text !== '' && text !== 'unknown') throw this.lines.wrong(this.#side, 'must be buy, sell or unknown')
    return price === this.#lastPrice ? this.#lastBought : price > this.#lastPrice
  }
}

class TickerReader extends Reader implements RowReader {
  /** What was said last: a row says all of it again when one changes. */
  readonly #last = new Map<number, number>()
  readonly #fields = (['index', 'mark', 'funding'] as const).map((meaning) => {
    return { kind: rowKind[meaning], place: this.place(meaning) }
  })

  take(): void {
    const { lines, intake } = this
    const time = this.time()
    for (const { kind, place } of this.#fields) {
      if (place === nowhere || lines.isEmpty(place)) continue
      const value = kind === rowKind.funding ? intake.rate(lines, place) : intake.reference(lines, place)
      if (this.#last.get(kind) === value) continue
      this.#last.set(kind, value)
      intake.add(time, kind, value, 0)
    }
  }

  end(): void {}
}

class CandleReader extends Reader implements RowReader {
  readonly #volume = this.place('volume')
  #at = Number.NaN

  take(): void {
    const { lines, intake } = this
    const time = this.time()
    if (time <= this.#at) throw lines.wrong(this.place('time'), 'must be after the row before it')
    this.#at = time
    const read = () => ['open', 'high', 'low', 'close'].map((field) => intake.price(lines, this.place(field)))
    // Twice: the scale may have grown half-way.
    read()
    const [open, high, low, close] = read()
    if (high < Math.max(open, close, low))
      throw lines.wrong(this.place('high'), 'must be the highest of the four prices')
    if (low > Math.min(open, close)) throw lines.wrong(this.place('low'), 'must be the lowest of the four prices')
    const volume = this.#volume === nowhere || lines.isEmpty(this.#volume) ? 0 : intake.amount(lines, this.#volume)
    const prices = close >= open ? [open, low, high, close] : [open, high, low, close]
    prices.forEach((price, corner) => intake.add(time, rowKind.candle, price, corner === 0 ? volume : 0))
  }

  end(): void {}
}
