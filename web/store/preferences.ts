/** What a person has chosen for the terminal in this browser. */
import type { Interval } from '../venue/market-records.ts'
import { kept } from './kept.ts'

const stpModes: readonly string[] = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both']

export const interval = kept<Interval>('interval', '1m', ['1m', '5m', '15m', '1H', '4H', '1D'])
export const confirmsOrders = kept<boolean>('confirmsOrders', false)
export const lastInstrument = kept<string>('instrument', 'USDT-FUTURES/BTCUSDT')
/** Of orders of accounts for which the venue keeps none. */
export const ownStpMode = kept<string>('stpMode', 'none', stpModes)
