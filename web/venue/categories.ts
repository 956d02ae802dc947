/** The categories of instruments. */
export const categories = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof categories)[number]

export const futuresLines = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const satisfies readonly Category[]
export type FuturesLine = (typeof futuresLines)[number]

export function isFuturesLine(category: Category): category is FuturesLine {
  return (futuresLines as readonly Category[]).includes(category)
}
