/**
 * Liquidations of all accounts, newest first, a page at a time: who, what was found, and what came of it beyond the account.
 *
 * Pages    `limit` entries before `before`; `next` is the `before` of the next page, null at the end
 * Why      each can be explained line by line by its number (explain.ts)
 * Source   risk-engine.md §5-§8, §14-§17
 */
import { formatAmount, formatLots } from '../../api/api.ts'
import type { Catalog } from '../../engine/catalog/catalog.ts'
import type { Answer, History } from '../../history/history.ts'
import type { Core } from '../../runtime/runtime.ts'

interface Asked {
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

export type LiquidationsSource = Pick<History, 'liquidations'>

const pageLimitDefault = 50

export async function liquidationsPage(core: Core, history: LiquidationsSource, asked: Asked) {
  const { before, limit = pageLimitDefault } = asked
  const { rows, next } = await history.liquidations({ beforeId: before, limit })
  const catalog = core.query({ kind: 'catalog' })
  return {
    liquidations: rows.map((liquidation) => liquidationShown(liquidation, catalog)),
    next: next === undefined ? null : next,
  }
}

type FoundLiquidation = Answer<'liquidations'>['rows'][number]

/**
 * Of a pool of futures its positions as they were found, of a margin wallet (`pool` margin) its debt in USD.
 * Answers  `deleveraged`: how many accounts positions were taken from; `insurance` by coin: what the fund paid, negative
 *          what it took
 */
function liquidationShown(
  { event, sequence, deleveraged, insurance }: FoundLiquidation,
  { coins, instruments }: Catalog,
) {
  return {
    liquidationId: String(event.liquidationId),
    at: event.at,
    sequence,
    uid: String(event.uid),
    wallet: event.wallet,
    pool: event.kind === 'liquidation' ? event.pool : 'margin',
    positions:
      event.kind === 'margin-liquidation'
        ? []
        : event.positions.map(({ instrument, side, quantity }) => ({
            category: instruments[instrument].category,
            symbol: instruments[instrument].symbol,
            holdSide: side,
            quantity: formatLots(quantity, instruments[instrument]),
          })),
    debtUsd: event.kind === 'margin-liquidation' ? formatAmount(event.debtUsd) : null,
    deleveraged,
    insurance: Object.fromEntries(insurance.map(({ coin, amount }) => [coins[coin].name, formatAmount(amount)])),
  }
}
