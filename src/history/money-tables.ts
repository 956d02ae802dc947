/**
 * Money that moved without a trade as tables: transfers, deposits and withdrawals, loans, repayments, interest, conversions
 * and liquidations of margin wallets, the insurance fund, rebates.
 */
import { amount, rate } from '../engine/numbers/numbers.ts'
import type {
  Conversion,
  ExternalFlow,
  InsuranceEvent,
  InterestEvent,
  LoanEvent,
  MarginLiquidation,
  RebateEvent,
  RepaymentEvent,
  TransferEvent,
} from '../engine/protocol/event.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'
import { factsText, readFacts } from './liquidation-table.ts'

const transfer = columnKinds<TransferEvent>()

export const transferColumns = {
  transfer_id: transfer.number((row) => row.transferId),
  client_oid: transfer.text((row) => row.clientOid),
  actor_uid: transfer.owner((row) => row.actorUid),
  from_uid: transfer.owner((row) => row.fromUid),
  to_uid: transfer.owner((row) => row.toUid),
  from_wallet: transfer.word((row) => row.fromWallet),
  to_wallet: transfer.word((row) => row.toWallet),
  coin_id: transfer.number((row) => row.coin),
  amount_e8: transfer.money((row) => row.amount),
  at_ms: transfer.number((row) => row.at),
}

export function readTransfer(cells: CellsOf<typeof transferColumns>): TransferEvent {
  return {
    kind: 'transfer',
    transferId: whole(cells.transfer_id),
    clientOid: cells.client_oid,
    actorUid: whole(cells.actor_uid),
    fromUid: whole(cells.from_uid),
    toUid: whole(cells.to_uid),
    fromWallet: cells.from_wallet,
    toWallet: cells.to_wallet,
    coin: whole(cells.coin_id),
    amount: amount(BigInt(cells.amount_e8)),
    at: whole(cells.at_ms),
  }
}

const flow = columnKinds<ExternalFlow>()

export const externalFlowColumns = {
  flow_id: flow.number((row) => row.id),
  kind: flow.word((row) => row.kind),
  uid: flow.owner((row) => row.uid),
  wallet: flow.word((row) => row.wallet),
  coin_id: flow.number((row) => row.coin),
  amount_e8: flow.money((row) => row.amount),
  at_ms: flow.number((row) => row.at),
}

export function readExternalFlow(cells: CellsOf<typeof externalFlowColumns>): ExternalFlow {
  return {
    kind: cells.kind,
    id: whole(cells.flow_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    coin: whole(cells.coin_id),
    amount: amount(BigInt(cells.amount_e8)),
    at: whole(cells.at_ms),
  }
}

const loan = columnKinds<LoanEvent>()

export const loanColumns = {
  loan_id: loan.number((row) => row.loanId),
  uid: loan.owner((row) => row.uid),
  wallet: loan.word((row) => row.wallet),
  coin_id: loan.number((row) => row.coin),
  amount_e8: loan.money((row) => row.amount),
  cause: loan.word((row) => row.cause),
  at_ms: loan.number((row) => row.at),
}

export function readLoan(cells: CellsOf<typeof loanColumns>): LoanEvent {
  return {
    kind: 'loan',
    loanId: whole(cells.loan_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    coin: whole(cells.coin_id),
    amount: amount(BigInt(cells.amount_e8)),
    cause: cells.cause,
    at: whole(cells.at_ms),
  }
}

const repayment = columnKinds<RepaymentEvent>()

export const repaymentColumns = {
  repay_id: repayment.number((row) => row.repayId),
  uid: repayment.owner((row) => row.uid),
  wallet: repayment.word((row) => row.wallet),
  coin_id: repayment.number((row) => row.coin),
  principal_e8: repayment.money((row) => row.principal),
  interest_e8: repayment.money((row) => row.interest),
  cause: repayment.word((row) => row.cause),
  at_ms: repayment.number((row) => row.at),
}

export function readRepayment(cells: CellsOf<typeof repaymentColumns>): RepaymentEvent {
  return {
    kind: 'repayment',
    repayId: whole(cells.repay_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    coin: whole(cells.coin_id),
    principal: amount(BigInt(cells.principal_e8)),
    interest: amount(BigInt(cells.interest_e8)),
    cause: cells.cause,
    at: whole(cells.at_ms),
  }
}

const interest = columnKinds<InterestEvent>()

export const interestColumns = {
  interest_id: interest.number((row) => row.id),
  uid: interest.owner((row) => row.uid),
  wallet: interest.word((row) => row.wallet),
  coin_id: interest.number((row) => row.coin),
  amount_e8: interest.money((row) => row.amount),
  loan_id: interest.number((row) => row.loanId),
  daily_rate_e12: interest.money((row) => row.dailyInterestRate),
  cause: interest.word((row) => row.cause),
  at_ms: interest.number((row) => row.at),
}

export function readInterest(cells: CellsOf<typeof interestColumns>): InterestEvent {
  return {
    kind: 'interest',
    id: whole(cells.interest_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    coin: whole(cells.coin_id),
    amount: amount(BigInt(cells.amount_e8)),
    loanId: whole(cells.loan_id),
    dailyInterestRate: rate(BigInt(cells.daily_rate_e12)),
    cause: cells.cause,
    at: whole(cells.at_ms),
  }
}

const conversion = columnKinds<Conversion>()

export const conversionColumns = {
  conversion_id: conversion.number((row) => row.id),
  uid: conversion.owner((row) => row.uid),
  wallet: conversion.word((row) => row.wallet),
  from_coin_id: conversion.number((row) => row.fromCoin),
  from_amount_e8: conversion.money((row) => row.fromAmount),
  to_coin_id: conversion.number((row) => row.toCoin),
  to_amount_e8: conversion.money((row) => row.toAmount),
  at_ms: conversion.number((row) => row.at),
  /** Digits, because it may be wider than 64 bits; empty: it paid a debt. */
  price_e12: conversion.text(({ price }) => (price === undefined ? '' : String(price))),
}

export function readConversion(cells: CellsOf<typeof conversionColumns>): Conversion {
  return {
    kind: 'conversion',
    id: whole(cells.conversion_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    fromCoin: whole(cells.from_coin_id),
    fromAmount: amount(BigInt(cells.from_amount_e8)),
    toCoin: whole(cells.to_coin_id),
    toAmount: amount(BigInt(cells.to_amount_e8)),
    ...(cells.price_e12 === '' ? {} : { price: BigInt(cells.price_e12) }),
    at: whole(cells.at_ms),
  }
}

const marginLiquidation = columnKinds<MarginLiquidation>()

export const marginLiquidationColumns = {
  liquidation_id: marginLiquidation.number((row) => row.liquidationId),
  uid: marginLiquidation.owner((row) => row.uid),
  wallet: marginLiquidation.word((row) => row.wallet),
  level_e12: marginLiquidation.money((row) => row.level),
  risk_rate_e12: marginLiquidation.money((row) => row.riskRate),
  assets_usd_e8: marginLiquidation.money((row) => row.assetsUsd),
  debt_usd_e8: marginLiquidation.money((row) => row.debtUsd),
  fee_usd_e8: marginLiquidation.money((row) => row.feeUsd),
  covered_usd_e8: marginLiquidation.money((row) => row.coveredUsd),
  balances: marginLiquidation.text((row) => factsText(row.balances)),
  liquidation_level_e12: marginLiquidation.money((row) => row.liquidationLevel),
  fee_rate_e12: marginLiquidation.money((row) => row.feeRate),
  first_order_id: marginLiquidation.number((row) => row.firstOrder),
  last_order_id: marginLiquidation.number((row) => row.lastOrder),
  last_flow_id: marginLiquidation.number((row) => row.lastFlow),
  at_ms: marginLiquidation.number((row) => row.at),
}

export function readMarginLiquidation(cells: CellsOf<typeof marginLiquidationColumns>): MarginLiquidation {
  return {
    kind: 'margin-liquidation',
    liquidationId: whole(cells.liquidation_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    level: rate(BigInt(cells.level_e12)),
    riskRate: rate(BigInt(cells.risk_rate_e12)),
    assetsUsd: amount(BigInt(cells.assets_usd_e8)),
    debtUsd: amount(BigInt(cells.debt_usd_e8)),
    feeUsd: amount(BigInt(cells.fee_usd_e8)),
    coveredUsd: amount(BigInt(cells.covered_usd_e8)),
    balances: readFacts(cells.balances),
    liquidationLevel: rate(BigInt(cells.liquidation_level_e12)),
    feeRate: rate(BigInt(cells.fee_rate_e12)),
    firstOrder: whole(cells.first_order_id),
    lastOrder: whole(cells.last_order_id),
    lastFlow: whole(cells.last_flow_id),
    at: whole(cells.at_ms),
  }
}

const insurance = columnKinds<InsuranceEvent>()

export const insuranceColumns = {
  insurance_id: insurance.number((row) => row.id),
  uid: insurance.owner((row) => row.uid),
  wallet: insurance.word((row) => row.wallet),
  coin_id: insurance.number((row) => row.coin),
  amount_e8: insurance.money((row) => row.amount),
  balance_e8: insurance.money((row) => row.balance),
  at_ms: insurance.number((row) => row.at),
}

export function readInsurance(cells: CellsOf<typeof insuranceColumns>): InsuranceEvent {
  return {
    kind: 'insurance',
    id: whole(cells.insurance_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    coin: whole(cells.coin_id),
    amount: amount(BigInt(cells.amount_e8)),
    balance: amount(BigInt(cells.balance_e8)),
    at: whole(cells.at_ms),
  }
}

const rebate = columnKinds<RebateEvent>()

export const rebateColumns = {
  rebate_id: rebate.number((row) => row.id),
  uid: rebate.owner((row) => row.brokerUid),
  order_id: rebate.number((row) => row.orderId),
  coin_id: rebate.number((row) => row.coin),
  amount_e8: rebate.money((row) => row.amount),
  at_ms: rebate.number((row) => row.at),
}

export function readRebate(cells: CellsOf<typeof rebateColumns>): RebateEvent {
  return {
    kind: 'rebate',
    id: whole(cells.rebate_id),
    brokerUid: whole(cells.uid),
    orderId: whole(cells.order_id),
    coin: whole(cells.coin_id),
    amount: amount(BigInt(cells.amount_e8)),
    at: whole(cells.at_ms),
  }
}
