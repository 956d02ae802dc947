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
  transfer_id: transfer.number((one) => one.transferId),
  client_oid: transfer.text((one) => one.clientOid),
  actor_uid: transfer.owner((one) => one.actorUid),
  from_uid: transfer.owner((one) => one.fromUid),
  to_uid: transfer.owner((one) => one.toUid),
  from_wallet: transfer.word((one) => one.fromWallet),
  to_wallet: transfer.word((one) => one.toWallet),
  coin_id: transfer.number((one) => one.coin),
  amount_e8: transfer.money((one) => one.amount),
  at_ms: transfer.number((one) => one.at),
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
  flow_id: flow.number((one) => one.id),
  kind: flow.word((one) => one.kind),
  uid: flow.owner((one) => one.uid),
  wallet: flow.word((one) => one.wallet),
  coin_id: flow.number((one) => one.coin),
  amount_e8: flow.money((one) => one.amount),
  at_ms: flow.number((one) => one.at),
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
  loan_id: loan.number((one) => one.loanId),
  uid: loan.owner((one) => one.uid),
  wallet: loan.word((one) => one.wallet),
  coin_id: loan.number((one) => one.coin),
  amount_e8: loan.money((one) => one.amount),
  cause: loan.word((one) => one.cause),
  at_ms: loan.number((one) => one.at),
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
  repay_id: repayment.number((one) => one.repayId),
  uid: repayment.owner((one) => one.uid),
  wallet: repayment.word((one) => one.wallet),
  coin_id: repayment.number((one) => one.coin),
  principal_e8: repayment.money((one) => one.principal),
  interest_e8: repayment.money((one) => one.interest),
  cause: repayment.word((one) => one.cause),
  at_ms: repayment.number((one) => one.at),
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
  interest_id: interest.number((one) => one.id),
  uid: interest.owner((one) => one.uid),
  wallet: interest.word((one) => one.wallet),
  coin_id: interest.number((one) => one.coin),
  amount_e8: interest.money((one) => one.amount),
  loan_id: interest.number((one) => one.loanId),
  daily_rate_e12: interest.money((one) => one.dailyInterestRate),
  cause: interest.word((one) => one.cause),
  at_ms: interest.number((one) => one.at),
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
  conversion_id: conversion.number((one) => one.id),
  uid: conversion.owner((one) => one.uid),
  wallet: conversion.word((one) => one.wallet),
  from_coin_id: conversion.number((one) => one.fromCoin),
  from_amount_e8: conversion.money((one) => one.fromAmount),
  to_coin_id: conversion.number((one) => one.toCoin),
  to_amount_e8: conversion.money((one) => one.toAmount),
  at_ms: conversion.number((one) => one.at),
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
    at: whole(cells.at_ms),
  }
}

const marginLiquidation = columnKinds<MarginLiquidation>()

export const marginLiquidationColumns = {
  liquidation_id: marginLiquidation.number((one) => one.liquidationId),
  uid: marginLiquidation.owner((one) => one.uid),
  wallet: marginLiquidation.word((one) => one.wallet),
  level_e12: marginLiquidation.money((one) => one.level),
  risk_rate_e12: marginLiquidation.money((one) => one.riskRate),
  assets_usd_e8: marginLiquidation.money((one) => one.assetsUsd),
  debt_usd_e8: marginLiquidation.money((one) => one.debtUsd),
  fee_usd_e8: marginLiquidation.money((one) => one.feeUsd),
  covered_usd_e8: marginLiquidation.money((one) => one.coveredUsd),
  balances: marginLiquidation.text((one) => factsText(one.balances)),
  liquidation_level_e12: marginLiquidation.money((one) => one.liquidationLevel),
  fee_rate_e12: marginLiquidation.money((one) => one.feeRate),
  first_order_id: marginLiquidation.number((one) => one.firstOrder),
  last_order_id: marginLiquidation.number((one) => one.lastOrder),
  last_flow_id: marginLiquidation.number((one) => one.lastFlow),
  at_ms: marginLiquidation.number((one) => one.at),
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
  insurance_id: insurance.number((one) => one.id),
  uid: insurance.owner((one) => one.uid),
  wallet: insurance.word((one) => one.wallet),
  coin_id: insurance.number((one) => one.coin),
  amount_e8: insurance.money((one) => one.amount),
  balance_e8: insurance.money((one) => one.balance),
  at_ms: insurance.number((one) => one.at),
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
  rebate_id: rebate.number((one) => one.id),
  uid: rebate.owner((one) => one.brokerUid),
  order_id: rebate.number((one) => one.orderId),
  coin_id: rebate.number((one) => one.coin),
  amount_e8: rebate.money((one) => one.amount),
  at_ms: rebate.number((one) => one.at),
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
