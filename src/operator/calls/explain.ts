/**
 * Why a number is what it is: an account, a position, an order, a liquidation or a symbol as its inputs, the formulas line by line, and
 * the commands that caused it.
 *
 * Numbers   are the engine's (engine/explain): exact value, rounding and result of every line
 * Causes    come from the history: each names the sequence of its command in the journal; newest first
 * Past      an order that has ended, and the liquidation that it was part of, come from the history whole; so do trigger
 *           orders that have ended, whose numbers are those of orders
 * Holds     reads only
 * Source    design.md §6 (`GET /operator/explain`)
 */
import type { StaticDecode } from 'typebox'
import { type Catalog, type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import type { Explained, ExplainInput, ExplainLine, ExplainSubject } from '../../engine/protocol/explanation.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { Answer, Cause, History } from '../../history/history.ts'
import type { Core } from '../../runtime/runtime.ts'
import { causeText } from './cause-text.ts'
import { body, category, optional, symbol, uid, wholeNumber, word } from './fields.ts'
import { fieldWrong, unknownThing } from './refusals.ts'

export const explainAsk = body({
  uid: optional(uid),
  symbol: optional(symbol),
  /** Where a pair and a contract share their symbol. */
  category: optional(category),
  holdSide: optional(word(['long', 'short'])),
  orderId: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  /** As a cause or an explained order names it. */
  liquidationId: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
})

type ExplainRequest = StaticDecode<typeof explainAsk>
export type LineageSource = Pick<History, 'lineage' | 'orderTimeline' | 'liquidationTimeline'>

/** A command: its sequence in the journal and its kind; null where nobody noted them. */
export interface CausedBy {
  readonly sequence: number | null
  readonly command: string | null
  readonly at: number
}

export interface Explanation {
  readonly subject: Readonly<Record<string, string>>
  /** The state that it was worked from: the last command applied, and its stamp. */
  readonly asOf: { readonly sequence: number; readonly at: number }
  readonly inputs: readonly ExplainInput[]
  readonly lines: readonly ExplainLine[]
  /** The last command that changed it; null: none is known. */
  readonly causedBy: CausedBy | null
  readonly causes: readonly (CausedBy & { readonly what: string })[]
}

const causesMax = 50

export async function explain(core: Core, history: LineageSource, asked: ExplainRequest): Promise<Explanation> {
  if (asked.holdSide !== undefined && (asked.uid === undefined || asked.symbol === undefined)) {
    throw fieldWrong('holdSide', 'needs uid and symbol')
  }
  if (asked.orderId !== undefined) return explainOrder(core, history, asked.orderId, asked.uid)
  if (asked.liquidationId !== undefined) return explainLiquidation(core, history, asked.liquidationId)
  if (asked.uid === undefined && asked.symbol === undefined) {
    throw fieldWrong('uid', 'or symbol, orderId or liquidationId is required')
  }
  const catalog = core.query({ kind: 'catalog' })
  const instruments = asked.symbol === undefined ? [] : instrumentsOf(catalog, asked.symbol, asked)
  if (asked.uid === undefined) return explainSymbol(core, instruments)
  if (core.query({ kind: 'account', uid: asked.uid }) === undefined) throw unknownThing('uid', asked.uid, 'account')
  if (asked.symbol === undefined) return explainAccount(core, history, catalog, asked.uid)
  return explainPosition({ core, history }, catalog, instruments, { ...asked, uid: asked.uid })
}

function instrumentsOf({ instruments }: Catalog, named: string, asked: ExplainRequest): readonly Instrument[] {
  const wanted = asked.category === 'MARGIN' ? 'SPOT' : asked.category
  const found = instruments.filter(
    (instrument) => instrument.symbol === named && (wanted === undefined || instrument.category === wanted),
  )
  if (found.length === 0) throw unknownThing('symbol', named, 'instrument')
  return found
}

function explainSymbol(core: Core, instruments: readonly Instrument[]): Explanation {
  const [first] = instruments
  const pages = instruments.map(({ id }) => ask(core, { kind: 'instrument', instrument: id }))
  return shown({ kind: 'symbol', symbol: first.symbol }, pages, [])
}

async function explainAccount(core: Core, history: LineageSource, catalog: Catalog, of: number): Promise<Explanation> {
  const page = ask(core, { kind: 'account', uid: of })
  const causes = await history.lineage({ uid: of, limit: causesMax })
  return shown({ kind: 'account', uid: String(of) }, [page], causesShown(catalog, causes))
}

async function explainPosition(
  { core, history }: { readonly core: Core; readonly history: LineageSource },
  catalog: Catalog,
  instruments: readonly Instrument[],
  { uid: of, symbol: named = '', holdSide: side }: ExplainRequest & { readonly uid: number },
): Promise<Explanation> {
  const contract = instruments.find(isFutures)
  if (contract === undefined) throw fieldWrong('symbol', 'must be a futures contract, spot pairs have no positions')
  const page = ask(core, { kind: 'position', uid: of, instrument: contract.id, side })
  const causes = await history.lineage({ uid: of, instrument: contract.id, limit: causesMax })
  const subject = { kind: 'position', uid: String(of), symbol: named, category: contract.category }
  return shown(side === undefined ? subject : { ...subject, holdSide: side }, [page], causesShown(catalog, causes))
}

async function explainOrder(
  core: Core,
  history: LineageSource,
  orderId: number,
  of: number | undefined,
): Promise<Explanation> {
  const catalog = core.query({ kind: 'catalog' })
  // What has just ended is in the history: it is asked after the engine would have had it.
  const isLive = core.query({ kind: 'explain', subject: { kind: 'live-order', orderId, fills: [] } }) !== undefined
  const timeline = await history.orderTimeline({ orderId })
  const fills = timeline.fills.map(({ event }) => event)
  const page =
    timeline.order === undefined
      ? isLive
        ? core.query({ kind: 'explain', subject: { kind: 'live-order', orderId, fills } })
        : undefined
      : ask(core, { kind: 'ended-order', order: timeline.order.event, fills })
  if (page === undefined) return explainTrigger(core, timeline.trigger, orderId, of)
  const owner = ownerOf(page, orderId, of)
  const past = timeline.liquidation
  const pages = past === undefined ? [page] : [page, liquidationPage(core, besides(past, orderId))]
  const subject = { kind: 'order', orderId: String(orderId), uid: owner }
  return shown(
    past === undefined ? subject : { ...subject, liquidationId: String(past.event.liquidationId) },
    pages,
    orderCauses(catalog, timeline, page),
  )
}

type OrderTimeline = Answer<'orderTimeline'>

/** The account that a page's order is of; it has to be the one that was named. */
function ownerOf(page: Explained | undefined, orderId: number, named: number | undefined): string {
  const owner = page?.inputs.find(({ name }) => name === 'uid')?.value
  if (owner === undefined || (named !== undefined && owner !== String(named))) {
    throw unknownThing('orderId', orderId, 'order')
  }
  return owner
}

/** Of one that waits nobody noted which command set it. */
function explainTrigger(
  core: Core,
  ended: OrderTimeline['trigger'],
  orderId: number,
  of: number | undefined,
): Explanation {
  const page =
    ended === undefined
      ? core.query({ kind: 'explain', subject: { kind: 'waiting-trigger', orderId } })
      : ask(core, { kind: 'ended-trigger', trigger: ended.event })
  const subject = { kind: 'trigger', orderId: String(orderId), uid: ownerOf(page, orderId, of) }
  const pages = page === undefined ? [] : [page]
  if (ended === undefined) return shown(subject, pages, [])
  const { sequence, command, event } = ended
  const cause = { sequence: sequence || null, command: command || null, at: event.updatedAt, what: endText(event) }
  return shown(event.executedOrderId === 0 ? subject : { ...subject, became: String(event.executedOrderId) }, pages, [
    cause,
  ])
}

function endText({ status, executedOrderId, failure }: TriggerRecord): string {
  if (status === 'executed') return `triggered: order ${executedOrderId}`
  return status === 'failed' ? `triggered, and its order was refused: ${failure}` : 'canceled'
}
type LiquidationTimeline = NonNullable<Answer<'liquidationTimeline'>>

async function explainLiquidation(core: Core, history: LineageSource, liquidationId: number): Promise<Explanation> {
  const past = await history.liquidationTimeline({ liquidationId })
  if (past === undefined) throw unknownThing('liquidationId', liquidationId, 'liquidation')
  const catalog = core.query({ kind: 'catalog' })
  const { event } = past
  const subject = { kind: 'liquidation', liquidationId: String(liquidationId), uid: String(event.uid) }
  const cause = { ...past, at: event.at, what: 'liquidations' }
  return shown(subject, [liquidationPage(core, past)], causesShown(catalog, [cause]))
}

function liquidationPage(core: Core, { event, orders, fills, insurance }: LiquidationTimeline): Explained {
  return ask(core, { kind: 'liquidation', past: event, aftermath: { orders, fills, insurance } })
}

/** Without the order that has a page of its own. */
function besides({ orders, fills, ...past }: LiquidationTimeline, orderId: number): LiquidationTimeline {
  return {
    ...past,
    orders: orders.filter((order) => order.orderId !== orderId),
    fills: fills.filter((fill) => fill.orderId !== orderId),
  }
}

function orderCauses(catalog: Catalog, timeline: OrderTimeline, page: Explained): Explanation['causes'] {
  const { order, fills, liquidation } = timeline
  const rows = [
    ...(liquidation === undefined ? [] : [{ ...liquidation, at: liquidation.event.at, what: 'liquidations' }]),
    ...fills.map((fill) => ({ ...fill, at: fill.event.at, what: 'fills' })),
    ...(order === undefined ? [] : [{ ...order, at: order.event.updatedAt, what: 'orders' }]),
  ]
  const newest = rows.toSorted((a, b) => b.at - a.at || b.sequence - a.sequence)
  const causes = causesShown(catalog, newest)
  const placedBy = page.inputs.find(({ name }) => name === 'placed by command')?.value ?? '0'
  if (placedBy === '0') return causes
  const at = Number(page.inputs.find(({ name }) => name === 'createdAt')?.value ?? 0)
  return [...causes, { sequence: Number(placedBy), command: null, at, what: 'placed' }]
}

/** The engine has what was just found to be there. */
function ask(core: Core, subject: ExplainSubject): Explained {
  const page = core.query({ kind: 'explain', subject })
  if (page === undefined) throw new Error(`nothing to explain of ${subject.kind}`)
  return page
}

function causesShown(catalog: Catalog, causes: readonly Cause[]): Explanation['causes'] {
  return causes.map((cause) => ({
    sequence: cause.sequence === 0 ? null : cause.sequence,
    command: cause.command === '' ? null : cause.command,
    at: cause.at,
    what: causeText(catalog, cause),
  }))
}

function shown(
  subject: Explanation['subject'],
  pages: readonly Explained[],
  causes: Explanation['causes'],
): Explanation {
  const [{ sequence, at }] = pages
  const [last] = causes
  return {
    subject,
    asOf: { sequence, at },
    inputs: pages.flatMap(({ inputs }) => inputs),
    lines: pages.flatMap(({ lines }) => lines),
    causedBy: last === undefined ? null : { sequence: last.sequence, command: last.command, at: last.at },
    causes,
  }
}
