/**
 * HTTP as bytes and sockets: connections are taken, requests read, answers written, and all of it ended.
 *
 * Knows     nothing of a venue: what a request asks for, who asks, and in which words it is answered is for those above
 * Order     listener.ts is the page to read; plain-requests.ts the way of almost every request
 * Not here  WebSocket (stream/)
 */
export { AddressBound } from './address-bound.ts'
export { type AddressFinder, addressFinder, sameAddress } from './addresses.ts'
export { type AnswerHeaders, type BrokenRequest, brokenRequestStatus, drain, endSocket } from './broken-requests.ts'
export { type Dropped, HttpServer } from './http-server.ts'
export { createListener, type FaultyRequest, type HttpFault } from './listener.ts'
export { LoadShedder } from './load-shedder.ts'
export { documentPages, type FixedContent, fixedPage, type Page, pageRequestsPerSecondMax } from './pages.ts'
export { RequestIds, type SavedRequestIds } from './request-ids.ts'
export {
  type ConnectionEnds,
  type HttpRoute,
  type IncomingHead,
  type IncomingRequest,
  type Outgoing,
  pathOf,
  type RequestHeaders,
  single,
} from './requests.ts'
export { type Certificate, Tls } from './tls.ts'
export { TurnShare } from './turn-share.ts'
