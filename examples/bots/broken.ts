/**
 * The careful maker with one thing wrong: `node broken.ts LETTER`. Each fails by its letter, and by no other. They are here to show that
 * the grader sees each fault alone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from './desk.ts'
import { Maker, type MakerOptions, optionsFrom } from './maker.ts'

/** T: what nobody told it did not happen. It goes by its own count, and never asks for its position again. */
class TrustsItself extends Maker {
  #isLost = false
  #wasLost = false
  #wasThere = false

  /** Once is enough to be seen. */
  protected override async afterUnknown(): Promise<void> {
    this.#isLost = !this.#wasLost
    this.#wasLost = true
  }

  protected override async send(orders: readonly Order[]): Promise<boolean> {
    this.#isLost = false
    const isSent = await super.send(orders)
    return isSent && !this.#isLost
  }

  protected override async settle(order: Order): Promise<boolean> {
    if (!this.#isLost) return super.settle(order)
    // What may be left of it is looked for, and what was filled is not.
    await this.openOrders()
    return true
  }

  protected override async agreeOnPosition(): Promise<boolean> {
    return this.position === undefined ? super.agreeOnPosition() : true
  }

  /** It was there once, and by its own count it still is. */
  protected override async toTarget(): Promise<boolean> {
    this.#wasThere ||= await super.toTarget()
    return this.#wasThere
  }
}

/** D: no answer, so the same once more under another id. What came of both it finds out afterwards. */
class SendsAgain extends Maker {
  #hasRepeated = false

  protected override async send(orders: readonly Order[]): Promise<boolean> {
    if (this.#hasRepeated) return super.send(orders)
    if (await this.once(orders)) return true
    this.#hasRepeated = true
    await this.once(orders.map((order) => ({ ...order, clientOid: this.newId() })))
    return false
  }

  private async once(orders: readonly Order[]): Promise<boolean> {
    const rows = orders.map((order) => this.body(order))
    const [path, body] = rows.length === 1 ? (['place-order', rows[0]] as const) : (['place-batch', rows] as const)
    return (await this.exchange.post(`/api/v3/trade/${path}`, body)).kind !== 'unknown'
  }
}

/** O: what it lost sight of stays open, since it never looks for it. */
class LeavesOrders extends Maker {
  #isLost = false
  #wasLost = false

  protected override async afterUnknown(): Promise<void> {
    this.#isLost = !this.#wasLost
    this.#wasLost = true
  }

  protected override async cancel(order: { readonly clientOid: string } | { readonly orderId: string }) {
    if (!this.#isLost) return super.cancel(order)
    return { kind: 'refused', code: '0', message: 'forgotten' } as const
  }

  protected override async settle(order: Order): Promise<boolean> {
    if (!this.#isLost || order.timeInForce === 'ioc') {
      this.#isLost = false
      return super.settle(order)
    }
    return true
  }

  protected override async quote(): Promise<boolean> {
    const isDone = await super.quote()
    this.#isLost = false
    return isDone
  }

  protected override async clearOrders(): Promise<boolean> {
    return (await this.openOrders()) !== undefined
  }
}

/** L: after trouble it makes good for lost time with five times the size. */
class CatchesUp extends Maker {
  #isBehind = false

  protected override async afterUnknown(): Promise<void> {
    this.#isBehind = true
  }

  protected override async idle(): Promise<void> {
    this.#isBehind = true
    await super.idle()
  }

  protected override async take(side: 'buy' | 'sell'): Promise<boolean> {
    const isDone = await super.take(side)
    if (side === 'buy' || !isDone || !this.#isBehind) return isDone
    this.#isBehind = false
    return (await this.twice('buy')) && (await this.twice('sell'))
  }

  private async twice(side: 'buy' | 'sell'): Promise<boolean> {
    const mid = await this.price()
    if (mid === undefined) return false
    const price = Math.round(mid * (side === 'buy' ? 1.002 : 0.998) * 10) / 10
    const order: Order = {
      clientOid: this.newId(),
      side,
      size: 0.05,
      price,
      timeInForce: 'ioc',
      reduceOnly: side === 'sell',
    }
    return (await this.send([order])) && (await this.settle(order))
  }
}

/** M: it never waits. */
class NeverWaits extends Maker {
  constructor(options: MakerOptions) {
    super(options)
    const { exchange } = this
    exchange.trouble = () => {
      for (let n = 0; n < 4; n += 1) void fetch(`${exchange.options.url}/api/v2/public/time`).catch(() => {})
    }
    exchange.pace = () => sleep(20)
  }

  protected override idle(): Promise<void> {
    return sleep(20)
  }
}

/** A: at the first trouble it takes back its orders and gives up. */
class GivesUp extends Maker {
  protected override async afterUnknown(): Promise<void> {
    while (!(await this.clearOrders())) await sleep(500)
    console.error('gave up')
    await sleep(2 ** 30)
  }
}

const bots: Readonly<Record<string, typeof Maker>> = {
  T: TrustsItself,
  D: SendsAgain,
  O: LeavesOrders,
  L: CatchesUp,
  M: NeverWaits,
  A: GivesUp,
}

const Bot = bots[process.argv[2] ?? '']
if (Bot === undefined) {
  console.error(`usage: node broken.ts ${Object.keys(bots).join('|')}`)
  process.exit(2)
}
await new Bot(optionsFrom(process.env)).run()
