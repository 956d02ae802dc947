/**
 * Why a number is what it is, for any account, position, order, instrument or liquidation. The room's door.
 *
 * An explanation gives the inputs and, line by line, the formulas of risk-engine.md: the numbers put in, the exact value,
 * and how it was rounded.
 *
 * lines     what an explanation is made of            contract         measures of one instrument's numbers
 * prices    index, mark, funding rate, tiers          position         one position
 * wallets   balances and debts                        margin-accounts  single-coin margin, isolated and cross
 * unified   all coins as one collateral               margin-wallet    cross margin's level
 * transit   deposits and withdrawals under way
 * orders    holds and fills                           past             liquidations, from what was published of them
 * triggers  what trigger orders wait for, and what came of them
 * Holds     nothing is written · results come from the functions that decide (lines.ts checks them)
 * Source    risk-engine.md; design.md §6 (`operator/explain`)
 */
import type { Explained, ExplainSubject } from '../protocol/explanation.ts'
import { findOrderById, recordOf, triggerRecord } from '../records/records.ts'
import { type Account, positionOf, type Reading } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import type { Uid } from '../vocabulary.ts'
import { explainMarginAccounts } from './margin-accounts.ts'
import { Page } from './lines.ts'
import { explainMarginWallet } from './margin-wallet.ts'
import { explainOrder, holdLines } from './orders.ts'
import { explainPast } from './past.ts'
import { explainPosition } from './position.ts'
import { explainInstrument, explainPrices } from './prices.ts'
import { explainTransit } from './transit.ts'
import { explainTrigger, waitLines } from './triggers.ts'
import { explainUnified } from './unified.ts'
import { explainWallets } from './wallets.ts'

/** Explains a subject. Undefined: there is no such account, live order or waiting trigger order. A position that is not there has no lines. */
export function explain(reading: Reading, subject: ExplainSubject): Explained | undefined {
  const page = new Page(reading)
  switch (subject.kind) {
    case 'account':
      return explainAccount(reading, page, subject.uid)
    case 'position':
      return explainPositions(reading, page, subject)
    case 'instrument':
      explainInstrument(reading, page, reading.instrument(subject.instrument))
      return page
    case 'live-order': {
      const row = findOrderById(reading, subject.orderId)
      if (row === noRow) return undefined
      const order = recordOf(reading, row)
      holdLines(reading, explainOrder(reading, page, order, subject.fills), row, order)
      return page
    }
    case 'ended-order':
      explainOrder(reading, page, subject.order, subject.fills)
      return page
    case 'waiting-trigger': {
      const row = reading.triggers.find(subject.orderId)
      if (row === noRow) return undefined
      const trigger = triggerRecord(reading, row)
      waitLines(reading, explainTrigger(reading, page, trigger), row, trigger)
      return page
    }
    case 'ended-trigger':
      explainTrigger(reading, page, subject.trigger)
      return page
    case 'liquidation':
      explainPast(reading, page, subject.past, subject.aftermath)
      return page
  }
}

function explainAccount(reading: Reading, page: Page, uid: Uid): Explained | undefined {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return undefined
  const part = page.about('account')
  part.input('uid', uid)
  part.input('kind', account.kind)
  part.input('name', account.name)
  if (account.kind === 'sub') part.input('parentUid', reading.accounts.byHandle(account.main).uid)
  part.input('mode', account.mode)
  part.input('frozen by', frozenBy(account))
  for (const [line, mode] of Object.entries(account.holdMode)) part.input(`holdMode ${line}`, mode)
  part.input('stpMode', account.stpMode)
  part.input('orders today', reading.accounts.ordersToday(account, reading.at))
  part.input('createdAt', account.createdAt)
  explainWallets(reading, page, account)
  explainTransit(reading, page, account)
  explainMarginAccounts(reading, page, account)
  explainMarginWallet(reading, page, account)
  const { ledger } = reading
  const isUnified = [...ledger.rowsOf(account.handle)].some((row) => ledger.walletOf(row) === 'uta')
  if (isUnified) explainUnified(reading, page, account)
  return page
}

function explainPositions(
  reading: Reading,
  page: Page,
  { uid, instrument, side }: Extract<ExplainSubject, { kind: 'position' }>,
): Explained | undefined {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return undefined
  explainPrices(reading, page, reading.instrument(instrument))
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    if (exposure.instrument !== instrument) continue
    for (const held of ['long', 'short'] as const) {
      const position = positionOf(exposure, held)
      if (position !== undefined && (side === undefined || side === held))
        explainPosition(reading, page, exposure, position)
    }
  }
  return page
}

function frozenBy({ frozenByOwner, frozenByOperator }: Account): string {
  const by = [frozenByOwner && 'its main account', frozenByOperator && 'the operator'].filter((who) => who)
  return by.join(', ') || 'nobody'
}
