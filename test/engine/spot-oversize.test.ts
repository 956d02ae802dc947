/**
 * Spot orders whose value the venue does not count (2^60 units, 11,529,215,046.06… USDT): what is more than its owner has, with
 * what he may borrow, is refused for that. Who has as much is told the bound.
 * Source  docs/interface.md (A number beyond what the venue counts); risk-engine.md §17 (auto-borrow)
 */
import { expect } from 'vitest'
import { table } from './support/table.ts'

// 200,000 BTC at 60,000 are 12,000,000,000. Of USDT 200,000 may be borrowed, of BTC 10.
table(
  'refused for the means that are missing, else for the number',
  `
    wallet         | funds                     | order                                        | refused
    spot           | 12000000000 USDT          | buy 200000 @ 60000                           | quantity-above-maximum
    spot           | 13000000000 USDT          | buy 200000 @ 60000                           | quantity-above-maximum
    spot           | 11999999999.99999999 USDT | buy 200000 @ 60000                           | insufficient-available
    spot           | 200000 BTC                | buy 200000 @ 60000                           | insufficient-available
    spot           | 200000 BTC                | sell 200000 @ 60000                          | quantity-above-maximum
    spot           | 199999.99999999 BTC       | sell 200000 @ 60000                          | insufficient-available
    spot           | 12000000000 USDT          | sell 200000 @ 60000                          | insufficient-available
    // What may be borrowed counts where the loan type borrows
    crossed_margin | 11999800000 USDT          | buy 200000 on-margin loan:autoLoan @ 60000   | quantity-above-maximum
    crossed_margin | 11999799999 USDT          | buy 200000 on-margin loan:autoLoan @ 60000   | insufficient-available
    crossed_margin | 11999800000 USDT          | buy 200000 on-margin loan:autoRepay @ 60000  | insufficient-available
    crossed_margin | 12000000000 USDT          | buy 200000 on-margin loan:normal @ 60000     | quantity-above-maximum
    crossed_margin | 199990 BTC                | sell 200000 on-margin loan:autoLoan @ 60000  | quantity-above-maximum
    crossed_margin | 199989 BTC                | sell 200000 on-margin loan:autoLoan @ 60000  | insufficient-available
    // Of the spot wallet nothing is borrowed
    spot           | 11999999999 USDT          | buy 200000 loan:autoLoan @ 60000             | insufficient-available
  `,
  (exchange, { wallet, funds, order, refused }) => {
    exchange.join('ann', { funds: { [wallet]: funds } }).market = 'BTC/USDT'
    expect(exchange.place(`ann: ${order}`)).toBe(`refused ${refused}`)
  },
)
