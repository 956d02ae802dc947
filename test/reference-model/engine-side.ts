/**
 * The engine, spoken to in the model's words: listings, accounts and commands go in as coins and dollars and come out as
 * ticks, lots and units.
 */
import { depositAddress, type ProductLine } from '../../src/engine/catalog/catalog.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { Amount, Lots, Rate, Ticks } from '../../src/engine/numbers/numbers.ts'
import type {
  Command as EngineCommand,
  ListInstrument,
  OrderReference,
  PlaceOrder,
} from '../../src/engine/protocol/command.ts'
import type { Event, OrderRecord, TriggerRecord } from '../../src/engine/protocol/event.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { OrderId, OrderQuantity, TpslTerms, Uid } from '../../src/engine/vocabulary.ts'
import type { Chain, Coin, Market, Network } from './catalog.ts'
import type {
  Answer,
  Command,
  Leg,
  Named,
  OrderAmount,
  Place,
  Plan,
  Protect,
  Trail,
  TrailTerms,
  Withdrawal,
} from './commands.ts'
import { type Fraction, fraction } from './rational.ts'

export class EngineSide {
  readonly engine: Engine
  readonly coins: readonly Coin[]
  readonly markets: readonly Market[]
  events: Event[] = []
  private readonly uids = new Map<string, Uid>()
  private readonly names = new Map<Uid, string>()
  /** Who speaks v3. */
  unified = new Set<string>()
  private readonly withdrawals = new Map<string, number>()
  private readonly quotes = new Map<string, number>()
  /** What the command at hand was offered. */
  quoted: Extract<Reply, { readonly kind: 'conversion-quoted' }> | undefined
  private sequence = 0

  constructor(coins: readonly Coin[], markets: readonly Market[], at: number) {
    this.coins = coins
    this.markets = markets
    this.engine = new Engine((event) => this.events.push(event))
    for (const coin of coins) this.must(listing(coin), at)
    for (const market of markets) this.must({ kind: 'list-instrument', instrument: this.record(market) }, at)
  }

  join(name: string, main: string, unified: boolean, at: number): void {
    const parentUid = main === name ? undefined : this.uid(main)
    const account = parentUid === undefined ? 'main' : 'sub'
    const mode = unified ? 'unified' : 'classic'
    const reply = this.must({ kind: 'create-account', account, parentUid, mode, name }, at)
    if (reply.kind !== 'account-created') throw new Error(`${name} could not join`)
    this.uids.set(name, reply.uid)
    this.names.set(reply.uid, name)
    if (unified) this.unified.add(name)
  }

  fund(coin: string, money: Fraction, at: number): void {
    this.must({ kind: 'fund-house', account: 'insurance', coin: this.coinId(coin), amount: units(money) }, at)
  }

  /** Applies a command; answers `accepted`, or the refusal's kind. */
  apply(command: Command, at: number): Answer {
    const reply = this.submit(this.translated(command), at)
    this.quoted = undefined
    if (reply.kind === 'withdrawal-requested' && command.kind === 'request-withdrawal') {
      this.withdrawals.set(`${command.owner} ${command.id}`, reply.id)
    }
    if (reply.kind === 'conversion-quoted' && command.kind === 'quote') {
      this.quotes.set(command.id, reply.quoteId)
      this.quoted = reply
    }
    if (reply.kind === 'leverage-set') return reply.taken ? 'accepted' : 'not-taken'
    if (reply.kind === 'canceled-instead') return `canceled instead: ${reply.refusal.kind}`
    return reply.kind === 'refused' ? reply.refusal.kind : 'accepted'
  }

  private submit(command: EngineCommand, at: number): Reply {
    this.events = []
    this.sequence++
    return this.engine.apply(command, this.sequence, at)
  }

  private must(command: EngineCommand, at: number): Reply {
    const reply = this.submit(command, at)
    if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${reply.refusal.kind}`)
    return reply
  }

  uid(name: string): Uid {
    return this.uids.get(name) ?? 0
  }

  /** Who an account is; the insurance fund has one of its own. */
  name(uid: Uid): string {
    return this.names.get(uid) ?? 'fund'
  }

  /** An order that is open, or has ended with the command at hand. */
  orderOf(uid: Uid, orderId: OrderId): OrderRecord | undefined {
    const ended = this.events.filter((event) => event.kind === 'order-ended').map(({ order }) => order)
    return (
      ended.find((order) => order.orderId === orderId) ??
      this.engine.query({ kind: 'order', uid, order: { orderId, clientOid: '' } })
    )
  }

  version(name: string): 'v2' | 'v3' {
    return this.unified.has(name) ? 'v3' : 'v2'
  }

  coinId(name: string): number {
    return this.coins.findIndex((coin) => coin.name === name)
  }

  marketId(name: string): number {
    return this.markets.findIndex((market) => market.name === name)
  }

  market(id: number): Market {
    return this.markets[id]
  }

  private record(market: Market): ListInstrument['instrument'] {
    const { name, kind, line, base, quote, settle, tick, lot } = market
    const shared = {
      symbol: name,
      base: this.coinId(base),
      priceDecimals: decimals(tick),
      priceStep: step(tick),
      quantityDecimals: decimals(lot),
      quantityStep: step(lot),
      quantityMin: lots(market, market.quantityMin),
      quantityMax: lots(market, market.quantityMax),
      marketQuantityMax: lots(market, market.marketQuantityMax),
      notionalMin: units(market.notionalMin),
      makerFeeRate: rate(market.makerFee),
      takerFeeRate: rate(market.takerFee),
      limitBand: rate(market.limitBand),
      marketBand: rate(market.marketBand),
      status: 'online' as const,
    }
    if (kind === 'spot' || line === undefined) {
      const { marginable } = market
      return { ...shared, kind: 'spot', category: 'SPOT', quote: this.coinId(quote), quoteDecimals: 8, marginable }
    }
    return {
      ...shared,
      kind,
      category: line,
      quote: kind === 'inverse' ? -1 : this.coinId(quote),
      settle: this.coinId(settle),
      sizeDecimals: decimals(kind === 'inverse' ? market.sizeStep : lot),
      leverageMin: 1,
      leverageMax: market.leverageMax,
      leverageDefault: market.leverageDefault,
      tiers: market.tiers.map((tier) => ({
        from: units(tier.from),
        to: units(tier.to),
        leverageMax: tier.leverageMax,
        maintenanceRate: rate(tier.rate),
      })),
      fundingIntervalHours: market.fundingHours,
      fundingRateCap: rate(market.fundingCap),
    }
  }

  private translated(command: Command): EngineCommand {
    switch (command.kind) {
      case 'place':
        return this.order(command)
      case 'cancel': {
        const order = { orderId: undefined, clientOid: command.id }
        const anywhere = { category: undefined, instrument: undefined }
        return { kind: 'cancel-order', uid: this.uid(command.owner), order, ...anywhere }
      }
      case 'amend': {
        const { owner, id, market: name, quantity, orCancel } = command
        const market = this.market(this.marketId(name))
        return {
          kind: 'amend-order',
          uid: this.uid(owner),
          order: { orderId: undefined, clientOid: id },
          category: undefined,
          instrument: undefined,
          price: command.price && ticks(market, command.price),
          quantity: quantity && lots(market, quantity),
          attachedTpsl: undefined,
          autoCancel: orCancel,
          requestId: '',
        }
      }
      case 'replace': {
        const { owner, id, newId, market: name, margin, quantity } = command
        const market = this.market(this.marketId(name))
        return {
          kind: 'replace-order',
          uid: this.uid(owner),
          interface: this.version(owner),
          order: { orderId: undefined, clientOid: id },
          categories: [this.category(market, margin)],
          instrument: this.marketId(name),
          price: command.price && ticks(market, command.price),
          quantity: quantity && { unit: 'lots', lots: lots(market, quantity) },
          attachedTpsl: undefined,
          clientOid: newId,
          channelCode: '',
        }
      }
      case 'plan':
        return this.plan(command)
      case 'protect':
        return this.tpsl(command)
      case 'trail':
        return this.trail(command)
      case 'trail-stop': {
        const { owner, market, hold, quantity, stp, id } = command
        return {
          kind: 'place-position-trailing',
          uid: this.uid(owner),
          interface: this.version(owner),
          instrument: this.marketId(market),
          marginCoin: undefined,
          positionSide: hold,
          ...followOf(this.market(this.marketId(market)), command),
          quantity: quantity && ({ unit: 'lots', lots: lots(this.market(this.marketId(market)), quantity) } as const),
          stpMode: stp,
          clientOid: id,
          channelCode: '',
        }
      }
      case 'change-trailing': {
        const { owner, id, market: name, amount } = command
        const market = this.market(this.marketId(name))
        return {
          kind: 'modify-trailing',
          uid: this.uid(owner),
          order: { orderId: undefined, clientOid: id },
          kinds: [],
          ...followOf(market, command),
          ...opening(command),
          quantity: amount && quantityOf(amount, market),
        }
      }
      case 'change-trigger': {
        const { owner, market: name, trigger, by, execute, amount, attached } = command
        const market = this.market(this.marketId(name))
        return {
          kind: 'modify-trigger',
          uid: this.uid(owner),
          order: this.triggerOf(command),
          kinds: [],
          ...termsOf(market, { trigger, by, execute }),
          quantity: amount && quantityOf(amount, market),
          takeProfit: attached?.profit && termsOf(market, attached.profit),
          stopLoss: attached?.loss && termsOf(market, attached.loss),
        }
      }
      case 'cancel-trigger': {
        const order = this.triggerOf(command)
        const anywhere = { kinds: [], category: undefined, instrument: undefined }
        return { kind: 'cancel-trigger', uid: this.uid(command.owner), order, ...anywhere }
      }
      case 'cancel-all': {
        const { owner, margin } = command
        const market = this.market(this.marketId(command.market))
        const uid = this.uid(owner)
        const where = { category: this.category(market, margin), instrument: this.marketId(market.name) }
        return { kind: 'cancel-orders', uid, interface: this.version(owner), ...where }
      }
      case 'deposit':
      case 'withdraw': {
        const { kind, owner, wallet, coin, money } = command
        return { kind, uid: this.uid(owner), wallet, coin: this.coinId(coin), amount: units(money) }
      }
      case 'transfer': {
        const within = command.from === command.to
        const toUid = this.uid(command.to)
        return {
          kind: 'transfer',
          actorUid: within ? toUid : this.uid(command.main),
          scope: within ? 'within-account' : 'between-accounts',
          fromUid: this.uid(command.from),
          toUid,
          fromWallet: command.fromWallet,
          toWallet: command.toWallet,
          coin: this.coinId(command.coin),
          amount: units(command.money),
          clientOid: within ? '' : command.id,
        }
      }
      case 'send-deposit': {
        const { kind, owner, coin, network, money } = command
        return { kind, uid: this.uid(owner), coin: this.coinId(coin), network, amount: units(money) }
      }
      case 'request-withdrawal':
        return this.withdrawal(command)
      case 'cancel-withdrawal':
        return { kind: command.kind, uid: this.uid(command.owner), id: undefined, clientOid: command.id }
      case 'reject-withdrawal':
        return { kind: command.kind, id: this.withdrawals.get(`${command.owner} ${command.id}`) ?? 0 }
      case 'choose-wallet': {
        const { owner, coin, wallet } = command
        return { kind: 'set-deposit-wallet', uid: this.uid(owner), coin: this.coinId(coin), wallet }
      }
      case 'quote': {
        const { owner, from, to, given, money } = command
        return {
          kind: 'quote-conversion',
          uid: this.uid(owner),
          fromCoin: this.coinId(from),
          toCoin: this.coinId(to),
          fromAmount: given === 'goes' ? units(money) : undefined,
          toAmount: given === 'comes' ? units(money) : undefined,
        }
      }
      case 'convert': {
        const { owner, id, from, to, goes, comes } = command
        return {
          kind: 'convert-coins',
          uid: this.uid(owner),
          quoteId: this.quotes.get(id) ?? 0,
          fromCoin: this.coinId(from),
          toCoin: this.coinId(to),
          fromAmount: units(goes),
          toAmount: units(comes),
        }
      }
      case 'borrow':
      case 'repay': {
        const { kind, owner, coin, money } = command
        return { kind, uid: this.uid(owner), coin: this.coinId(coin), amount: units(money) }
      }
      case 'flash-repay': {
        const { kind, owner, coin } = command
        return { kind, uid: this.uid(owner), coin: coin === undefined ? undefined : this.coinId(coin) }
      }
      case 'set-leverage': {
        const { owner, leverage, hold } = command
        const where = {
          uid: this.uid(owner),
          interface: this.version(owner),
          instrument: this.marketId(command.market),
        }
        return { kind: 'set-leverage', ...where, leverage, positionSide: hold, marginMode: undefined }
      }
      case 'set-line-leverage': {
        const { owner, line, leverage } = command
        const all = { instrument: undefined, positionSide: undefined }
        return { kind: 'set-all-leverage', uid: this.uid(owner), line, leverage, ...all }
      }
      case 'set-margin-mode': {
        const { owner, marginMode } = command
        const where = {
          uid: this.uid(owner),
          interface: this.version(owner),
          instrument: this.marketId(command.market),
        }
        return { kind: 'set-margin-mode', ...where, marginMode }
      }
      case 'set-hold-mode': {
        const holdMode = command.hedged ? 'hedge_mode' : 'one_way_mode'
        return { kind: 'set-hold-mode', uid: this.uid(command.owner), line: command.line, holdMode }
      }
      case 'set-account-mode': {
        const { kind, owner, unified } = command
        return { kind, uid: this.uid(owner), mode: unified ? 'unified' : 'classic' }
      }
      case 'set-position-margin': {
        const { owner, hold, money } = command
        const where = {
          uid: this.uid(owner),
          interface: this.version(owner),
          instrument: this.marketId(command.market),
        }
        return { kind: 'set-position-margin', ...where, positionSide: hold, amount: units(money) }
      }
      case 'set-auto-margin': {
        const { owner, on } = command
        const where = {
          uid: this.uid(owner),
          interface: this.version(owner),
          instrument: this.marketId(command.market),
        }
        return { kind: 'set-auto-margin', ...where, on }
      }
      case 'deliver': {
        const market = this.market(this.marketId(command.market))
        return { kind: 'deliver', instrument: this.marketId(market.name), price: ticks(market, command.price) }
      }
      case 'set-price':
        return { kind: 'set-index-prices', prices: [[this.coinId(command.coin), units(command.price)]] }
      case 'settle-funding':
        return { kind: 'settle-funding', instrument: this.marketId(command.market) }
      case 'run-timers':
        return { kind: 'run-timers' }
    }
  }

  private triggerOf({ owner, id, place }: Named): OrderReference {
    if (place === undefined) return { orderId: undefined, clientOid: id }
    return { orderId: this.waiting(owner)[place]?.orderId, clientOid: '' }
  }

  /** Trigger orders of an account, oldest first. */
  waiting(owner: string): readonly TriggerRecord[] {
    const anything = { category: undefined, instrument: undefined, kinds: [] } as const
    const ask = { kind: 'triggers', uid: this.uid(owner), interface: this.version(owner), ...anything } as const
    return [...this.engine.query(ask)].sort((a, b) => a.orderId - b.orderId)
  }

  private category(market: Market, margin: boolean): 'SPOT' | 'MARGIN' | ProductLine {
    return market.line ?? (margin ? 'MARGIN' : 'SPOT')
  }

  private plan({ order, trigger, by }: Plan): EngineCommand {
    const { timeInForce: _, loanType: __, orderType: ___, price, ...placed } = this.order(order)
    const market = this.market(placed.instrument)
    return { ...placed, kind: 'place-trigger', trigger: ticks(market, trigger), by, execute: price }
  }

  private withdrawal({ owner, id, wallets, coin, money, to }: Withdrawal): EngineCommand {
    const shared = {
      kind: 'request-withdrawal',
      uid: this.uid(owner),
      wallets,
      coin: this.coinId(coin),
      amount: units(money),
      tag: '',
      clientOid: id,
      remark: '',
    } as const
    if (to.by === 'account') return { ...shared, network: undefined, address: '', toUid: this.uid(to.receiver) }
    const { network, receiver } = to
    const address = receiver === undefined ? outside[network] : addressOf(network, coin, this.uid(receiver))
    return { ...shared, network, address, toUid: undefined }
  }

  private trail(command: Trail): EngineCommand {
    const {
      timeInForce: _,
      loanType: __,
      orderType: ___,
      price: ____,
      takeProfit: _____,
      stopLoss: ______,
      ...placed
    } = this.order(command.order)
    const market = this.market(placed.instrument)
    return { ...placed, kind: 'place-trailing', ...followOf(market, command), ...opening(command) }
  }

  private tpsl({ owner, market: name, hold, legs, stp }: Protect): EngineCommand {
    const market = this.market(this.marketId(name))
    const legOf = (leg: Leg | undefined) =>
      leg && {
        ...termsOf(market, leg),
        quantity:
          leg.quantity === undefined ? undefined : ({ unit: 'lots', lots: lots(market, leg.quantity) } as const),
        clientOid: leg.id,
      }
    return {
      kind: 'place-position-triggers',
      uid: this.uid(owner),
      interface: this.version(owner),
      instrument: this.marketId(name),
      marginCoin: undefined,
      positionSide: hold,
      takeProfit: legOf(legs.profit),
      stopLoss: legOf(legs.loss),
      stpMode: stp,
      channelCode: '',
    }
  }

  private order(command: Place): PlaceOrder {
    const market = this.market(this.marketId(command.market))
    const { owner, side, price, margin, hold, trade, reduceOnly, marginMode, stp, timeInForce, loanType } = command
    const { attached } = command
    return {
      kind: 'place-order',
      uid: this.uid(owner),
      interface: this.version(owner),
      category: this.category(market, margin),
      instrument: this.marketId(market.name),
      side,
      orderType: price === undefined ? 'market' : 'limit',
      price: price === undefined ? 0 : ticks(market, price),
      quantity: quantityOf(command.amount, market),
      timeInForce,
      positionSide: hold,
      tradeSide: trade,
      reduceOnly,
      marginMode,
      marginCoin: undefined,
      stpMode: stp,
      clientOid: command.id,
      takeProfit: attached?.profit && termsOf(market, attached.profit),
      stopLoss: attached?.loss && termsOf(market, attached.loss),
      loanType,
      channelCode: '',
    }
  }
}

/** Addresses of nobody here. */
const outside: Readonly<Record<Network, string>> = {
  BTC: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  ERC20: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
  TRC20: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  SOL: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
}

function addressOf(network: Network, coin: string, uid: Uid): string {
  return depositAddress(network, coin, uid).address
}

/** Engine rates of trailing orders are hundredths of a percent. */
function hundredths(share: Fraction): number {
  return Number(whole(share.times(fraction(10_000))))
}

function followOf(market: Market, { rate: share, activation, by }: TrailTerms) {
  return { rate: hundredths(share), trigger: activation === undefined ? (0 as const) : ticks(market, activation), by }
}

function opening({ profitRate, lossRate }: TrailTerms) {
  return { takeProfitRate: hundredths(profitRate), stopLossRate: hundredths(lossRate) }
}

function termsOf(market: Market, { trigger, by, execute }: Pick<Leg, 'trigger' | 'by' | 'execute'>): TpslTerms {
  return { trigger: ticks(market, trigger), execute: execute === undefined ? 0 : ticks(market, execute), by }
}

function listing(coin: Coin): EngineCommand {
  const { name, borrowable } = coin
  return {
    kind: 'list-coin',
    coin: {
      name,
      listingPriceE8: units(coin.listingPrice),
      borrowable,
      dailyInterestRate: rate(coin.dailyInterest),
      borrowLimit: units(coin.borrowLimit),
      lendingPoolLimit: units(coin.poolLimit),
      marginLeverageMax: coin.leverageMax,
      collateral: coin.collateral.map(({ to, ratio }) => ({ to: units(to), ratio: rate(ratio) })),
      debtInitialRate: rate(coin.debtInitial),
      debtMaintenanceRate: rate(coin.debtMaintenance),
      chains: coin.chains.map(chainRecord),
    },
  }
}

function chainRecord(chain: Chain) {
  const { network, step: least, depositBlocks, withdrawalBlocks } = chain
  return {
    network,
    canDeposit: true,
    canWithdraw: true,
    withdrawalFee: units(chain.withdrawalFee),
    depositMin: units(chain.depositMin),
    withdrawalMin: units(chain.withdrawalMin),
    depositConfirmations: depositBlocks,
    withdrawalConfirmations: withdrawalBlocks,
    decimals: decimals(least),
  }
}

function quantityOf(amount: OrderAmount, market: Market): OrderQuantity {
  switch (amount.of) {
    case 'quantity':
      return { unit: 'lots', lots: lots(market, amount.quantity) }
    case 'quote':
      return { unit: 'quote', amount: units(amount.budget) }
    case 'base':
      return { unit: 'base', amount: units(amount.size) }
  }
}

/** The whole number that a figure is in a scale; it always is one. */
function whole(exact: Fraction): bigint {
  if (exact.floor() !== exact.ceil()) throw new Error(`${exact.toString()} is not whole`)
  return exact.floor()
}

export function units(money: Fraction): Amount {
  return whole(money.times(fraction(100_000_000))) as Amount
}

export function rate(share: Fraction): Rate {
  return whole(share.times(fraction(1_000_000_000_000))) as Rate
}

export function ticks({ tick }: Market, price: Fraction): Ticks {
  return Number(whole(price.over(tick))) as Ticks
}

export function lots({ lot }: Market, quantity: Fraction): Lots {
  return Number(whole(quantity.over(lot))) as Lots
}

/** Steps are written as so many of the last decimal. */
function decimals({ bottom }: Fraction): number {
  return bottom.toString().length - 1
}

function step({ top }: Fraction): number {
  return Number(top)
}
