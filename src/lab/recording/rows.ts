/**
 * The trace of a recording: what came in and what was answered, a row each, and each a line of text.
 *
 * Lines     JSON lists: kind, then time, system's time less the venue's, and the command before it, each less those of the line
 *           above; then what the kind has
 * Signed    a request or a login whose signature is right has neither signature nor passphrase: whoever plays it signs anew
 * Sent      places in the journal are counted from the command before; -1: it was not sequenced
 * Source    lab.md §4.8
 */
import type { AskedBeside, Version } from '../../api/api.ts'
import type { Moment, Strike } from './entries.ts'

/** Who signed, and when: less than the system's time by so much. */
export interface Signed {
  readonly apiKey: string
  readonly timestamp: string
}

/** Where commands of one call came to be: first sequence (undefined: nowhere) and how many. */
export type SentRow = readonly [sequence: number | undefined, count: number]

interface Sender extends Moment {
  /** Rules that struck it, and where. */
  readonly strikes: readonly Strike[]
  readonly sent: readonly SentRow[]
  /** See entries.ts. */
  readonly nows: readonly number[]
}

export interface RequestRow extends Sender {
  readonly kind: 'request'
  readonly requestId: string
  readonly connection: number
  /** It is not the first on its connection. */
  readonly isLater: boolean
  readonly socketAddress: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signed: Signed | undefined
  /** Undefined: it was not answered. */
  readonly answer:
    | { readonly httpStatus: number; readonly digest: string; readonly text?: string | undefined }
    | undefined
}

/** Held commands went on, in this order. */
interface LetGoRow extends Moment {
  readonly kind: 'let-go'
  readonly ids: readonly string[]
}

/** A push made a rule fire. */
interface StruckRow extends Moment {
  readonly kind: 'struck'
  readonly rule: string
}

export interface CallRow extends Sender {
  readonly kind: 'call'
  readonly socket: number
}

export interface LabRow extends Sender {
  readonly kind: 'lab'
  readonly method: string
  readonly path: string
  readonly body: unknown
}

interface BesideRow extends Moment {
  readonly kind: 'beside'
  readonly asked: Pick<AskedBeside, 'kind' | 'named'>
  readonly socketAddress: string
  readonly headers: Readonly<Record<string, string>>
}

interface OpenedRow extends Moment {
  readonly kind: 'opened'
  readonly socket: number
  readonly version: Version
  readonly ip: string
  /** Of one that was open before: who had logged in. */
  readonly apiKey: string | undefined
}

interface ClosedRow extends Moment {
  readonly kind: 'closed'
  readonly socket: number
}

export interface HeardRow extends Moment {
  readonly kind: 'heard'
  readonly socket: number
  readonly message: string
  readonly signed: Signed | undefined
}

interface SaidRow extends Moment {
  readonly kind: 'said'
  readonly socket: number
  readonly as: 'answer' | 'push'
  readonly digest: string
}

export type Row =
  | RequestRow
  | CallRow
  | LabRow
  | BesideRow
  | OpenedRow
  | ClosedRow
  | HeardRow
  | SaidRow
  | StruckRow
  | LetGoRow

const letters = {
  request: 'r',
  call: 'c',
  lab: 'l',
  beside: 'b',
  opened: 'o',
  closed: 'x',
  heard: 'i',
  said: 's',
  struck: 'f',
  'let-go': 'g',
} as const

/** Makes lines of rows, one after the other. */
export class RowWriter {
  #at = 0
  #offset = 0
  #before = 0

  line(row: Row): string {
    const { at, before } = row
    const offset = row.system - at
    const head = [letters[row.kind], at - this.#at, offset - this.#offset, before - this.#before]
    ;[this.#at, this.#offset, this.#before] = [at, offset, before]
    return JSON.stringify([...head, ...this.#rest(row)])
  }

  #rest(row: Row): readonly unknown[] {
    switch (row.kind) {
      case 'request': {
        const { requestId, connection, isLater, socketAddress, method, target, headers, body, signed, answer } = row
        const answered =
          answer === undefined
            ? 0
            : [answer.httpStatus, answer.digest, ...(answer.text === undefined ? [] : [answer.text])]
        return [
          requestId,
          connection,
          isLater ? 1 : 0,
          socketAddress,
          method,
          target,
          headers,
          body ?? 0,
          signedList(signed, row),
          ...senderList(row),
          answered,
          ...strikesList(row),
        ]
      }
      case 'call':
        return [row.socket, ...senderList(row), ...strikesList(row)]
      case 'lab':
        return [row.method, row.path, row.body ?? 0, ...senderList(row)]
      case 'beside':
        return [row.asked.kind, row.asked.named, row.socketAddress, row.headers]
      case 'opened':
        return [row.socket, row.version, row.ip, row.apiKey ?? 0]
      case 'closed':
        return [row.socket]
      case 'heard':
        return [row.socket, row.message, signedList(row.signed, row)]
      case 'said':
        return [row.socket, row.as === 'answer' ? 1 : 0, row.digest]
      case 'struck':
        return [row.rule]
      case 'let-go':
        return row.ids
    }
  }
}

/** Reads them back. */
export class RowReader {
  #at = 0
  #offset = 0
  #before = 0

  /** Throws what JSON throws, and Error for what is no row. */
  row(line: string): Row {
    const [letter, at, offset, before, ...rest] = JSON.parse(line) as [string, number, number, number, ...unknown[]]
    this.#at += at
    this.#offset += offset
    this.#before += before
    const moment = { at: this.#at, system: this.#at + this.#offset, before: this.#before }
    return rowOf(letter, moment, rest)
  }
}

function rowOf(letter: string, moment: Moment, rest: readonly unknown[]): Row {
  switch (letter) {
    case 'r': {
      const [
        requestId,
        connection,
        isLater,
        socketAddress,
        method,
        target,
        headers,
        body,
        signed,
        sent,
        nows,
        answered,
        strikes,
      ] = rest
      return {
        kind: 'request',
        ...moment,
        requestId: requestId as string,
        connection: connection as number,
        isLater: isLater === 1,
        socketAddress: socketAddress as string,
        method: method as string,
        target: target as string,
        headers: headers as RequestRow['headers'],
        body: body === 0 ? undefined : (body as string),
        signed: signedOf(signed, moment),
        ...senderOf(moment, sent, nows, strikes),
        answer: answerOf(answered),
      }
    }
    case 'c': {
      const [socket, sent, nows, strikes] = rest as [number, unknown, unknown, unknown]
      return { kind: 'call', ...moment, socket, ...senderOf(moment, sent, nows, strikes) }
    }
    case 'l': {
      const [method, path, body, sent, nows] = rest as [string, string, unknown, unknown, unknown]
      return {
        kind: 'lab',
        ...moment,
        method,
        path,
        body: body === 0 ? undefined : body,
        ...senderOf(moment, sent, nows, undefined),
      }
    }
    case 'b': {
      const [kind, named, socketAddress, headers] = rest as [AskedBeside['kind'], string, string, RequestRow['headers']]
      return { kind: 'beside', ...moment, asked: { kind, named }, socketAddress, headers }
    }
    case 'o': {
      const [socket, version, ip, apiKey] = rest as [number, Version, string, string | 0]
      return { kind: 'opened', ...moment, socket, version, ip, apiKey: apiKey === 0 ? undefined : apiKey }
    }
    case 'x':
      return { kind: 'closed', ...moment, socket: rest[0] as number }
    case 'i':
      return {
        kind: 'heard',
        ...moment,
        socket: rest[0] as number,
        message: rest[1] as string,
        signed: signedOf(rest[2], moment),
      }
    case 's':
      return {
        kind: 'said',
        ...moment,
        socket: rest[0] as number,
        as: rest[1] === 1 ? 'answer' : 'push',
        digest: rest[2] as string,
      }
    case 'f':
      return { kind: 'struck', ...moment, rule: rest[0] as string }
    case 'g':
      return { kind: 'let-go', ...moment, ids: rest as string[] }
    default:
      throw new Error(`there are no rows of the kind ${JSON.stringify(letter)}`)
  }
}

function signedList(signed: Signed | undefined, { system }: Moment): unknown {
  if (signed === undefined) return 0
  const sent = Number(signed.timestamp)
  // Seconds, too, of logins: as they are.
  return /^\d{13}$/.test(signed.timestamp) ? [signed.apiKey, system - sent] : [signed.apiKey, signed.timestamp]
}

function signedOf(list: unknown, { system }: Moment): Signed | undefined {
  if (list === 0) return undefined
  const [apiKey, timestamp] = list as [string, number | string]
  return { apiKey, timestamp: typeof timestamp === 'string' ? timestamp : String(system - timestamp) }
}

function senderList({ sent, nows, before, at }: Sender): readonly unknown[] {
  const places = sent.flatMap(([sequence, count]) => [sequence === undefined ? -1 : sequence - before, count])
  return [places, nows.map((value, index) => (index % 2 === 0 ? value : value - at))]
}

/** Nothing for the many that nothing struck. */
function strikesList({ strikes }: Sender): readonly unknown[] {
  return strikes.length === 0 ? [] : [strikes]
}

function senderOf(
  { before, at }: Moment,
  sent: unknown,
  nows: unknown,
  strikes: unknown,
): Pick<Sender, 'sent' | 'nows' | 'strikes'> {
  const places = sent as readonly number[]
  const rows: SentRow[] = []
  for (let index = 0; index < places.length; index += 2) {
    rows.push([places[index] < 0 ? undefined : places[index] + before, places[index + 1]])
  }
  return {
    sent: rows,
    nows: (nows as readonly number[]).map((value, index) => (index % 2 === 0 ? value : value + at)),
    strikes: (strikes ?? []) as readonly Strike[],
  }
}

function answerOf(answered: unknown): RequestRow['answer'] {
  if (answered === 0) return undefined
  const [httpStatus, digest, text] = answered as [number, string, string?]
  return { httpStatus, digest, ...(text !== undefined && { text }) }
}
