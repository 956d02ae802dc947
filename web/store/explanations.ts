/** What the venue does by itself: its name, how a notice tells it, and how it goes. In short what docs/risk.md says in full. */
import type { Cause } from '../venue/causes.ts'

export type Explained = Cause | 'funding'

interface Explanation {
  readonly name: string
  /** After the symbol: `BTCUSDT liquidated`. */
  readonly told: string
  readonly title: string
  readonly lines: readonly string[]
  /** Of docs/risk.md. */
  readonly chapter: string
}

const triggers = 'Take-profit, stop-loss, plans'
const liquidations = 'How a liquidation goes'

export const explanations: Readonly<Record<Explained, Explanation>> = {
  liquidation: {
    name: 'Liquidation',
    told: 'liquidated',
    title: liquidations,
    lines: [
      'A position is liquidated when what backs it no longer covers its maintenance margin, reckoned at the mark price.',
      'Its open orders go first. Then the venue closes it by an immediate order, limited at the bankruptcy price.',
      'An isolated position loses its own margin, and no more. A cross position may use up its wallet, which never goes below zero.',
      'More margin, less leverage or a stop-loss before the liquidation price keep it from happening.',
    ],
    chapter: liquidations,
  },
  reduce: {
    name: 'Partial liquidation',
    told: 'partly liquidated',
    title: 'How a position is cut',
    lines: [
      'A large cross position is not closed at once. The venue cuts it by tiers until its margin suffices again.',
      'What is left of it stays open and stays yours.',
    ],
    chapter: liquidations,
  },
  offset: {
    name: 'Offset',
    told: 'offset',
    title: 'How long and short are offset',
    lines: [
      'Before a cross account in hedge mode is liquidated, its long and short are netted at the mark price.',
      'That is free of fees, and may save the rest.',
    ],
    chapter: liquidations,
  },
  adl: {
    name: 'Auto-deleveraging',
    told: 'deleveraged',
    title: 'How auto-deleveraging goes',
    lines: [
      'Another account failed, and the insurance fund of the coin takes over nothing more. Your position was on the other side.',
      'It was closed at the bankruptcy price of the account that failed, free of fees. Its profit up to there is yours.',
      'Positions with the highest profit and leverage come first.',
    ],
    chapter: 'Auto-deleveraging',
  },
  delivery: {
    name: 'Delivery',
    told: 'delivered',
    title: 'How a contract is delivered',
    lines: [
      'The venue ended the contract at a price. Its orders went, and every position was closed at that price, free of fees.',
    ],
    chapter: 'Delivery',
  },
  'take-profit': {
    name: 'Take profit',
    told: 'by take profit',
    title: 'How a take-profit is triggered',
    lines: ['The price reached your take-profit, and the order that waited for it was sent.'],
    chapter: triggers,
  },
  'stop-loss': {
    name: 'Stop loss',
    told: 'by stop loss',
    title: 'How a stop-loss is triggered',
    lines: [
      'The price reached your stop-loss, and the order that waited for it was sent.',
      'At market it trades at what the book offers, which may be worse than the price that triggered it.',
    ],
    chapter: triggers,
  },
  trigger: {
    name: 'Trigger',
    told: 'by a trigger order',
    title: 'How a trigger order is sent',
    lines: ['The price reached that of your trigger order. It became an order then, and was checked like any other.'],
    chapter: triggers,
  },
  trailing: {
    name: 'Trailing order',
    told: 'by a trailing order',
    title: 'How a trailing order is sent',
    lines: ['The price turned back from its best by the rate of your trailing order, which became a market order.'],
    chapter: triggers,
  },
  replace: {
    name: 'Replacement',
    told: 'by a changed order',
    title: 'How an order is replaced',
    lines: ['An order with a new price or quantity is a new order for what was left. The one before it was canceled.'],
    chapter: 'What an order needs',
  },
  reverse: {
    name: 'Reversal',
    told: 'by a reversal',
    title: 'How a position is reversed',
    lines: ['The position was closed at market, and as much was opened the other way.'],
    chapter: 'What an order needs',
  },
  move: {
    name: 'Move',
    told: 'moved',
    title: 'How a position is moved',
    lines: ['The position went from one account of the family to another.'],
    chapter: 'What an order needs',
  },
  funding: {
    name: 'Funding',
    told: 'funding settled',
    title: 'How funding goes',
    lines: [
      'Funding comes every 1, 2, 4 or 8 hours, counted from midnight UTC.',
      'Longs pay shorts while the rate is positive. Shorts pay longs while it is negative.',
      'What is paid is the value of the position at the mark price times the rate.',
    ],
    chapter: 'Funding',
  },
}
