/** What the venue does by itself, and where docs/risk.md says in full how that goes. */
import type { Cause } from '../venue/causes.ts'

export type Explained = Cause | 'funding'

const triggers = 'Take-profit, stop-loss, plans'
const liquidations = 'How a liquidation goes'
const orders = 'What an order needs'

/** Chapters of docs/risk.md, by the names that they have there. */
export const chapters: Readonly<Record<Explained, string>> = {
  liquidation: liquidations,
  reduce: liquidations,
  offset: liquidations,
  adl: 'Auto-deleveraging',
  delivery: 'Delivery',
  'take-profit': triggers,
  'stop-loss': triggers,
  trigger: triggers,
  trailing: triggers,
  replace: orders,
  reverse: orders,
  move: orders,
  funding: 'Funding',
}
