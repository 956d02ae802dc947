/**
 * Answers that are none, cannot be read, or dribble: what proxies and networks make of them.
 *
 * Sockets   a garbled answer to an order is one message that cannot be read. Statuses and slow bodies are HTTP's alone
 * Slow      by real time: bytes go over the network
 * Source    lab.md §4.5
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { body, field, optional, wholeNumber, word } from '../../../operator/operator.ts'
import type { Answer, Garble } from '../call.ts'
import { garbles } from '../call.ts'
import { atAnswer } from '../kind.ts'
import { calls } from './fields.ts'

const statuses = [500, 502, 503, 504] as const
const reasons = {
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
}

const status = field(`one of ${statuses.join(', ')}`, (value) => statuses.find((known) => known === Number(value)))

const page = { status: optional(status), body: optional(word(['html', 'empty', 'json'])) }

export const answers = [
  atAnswer({
    name: 'http',
    meaning: '500, 502, 503 or 504 ¦ done; with point: before not sequenced',
    point: 'answered',
    with: body({ ...page, point: optional(word(['before', 'after'])) }),
    over: ['http'],
    usual: 'any',
    pointOf: (given) => (given.point === 'before' ? 'read' : 'answered'),
    strike: async ({ given }) => proxyAnswer(given.status ?? 502, given.body ?? 'html'),
  }),
  atAnswer({
    name: 'garbled',
    meaning: 'a 200 that cannot be read ¦ done',
    point: 'answered',
    with: body({ how: optional(word(garbles)) }),
    over: calls,
    usual: 'place',
    fits: ({ httpStatus }) => httpStatus === 200,
    strike: async ({ answer, given, call }) =>
      call.over === 'http'
        ? garbled(answer, given.how ?? 'truncated')
        : { ...answer, garble: given.how ?? 'truncated' },
  }),
  atAnswer({
    name: 'slow-body',
    meaning: 'the body dribbles ¦ done',
    point: 'answered',
    with: body({ chunks: optional(wholeNumber(1, 1_000)), ms: optional(wholeNumber(0, 60_000)) }),
    over: ['http'],
    usual: 'any',
    strike: async ({ answer, given }) => ({
      ...answer,
      deliver: (socket, bytes) => dribble(socket, bytes, given.chunks ?? 10, given.ms ?? 1_000),
    }),
  }),
]

function proxyAnswer(httpStatus: (typeof statuses)[number], form: 'html' | 'empty' | 'json'): Answer {
  const reason = reasons[httpStatus]
  const headers = { server: 'nginx' }
  if (form === 'empty') return { httpStatus, headers: { ...headers, 'content-type': 'text/plain' }, body: '' }
  if (form === 'json') return { httpStatus, headers, body: JSON.stringify({ message: reason }) }
  const title = `${httpStatus} ${reason}`
  const text =
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n` +
    '<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'
  return { httpStatus, headers: { ...headers, 'content-type': 'text/html' }, body: text }
}

function garbled(answer: Answer, how: Garble): Answer {
  const text = answer.body.toString()
  switch (how) {
    case 'truncated':
      return { ...answer, deliver: sendHalf }
    case 'not-json':
      return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html' }, body: '<html>OK</html>' }
    case 'wrong-type':
      return { ...answer, body: wrongType(text) }
    case 'bad-gzip':
      return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } }
  }
}

/** A message of a socket that cannot be read. */
export function garbledText(text: string, how: Garble): string {
  if (how === 'truncated') return text.slice(0, text.length >> 1)
  if (how === 'wrong-type') return wrongType(text)
  return how === 'not-json' ? 'upstream error' : '\u001f\u008b\b'
}

/** Every member has another type than it should. */
function wrongType(text: string): string {
  const other = (value: unknown): unknown => {
    if (typeof value === 'string') return Number.isNaN(Number(value)) || value === '' ? 0 : Number(value)
    if (typeof value === 'number') return String(value)
    return typeof value === 'object' ? 'object' : [value]
  }
  const members = Object.entries(JSON.parse(text) as object)
  return JSON.stringify(Object.fromEntries(members.map(([name, value]) => [name, other(value)])))
}

async function sendHalf(socket: Socket, bytes: Buffer): Promise<void> {
  const bodyAt = bytes.indexOf('\r\n\r\n') + 4
  socket.end(bytes.subarray(0, bodyAt + ((bytes.length - bodyAt) >> 1)))
}

async function dribble(socket: Socket, bytes: Buffer, chunks: number, ms: number): Promise<void> {
  const bodyAt = bytes.indexOf('\r\n\r\n') + 4
  socket.write(bytes.subarray(0, bodyAt))
  const length = Math.max(1, Math.ceil((bytes.length - bodyAt) / chunks))
  for (let at = bodyAt; at < bytes.length && !socket.destroyed; at += length) {
    await sleep(ms)
    if (!socket.destroyed) socket.write(bytes.subarray(at, at + length))
  }
}
