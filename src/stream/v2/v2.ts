/**
 * The socket protocol of v2: channels by `instType`, `channel` and `instId` (or `coin`).
 */
import type { Protocol } from '../socket-protocol.ts'
import { book, candle, indexPrice, ticker, trade } from './market.ts'
import { channelOf, echo } from './channels.ts'

export const v2Protocol: Protocol = { channelOf, echo, ticker, trade, book, candle, indexPrice }
