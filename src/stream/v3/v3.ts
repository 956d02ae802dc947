/**
 * The socket protocol of v3: channels by `instType`, `topic` and `symbol`; private ones with `instType` UTA.
 */
import type { Dialect } from '../dialect.ts'
import { book, candle, ticker, trade, liquidation } from './market.ts'
import { channelOf, echo } from './channels.ts'

export const v3Dialect: Dialect = { channelOf, echo, ticker, trade, book, candle, liquidation }
