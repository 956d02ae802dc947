/** What a person has chosen for the terminal in this browser. */
import type { Interval } from '../venue/market-records.ts'
import { kept } from './kept.ts'

export const interval = kept<Interval>('interval', '1m', ['1m', '5m', '15m', '1H', '4H', '1D'])
export const confirmsOrders = kept<boolean>('confirmsOrders', false)
export const lastInstrument = kept<string>('instrument', 'USDT-FUTURES/BTCUSDT')
