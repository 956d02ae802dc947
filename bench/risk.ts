/**
 * Prices over 100,000 positions: what a mark update costs when nobody is near liquidation, and how long a command takes at
 * most while a crash is worked off.
 *
 * Positions  one account each: `cross` classic futures wallets, `isolated` positions of such wallets, `unified` accounts
 *            whose collateral is USDT and bitcoin, `debtors` of cross margin. Futures are long against a few makers
 * Calm       the index moves by up to 0.01 % either way, a second apart, with the timers between
 * Crash      the index falls by 60 %; timers run a millisecond apart until nobody is breached. The book is empty below:
 *            `fund` the insurance fund takes what there is, `adl` the makers are deleveraged
 * Figures    by the clock: the longest command counts, and what holds others up is what the clock says. `cpuMaxMs` is
 *            the most that a command took of its processor, however busy others keep the machine, `gcMaxMs` the longest
 *            pause of the garbage collector by the clock
 * Options    --quick: 5,000 positions · --kind=unified: only those
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Amount } from '../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../src/engine/protocol/command.ts'
import type { Uid } from '../src/engine/vocabulary.ts'
import { collectGarbage, quantile, random, report, rounded } from './measure.ts'
import { TradingFloor } from './trading-floor.ts'

const positions = process.argv.includes('--quick') ? 5_000 : 100_000
const calmUpdates = 2_000
const makers = 20
const e8 = 100_000_000n
const btc = 1
const btcPrice = 60_000
const middle = 600_000
/** The deepest leverage is liquidated by a fall of 1 %, the least by one of half. */
const leverages = [50, 20, 10, 5, 2]

type Kind = 'cross' | 'isolated' | 'unified' | 'debtors'

class Market {
  readonly floor = new TradingFloor('linear')
  readonly kind: Kind
  private at = Date.UTC(2026, 0, 1)

  constructor(kind: Kind) {
    this.kind = kind
  }

  /** Applies a command at a time of its own; answers the milliseconds that it took. */
  timed(command: Parameters<TradingFloor['do']>[0], waitMs: number): number {
    this.at = Math.max(this.at + waitMs, this.floor.engine.at)
    const { engine } = this.floor
    const before = performance.now()
    const reply = engine.apply(command, engine.sequence + 1, this.at)
    const took = performance.now() - before
    if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${reply.refusal.kind}`)
    return took
  }

  private do(command: Parameters<TradingFloor['do']>[0]) {
    this.at = Math.max(this.at, this.floor.engine.at)
    const { engine } = this.floor
    const reply = engine.apply(command, engine.sequence + 1, this.at)
    if (reply.kind === 'refused') throw new Error(`${command.kind}: ${reply.refusal.kind}`)
    return reply
  }

  private open(mode: 'classic' | 'unified'): Uid {
    const reply = this.do({ kind: 'create-account', account: 'main', parentUid: undefined, mode, name: '' })
    if (reply.kind !== 'account-created') throw new Error('an account was not created')
    return reply.uid
  }

  private deposit(uid: Uid, wallet: 'usdt_futures' | 'uta' | 'crossed_margin', coin: number, units: bigint): void {
    this.do({ kind: 'deposit', uid, wallet, coin, amount: units as Amount })
  }

  /** The insurance fund with enough for all, or with nothing. */
  insure(): void {
    this.do({ kind: 'fund-house', account: 'insurance', coin: 0, amount: (10_000_000_000n * e8) as Amount })
  }

  fill(): void {
    if (this.kind === 'debtors') this.borrowers()
    else this.traders(this.kind)
  }

  private traders(kind: Exclude<Kind, 'debtors'>): void {
    const { floor } = this
    const sellers = Array.from({ length: makers }, () => {
      const uid = this.open('classic')
      this.deposit(uid, 'usdt_futures', 0, 100_000_000n * e8)
      return uid
    })
    const wallet = kind === 'unified' ? 'uta' : 'usdt_futures'
    for (let index = 0; index < positions; index++) {
      const uid = this.open(kind === 'unified' ? 'unified' : 'classic')
      // Collateral of a leverage: 600 of notional over it, and the fees.
      const leverage = leverages[index % leverages.length]
      const money = BigInt(Math.ceil(600 / leverage) + 20) * e8
      if (kind === 'unified') {
        this.deposit(uid, wallet, 0, money / 2n)
        this.deposit(uid, wallet, btc, money / 2n / BigInt(btcPrice))
      } else this.deposit(uid, wallet, 0, money)
      const named = { interface: kind === 'unified' ? 'v3' : 'v2', instrument: 1, leverage } as const
      if (leverage !== 20) {
        this.do({ kind: 'set-leverage', uid, positionSide: undefined, marginMode: undefined, ...named })
      }
      const seller = sellers[index % makers]
      const sell = {
        ...floor.limit({ uid: seller, side: 'sell', price: middle, quantity: 100 }),
        interface: 'v2',
      } as const
      this.do(sell)
      const buy: PlaceOrder = {
        ...floor.limit({ uid, side: 'buy', price: middle, quantity: 100 }),
        interface: named.interface,
        marginMode: kind === 'isolated' ? 'isolated' : 'cross',
      }
      this.do(buy)
    }
  }

  /** Each has 100 USDT and owes up to 190 for the bitcoin that it has bought from nobody: it was lent and sold. */
  private borrowers(): void {
    for (let index = 0; index < positions; index++) {
      const uid = this.open('classic')
      this.deposit(uid, 'crossed_margin', btc, (100n * e8) / BigInt(btcPrice))
      const amount = (BigInt(20 + (index % 140)) * e8) as Amount
      this.do({ kind: 'borrow', uid, coin: 0, amount })
      // What was lent is spent elsewhere: half of it leaves, as far as the transfer level lets it.
    }
  }

  price(usd: number, waitMs: number): number {
    return this.timed({ kind: 'set-index-prices', prices: [[btc, BigInt(Math.round(usd * 1e8))]] }, waitMs)
  }

  nextTimerAt(): number | undefined {
    return this.floor.engine.nextTimerAt()
  }

  now(): number {
    return this.at
  }
}

/** Pauses of the garbage collector, milliseconds. */
const pauses: number[] = []
new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration))).observe({
  entryTypes: ['gc'],
})

function calm(market: Market): void {
  const draw = random(7)
  const updates: number[] = []
  const timers: number[] = []
  for (let count = 0; count < calmUpdates; count++) {
    updates.push(market.price(btcPrice * (1 + (draw() - 0.5) * 0.0002), 1_000))
    timers.push(market.timed({ kind: 'run-timers' }, 1))
  }
  // The first updates also look at everybody who has just traded.
  const settled = updates.slice(calmUpdates / 4)
  report({
    bench: 'risk',
    case: `${market.kind} calm ${positions} positions`,
    count: settled.length,
    figures: {
      updateP50Us: rounded(quantile(settled, 0.5) * 1_000),
      updateP99Us: rounded(quantile(settled, 0.99) * 1_000),
      updateMaxMs: rounded(Math.max(...settled)),
      timersP99Us: rounded(quantile(timers, 0.99) * 1_000),
      firstUpdateMs: rounded(updates[0]),
    },
  })
}

async function crash(market: Market, name: string): Promise<void> {
  collectGarbage()
  await pause(50)
  pauses.length = 0
  const cpu: number[] = []
  const onCpu = (step: () => number): number => {
    const before = process.threadCpuUsage()
    const took = step()
    const { user, system } = process.threadCpuUsage(before)
    cpu.push((user + system) / 1_000)
    return took
  }
  const steps = [onCpu(() => market.price(btcPrice * 0.4, 1_000))]
  for (let due = market.nextTimerAt(); due !== undefined && due <= market.now() + 100; due = market.nextTimerAt()) {
    steps.push(onCpu(() => market.timed({ kind: 'run-timers' }, 1)))
  }
  await pause(50)
  const sum = steps.reduce((total, step) => total + step, 0)
  report({
    bench: 'risk',
    case: `${market.kind} crash, ${name}, ${positions} positions`,
    count: steps.length,
    figures: {
      stepP50Ms: rounded(quantile(steps, 0.5)),
      stepP99Ms: rounded(quantile(steps, 0.99)),
      stepMaxMs: rounded(Math.max(...steps)),
      cpuMaxMs: rounded(Math.max(...cpu)),
      gcMaxMs: rounded(Math.max(0, ...pauses)),
      wholeMs: rounded(sum),
      positionsPerSecond: rounded((positions / sum) * 1_000),
    },
  })
}

const only = process.argv.find((word) => word.startsWith('--kind='))?.slice('--kind='.length)
const kinds = ['cross', 'isolated', 'unified', 'debtors'] as const
for (const kind of kinds.filter((candidate) => only === undefined || candidate === only)) {
  for (const ending of kind === 'debtors' ? (['fund'] as const) : (['fund', 'adl'] as const)) {
    const market = new Market(kind)
    market.fill()
    if (ending === 'fund') {
      market.insure()
      calm(market)
    }
    await crash(market, ending)
  }
}
