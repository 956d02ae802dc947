/**
 * What an engine makes of commands, as hashes: one change in a reply, an event, an answer or a saved byte is another hash.
 *
 * Heard     every command with its stamp, its reply and its events, in order
 * Saved     the whole state, at the end of each part, in a journal also every 100,000 commands
 * Answers   what the engine answers to every kind of query about everybody, now and then (questions.ts)
 * Parts     the random traders of the engine's tests, the risk vectors (vectors.ts), the journal of a venue
 * Trace     if one is wanted, a line for each command with a hash of its own: the first line that differs names the command
 */
import { createHash, type Hash } from 'node:crypto'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { ReplayGroup } from '../../src/runtime/replay-group.ts'
import { admitRandomTraders, RandomTraders, fillFunds } from '../engine/support/random-traders.ts'
import { Exchange } from '../engine/support/exchange.ts'
import { readCommands } from './command-journal.ts'
import { type Ask, questions } from './questions.ts'
import { playVectors } from './vectors.ts'

export interface Heard {
  readonly command: Command
  readonly at: number
  readonly reply: Reply
  readonly events: readonly Event[]
}

export interface Figures {
  readonly commands: number
  readonly events: number
  /** Of everything heard, of all saved bytes and of all answers: SHA-256. */
  readonly heard: string
  readonly saved: string
  readonly answers: string
  readonly commandKinds: ReadonlyMap<string, number>
  readonly refused: number
  readonly eventKinds: ReadonlyMap<string, number>
}

export interface Watching {
  /** Names of fields, and whole texts, that were others before: the new ones with the old ones, which are hashed. */
  readonly words?: Words | undefined
  /** Is given the lines of the trace. */
  readonly onTrace?: ((line: string) => void) | undefined
  /** Is given every command with what came of it. */
  readonly onHeard?: ((sequence: number, heard: Heard) => void) | undefined
}

/** Commands between two savings of a journal's state. */
const saveEvery = 100_000
/** Commands between two rounds of questions. */
const askEvery = { traders: 500, journal: 50_000 } as const

/** `commands` of the traders after each seed from 1 on, on an exchange of its own, every second one with insurance. */
export function replayTraders(
  { seeds, commands }: { readonly seeds: number; readonly commands: number },
  watching: Watching = {},
): Figures {
  const tally = new Tally(watching)
  for (let seed = 1; seed <= seeds; seed++) {
    const exchange = new Exchange()
    admitRandomTraders(exchange)
    if (seed % 2 === 1) fillFunds(exchange)
    const randomTraders = new RandomTraders(exchange, seed)
    for (let told = 1; told <= commands; told++) {
      exchange.apply(randomTraders.next())
      if (told % askEvery.traders === 0) tally.ask(exchange.query)
    }
    tally.hearAll(exchange)
  }
  return tally.figures()
}

/** The positions, orders, loans and payments of the risk vectors, each on an exchange of its own. */
export function replayVectors(watching: Watching = {}): Figures {
  const tally = new Tally(watching)
  playVectors((exchange) => {
    tally.ask(exchange.query)
    tally.hearAll(exchange)
  })
  return tally.figures()
}

/** Every command in the journal of a venue that stands still, from the first one on. */
export async function replayJournal(directory: string, watching: Watching = {}): Promise<Figures> {
  const tally = new Tally(watching)
  let events: Event[] = []
  const engine = new Engine((event) => events.push(event))
  const ask: Ask = (query) => engine.query(query)
  const { journal, poisoned } = await readCommands(directory)
  try {
    const group = new ReplayGroup(engine, (command, sequence, at) => {
      if (poisoned.has(sequence, command.kind, at)) return engine.skip(sequence, at)
      events = []
      const reply = engine.apply(command, sequence, at)
      tally.hear({ command, at, reply, events })
      if (sequence % askEvery.journal === 0) tally.ask(ask)
      if (sequence % saveEvery === 0) tally.save(engine.save())
    })
    await journal.replay(
      1,
      (sequence, payload) => group.add(sequence, payload),
      () => {
        group.flush()
        return undefined
      },
    )
    tally.ask(ask)
    tally.save(engine.save())
  } finally {
    await journal.close()
  }
  return tally.figures()
}

class Tally {
  readonly #watching: Watching
  readonly #words: Words
  readonly #heard = createHash('sha256')
  readonly #saved = createHash('sha256')
  readonly #answers = createHash('sha256')
  readonly #commandKinds = new Map<string, number>()
  readonly #eventKinds = new Map<string, number>()
  #commands = 0
  #events = 0
  #refused = 0

  constructor(watching: Watching) {
    this.#watching = watching
    this.#words = watching.words ?? noWords
  }

  hear(heard: Heard): void {
    const { command, at, reply, events } = heard
    this.#commands += 1
    this.#events += events.length
    if (reply.kind === 'refused') this.#refused += 1
    count(this.#commandKinds, wordFor(command.kind, this.#words))
    for (const event of events) count(this.#eventKinds, wordFor(kindOf(event), this.#words))
    const text = plainText([command, at, reply, events], this.#words)
    this.#heard.update(text)
    this.#watching.onHeard?.(this.#commands, heard)
    this.#trace(() => `${wordFor(command.kind, this.#words)} ${shortHash(text)}`)
  }

  /** Of a whole exchange, with its state at the end. */
  hearAll(exchange: Exchange): void {
    for (const one of exchange.applied) this.hear(one)
    this.save([exchange.save()])
  }

  save(chunks: readonly Uint8Array[]): void {
    const own = createHash('sha256')
    for (const chunk of chunks) {
      own.update(chunk)
      this.#saved.update(chunk)
    }
    this.#trace(() => `saved ${short(own)}`)
  }

  ask(ask: Ask): void {
    for (const question of questions(ask)) {
      const text = plainText(ask(question), this.#words)
      this.#answers.update(text)
      this.#trace(() => `asked ${plainText(question, this.#words)} ${shortHash(text)}`)
    }
  }

  figures(): Figures {
    return {
      commands: this.#commands,
      events: this.#events,
      heard: this.#heard.digest('hex'),
      saved: this.#saved.digest('hex'),
      answers: this.#answers.digest('hex'),
      commandKinds: this.#commandKinds,
      refused: this.#refused,
      eventKinds: this.#eventKinds,
    }
  }

  #trace(line: () => string): void {
    this.#watching.onTrace?.(`${this.#commands} ${line()}`)
  }
}

/** With the cause of a fill that nobody ordered. */
function kindOf(event: Event): string {
  return event.kind === 'fill' && event.cause !== 'user' ? `fill of ${event.cause}` : event.kind
}

function count(kinds: Map<string, number>, kind: string): void {
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
}

function shortHash(text: string): string {
  return short(createHash('sha256').update(text))
}

function short(hash: Hash): string {
  return hash.digest('hex').slice(0, 16)
}

type Words = ReadonlyMap<string, string>

const noWords: Words = new Map()

/**
 * Plain data as text, in the order of its properties. What JSON would lose is kept: bigint, undefined, minus zero, maps.
 * `words`: names and whole texts that are written as others.
 */
export function plainText(value: unknown, words: Words = noWords): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(wordFor(value, words))
    case 'bigint':
      return `${value}n`
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'boolean':
    case 'undefined':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return `[${value.map((one) => plainText(one, words)).join()}]`
      if (value instanceof Map) return `map${plainText([...value], words)}`
      return objectText(value, words)
    default:
      throw new Error(`a ${typeof value} is no plain data`)
  }
}

function objectText(value: object, words: Words): string {
  let text = '{'
  for (const [name, one] of Object.entries(value)) text += `${wordFor(name, words)}:${plainText(one, words)},`
  return `${text}}`
}

function wordFor(word: string, words: Words): string {
  return words.size === 0 ? word : (words.get(word) ?? word)
}
