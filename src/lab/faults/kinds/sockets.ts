/**
 * Faults of sockets: connections that end or fall silent, pushes that are late, lost, doubled, shuffled or wrong. Events happen all the
 * same.
 *
 * Begins     at once, for all that its rule's `on` matches; where `when` counts, at the message that it says
 * Pushes     are what the rules of messages strike. Acknowledgements and answers pass them by
 * Late       by the venue's time, on its agenda. What a rule delays stays in order among itself
 * Source     lab.md §4.5
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { body, optional, wholeNumber } from '../../../operator/operator.ts'
import type { FramedSocket } from '../../../stream/stream.ts'
import { LabRefusal } from '../../refusals.ts'
import type { LabVenue } from '../../venue.ts'
import { atAnswer, atMessages, type FiredAtMessage } from '../kind.ts'
import type { Message } from '../message.ts'
import { share } from '../when.ts'
import { calls, span } from './fields.ts'

const messages = ['message'] as const
const lateMsUsual = 1_000
const spanUsual = 4
const spanMax = 100

const forSpan = body({ for: optional(span) })
const lateBody = body({ ms: optional(span), for: optional(span) })
const isPush = (message: Message) => message.direction === 'out' && message.scope !== undefined
const untilItsEnd = ({ for: ms = Number.POSITIVE_INFINITY }: { readonly for?: number | undefined }) => ms

export const sockets = [
  atMessages({
    name: 'ws-cut',
    meaning: 'the socket ends, with a code or without; for a while none is opened ¦ events happen',
    point: 'pushed',
    with: body({ code: optional(wholeNumber(1000, 4999)), for: optional(span) }),
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    fits: isPush,
    lasts: (given) => given.for,
    begin({ given, venue, selector }) {
      for (const socket of venue.way.sockets) if (selector.matchesSocket(socket)) cut(socket, given.code)
    },
    mayOpen: () => false,
    out: () => {},
  }),
  atMessages({
    name: 'ws-refuse',
    meaning: 'no socket is opened (503); those that are open stay ¦ events happen',
    point: 'pushed',
    with: forSpan,
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    lasts: untilItsEnd,
    mayOpen: () => false,
  }),
  atMessages({
    name: 'ws-stall',
    meaning: 'open and silent: nothing is sent, answered or heard ¦ events happen',
    point: 'pushed',
    with: forSpan,
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    fits: isPush,
    lasts: untilItsEnd,
    passes: () => false,
    pongs: () => false,
    out: () => {},
  }),
  atMessages({
    name: 'ws-no-pong',
    meaning: 'pings are not answered, in text and in the protocol ¦ events happen',
    point: 'pushed',
    with: forSpan,
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    lasts: untilItsEnd,
    passes: ({ message }) => message.direction === 'in' || message.bytes.toString() !== 'pong',
    pongs: () => false,
  }),
  atMessages({
    name: 'ws-lose-subscription',
    meaning: 'pushes of a channel end, without a word, until it is subscribed to anew ¦ events happen',
    point: 'pushed',
    with: body({}),
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    fits: isPush,
    begin({ venue, selector }) {
      for (const socket of venue.way.sockets) {
        if (selector.matchesSocket(socket)) socket.loseSubscriptions((channel) => selector.matchesChannel(channel))
      }
    },
    out: () => {},
  }),
  atMessages({
    name: 'ws-slow',
    meaning: 'pushes are late ¦ events happen',
    point: 'pushed',
    with: lateBody,
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    fits: isPush,
    lasts: untilItsEnd,
    out: late,
  }),
  atMessages({
    name: 'ws-drop',
    meaning: 'a push is missing: sequence and checksum tell ¦ events happen',
    point: 'pushed',
    with: body({}),
    over: messages,
    usual: 'ws:any',
    fits: isPush,
    out: () => {},
  }),
  atMessages({
    name: 'ws-duplicate',
    meaning: 'a push comes twice ¦ it happened once',
    point: 'pushed',
    with: body({}),
    over: messages,
    usual: 'ws:any',
    fits: isPush,
    out({ message: { bytes } }, send) {
      send(bytes)
      send(bytes)
    },
  }),
  atMessages({
    name: 'ws-reorder',
    meaning: 'of each `span` pushes of a socket the order is another one ¦ events happen in theirs',
    point: 'pushed',
    with: body({ span: optional(wholeNumber(2, spanMax)), for: optional(span) }),
    over: messages,
    usual: 'ws:any',
    beginsAtOnce: true,
    fits: isPush,
    lasts: untilItsEnd,
    out: (fired, send) => gather(fired, fired.given.span ?? spanUsual, send),
    end({ venue, rule }, isBack) {
      const gathered = gatheredIn(venue)
      for (const sends of gathered.get(rule)?.values() ?? []) if (!isBack) for (const send of sends) send()
      gathered.delete(rule)
    },
  }),
  atAnswer({
    name: 'ws-before-rest',
    meaning: 'the answer comes when its pushes have left, and `ms` later ¦ done at once',
    point: 'answered',
    with: body({ ms: optional(span) }),
    over: calls,
    usual: 'place',
    async strike(fired) {
      const { ms = 0 } = fired.given
      const pushed = nextTurn().then(() => fired.venue.settle())
      await Promise.all([pushed, ms === 0 ? undefined : fired.wait(ms)])
      return fired.answer
    },
  }),
  atMessages({
    name: 'ws-after-rest',
    meaning: 'pushes to an account come long after the answer ¦ done at once',
    point: 'pushed',
    with: lateBody,
    over: messages,
    usual: 'ws:private',
    beginsAtOnce: true,
    fits: (message) => isPush(message) && message.scope === 'private',
    lasts: untilItsEnd,
    out: late,
  }),
  atMessages({
    name: 'ws-refuse-login',
    meaning: 'a login is refused ¦ its key is good',
    point: 'pushed',
    with: body({}),
    over: messages,
    usual: 'ws:any',
    fits: ({ direction, bytes }) => direction === 'in' && isLogin.test(bytes.toString()),
    // The venue refuses it in its own words.
    in: ({ message: { bytes } }, hear) => hear(Buffer.from(bytes.toString().replace(signature, '$1refused"'))),
  }),
  atMessages({
    name: 'ws-bad-checksum',
    meaning: 'a book that does not add up ¦ the book is right',
    point: 'pushed',
    with: body({}),
    over: messages,
    usual: 'ws:public',
    fits: (message) => isPush(message) && checksum.test(message.bytes.toString()),
    out({ message: { bytes } }, send) {
      const wrong = bytes
        .toString()
        .replace(checksum, (_all, before: string, sum: string) => before + (Number(sum) ^ 1))
      send(Buffer.from(wrong))
    },
  }),
]

const isLogin = /"op"\s*:\s*"login"/
const signature = /("sign"\s*:\s*")[^"]*"/
const checksum = /("checksum":"?)(-?\d+)/

/** Without a code as a line that breaks. */
function cut(socket: FramedSocket, code: number | undefined): void {
  if (code === undefined) socket.terminate()
  else socket.close(code)
}

/** A socket for whose next push there is no room on the agenda ends. */
function late(
  { venue, given, socket, message }: FiredAtMessage<{ readonly ms?: number | undefined }>,
  send: (message: Buffer) => void,
): void {
  const { agenda, parts } = venue
  try {
    agenda.put(parts.runtime.now() + (given.ms ?? lateMsUsual), () => send(message.bytes))
  } catch (error) {
    if (!(error instanceof LabRefusal)) throw error
    socket.terminate()
  }
}

/** Pushes that wait until there are enough to shuffle, by rule and socket. */
type Gathered = Map<string, Map<FramedSocket, (() => void)[]>>
const gathered = new WeakMap<LabVenue, Gathered>()

function gatheredIn(venue: LabVenue): Gathered {
  let found = gathered.get(venue)
  if (found === undefined) gathered.set(venue, (found = new Map()))
  return found
}

function gather(
  { venue, rule, socket, message }: FiredAtMessage<object>,
  length: number,
  send: (message: Buffer) => void,
): void {
  const ofRules = gatheredIn(venue)
  const ofSockets = ofRules.get(rule) ?? new Map<FramedSocket, (() => void)[]>()
  ofRules.set(rule, ofSockets)
  const sends = [...(ofSockets.get(socket) ?? []), () => send(message.bytes)]
  if (sends.length < length) return void ofSockets.set(socket, sends)
  ofSockets.delete(socket)
  for (const one of shuffled(sends, `${rule} ${message.bytes.length}`)) one()
}

/** Another order than it was, the same for the same seed. */
function shuffled<T>(list: readonly T[], seed: string): readonly T[] {
  const drawn = list.map((one, place) => [share(`${seed} #${place}`), one] as const)
  const order = drawn.toSorted(([one], [other]) => one - other).map(([, one]) => one)
  return order.every((one, place) => one === list[place]) ? order.toReversed() : order
}
