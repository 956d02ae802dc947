/**
 * Replicas hold the hashes of their states against one another, at commands that are known beforehand: whoever computed something
 * else ends, before more is built on it.
 *
 * Cores      each tells all others its hash. One that more than half of them have is right, whoever leads. Without one, when all have
 *            told theirs or ten seconds are over, it is that of the core that leads
 * Followers  gateways, and whoever writes the history, are told that hash by the core that leads, and hold their own against it
 * Kept       hashes of the last commands that were compared: one may come long after the other
 * Not here   how the hash is made: that of the core that leads by its twin, from its file, so that no order waits; others from
 *            the engine that answers (state-hashes.ts)
 * Source     scale.md §4.8
 */
import type { Timers } from './timers.ts'

const keptMax = 64
const graceMs = 10_000

/** What a core says of its state. */
export interface HashVote {
  readonly core: string
  readonly leads: boolean
  readonly sequence: number
  readonly hash: string
}

/** This process computed something else than the others: nothing that it has is to be trusted. */
export class StateDiffers extends Error {
  override name = 'StateDiffers'
  /** Of the process, so that whoever started it can tell. */
  readonly exitCode = 3
  readonly sequence: number

  constructor(sequence: number, own: string, others: string) {
    const shown = `${own.slice(0, 16)}… and not ${others.slice(0, 16)}…`
    super(`the state here differs from that of the others at command ${sequence}: its hash is ${shown}`)
    this.sequence = sequence
  }
}

export interface HashComparisonPorts {
  /** Which core this is, and how many there are. */
  readonly name: string
  readonly cores: number
  readonly timers: Timers
  /** This core is the one that differs. Called once. */
  readonly onOdd: (error: StateDiffers) => void
  /** The hash that is right: once for each command. */
  readonly onSettled: (sequence: number, hash: string) => void
}

interface Compared {
  readonly votes: Map<string, HashVote>
  isGraceOver: boolean
  settled: string | undefined
}

/** Of a core. */
export class HashComparison {
  readonly #ports: HashComparisonPorts
  readonly #compared = new Map<number, Compared>()
  readonly #differed = new Map<string, number>()
  #agreed = 0
  #isOdd = false

  constructor(ports: HashComparisonPorts) {
    this.#ports = ports
  }

  /** The last command at which this core had what the others had; zero: none yet. */
  get agreed(): number {
    return this.#agreed
  }

  /** Other cores that had something else, and at which command; until they have the same again. */
  get differed(): ReadonlyMap<string, number> {
    return this.#differed
  }

  /** Of this core, or as another one tells it. */
  vote(vote: HashVote): void {
    const { sequence, core } = vote
    let compared = this.#compared.get(sequence)
    if (compared === undefined) {
      compared = this.#begin(sequence)
    }
    compared.votes.set(core, vote)
    this.#judge(sequence, compared)
  }

  #begin(sequence: number): Compared {
    const compared: Compared = { votes: new Map(), isGraceOver: false, settled: undefined }
    this.#compared.set(sequence, compared)
    forgetOldest(this.#compared)
    this.#ports.timers.after(graceMs, () => {
      compared.isGraceOver = true
      this.#judge(sequence, compared)
    })
    return compared
  }

  #judge(sequence: number, compared: Compared): void {
    if (compared.settled === undefined) {
      const right = this.#right(compared)
      if (right === undefined) return
      compared.settled = right
      this.#ports.onSettled(sequence, right)
    }
    const { settled } = compared
    for (const { core, hash } of compared.votes.values()) {
      if (core === this.#ports.name) this.#judgeOwn(sequence, hash, settled)
      else if (hash !== settled) this.#differed.set(core, sequence)
      else if ((this.#differed.get(core) ?? sequence) < sequence) this.#differed.delete(core)
    }
  }

  #judgeOwn(sequence: number, own: string, settled: string): void {
    if (own === settled) this.#agreed = Math.max(this.#agreed, sequence)
    else if (!this.#isOdd) {
      this.#isOdd = true
      this.#ports.onOdd(new StateDiffers(sequence, own, settled))
    }
  }

  /** Undefined: that cannot be said yet. */
  #right({ votes, isGraceOver }: Compared): string | undefined {
    const { cores } = this.#ports
    const all = [...votes.values()]
    const withHash = (hash: string) => all.filter((vote) => vote.hash === hash).length
    const most = all.find(({ hash }) => withHash(hash) > cores / 2)
    if (most !== undefined) return most.hash
    if (all.length < cores && !isGraceOver) return undefined
    return all.find(({ leads }) => leads)?.hash
  }
}

/** Of who follows a core: own hashes against those that it is told. */
export class FollowedHashes {
  readonly #onOdd: (error: StateDiffers) => void
  readonly #own = new Map<number, string>()
  readonly #told = new Map<number, string>()
  #agreed = 0

  constructor(onOdd: (error: StateDiffers) => void) {
    this.#onOdd = onOdd
  }

  /** The last command at which both were the same; zero: none yet. */
  get agreed(): number {
    return this.#agreed
  }

  own(sequence: number, hash: string): void {
    this.#compare(sequence, this.#own.set(sequence, hash))
  }

  told(sequence: number, hash: string): void {
    this.#compare(sequence, this.#told.set(sequence, hash))
  }

  #compare(sequence: number, changed: Map<number, string>): void {
    forgetOldest(changed)
    const own = this.#own.get(sequence)
    const told = this.#told.get(sequence)
    if (own === undefined || told === undefined) return
    if (own === told) this.#agreed = Math.max(this.#agreed, sequence)
    else this.#onOdd(new StateDiffers(sequence, own, told))
  }
}

function forgetOldest(kept: Map<number, unknown>): void {
  for (const sequence of kept.keys()) {
    if (kept.size <= keptMax) return
    kept.delete(sequence)
  }
}
