/** What a person has chosen for the terminal in this browser. */
import { type Interval, intervals } from '../venue/intervals.ts'
import { kept } from './kept.ts'

const stpModes: readonly string[] = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both']

export const interval = kept<Interval>('interval', '1m', intervals)
export const confirmsOrders = kept<boolean>('confirmsOrders', false)
export const lastInstrument = kept<string>('instrument', 'USDT-FUTURES/BTCUSDT')
/** Of orders of accounts for which the venue keeps none. */
export const ownStpMode = kept<string>('stpMode', 'none', stpModes)
