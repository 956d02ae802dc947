/**
 * Canonical bytes of plain data: tag, then content. What goes in comes out equal, and equal data has equal bytes.
 *
 * Covers    undefined, null, booleans, numbers, bigints, strings, arrays, Maps and Sets (in insertion order), plain
 *           objects (in key order of creation), typed arrays
 * Leaves    classes and functions: they do not belong into saved state and are refused
 * Once      the keys of an object are written once per shape, and the words that properties hold (`unified`, `cross`)
 *           once each; after that a number stands for them
 */
const tags = {
  undefined: 0,
  null: 1,
  true: 2,
  false: 3,
  integer: 4,
  double: 5,
  /** Within 64 bits, in 8 bytes. */
  bigint: 6,
  /** Any other, as decimal text. */
  wideBigint: 7,
  /** One byte per character. */
  ascii: 8,
  /** UTF-16. */
  string: 9,
  newWord: 10,
  word: 11,
  array: 12,
  map: 13,
  set: 14,
  newShape: 15,
  object: 16,
  columns: 17,
} as const

const columnTypes = [Float64Array, Int32Array, Uint16Array, Uint8Array, BigInt64Array] as const
type Column = InstanceType<(typeof columnTypes)[number]>

const chunkBytes = 1 << 20
/** Distinct property values that are kept as words; later ones are plain strings. */
const wordsMax = 4_096

/** The bytes of `value` in chunks: columns are chunks of their own, and nothing else goes on from one to the next. */
export function encode(value: unknown): Uint8Array[] {
  const writer = new Writer()
  writer.value(value)
  return writer.finish()
}

/** The data in the chunks of `encode`, or in all of them as one. Columns that are chunks stay in them. */
export function decode(chunks: readonly Uint8Array[]): unknown {
  const reader = new Reader(chunks)
  const value = reader.value()
  if (!reader.ended) throw new Error('saved state: bytes left over')
  return value
}

interface Shape {
  readonly number: number
  readonly keys: readonly string[]
}

class Writer {
  private chunks: Uint8Array[] = []
  private chunk = new Uint8Array(chunkBytes)
  private view = new DataView(this.chunk.buffer)
  private at = 0
  private shapes = 0
  /** By first key: few shapes share one. */
  private readonly shapesOf = new Map<string | undefined, Shape[]>()
  private readonly words = new Map<string, number>()

  finish(): Uint8Array[] {
    this.flush()
    return this.chunks
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'undefined':
        return this.tag(tags.undefined)
      case 'boolean':
        return this.tag(value ? tags.true : tags.false)
      case 'number':
        return this.number(value)
      case 'bigint':
        return this.bigint(value)
      case 'string':
        return this.string(value)
      case 'object':
        return this.object(value)
      default:
        throw new Error(`saved state: a ${typeof value} does not belong into it`)
    }
  }

  private object(value: object | null): void {
    if (value === null) return this.tag(tags.null)
    if (Array.isArray(value)) {
      this.tag(tags.array)
      this.length(value.length)
      for (const item of value) this.value(item)
    } else if (value instanceof Map) {
      this.tag(tags.map)
      this.length(value.size)
      for (const [key, item] of value) {
        this.value(key)
        this.value(item)
      }
    } else if (value instanceof Set) {
      this.tag(tags.set)
      this.length(value.size)
      for (const item of value) this.value(item)
    } else if (ArrayBuffer.isView(value)) {
      this.columns(value as Column)
    } else {
      this.properties(value as Record<string, unknown>)
    }
  }

  private properties(object: Record<string, unknown>): void {
    if (Object.getPrototypeOf(object) !== Object.prototype) {
      throw new Error('saved state: a class does not belong into it')
    }
    const keys = Object.keys(object)
    this.shape(keys)
    for (const key of keys) {
      const item = object[key]
      if (typeof item === 'string') this.word(item)
      else this.value(item)
    }
  }

  private shape(keys: readonly string[]): void {
    let alike = this.shapesOf.get(keys[0])
    if (alike === undefined) {
      alike = []
      this.shapesOf.set(keys[0], alike)
    }
    const known = alike.find((shape) => sameKeys(shape.keys, keys))
    if (known !== undefined) {
      this.tag(tags.object)
      return this.length(known.number)
    }
    alike.push({ number: this.shapes++, keys })
    this.tag(tags.newShape)
    this.length(keys.length)
    for (const key of keys) this.string(key)
  }

  private word(word: string): void {
    const known = this.words.get(word)
    if (known !== undefined) {
      this.tag(tags.word)
      return this.length(known)
    }
    if (this.words.size < wordsMax) {
      this.words.set(word, this.words.size)
      this.tag(tags.newWord)
    }
    this.string(word)
  }

  private columns(column: Column): void {
    this.tag(tags.columns)
    this.tag(columnTypes.findIndex((type) => column instanceof type))
    this.length(column.length)
    this.flush()
    this.chunks.push(new Uint8Array(column.buffer, column.byteOffset, column.byteLength).slice())
  }

  private number(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 31 && !Object.is(value, -0)) {
      this.room(5)
      this.chunk[this.at] = tags.integer
      this.view.setInt32(this.at + 1, value, true)
      this.at += 5
    } else {
      this.room(9)
      this.chunk[this.at] = tags.double
      this.view.setFloat64(this.at + 1, value, true)
      this.at += 9
    }
  }

  private bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) {
      this.tag(tags.wideBigint)
      return this.string(value.toString())
    }
    this.room(9)
    this.chunk[this.at] = tags.bigint
    this.view.setBigInt64(this.at + 1, value, true)
    this.at += 9
  }

  private string(text: string): void {
    const { length } = text
    this.room(5 + length)
    const { chunk } = this
    const start = this.at + 5
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code > 127) return this.wideString(text)
      chunk[start + index] = code
    }
    this.tag(tags.ascii)
    this.length(length)
    this.at += length
  }

  private wideString(text: string): void {
    this.room(5 + text.length * 2)
    this.tag(tags.string)
    this.length(text.length)
    for (let index = 0; index < text.length; index++) {
      this.view.setUint16(this.at + index * 2, text.charCodeAt(index), true)
    }
    this.at += text.length * 2
  }

  private length(value: number): void {
    this.room(4)
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }

  private tag(value: number): void {
    this.room(1)
    this.chunk[this.at++] = value
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.chunk.length) return
    this.flush()
    if (bytes <= this.chunk.length) return
    this.chunk = new Uint8Array(bytes)
    this.view = new DataView(this.chunk.buffer)
  }

  private flush(): void {
    if (this.at > 0) this.chunks.push(this.chunk.slice(0, this.at))
    this.at = 0
  }
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/**
 * The keys of a shape, and an object that has them all: its copies are filled in. An object that grows by a name at a time
 * ends as a hash table. Every later look at a field of it is then a search.
 */
interface ReadShape {
  readonly keys: readonly string[]
  readonly blank: Readonly<Record<string, unknown>>
}

function shapeOf(keys: readonly string[]): ReadShape {
  return { keys, blank: JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`) }
}

/** As many characters as one call takes without trouble. */
const charactersAtOnce = 4_096

class Reader {
  private readonly chunks: readonly Uint8Array[]
  private next = 0
  private bytes: Uint8Array = new Uint8Array(0)
  private view = new DataView(this.bytes.buffer)
  private at = 0
  private readonly shapes: ReadShape[] = []
  private readonly words: string[] = []

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks.filter(({ length }) => length > 0)
  }

  get ended(): boolean {
    return this.at === this.bytes.length && this.next === this.chunks.length
  }

  value(): unknown {
    const tag = this.tag()
    switch (tag) {
      case tags.undefined:
        return undefined
      case tags.null:
        return null
      case tags.true:
        return true
      case tags.false:
        return false
      case tags.integer:
        this.at += 4
        return this.view.getInt32(this.at - 4, true)
      case tags.double:
        this.at += 8
        return this.view.getFloat64(this.at - 8, true)
      case tags.bigint:
        this.at += 8
        return this.view.getBigInt64(this.at - 8, true)
      case tags.wideBigint:
        return BigInt(this.string())
      case tags.ascii:
        return this.ascii()
      case tags.string:
        return this.wideString()
      case tags.newWord: {
        const word = this.string()
        this.words.push(word)
        return word
      }
      case tags.word:
        return this.words[this.length()]
      case tags.array:
        return this.array()
      case tags.map: {
        const map = new Map<unknown, unknown>()
        for (let left = this.length(); left > 0; left--) map.set(this.value(), this.value())
        return map
      }
      case tags.set:
        return new Set(this.array())
      case tags.newShape: {
        const keys: string[] = []
        for (let left = this.length(); left > 0; left--) keys.push(this.string())
        const shape = shapeOf(keys)
        this.shapes.push(shape)
        return this.properties(shape)
      }
      case tags.object:
        return this.properties(this.shapes[this.length()])
      case tags.columns:
        return this.columns()
      default:
        throw new Error(`saved state: unknown tag ${tag} at byte ${this.at - 1}`)
    }
  }

  private array(): unknown[] {
    const array: unknown[] = []
    for (let left = this.length(); left > 0; left--) array.push(this.value())
    return array
  }

  private properties({ keys, blank }: ReadShape): Record<string, unknown> {
    const object = { ...blank }
    for (const key of keys) {
      // Assigned, this one name would be the prototype and not a field.
      if (key === '__proto__') define(object, key, this.value())
      else object[key] = this.value()
    }
    return object
  }

  private columns(): Column {
    const type = columnTypes[this.tag()]
    if (type === undefined) throw new Error(`saved state: unknown column type at byte ${this.at - 1}`)
    const length = this.length()
    const bytes = length * type.BYTES_PER_ELEMENT
    if (bytes > 0) this.turn()
    this.needs(bytes)
    let found = this.bytes.subarray(this.at, this.at + bytes)
    this.at += bytes
    const isChunk = bytes === this.bytes.length && found.byteOffset % type.BYTES_PER_ELEMENT === 0
    if (!isChunk) found = new Uint8Array(found)
    return new type(found.buffer as ArrayBuffer, found.byteOffset, length)
  }

  private string(): string {
    const tag = this.tag()
    if (tag === tags.ascii) return this.ascii()
    if (tag === tags.string) return this.wideString()
    throw new Error(`saved state: a string was expected at byte ${this.at - 1}`)
  }

  private ascii(): string {
    let text = ''
    let left = this.length()
    this.needs(left)
    while (left > 0) {
      const take = Math.min(left, charactersAtOnce)
      const codes = this.bytes.subarray(this.at, this.at + take)
      text += String.fromCharCode.apply(null, codes as unknown as number[])
      this.at += take
      left -= take
    }
    return text
  }

  private wideString(): string {
    let text = ''
    for (let left = this.length(); left > 0; left--) {
      text += String.fromCharCode(this.view.getUint16(this.at, true))
      this.at += 2
    }
    return text
  }

  /** A damaged length must not decide how much memory is taken. */
  private needs(bytes: number): void {
    if (bytes > this.bytes.length - this.at) throw new Error(`saved state: ends before byte ${this.at + bytes}`)
  }

  private tag(): number {
    this.turn()
    return this.bytes[this.at++]
  }

  private length(): number {
    this.turn()
    this.at += 4
    return this.view.getUint32(this.at - 4, true)
  }

  /** To the next chunk, at the end of one. */
  private turn(): void {
    if (this.at < this.bytes.length || this.next === this.chunks.length) return
    this.bytes = this.chunks[this.next++]
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength)
    this.at = 0
  }
}

function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
