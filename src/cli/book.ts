/**
 * `tidemark book`: a live order book in the terminal, through the public channel like any client.
 *
 * Pace      redrawn at most ten times a second, and only when it has changed; Ctrl-C ends it, exit 0
 * Scripts   one JSON object for each picture, one to a line; with --once the first alone. Texts stay as they were pushed
 * People    see every price and quantity with the decimals of the instrument, so that columns never move
 * Trouble   a book with a gap, and a venue that goes away, end it with 1
 */
import type { Command } from 'commander'
import { type ErrorEvent, WebSocket } from 'ws'
import { command, type Given, onCall, UsageWrong } from './command.ts'
import { InterfaceRefused, publicData, venueAddress } from './interface-client.ts'
import { BookGap, type BookPush, type BookShown, type Level, LiveBook } from './live-book.ts'
import { categoryOf } from './order-words.ts'
import { isForPeople, terminalLook } from './output.ts'
import type { Look } from './table.ts'
import { CallFailed, troubleWith, trustIn, type VenueAddress } from './venue-address.ts'

const redrawMs = 100
const pingMs = 30_000
const depthMax = 500

export function addBook(program: Command): void {
  onCall(command(program, 'book <category> <symbol>', 'follow the order book as it changes; Ctrl-C ends it'), watch)
    .option('--depth <levels>', 'levels of each side (default 10)')
    .option('--once', 'as it is now, and no more')
    .option('--data <directory>', 'data directory of the venue (default ./data)')
    .option('--url <url>', 'a venue elsewhere (TIDEMARK_URL), in place of the one in --data')
}

function depthOf(text: string): number {
  const depth = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0
  if (depth < 1 || depth > depthMax)
    throw new UsageWrong(`--depth ${text}: must be a whole number from 1 to ${depthMax}`)
  return depth
}

async function watch([category, symbolText]: string[], given: Given): Promise<void> {
  const depth = depthOf(given['depth'] ?? '10')
  const once = given['once'] !== undefined
  // Spot and margin share one book.
  const instType = categoryOf(category) === 'MARGIN' ? 'spot' : category.toLowerCase()
  const symbol = symbolText.toUpperCase()
  const address = venueAddress(given)
  const { url } = address
  const screen = isForPeople(given)
    ? new Screen(`${category.toUpperCase()} ${symbol}`, await scaleOf(address, categoryOf(category), symbol), !once)
    : undefined
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v3/ws/public`, trustIn(address))
  const book = new LiveBook()
  const ended = Promise.withResolvers<void>()
  let redraw: NodeJS.Timeout | undefined
  const draw = () => {
    redraw = undefined
    const shown = book.shown(depth)
    if (screen !== undefined) screen.draw(shown)
    else process.stdout.write(`${JSON.stringify({ category: category.toUpperCase(), symbol, ...shown })}\n`)
  }

  socket.onopen = () => socket.send(JSON.stringify({ op: 'subscribe', args: [{ instType, topic: 'books', symbol }] }))
  socket.onmessage = ({ data }) => {
    // Text, as all that the venue sends.
    const message = JSON.parse(data === 'pong' ? '{}' : (data as string)) as Partial<BookPush> & Refusal
    if (message.event === 'error') {
      const { code, msg } = message
      ended.reject(absentCodes.includes(String(code)) ? absent(category, symbol) : new CallFailed(`${code}: ${msg}`))
    }
    if (message.action === undefined) return
    try {
      book.take(message as BookPush)
    } catch (error) {
      ended.reject(error instanceof BookGap ? new CallFailed(`the book has a gap: ${error.message}`) : (error as Error))
      return
    }
    if (once) {
      draw()
      ended.resolve()
    } else redraw ??= setTimeout(draw, redrawMs)
  }
  socket.onerror = ({ error }: ErrorEvent) => ended.reject(troubleWith(address, error, `no venue answers at ${url}`))
  socket.onclose = () => ended.reject(new CallFailed(`the venue at ${url} closed the connection`))
  const ping = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send('ping'), pingMs)
  const stop = () => ended.resolve()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  // Whoever read the lines has gone.
  process.stdout.once('error', stop)
  try {
    await ended.promise
  } finally {
    clearInterval(ping)
    clearTimeout(redraw)
    screen?.end()
    socket.close()
  }
}

/** Decimals of an instrument's prices and quantities. */
export type Scale = readonly [price: number, quantity: number]

async function scaleOf(address: VenueAddress, category: string, symbol: string): Promise<Scale> {
  const data = await publicData(address, '/api/v3/market/instruments', { category, symbol }).catch((error: unknown) => {
    throw error instanceof InterfaceRefused && absentCodes.includes(error.code) ? absent(category, symbol) : error
  })
  const [instrument] = data as readonly {
    readonly pricePrecision: string
    readonly quantityPrecision: string
  }[]
  return [Number(instrument.pricePrecision), Number(instrument.quantityPrecision)]
}

interface Refusal {
  readonly event?: string
  readonly code?: string | number
  readonly msg?: string
}

/** Codes of the channel and of the instruments for a symbol that is not there, in either dialect of v3. */
const absentCodes = ['30001', '40034', '25100']

/** Their texts have the words of the wire: this one has those of the command. */
function absent(category: string, symbol: string): CallFailed {
  return new CallFailed(`symbol ${symbol}: there is none in ${category.toUpperCase()}`)
}

/** Draws over itself, with the cursor out of the way until it ends. */
class Screen {
  readonly #title: string
  readonly #scale: Scale
  readonly #live: boolean
  #lines = 0

  constructor(title: string, scale: Scale, live: boolean) {
    this.#title = title
    this.#scale = scale
    this.#live = live
    if (live) process.stdout.write('\x1b[?25l')
  }

  draw(book: BookShown): void {
    const text = bookText(this.#title, book, this.#scale, terminalLook())
    const lines = text.split('\n').length - 1
    const back = this.#lines === 0 ? '' : `\x1b[${this.#lines}A\x1b[J`
    process.stdout.write(back + text)
    this.#lines = this.#live ? lines : 0
  }

  end(): void {
    if (this.#live) process.stdout.write('\x1b[?25h')
  }
}

/** With so many decimals at least. */
function padded(text: string, decimals: number): string {
  if (decimals === 0) return text
  const [whole, fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

/** Asks above, bids below, the best ones in the middle; each column with the decimals of its instrument. */
export function bookText(title: string, { sequence, at, bids, asks }: BookShown, scale: Scale, look: Look): string {
  const aligned = (side: readonly Level[]) =>
    side.map((level): Level => [padded(level[0], scale[0]), padded(level[1], scale[1])])
  const [above, below] = [aligned(asks), aligned(bids)]
  const levels = [...above, ...below]
  const widths = [0, 1].map((part) => Math.max(8, ...levels.map((level) => level[part as 0 | 1].length)))
  const line = (side: string, [price, quantity]: Level) =>
    `${side}  ${price.padStart(widths[0])}  ${quantity.padStart(widths[1])}`.slice(0, look.width)
  return [
    look.heading(`${title}  ${new Date(at).toISOString().slice(11, 23)}  #${sequence}`.slice(0, look.width)),
    ...above.toReversed().map((level) => line('ask', level)),
    '─'.repeat(Math.min(look.width, 7 + widths[0] + widths[1])),
    ...below.map((level) => line('bid', level)),
    '',
  ].join('\n')
}
