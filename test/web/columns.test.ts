/** Numbers of a column: the decimals of each row, the most of all rows kept free behind them (docs/decisions/0066). */
import { expect, test } from 'vitest'
import { aligned, coinPlaces, decimalsOf, type NumberInColumn, widestOf } from '../../web/numbers/columns.ts'

interface Row {
  readonly symbol: string
  readonly price: string
  readonly paid: string
  readonly coin: string
}

const rows: readonly Row[] = [
  { symbol: 'BTCUSDT', price: '60016.9', paid: '-12.5', coin: 'USDT' },
  { symbol: 'BTCUSDT', price: '60016', paid: '0.00004', coin: 'USDT' },
  { symbol: 'DOGEUSDT', price: '0.21', paid: '0.00000012', coin: 'BTC' },
  { symbol: 'XUSDT', price: '7', paid: '-0.00001', coin: 'USDT' },
  { symbol: 'ETHUSDT', price: '', paid: '1234567.891', coin: 'USD' },
]
const places: Readonly<Record<string, number>> = { BTCUSDT: 1, DOGEUSDT: 5, XUSDT: 0, ETHUSDT: 2 }

/** Each cell: its number, and what is kept free behind it. */
function columnOf(
  of: (row: Row) => string,
  decimals: (row: Row) => number,
  how: Partial<NumberInColumn> = {},
): (readonly [text: string, lacks: string])[] {
  const widest = widestOf(rows, decimals)
  return rows.map((row) => {
    const { text, lacks } = aligned(of(row), { ...how, places: decimals(row), widest })
    return [text, lacks] as const
  })
}

test('prices: the decimals of each instrument, at one decimal point', () => {
  expect(
    columnOf(
      ({ price }) => price,
      ({ symbol }) => places[symbol] ?? 0,
    ),
  ).toEqual([
    ['60,016.9', '0000'],
    ['60,016.0', '0000'],
    ['0.21000', ''],
    ['7', '.00000'],
    ['–', '.00000'],
  ])
})

test('amounts: the decimals of each coin, its sign, no sign of a nought', () => {
  expect(
    columnOf(
      ({ paid }) => paid,
      ({ coin }) => coinPlaces(coin),
      { signed: true },
    ),
  ).toEqual([
    ['-12.5000', '0000'],
    ['0.0000', '0000'],
    ['+0.00000012', ''],
    ['0.0000', '0000'],
    ['+1,234,567.89', '000000'],
  ])
})

test('what there is of a coin is cut, never rounded up', () => {
  const cut = columnOf(
    () => '1.99999999',
    ({ coin }) => coinPlaces(coin),
    { cut: true },
  )
  expect(cut.map(([text]) => text)).toEqual(['1.9999', '1.9999', '1.99999999', '1.9999', '1.99'])
})

test('what is told exactly keeps every digit, at one decimal point', () => {
  const told = ['6006305969.96049493', '2401600', '29999999.0880929', '-0.5', '']
  const widest = widestOf(told, decimalsOf)
  expect(
    told.map((text) => {
      const { text: written, lacks } = aligned(text, { places: decimalsOf(text), widest, cut: true })
      return [written, lacks]
    }),
  ).toEqual([
    ['6,006,305,969.96049493', ''],
    ['2,401,600', '.00000000'],
    ['29,999,999.0880929', '0'],
    ['-0.5', '0000000'],
    ['–', '.00000000'],
  ])
})
