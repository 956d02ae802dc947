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
