/**
 * A journal of the demo venue, made without waiting for its clock: its simulated market, and people who do everything else.
 *
 * Market    sessions in steps of a second, each with a scenario or none; behind each some hours in longer steps, so that
 *           funding, interest and what else comes with time have their turn
 * People    the random traders of the engine's tests: they borrow, set triggers, are liquidated, try what is refused
 * Operator  changes terms, and lists a contract and delivers it, again and again
 * Repeats   the same seed gives the same journal
 */
import { isFutures, productLines } from '../../src/engine/catalog/catalog.ts'
import { amount, type Lots, zero } from '../../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { Uid, WalletType } from '../../src/engine/vocabulary.ts'
import { demoInstruments } from '../../src/operator/demo/catalog.ts'
import type { ScenarioName } from '../../src/simulator/simulator.ts'
import { admitRandomTraders, RandomTraders } from '../engine/support/random-traders.ts'
import type { Exchange, Joining } from '../engine/support/exchange.ts'
import { share, units } from '../engine/support/figures.ts'
import { Random } from '../simulation/random.ts'
import { type OnCommand, type Played, wholeVenue, type WholeVenue } from '../simulator/whole-venue.ts'
import { CommandJournal } from './command-journal.ts'

interface DemoJournalOptions {
  readonly directory: string
  readonly commands: number
  readonly seed: number
  readonly onSession?: (commands: number, at: number) => void
}

const stepMs = 1_000
const sessionSteps = 600
/** Between two sessions. */
const quietMs = 2 * 3_600_000
const quietStepMs = 20_000
/** Of people, in a step. */
const peopleCommandsMax = 12
const borrower = 'boris'
const demoContracts = demoInstruments.filter(({ category }) => category !== 'SPOT').length

const scenarios: readonly (ScenarioName | undefined)[] = [
  undefined,
  'crash',
  'adl',
  'squeeze',
  undefined,
  'stale-index',
  'trend',
]

/** Answers when the last command was stamped. */
export async function recordDemoVenue(options: DemoJournalOptions): Promise<number> {
  const { directory, commands, seed, onSession = () => {} } = options
  const journal = await CommandJournal.create(directory)
  let lastAt = 0
  const onCommand: OnCommand = (command, at) => {
    if (journal.length === commands) return
    journal.add(command, at)
    lastAt = at
  }
  try {
    const venue = await DemoVenue.open(seed, onCommand)
    for (let session = 0; journal.length < commands; session++) {
      const scenario = scenarios[session % scenarios.length]
      if (scenario !== undefined) venue.played.simulator.begin(scenario)
      for (let step = 0; step < sessionSteps && journal.length < commands; step++) {
        await venue.step(stepMs)
        await journal.flush()
      }
      for (let ms = 0; ms < quietMs && journal.length < commands; ms += quietStepMs) {
        await venue.step(quietStepMs)
        await journal.flush()
      }
      venue.relist()
      onSession(journal.length, lastAt)
    }
  } finally {
    await journal.close()
  }
  return lastAt
}

class DemoVenue {
  readonly played: Played
  readonly #venue: WholeVenue
  readonly #people: People
  readonly #traders: RandomTraders
  readonly #random: Random
  #listed = 0

  private constructor(played: Played, seed: number) {
    this.played = played
    this.#venue = played.venue
    this.#people = new People(played.venue)
    // The traders know the small exchange of the tests; of that they use what these people have.
    const exchange = this.#people as unknown as Exchange
    admitRandomTraders(exchange)
    this.#people.join(borrower, { mode: 'classic', funds: { crossed_margin: '20000 USDT' } })
    this.#traders = new RandomTraders(exchange, seed)
    this.#random = new Random(seed)
  }

  static async open(seed: number, onCommand: OnCommand): Promise<DemoVenue> {
    return new DemoVenue(await wholeVenue({ seed, stepMs, parameters: { visitsPerStep: 1 }, onCommand }), seed)
  }

  async step(ms: number): Promise<void> {
    const { venue, simulator } = this.played
    venue.advance(ms)
    await simulator.step(ms)
    for (let left = this.#random.below(peopleCommandsMax); left > 0; left--) this.#act()
    // The venue keeps them for tests that look.
    venue.commands.length = 0
    venue.replies.length = 0
  }

  /** The contract that was listed last is delivered, and another one comes in its place. */
  relist(): void {
    const venue = this.#venue
    const { instruments } = venue.query({ kind: 'catalog' })
    const contracts = instruments.filter(isFutures)
    const last = contracts.at(-1)
    if (last !== undefined && last.id >= demoInstruments.length) {
      const { markPrice } = venue.query({ kind: 'prices', instrument: last.id })
      venue.tell({ kind: 'deliver', instrument: last.id, price: markPrice })
    }
    const { id: _id, listedAt: _listedAt, ...model } = contracts[this.#listed % demoContracts]
    this.#listed += 1
    const instrument = { ...model, symbol: `${model.symbol}N${this.#listed}`, status: 'online' } as const
    venue.tell({ kind: 'list-instrument', instrument })
  }

  #act(): void {
    for (const command of this.#random.happens(0.02) ? this.#rare() : [this.#traders.next()]) {
      // Prices are the market's, and which contract ends is decided by `relist`.
      if (command.kind !== 'set-index-prices' && command.kind !== 'deliver') this.#venue.tell(command)
    }
  }

  /** What the traders of the tests do not do. */
  #rare(): Command[] {
    const random = this.#random
    const uid = this.#people.uid(random.pick(['ann', 'uma', 'una', 'hugo', 'nora', 'cy']))
    const { coins, instruments } = this.#venue.query({ kind: 'catalog' })
    const coin = random.below(coins.length)
    const instrument = random.pick(instruments.filter(isFutures)).id
    const leverages = [1, 5, 20, 100] as const
    switch (random.below(13)) {
      case 0:
        return this.#move(random.pick([['uma', 'una'] as const, ['una', 'uma'] as const]))
      case 1:
        return [
          { kind: 'set-collateral-type', uid, choice: random.pick(['all', 'mainstream', 'custom']), coins: [coin] },
        ]
      case 2: {
        const sides = { long: random.pick(leverages), short: random.pick(leverages), marginMode: undefined }
        return [{ kind: 'set-side-leverages', uid, interface: random.pick(['v2', 'v3']), instrument, ...sides }]
      }
      case 3: {
        const collateral = random.pick([undefined, [{ to: units('5000000'), ratio: share('0.9') }]])
        const rates = { debtInitialRate: share(random.pick(['0.1', '0.2'])), debtMaintenanceRate: share('0.04') }
        return [{ kind: 'set-collateral', coin, collateral, ...rates }]
      }
      case 4: {
        const adl = { adlStartShare: share(random.pick(['0.7', '0.3'])), adlEndShare: share('0.9') }
        const markups = { orderMarginMarkup: share(random.pick(['0', '0.01'])), orderFeeMarkup: share('0') }
        return [
          { kind: 'set-risk', ...adl, ...markups, profitAsMargin: random.happens(0.5), reduceTiers: random.below(3) },
        ]
      }
      case 5:
        return [
          { kind: 'create-sub-account', parentUid: uid, mode: 'unified', name: `sub${random.below(50)}`, note: '' },
        ]
      case 6: {
        const ella = this.#people.uid('ella')
        const rights = { frozen: random.happens(0.3), permissions: random.pick([undefined, ['read', 'trade']]) }
        return [{ kind: 'set-sub-account', actorUid: this.#people.uid('ann'), uid: ella, ...rights }]
      }
      case 7:
        return [{ kind: 'bind-account', uid: this.#people.uid('una'), boundAt: random.pick([undefined, 1]) }]
      case 8:
        return [{ kind: 'record-key-change', uid, apiKey: `bg-${random.below(1000)}`, change: 'created' }]
      case 9:
        return [{ kind: 'configure-venue', dailyOrdersRestriction: 0 }]
      case 10:
        return this.#gamble()
      case 11: {
        const [call, liquidation] = random.pick([
          ['1.3', '1.1'],
          ['1.48', '1.45'],
        ] as const)
        const same = { transfer: undefined, borrow: undefined, liquidationFee: undefined }
        return [{ kind: 'set-margin-levels', ...same, call: share(call), liquidation: share(liquidation) }]
      }
      default:
        return this.#pocketMoney()
    }
  }

  /** Half of a position goes to another account of the family; neither may have an order there. */
  #move([from, to]: readonly [string, string]): Command[] {
    const [fromUid, toUid] = [this.#people.uid(from), this.#people.uid(to)]
    const ask = { kind: 'positions', uid: fromUid, interface: 'v3', instrument: undefined } as const
    const held = productLines.flatMap((line) => this.#venue.query({ ...ask, line }))
    if (held.length === 0) return []
    const { instrument, side, quantity } = this.#random.pick(held)
    const { category } = this.#venue.query({ kind: 'catalog' }).instruments[instrument]
    const cancel = { kind: 'cancel-orders', interface: 'v3', category, instrument } as const
    const half = Math.ceil(quantity / 2) as Lots
    return [
      { ...cancel, uid: fromUid },
      { ...cancel, uid: toUid },
      { kind: 'move-position', actorUid: this.#people.uid('uma'), fromUid, toUid, instrument, side, quantity: half },
    ]
  }

  /** The borrower takes all that the venue lends, for bitcoin: a few percent down are a margin call, and some more the end. */
  #gamble(): Command[] {
    const uid = this.#people.uid(borrower)
    const coin = this.#venue.coin('USDT').id
    const { borrowable } = this.#venue.query({ kind: 'margin-account', uid, coin })
    const { id } = this.#venue.instrument('SPOT', 'BTCUSDT')
    const balances = this.#venue.query({ kind: 'balances', uid, wallet: 'crossed_margin' })
    const available = balances.find((one) => one.coin === coin)?.available ?? zero
    const buy: PlaceOrder = {
      kind: 'place-order',
      uid,
      interface: 'v2',
      category: 'MARGIN',
      instrument: id,
      side: 'buy',
      orderType: 'market',
      price: 0,
      quantity: { unit: 'quote', amount: amount(borrowable + available) },
      timeInForce: 'ioc',
      positionSide: undefined,
      tradeSide: undefined,
      reduceOnly: false,
      marginMode: undefined,
      marginCoin: undefined,
      stpMode: undefined,
      clientOid: '',
      takeProfit: undefined,
      stopLoss: undefined,
      loanType: 'normal',
      channelCode: '',
    }
    return [
      { kind: 'deposit', uid, wallet: 'crossed_margin', coin, amount: units('100') },
      { kind: 'borrow', uid, coin, amount: borrowable },
      buy,
    ]
  }

  /** Whoever lost everything begins anew. */
  #pocketMoney(): Command[] {
    const coin = this.#venue.coin('USDT').id
    const wallets: readonly [string, WalletType][] = [
      ['ann', 'usdt_futures'],
      ['cy', 'usdt_futures'],
      ['leo', 'usdt_futures'],
      ['mia', 'usdt_futures'],
      ['theo', 'crossed_margin'],
      ['uma', 'uta'],
      ['nora', 'uta'],
      ['una', 'uta'],
    ]
    const [who, wallet] = this.#random.pick(wallets)
    return [{ kind: 'deposit', uid: this.#people.uid(who), wallet, coin, amount: units('3000') }]
  }
}

/** Accounts by name, as the traders of the tests expect them. */
class People {
  readonly #venue: WholeVenue
  readonly #uids = new Map<string, Uid>()

  constructor(venue: WholeVenue) {
    this.#venue = venue
  }

  join(name: string, { mode = 'classic', parent, funds = {} }: Joining): void {
    const account = parent === undefined ? 'main' : 'sub'
    const parentUid = parent === undefined ? undefined : this.uid(parent)
    const reply = this.must({ kind: 'create-account', account, parentUid, mode, name })
    if (reply.kind !== 'account-created') throw new Error(`${name} could not join`)
    this.#uids.set(name, reply.uid)
    for (const [wallet, list] of Object.entries(funds)) {
      for (const [sum, coin] of list.split(', ').map((one) => one.split(' '))) {
        const money = { coin: this.#venue.coin(coin).id, amount: units(sum) }
        this.must({ kind: 'deposit', uid: reply.uid, wallet: wallet as WalletType, ...money })
      }
    }
  }

  uid(name: string): Uid {
    const uid = this.#uids.get(name)
    if (uid === undefined) throw new Error(`nobody is called ${name}`)
    return uid
  }

  must(command: Command): Reply {
    const reply = this.#venue.tell(command)
    if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${reply.refusal.kind}`)
    return reply
  }

  get query(): WholeVenue['query'] {
    return this.#venue.query.bind(this.#venue)
  }

  /** Time is the venue's. */
  wait(): void {}
}
