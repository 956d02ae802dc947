/**
 * One thing of the market that is shown to whoever subscribed, in both versions' words.
 *
 * Holds   a newcomer's first push is what everybody else has seen so far, so that the next push fits it too
 */
import type { CatalogIndex, Version } from '../api/api.ts'
import type { History } from '../history/history.ts'
import type { Market } from '../market/market.ts'
import type { Core } from '../runtime/core.ts'
import type { StreamCounts } from './counts.ts'
import type { Protocol } from './socket-protocol.ts'
import { type Action, type Push, Topic } from './topic.ts'

export interface FeedParts {
  readonly core: Core
  readonly market: Market
  readonly history: History
  readonly catalog: () => CatalogIndex
  readonly protocols: Readonly<Record<Version, Protocol>>
  readonly counts: StreamCounts
}

export interface Feed {
  readonly audience: Audience
  /** How often it is looked at; undefined: when something has happened to it. */
  readonly paceMs: number | undefined
  /** Pushes what has changed. */
  look(): void
  /** The first push for a newcomer; undefined: none. */
  greeting(version: Version): Push | Promise<Push> | undefined
}

export const versions = ['v2', 'v3'] as const satisfies readonly Version[]

/** The subscribers of a feed, by version. */
export class Audience {
  readonly topics: Readonly<Record<Version, Topic>>
  readonly #protocols: FeedParts['protocols']

  constructor({ protocols, counts }: Pick<FeedParts, 'protocols' | 'counts'>) {
    this.#protocols = protocols
    this.topics = { v2: new Topic(counts), v3: new Topic(counts) }
  }

  get isEmpty(): boolean {
    return versions.every((version) => this.topics[version].isEmpty)
  }

  /** Pushes to every version that has subscribers. */
  publish(action: Action, at: number, rowsOf: (protocol: Protocol) => readonly unknown[]): void {
    for (const version of versions) {
      const topic = this.topics[version]
      if (!topic.isEmpty) topic.publish(this.push(version, action, at, rowsOf))
    }
  }

  push(version: Version, action: Action, at: number, rowsOf: (protocol: Protocol) => readonly unknown[]): Push {
    return { action, at, data: JSON.stringify(rowsOf(this.#protocols[version])) }
  }
}
