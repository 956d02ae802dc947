/**
 * What clients of the interface call and this venue does not offer: a sentence for each part, so that whoever calls it
 * learns that it is no mistake of theirs.
 *
 * Order     the first that fits is taken; whatever fits none is a path that nobody knows
 * Kept      out of what is served: an endpoint of the table is found before anybody looks here
 * Source    interface.md E2 rule 7; fidelity §2
 */
const parts: readonly (readonly [paths: RegExp, sentence: string])[] = [
  [
    /^\/api\/v2\/(margin\/isolated(\/|$)|mix\/market\/isolated-borrow-rate$)|^\/api\/v3\/market\/margin-isolated-borrow$/,
    'isolated spot margin is not offered',
  ],
  [/^\/api\/v[23]\/copy(\/|$)/, 'copy trading is not offered beyond the announced pairs of elite traders'],
  [/^\/api\/v[23]\/earn(\/|$)/, 'earn products are not offered'],
  [/^\/api\/v[23]\/p2p(\/|$)/, 'P2P trading is not offered'],
  [
    /^\/api\/v2\/convert\/bgb-convert(-|$)/,
    'conversion of small balances into BGB is not offered: the venue has no such coin',
  ],
  [/^\/api\/v[23]\/tax(\/|$)/, 'tax records are not offered; bills have every change of a wallet'],
  [/^\/api\/v[23]\/broker(\/|$)/, 'of the broker programme only subaccount-future-assets is offered'],
  [/^\/api\/(v2\/spot\/ins-loan|v3\/ins-loan|v3\/loan)(\/|$)/, 'crypto and institutional loans are not offered'],
  [/^\/api\/(v2\/account\/bot-assets$|v3\/(trade\/)?grid(\/|$))/, 'trading bots are not offered'],
  [
    /^\/api\/v3\/(stockplus\/|reality\/|account\/reality-|trade\/(place-|cancel-)?reality-|market\/(cash-dividend|split)-records$)/,
    'stocks and their tokens are not offered',
  ],
  [
    /^\/api\/v3\/convert\/small-assets/,
    'small amounts are not swept into one coin; convert/trade converts one coin at a time',
  ],
  [
    /^\/api\/v2\/mix\/market\/(loan-growth|long-short-ratio)$|^\/api\/v3\/market\/(futures-.*(long-short|buy-sell)|margin-(loan-growth|long-short))$/,
    'these statistics are not offered; those of v2 mix/market are',
  ],
  [
    /^\/api\/(v2\/spot\/market\/(fund-flow|fund-net-flow|whale-net-flow|support-symbols)|v3\/market\/spot-(fund|net|whale)-flow)$/,
    'the flow of funds is not counted',
  ],
  [/^\/api\/v3\/market\/rpi-/, 'retail price improvement is not offered'],
  [/^\/api\/v3\/market\/(fee-group|score-weights)$/, 'a programme for market makers is not offered'],
  [/^\/api\/v3\/account\/eligible-/, 'every account trades every symbol on the same terms'],
  [
    /^\/api\/v2\/mix\/(account\/(union-|switch-union-|transfer-limits$|isolated-symbols$)|market\/union-)/,
    'margin of several coins is not offered to classic accounts',
  ],
  [/^\/api\/v2\/spot\/account\/upgrade/, 'v3 account/switch changes the mode of an account'],
  [/^\/api\/v2\/margin\/crossed\/liquidation-order$/, 'margin/crossed/liquidation-history tells what was liquidated'],
  [/^\/api\/v2\/user\/batch-create-subaccount-and-apikey$/, 'sub-accounts and their keys are made by two calls'],
  [/^\/api\/v2\/common\/all-trade-rate$/, 'common/trade-rate tells the rates of one instrument'],
  [/^\/api\/v2\/spot\/market\/auction$/, 'there is no call auction'],
  [/^\/api\/v3\/user\/set-rate-limit-quota$/, 'limits of requests are the same for all accounts'],
  [/^\/api\/v3\/trade\/strategy-sub-orders$/, 'history-strategy-orders tells what became of a strategy'],
]

/** Why there is nothing at a path, if it belongs to something that clients know from elsewhere. */
export function notOfferedAt(path: string): string | undefined {
  return parts.find(([paths]) => paths.test(path))?.[1]
}
