/**
 * A bot that quotes both sides of a contract through ccxt's manner of calls: so many levels, so far apart.
 */
export async function quote(exchange, { symbol, mid, spread, levels, size }) {
  const placed = []
  for (let level = 1; level <= levels; level++) {
    const away = spread * level
    placed.push(await exchange.createOrder(symbol, 'limit', 'buy', size, mid - away))
    placed.push(await exchange.createOrder(symbol, 'limit', 'sell', size, mid + away))
  }
  return placed.map(({ id }) => id)
}

export async function withdrawQuotes(exchange, symbol) {
  await exchange.cancelAllOrders(symbol)
}
