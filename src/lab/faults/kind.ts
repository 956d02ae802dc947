/**
 * What a kind of fault is: one entry of the table (kinds.ts), with the point of the way at which it strikes.
 *
 *   read      a call has arrived; nothing of it was judged
 *   admitted  its commands are about to be sequenced: whoever asks may do so, and the request is well formed
 *   answered  the venue has its answer. Of a call that changes something this is a point only if a command of it left
 *   pushed    a message to or from a socket
 *   venue     no call: the rule fires when it is added, when its gate opens, or at a call that it counts
 *
 * Lasting   a fault with `lasts` goes on from its firing, for so long or until its rule goes. While it does, all that the rule's
 *           `on` matches is struck, without being counted again
 * Source    lab.md §4.5
 */
import type { StaticDecode, TObject } from 'typebox'
import type { Inside } from '../../api/api.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { FramedSocket } from '../../stream/stream.ts'
import type { LabVenue } from '../venue.ts'
import type { Answer, Call } from './call.ts'
import type { Over } from './endpoints.ts'
import type { Message } from './message.ts'
import type { Selector } from './selector.ts'

/** A rule that has fired, to its kind. */
export interface Fired<With> {
  readonly given: With
  readonly rule: string
  /** Its number. */
  readonly firing: number
  readonly venue: LabVenue
  readonly selector: Selector
  /** Writes down what else is known of the firing. */
  readonly note: (facts: { readonly note?: string; readonly sequence?: number }) => void
}

export interface FiredAtCall<With> extends Fired<With> {
  readonly call: Call
  /** Resolves when so many milliseconds of the venue have passed; rejects when the venue goes back meanwhile. */
  readonly wait: (ms: number) => Promise<void>
}

interface FiredAtRead<With> extends FiredAtCall<With> {
  readonly inside: Inside
  /** On along the way; with `inside` the call is served from that. */
  readonly next: (inside?: Inside) => Promise<Answer>
}

export interface FiredAtCommands<With> extends FiredAtCall<With> {
  readonly commands: readonly Command[]
  /** Sequences them, or others in their place; the truth of the firing is written down. */
  readonly submit: (commands?: readonly Command[]) => Promise<readonly Reply[]>
  /** Writes the truth down anew: more has happened. */
  readonly retell: () => void
  /** Sequences them so many milliseconds of the venue later. A snapshot that is taken meanwhile has them, too. */
  readonly submitLater: (ms: number) => Promise<readonly Reply[]>
  /** The call gets this answer now, whatever becomes of it. What is returned never resolves. */
  readonly answer: (answer: Answer) => Promise<never>
}

interface FiredAtAnswer<With> extends FiredAtCall<With> {
  readonly answer: Answer
}

/** One of a kind at a message; `firing` is the one that goes on, or that began with this message. */
export interface FiredAtMessage<With> extends Fired<With> {
  readonly socket: FramedSocket
  readonly message: Message
}

type Point = 'read' | 'admitted' | 'answered' | 'pushed' | 'venue'

interface Facts<With extends TObject> {
  readonly name: string
  /** What the client sees ¦ the truth. */
  readonly meaning: string
  readonly with: With
  /** Ways that it can strike. */
  readonly over: readonly Over[]
  /** The endpoint of a rule that names none. */
  readonly usual: string
  /** Only calls that send commands. */
  readonly commandsOnly?: true
  /** Only calls with a key. */
  readonly keyedOnly?: true
  /** Only calls that it can do something to. */
  isFit?(call: Call): boolean
  /** A rule that counts nothing begins when it is added or when its gate opens, also one that says `on`. */
  readonly beginsAtOnce?: true
  /** Only batches. */
  readonly batchesOnly?: true
  /** Where it strikes, if that depends on what it is told. */
  pointOf?(given: StaticDecode<With>): Point
  /** Throws LabRefusal for what the fields alone do not say. */
  check?(given: StaticDecode<With>, venue: LabVenue): void
  /** Milliseconds of the venue; infinite: until its rule goes. Undefined: it does not last. */
  lasts?(given: StaticDecode<With>): number | undefined
  /** It begins; what it does to calls and messages it does when they come. */
  begin?(fired: Fired<StaticDecode<With>>): void | Promise<void>
  /** Its rule goes. */
  removed?(fired: Omit<Fired<StaticDecode<With>>, 'firing'>): void | Promise<void>
  /** A fault that lasts is over: its time, its rule, or (`isBack`) the venue has gone back. */
  end?(fired: Fired<StaticDecode<With>>, isBack: boolean): void | Promise<void>
}

export interface AtRead<With extends TObject = TObject> extends Facts<With> {
  readonly point: 'read' | 'venue'
  /** Absent: calls are not struck. */
  strike?(fired: FiredAtRead<StaticDecode<With>>): Promise<Answer>
  /** Of messages, while it lasts; false: this one goes no further. */
  passes?(fired: FiredAtMessage<StaticDecode<With>>): boolean
  /** While it lasts: whether a socket may be opened. */
  mayOpen?(given: StaticDecode<With>, path: string): boolean | 'silent'
}

export interface AtCommands<With extends TObject = TObject> extends Facts<With> {
  readonly point: 'admitted'
  strike(fired: FiredAtCommands<StaticDecode<With>>): Promise<readonly Reply[]>
  /** Changes the answer, if the call comes to one. */
  retouch?(answer: Answer, given: StaticDecode<With>, call: Call): Answer
}

export interface AtAnswer<With extends TObject = TObject> extends Facts<With> {
  readonly point: 'answered'
  strike(fired: FiredAtAnswer<StaticDecode<With>>): Promise<Answer>
  /** Only answers that it can do something with. */
  fits?(answer: Answer): boolean
}

/** A message struck by a rule. Kinds of this point are counted by message, and last if they say so. */
export interface AtMessages<With extends TObject = TObject> extends Facts<With> {
  readonly point: 'pushed'
  /** `send` may be called now, later, more than once or never. Absent: messages that go out are not struck. */
  out?(fired: FiredAtMessage<StaticDecode<With>>, send: (message: Buffer) => void): void
  /** The same of what comes in. */
  in?(fired: FiredAtMessage<StaticDecode<With>>, hear: (message: Buffer) => void): void
  mayOpen?(given: StaticDecode<With>, path: string): boolean | 'silent'
  /** While it lasts, of sockets that `on` matches; false: this message goes no further. */
  passes?(fired: FiredAtMessage<StaticDecode<With>>): boolean
  pongs?(given: StaticDecode<With>, socket: FramedSocket): boolean
  /** Only messages that it can do something with. */
  fits?(message: Message, given: StaticDecode<With>): boolean
}

export type FaultKind = AtRead | AtCommands | AtAnswer | AtMessages

/** Writes one down with the types of its own `with`. */
export function atRead<With extends TObject>(kind: AtRead<With>): FaultKind {
  return kind
}
export function atCommands<With extends TObject>(kind: AtCommands<With>): FaultKind {
  return kind
}
export function atAnswer<With extends TObject>(kind: AtAnswer<With>): FaultKind {
  return kind
}
export function atMessages<With extends TObject>(kind: AtMessages<With>): FaultKind {
  return kind
}
