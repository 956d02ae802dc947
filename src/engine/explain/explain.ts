/**
 * Why a number is what it is: any account, position, order, instrument or liquidation as its inputs and, line by line, the
 * formulas of risk-engine.md with what was put in, the exact value and how it was rounded. The room's door.
 *
 * lines     what an explanation is made of            contract   one instrument's measures and exact values
 * prices    index, mark, funding rate, tiers          position   one position
 * wallets   balances and debts                        domains    single-coin margin, isolated and cross
 * unified   all coins as one collateral               margin-wallet  cross margin's level
 * orders    holds and fills                           past       liquidations, from what was told of them
 * Holds     nothing is written · results come from the functions that decide (lines.ts checks them)
 * Source    risk-engine.md; design.md §6 (`operator/explain`)
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import type { OrderId, PositionSide, Uid } from '../command.ts'
import type { FillEvent, Liquidation, MarginLiquidation, OrderRecord } from '../event.ts'
import { findOrderById, recordOf } from '../orders/orders.ts'
import { positionOf } from '../futures/futures.ts'
import type { Venue } from '../venue.ts'
import { explainDomains } from './domains.ts'
import { type Explained, Page } from './lines.ts'
import { explainMarginWallet } from './margin-wallet.ts'
import { explainOrder, holdLines } from './orders.ts'
import { type Aftermath, explainPast } from './past.ts'
import { explainPosition } from './position.ts'
import { explainInstrument, explainPrices } from './prices.ts'
import { explainUnified } from './unified.ts'
import { explainWallets } from './wallets.ts'

export type { Explained, ExplainInput, ExplainLine } from './lines.ts'

/** What is to be explained. Records of the past come with the question: the engine keeps none. */
export type ExplainSubject =
  | { readonly kind: 'account'; readonly uid: Uid }
  /** Every position of the account in the contract, or of one side. */
  | {
      readonly kind: 'position'
      readonly uid: Uid
      readonly instrument: InstrumentId
      readonly side: PositionSide | undefined
    }
  | { readonly kind: 'instrument'; readonly instrument: InstrumentId }
  /** A live order, whoever's it is; with what of its fills is known. */
  | { readonly kind: 'live-order'; readonly orderId: OrderId; readonly fills: readonly FillEvent[] }
  | { readonly kind: 'ended-order'; readonly order: OrderRecord; readonly fills: readonly FillEvent[] }
  | { readonly kind: 'liquidation'; readonly past: Liquidation | MarginLiquidation; readonly aftermath: Aftermath }

/** Undefined: there is no such account or live order. A position that is not there has no lines. */
export function explain(venue: Venue, subject: ExplainSubject): Explained | undefined {
  const page = new Page(venue)
  switch (subject.kind) {
    case 'account':
      return explainAccount(venue, page, subject.uid)
    case 'position':
      return explainPositions(venue, page, subject)
    case 'instrument':
      explainInstrument(venue, page, venue.instrument(subject.instrument))
      return page
    case 'live-order': {
      const row = findOrderById(venue, subject.orderId)
      if (row === 0) return undefined
      const order = recordOf(venue, row)
      holdLines(venue, explainOrder(venue, page, order, subject.fills), row, order)
      return page
    }
    case 'ended-order':
      explainOrder(venue, page, subject.order, subject.fills)
      return page
    case 'liquidation':
      explainPast(venue, page, subject.past, subject.aftermath)
      return page
  }
}

function explainAccount(venue: Venue, page: Page, uid: Uid): Explained | undefined {
  const account = venue.accounts.byUid(uid)
  if (account === undefined) return undefined
  const part = page.about('account')
  part.input('uid', uid)
  part.input('kind', account.kind)
  part.input('name', account.name)
  if (account.kind === 'sub') part.input('parentUid', venue.accounts.byHandle(account.main).uid)
  part.input('mode', account.mode)
  for (const [line, mode] of Object.entries(account.holdMode)) part.input(`holdMode ${line}`, mode)
  part.input('stpMode', account.stpMode)
  part.input('orders today', venue.accounts.ordersToday(account, venue.at))
  part.input('createdAt', account.createdAt)
  explainWallets(venue, page, account)
  explainDomains(venue, page, account)
  explainMarginWallet(venue, page, account)
  const { ledger } = venue
  const isUnified = [...ledger.rowsOf(account.handle)].some((row) => ledger.walletOf(row) === 'uta')
  if (isUnified) explainUnified(venue, page, account)
  return page
}

function explainPositions(
  venue: Venue,
  page: Page,
  { uid, instrument, side }: Extract<ExplainSubject, { kind: 'position' }>,
): Explained | undefined {
  const account = venue.accounts.byUid(uid)
  if (account === undefined) return undefined
  explainPrices(venue, page, venue.instrument(instrument))
  for (const exposure of venue.futures.ofAccount(account.handle)) {
    if (exposure.instrument !== instrument) continue
    for (const one of ['long', 'short'] as const) {
      const position = positionOf(exposure, one)
      if (position !== undefined && (side === undefined || side === one))
        explainPosition(venue, page, exposure, position)
    }
  }
  return page
}
