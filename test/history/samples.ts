/** One event of every kind that the history keeps, with every field set, and a venue of plain ones to vary. */
import { amount, lots, rate, ticks } from '../../src/engine/numbers/numbers.ts'
import type {
  Bill,
  Conversion,
  Event,
  ExternalFlow,
  FillEvent,
  FundingPayment,
  FundingSettled,
  InterestEvent,
  LoanEvent,
  OrderRecord,
  PositionClosed,
  RebateEvent,
  RepaymentEvent,
  TradeEvent,
  TransferEvent,
  TriggerRecord,
} from '../../src/engine/protocol/event.ts'

export const alice = 10_001
export const bob = 10_002
export const noon = 1_790_000_000_000

export const fill: FillEvent = {
  kind: 'fill',
  execId: 501,
  matchId: 401,
  orderId: 301,
  clientOid: 'alice-1',
  uid: alice,
  wallet: 'usdt_futures',
  category: 'USDT-FUTURES',
  instrument: 3,
  side: 'buy',
  bookSide: 'sell',
  orderType: 'limit',
  scope: 'taker',
  cause: 'user',
  holdMode: 'hedge_mode',
  effect: 'close',
  positionSide: 'long',
  price: ticks(500_000),
  quantity: lots(1_000),
  notional: amount(5_000_000_000_000n),
  fee: amount(3_000_000_000n),
  feeCoin: 4,
  realizedPnl: amount(-1_250n),
  balance: amount(-70n),
  paidCoin: 5,
  paidBalance: amount(80n),
  baseAmount: amount(90n),
  at: noon,
}

export const order: OrderRecord = {
  orderId: 301,
  clientOid: 'alice-1',
  uid: alice,
  wallet: 'usdt_futures',
  category: 'USDT-FUTURES',
  instrument: 3,
  side: 'buy',
  bookSide: 'sell',
  orderType: 'limit',
  timeInForce: 'post_only',
  price: ticks(500_000),
  quantity: lots(1_000),
  cut: lots(250),
  quoteAmount: amount(1n),
  baseAmount: amount(2n),
  filled: lots(999),
  filledNotional: amount(5_000_000_000_000n),
  averagePriceE8: 60_000_00000000n,
  fee: amount(-3n),
  feeCoin: 4,
  realizedPnl: amount(-1_250n),
  status: 'canceled',
  cancelReason: 'self-trade',
  cause: 'liquidation',
  intent: 'close',
  positionSide: 'long',
  reduceOnly: true,
  holdMode: 'hedge_mode',
  marginMode: 'isolated',
  leverage: 25,
  stpMode: 'cancel_both',
  takeProfit: { trigger: ticks(600_000), execute: 0, by: 'mark' },
  stopLoss: { trigger: ticks(400_000), execute: ticks(399_000), by: 'last' },
  loanType: 'autoRepay',
  positionEntryE8: 5_123_456_789_012n,
  channelCode: 'desk',
  createdAt: noon - 5_000,
  updatedAt: noon,
}

export const trade: TradeEvent = {
  kind: 'trade',
  matchId: 401,
  instrument: 3,
  price: ticks(500_000),
  quantity: lots(1_000),
  side: 'sell',
  at: noon,
}

export const transfer: TransferEvent = {
  kind: 'transfer',
  transferId: 71,
  clientOid: 'move-1',
  actorUid: alice,
  fromUid: alice,
  toUid: bob,
  fromWallet: 'spot',
  toWallet: 'uta',
  coin: 4,
  amount: amount(100n),
  at: noon,
}

export const deposit: ExternalFlow = {
  kind: 'deposit',
  id: 11,
  uid: alice,
  wallet: 'spot',
  coin: 4,
  amount: amount(100n),
  at: noon,
}
export const withdrawal: ExternalFlow = { ...deposit, kind: 'withdrawal', id: 12 }

export const loan: LoanEvent = {
  kind: 'loan',
  loanId: 21,
  uid: alice,
  wallet: 'crossed_margin',
  coin: 4,
  amount: amount(100n),
  cause: 'order',
  at: noon,
}

export const repayment: RepaymentEvent = {
  kind: 'repayment',
  repayId: 22,
  uid: alice,
  wallet: 'crossed_margin',
  coin: 4,
  principal: amount(100n),
  interest: amount(1n),
  cause: 'request',
  at: noon,
}

export const interest: InterestEvent = {
  kind: 'interest',
  id: 23,
  uid: alice,
  wallet: 'crossed_margin',
  coin: 4,
  amount: amount(1n),
  at: noon,
  loanId: 21,
  dailyInterestRate: rate(120_000_000n),
  cause: 'hour',
}

export const fundingRate: FundingSettled = {
  kind: 'funding-settled',
  instrument: 3,
  fundingRate: rate(-100_000_000n),
  markPrice: ticks(500_000),
  at: noon,
}

export const fundingPayment: FundingPayment = {
  kind: 'funding-payment',
  id: 24,
  uid: alice,
  wallet: 'usdt_futures',
  instrument: 3,
  positionSide: 'short',
  amount: amount(-7n),
  at: noon,
}

export const position: PositionClosed = {
  kind: 'position-closed',
  positionId: 25,
  uid: alice,
  wallet: 'usdt_futures',
  instrument: 3,
  side: 'short',
  holdMode: 'one_way_mode',
  marginMode: 'cross',
  leverage: 20,
  openedQuantity: lots(1_000),
  openedNotional: amount(5n),
  closedNotional: amount(6n),
  closedFine: amount(60_001n),
  realizedPnl: amount(-1n),
  funding: amount(-2n),
  openFees: amount(3n),
  closeFees: amount(-4n),
  openedAt: noon - 1_000,
  closedAt: noon,
}

export const trigger: TriggerRecord = {
  orderId: 302,
  clientOid: 'stop',
  uid: alice,
  wallet: 'usdt_futures',
  category: 'USDT-FUTURES',
  instrument: 3,
  trigger: 'stop-loss',
  price: ticks(400_000),
  by: 'mark',
  execute: 0,
  side: 'sell',
  bookSide: 'sell',
  intent: 'single',
  positionSide: 'net',
  reduceOnly: true,
  holdMode: 'one_way_mode',
  marginMode: 'cross',
  stpMode: 'none',
  quantity: lots(5),
  quoteAmount: amount(0n),
  baseAmount: amount(0n),
  takeProfit: undefined,
  stopLoss: { trigger: ticks(390_000), execute: ticks(389_000), by: 'last' },
  status: 'failed',
  failure: 'insufficient-margin',
  partner: 303,
  executedOrderId: 0,
  channelCode: 'broker-1',
  createdAt: noon - 500,
  updatedAt: noon,
}

export const trailing: TriggerRecord = {
  ...trigger,
  orderId: 305,
  clientOid: 'trail',
  trigger: 'trailing-plan',
  status: 'executed',
  failure: '',
  trailing: { rate: 150, activation: ticks(410_000), best: ticks(420_000), takeProfitRate: 1_000, stopLossRate: 0 },
}

export const rebate: RebateEvent = {
  kind: 'rebate',
  id: 26,
  brokerUid: bob,
  orderId: 301,
  coin: 4,
  amount: amount(9n),
  at: noon,
}

export const everyKind: readonly Event[] = [
  fill,
  { kind: 'order-ended', order },
  { kind: 'trigger-ended', trigger },
  trade,
  transfer,
  deposit,
  withdrawal,
  loan,
  repayment,
  interest,
  fundingRate,
  fundingPayment,
  position,
  rebate,
  { kind: 'order-accepted', uid: alice, orderId: 1 },
  { kind: 'catalog-changed' },
]

/** The n-th fill of an account: numbers and time grow with n, one millisecond each. */
export function fillNumber(n: number, changes: Partial<FillEvent> = {}): FillEvent {
  return { ...fill, execId: n, matchId: n, orderId: n, at: noon + n, ...changes }
}

export function orderNumber(n: number, changes: Partial<OrderRecord> = {}): Event {
  return {
    kind: 'order-ended',
    order: { ...order, orderId: n, clientOid: `alice-${n}`, createdAt: noon + n, updatedAt: noon + n, ...changes },
  }
}

export function tradeNumber(n: number, changes: Partial<TradeEvent> = {}): TradeEvent {
  return { ...trade, matchId: n, at: noon + n, ...changes }
}

export const bill: Bill = {
  kind: 'bill',
  id: 510,
  uid: alice,
  wallet: 'usdt_futures',
  coin: 4,
  type: 'transfer_in',
  category: 'OTHER',
  amount: amount(100n),
  fee: amount(1n),
  balance: amount(30n),
  instrument: 3,
  otherWallet: 'spot',
  at: noon,
}

export const conversion: Conversion = {
  kind: 'conversion',
  id: 27,
  uid: alice,
  wallet: 'uta',
  fromCoin: 4,
  fromAmount: amount(5n),
  toCoin: 5,
  toAmount: amount(6n),
  at: noon,
}
