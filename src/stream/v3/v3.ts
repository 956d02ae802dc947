/**
 * The socket protocol of v3: channels by `instType`, `topic` and `symbol`; private ones with `instType` UTA.
 */
import type { Protocol } from '../socket-protocol.ts'
import { book, candle, ticker, trade, liquidation } from './market.ts'
import { channelOf, echo } from './channels.ts'

export const v3Protocol: Protocol = { channelOf, echo, ticker, trade, book, candle, liquidation }
