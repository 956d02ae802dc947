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
  [/^\/api\/v[23]\/tax(\/|$)/, 'tax records are not offered; bills have every change of a wallet'],
  [/^\/api\/v[23]\/broker(\/|$)/, 'of the broker programme only subaccount-future-assets is offered'],
  [/^\/api\/(v2\/spot\/ins-loan|v3\/ins-loan|v3\/loan)(\/|$)/, 'crypto and institutional loans are not offered'],
  [/^\/api\/(v2\/account\/bot-assets$|v3\/grid(\/|$))/, 'trading bots are not offered'],
  [/^\/api\/v3\/(stockplus\/|account\/reality-|trade\/reality-)/, 'stocks and their tokens are not offered'],
]

/** Why there is nothing at a path, if it belongs to something that clients know from elsewhere. */
export function notOfferedAt(path: string): string | undefined {
  return parts.find(([paths]) => paths.test(path))?.[1]
}
