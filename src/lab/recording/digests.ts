/**
 * What stands for an answer that is not kept: 64 bits of the SHA-256 of its status, its headers and its body.
 *
 * Sockets   answers over them name the millisecond in which they left (`ts`, and `cTime` of an order), which is no part of it
 */
import { createHash } from 'node:crypto'
import type { Outgoing } from '../../http/http.ts'

const digits = 16

export function digestOf({ httpStatus, headers, body }: Pick<Outgoing, 'httpStatus' | 'headers' | 'body'>): string {
  const head = `${httpStatus} ${JSON.stringify(headers)}\n`
  return createHash('sha256').update(head).update(body).digest('hex').slice(0, digits)
}

/** An answer over a socket, without the time at which it left. */
export function lasting(text: string): string {
  return text.replaceAll(/"(ts|cTime)":"?\d+"?/g, '"$1":0')
}
