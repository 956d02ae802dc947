/**
 * What a match does: to the orders, wallets and positions of both sides. The room's door.
 *
 * spot     base against quote, fees, loans         futures                fills booked into positions
 * fills    what every fill does to its order       rebates                a broker's share of the fee
 * release  what an order holds and does not spend  attached-tpsl          take-profit and stop-loss for what was opened
 *                                                  spot-attached-tpsl     … for what was received
 * Source   interface.md E1, E2, E3; design.md §4.22, §4.25, §4.34; risk-engine.md §10, §17
 */
export { leaveTpsl, setAttachedTpsl } from './attached-tpsl.ts'
export { fillShared, publishFill } from './fills.ts'
export { addFilledE12, holdForFutures, settleFutures } from './futures.ts'
export { giveBackFutures, leaveExposure, releaseSpot } from './release.ts'
export { extendSpotAttachedTpsl } from './spot-attached-tpsl.ts'
export { holdForSpot, settleSpot } from './spot.ts'
