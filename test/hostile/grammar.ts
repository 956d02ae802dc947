/**
 * Requests that could be right, made from the request schemas of the table of endpoints: whatever endpoint is added is
 * asked too, without being named here.
 *
 * Values     by the kind of the field (a word, a coin, a decimal, a number), in the spellings that clients use; most of the
 *            time all of one instrument, near its price, so that a good part of them is taken
 * Learned    what an answer gave somebody under a name is a good value for a field of that name, and ids for each other;
 *            sometimes it is somebody else's
 * Optional   fields are there or not, at random
 */
import type { Catalog } from '../../src/engine/catalog/catalog.ts'
import type { Endpoint } from '../../src/api/endpoint.ts'
import type { Random } from '../../src/simulator/random.ts'

/** What the schemas of fields.ts say. */
export interface Field {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Field>>
  readonly required?: readonly string[]
  readonly items?: Field
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly default?: unknown
  readonly 'x-case'?: 'upper'
  readonly 'x-number'?: 'id'
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** An instrument, in the words that requests name it with. */
interface Scene {
  readonly category: string
  readonly symbol: string
  readonly coin: string
  readonly price: number
}

const decimals = ['0.001', '0.01', '0.1', '1', '2', '10', '25', '100', '500', '2000']
const besidePrice = [0.9, 0.97, 0.99, 1, 1, 1.01, 1.03, 1.1]
const learnedMax = 40

export function scenesOf({ coins, instruments }: Catalog): Scene[] {
  return instruments.flatMap((instrument): Scene[] => {
    const coin = coins[instrument.kind === 'inverse' ? instrument.base : instrument.quote]?.name ?? ''
    const price = Number(coins[instrument.base]?.listingPriceE8 ?? 0n) / 1e8
    const scene = { category: instrument.category, symbol: instrument.symbol, coin, price }
    return instrument.category === 'SPOT' ? [scene, { ...scene, category: 'MARGIN' }] : [scene]
  })
}

/** The words that any field of a request may have. */
function wordsOf({ enum: words = [], properties = {}, items }: Field): readonly string[] {
  return [...words, ...Object.values(properties).flatMap(wordsOf), ...(items === undefined ? [] : wordsOf(items))]
}

export function isDecimal({ pattern }: Field): boolean {
  return pattern?.includes('{1,40}([.]') ?? false
}

export class Grammar {
  readonly #random: Random
  readonly #now: () => number
  readonly #learned = new Map<string, string[]>()
  readonly #scenes: readonly Scene[]
  #scene: Scene
  #uid = 0
  #made = 0

  constructor(random: Random, catalog: Catalog, now: () => number) {
    this.#random = random
    this.#now = now
    this.#scenes = scenesOf(catalog)
    this.#scene = this.#scenes[0]!
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random.share() * choices.length)]
  }

  /** A request of an endpoint by an account; a list where the endpoint takes a bare list. */
  request({ request }: Endpoint, uid: number): Json {
    this.#uid = uid
    const words = new Set(wordsOf(request))
    const fits = ({ category }: Scene) => (words.has('USDT-FUTURES') ? words.has(category) : category === 'SPOT')
    const scenes = this.#scenes.filter((scene) => fits(scene) || this.#random.happens(0.02))
    const known = scenes.filter((scene) => scene.symbol.startsWith('BTC'))
    this.#scene = this.pick(this.#random.happens(0.7) && known.length > 0 ? known : scenes)
    return this.#value('', request)
  }

  value(name: string, field: Field): Json {
    return this.#value(name, field)
  }

  /** Remembers what an answer gave an account. */
  learn(data: unknown, uid: number, name = ''): void {
    if (Array.isArray(data)) for (const item of data.slice(0, 3)) this.learn(item, uid, name)
    else if (typeof data === 'object' && data !== null) {
      for (const [inner, value] of Object.entries(data)) this.learn(value, uid, inner)
    } else if (typeof data === 'string' && data !== '' && data.length <= 64) {
      const isId = /^[0-9]+$/.test(data) && /(?:id|uid)$/i.test(name)
      for (const pool of [name, ...(isId ? ['#id'] : [])]) {
        this.#note(pool, data)
        this.#note(`${uid} ${pool}`, data)
      }
    }
  }

  #note(pool: string, value: string): void {
    const known = this.#learned.get(pool) ?? []
    this.#learned.set(pool, known)
    known.push(value)
    if (known.length > learnedMax) known.shift()
  }

  /** Something learned for a field, the account's own first. */
  #remembered(name: string, { 'x-number': number }: Field): string | undefined {
    if (!this.#random.happens(number === 'id' ? 0.8 : 0.5)) return undefined
    const names = number !== 'id' ? [name] : /user|uid/i.test(name) ? ['uid'] : [name, '#id']
    const pools = this.#random.happens(0.85) ? names.map((pool) => `${this.#uid} ${pool}`) : []
    for (const pool of [...pools, ...names]) {
      const known = this.#learned.get(pool)
      // What is open or has just happened is likelier to be there still.
      if (known !== undefined) return this.pick(this.#random.happens(0.6) ? known.slice(-2) : known)
    }
    return undefined
  }

  #value(name: string, field: Field): Json {
    if (field.properties) return this.#object(field)
    if (field.type === 'object') return {}
    if (field.items) {
      const most = Math.min(field.maxItems ?? 3, this.#random.happens(0.1) ? 50 : 4)
      const count = Math.max(1, Math.ceil(this.#random.share() * most))
      return Array.from({ length: count }, () => this.#value(name, field.items!))
    }
    if (field.enum) {
      const { category } = this.#scene
      const fits = field.enum.includes(category) && this.#random.happens(0.85)
      return this.#spelled(fits ? category : this.pick(field.enum))
    }
    const known = isDecimal(field) ? undefined : this.#remembered(name, field)
    if (known !== undefined) return known
    if (field['x-case'] === 'upper') return this.#spelled(this.#name(name))
    if (field.type === 'integer') return this.#whole(field)
    if (isDecimal(field)) return /price|surplus|loss|profit/i.test(name) ? this.#price() : this.pick(decimals)
    if (field.pattern !== undefined) return `made-${(this.#made += 1)}`
    return this.pick(['a', 'test', '0', '-1'])
  }

  #object(field: Field): Json {
    const fields: Record<string, Json> = {}
    for (const [name, inner] of Object.entries(field.properties ?? {})) {
      if (field.required?.includes(name) || this.#random.happens(0.4)) fields[name] = this.#value(name, inner)
    }
    return fields
  }

  #name(name: string): string {
    const kind = /coin/i.test(name) ? 'coin' : 'symbol'
    return (this.#random.happens(0.85) ? this.#scene : this.pick(this.#scenes))[kind]
  }

  #price(): string {
    return String(Number((this.#scene.price * this.pick(besidePrice)).toPrecision(4)))
  }

  #spelled(word: string): string {
    return this.#random.happens(0.9) ? word : word.toLowerCase()
  }

  #whole({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER, ...field }: Field): Json {
    const isTime = maximum === 9_999_999_999_999
    const number = isTime
      ? this.#now() - Math.floor(this.#random.share() * 100 * 86_400_000)
      : minimum +
        Math.floor(this.#random.share() * Math.min(maximum - minimum, field['x-number'] === 'id' ? 2_000 : 100))
    return this.#random.happens(0.5) ? String(number) : number
  }
}
