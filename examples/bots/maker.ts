/**
 * A small market maker that is careful: it holds a target, quotes both sides for a moment, takes a little and gives it back, and begins
 * anew. What it does about each kind of trouble is in README.md, next to the hazard that shows it.
 *
 * Truth     the venue's lists, by requests. Pushes are hints: they wake it and save requests, and it can do without them
 * Round     nothing of ours is open when one begins, and the position is agreed on. One that cannot be finished is left, and the next one
 *           begins from what the venue says
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Book } from './book.ts'
import { category, Desk, type DeskOptions, type Order } from './desk.ts'
import { type Push, Socket } from './sockets.ts'

export interface MakerOptions extends DeskOptions {
  readonly wsPublic: string
  readonly wsPrivate: string
}

const target = 0.02
const unit = 0.01
const maxPosition = 0.05
/** How far from the price it quotes, and how far it goes to take, as shares of the price. */
const spread = 0.003
const reach = 0.002
const holdMs = 450

export class Maker extends Desk {
  readonly #book = new Book()
  readonly #public: Socket
  #wake = () => {}

  constructor(options: MakerOptions) {
    super(options)
    const { exchange } = this
    const { wsPublic, wsPrivate, symbol } = options
    this.#public = new Socket({
      url: wsPublic,
      exchange,
      isPrivate: false,
      topics: [{ instType: category.toLowerCase(), topic: 'books', symbol }],
      onPush: (push) => this.#hearBook(push),
      onOpen: () => this.#book.forget(),
    })
    new Socket({
      url: wsPrivate,
      exchange,
      isPrivate: true,
      topics: ['order', 'fill', 'position'].map((topic) => ({ instType: 'UTA', topic })),
      onPush: (push) => this.hearPrivate(push),
      onOpen: () => this.#wake(),
    })
  }

  /** Round after round; it never ends by itself. */
  async run(): Promise<never> {
    for (;;) {
      try {
        if (!(await this.round())) await this.idle()
      } catch (error) {
        console.error(`round: ${(error as Error).stack}`)
        await this.idle()
      }
    }
  }

  /** False: it could not be finished, and the next one waits. */
  protected async round(): Promise<boolean> {
    if (!this.areStepsKnown && !(await this.learnSteps())) return false
    if (unit < this.steps.min) {
      this.areStepsKnown = false
      return false
    }
    if (!(await this.clearOrders()) || !(await this.agreeOnPosition())) return false
    if (!(await this.toTarget())) return false
    if (!(await this.quote())) return false
    return (await this.take('buy')) && (await this.take('sell'))
  }

  protected async toTarget(): Promise<boolean> {
    const off = target - this.position!
    if (Math.abs(off) < this.steps.min) return true
    const side = off > 0 ? 'buy' : 'sell'
    return this.trade(side, Math.min(Math.abs(off), unit * 2), side === 'sell' && this.position! > 0)
  }

  /** Both sides rest for a moment. */
  protected async quote(): Promise<boolean> {
    const mid = await this.price()
    if (mid === undefined) return false
    const [buy, sell] = (['buy', 'sell'] as const).map((side): Order => {
      const price = this.priced(mid * (1 + (side === 'buy' ? -spread : spread)))
      return { clientOid: this.newId(), side, size: unit, price, timeInForce: 'gtc' }
    })
    const placed = await this.send([buy, sell])
    if (!placed) return false
    await this.hold()
    await this.openOrders()
    let isDone = true
    for (const order of [buy, sell]) {
      if (!this.isEnded(order)) await this.cancel({ clientOid: order.clientOid })
      isDone = (await this.settle(order)) && isDone
    }
    return isDone
  }

  /** Takes a unit, or gives it back. */
  protected async take(side: 'buy' | 'sell'): Promise<boolean> {
    if (!(await this.trade(side, unit, side === 'sell'))) return false
    if (side === 'buy') await this.hold()
    return true
  }

  protected async trade(side: 'buy' | 'sell', size: number, reduceOnly: boolean): Promise<boolean> {
    if (side === 'buy' && this.position! + size > maxPosition) return false
    const mid = await this.price()
    if (mid === undefined) return false
    const price = this.priced(mid * (1 + (side === 'buy' ? reach : -reach)))
    const order: Order = { clientOid: this.newId(), side, size, price, timeInForce: 'ioc', reduceOnly }
    const isSent = await this.send([order])
    return (await this.settle(order)) && isSent
  }

  /** From the book; where that is not to be had, from the ticker. */
  protected async price(): Promise<number | undefined> {
    const mid = this.#public.isGood ? this.#book.mid(this.settleMs * 4) : undefined
    if (mid !== undefined) return mid
    const answer = await this.exchange.get('/api/v3/market/tickers', { category, symbol: this.symbol })
    if (answer.kind !== 'ok') return undefined
    const [ticker] = answer.data as readonly { readonly markPrice: string }[]
    return Number(ticker?.markPrice) || undefined
  }

  #hearBook(push: Push): void {
    if (this.#book.take(push)) return
    this.#public.again()
  }

  protected hearPrivate({ arg, data }: Push): void {
    if (arg.topic === 'order') for (const row of data) this.note(row)
    this.#wake()
  }

  /** While orders rest, or a position is held. */
  protected async hold(): Promise<void> {
    await sleep(holdMs)
  }

  /** After a round that could not be finished. */
  protected async idle(): Promise<void> {
    const woken = Promise.withResolvers<void>()
    this.#wake = woken.resolve
    await Promise.race([
      sleep(Math.max(200, 1_000 * this.exchange.options.scale)),
      woken.promise.then(() => sleep(150)),
    ])
  }
}

/** From the environment that `tidemark grade` gives, or that its owner does. Ends the process with a line where something is missing. */
export function optionsFrom(environment: NodeJS.ProcessEnv): MakerOptions {
  const read = (name: string) => {
    const value = environment[name]
    if (value !== undefined && value !== '') return value
    console.error(`${name} is missing: tidemark grade gives it, or whoever starts the bot (docs/grading.md)`)
    process.exit(2)
  }
  return {
    url: read('BITGET_API_BASE_URL'),
    key: read('BITGET_API_KEY'),
    secret: read('BITGET_API_SECRET'),
    passphrase: read('BITGET_API_PASSPHRASE'),
    wsPublic: read('BITGET_WS_PUBLIC_URL'),
    wsPrivate: read('BITGET_WS_PRIVATE_URL'),
    symbol: (environment['BOT_SYMBOLS'] ?? 'BTCUSDT').split(',')[0],
    scale: Number(environment['TIDEMARK_GRADE_SCALE'] ?? 1),
  }
}
