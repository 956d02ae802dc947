/**
 * Everybody who gets the same pushes.
 *
 * Once      a push is written as text and as bytes once; subscribers share the bytes
 * Echo      a push repeats the argument that it was subscribed with, so whoever spelled it differently gets his own
 *           spelling: one text for each spelling, not for each subscriber
 */
import type { StreamCounts } from './counts.ts'

/** A socket, as topics see it. */
export interface Member {
  send(message: Buffer): void
}

/** `snapshot` stands alone, `update` changes what was pushed before. */
export type Action = 'snapshot' | 'update'

export interface Push {
  readonly action: Action
  /** JSON text of the list `data`. */
  readonly data: string
  /** Unix milliseconds. */
  readonly at: number
}

export class Topic {
  /** Members by the JSON text of the argument that is echoed to them. */
  readonly #audiences = new Map<string, Set<Member>>()
  readonly #counts: StreamCounts

  constructor(counts: StreamCounts) {
    this.#counts = counts
  }

  get isEmpty(): boolean {
    return this.#audiences.size === 0
  }

  add(member: Member, argument: string): void {
    let audience = this.#audiences.get(argument)
    if (audience === undefined) this.#audiences.set(argument, (audience = new Set()))
    audience.add(member)
  }

  remove(member: Member, argument: string): void {
    const audience = this.#audiences.get(argument)
    if (audience?.delete(member) && audience.size === 0) this.#audiences.delete(argument)
  }

  publish(push: Push): void {
    for (const [argument, members] of this.#audiences) {
      const message = this.#write(argument, push)
      for (const member of members) member.send(message)
    }
  }

  /** A push for one of them alone. */
  greet(member: Member, argument: string, push: Push): void {
    member.send(this.#write(argument, push))
  }

  #write(argument: string, { action, data, at }: Push): Buffer {
    this.#counts.messagesWritten += 1
    return Buffer.from(`{"action":"${action}","arg":${argument},"data":${data},"ts":${at}}`)
  }
}
