/** The categories of instruments, and what people call them. */
export const categories = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof categories)[number]

export const categoryNames: Readonly<Record<Category, string>> = {
  SPOT: 'Spot',
  MARGIN: 'Margin',
  'USDT-FUTURES': 'USDT futures',
  'COIN-FUTURES': 'Coin futures',
  'USDC-FUTURES': 'USDC futures',
}

export const futuresLines = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const satisfies readonly Category[]
export type FuturesLine = (typeof futuresLines)[number]

export function isFuturesLine(category: Category): category is FuturesLine {
  return (futuresLines as readonly Category[]).includes(category)
}
