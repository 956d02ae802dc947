/**
 * Regular expressions that cannot stall: a pattern is a set of places, a text moves through all of them at once.
 *
 * Linear    a character costs at most one step for each place, so that no pattern explodes
 * Bounded   a pattern has at most 100 characters and 128 places; a text of more than 64 characters is not matched
 * Taken     characters, `.`, `[a-z]`, `\d \w \s` and their opposites, groups, `|`, `* + ? {m,n}`, `^`, `$`
 * Not taken back-references, look-around, `\b`: they cannot be matched in this way
 * Source    lab.md §4.5 (clientOid), §5 (hostile)
 */

export const patternLengthMax = 100
/** Client order ids are shorter. */
export const textLengthMax = 64
const placesMax = 128
const words = placesMax / 32
/** Where a text stands: the places that it has come to. One text is matched at a time. */
const active = new Uint32Array(words)
/** Groups have no place of their own: what is read is bounded, too. */
const atomsMax = 1_000

/** Whether a place takes a character, by its code; the two ends of the text have codes of their own. */
type Takes = (code: number) => boolean
const startCode = -1
const endCode = -2

/** A part of a pattern: which places it may begin and end with, and whether it may be empty. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly isEmpty: boolean
}

export class PatternWrong extends Error {
  override name = 'PatternWrong'
}

const tooLarge = new PatternWrong(`has at most ${placesMax} places, repetitions written out`)

export class Pattern {
  readonly source: string
  /** How many it has: what a character costs at most. */
  readonly places: number
  readonly #takes: readonly Takes[]
  readonly #first: Uint32Array
  /** For each place, which come next: a set after the other. */
  readonly #follows: Uint32Array
  readonly #last: Uint32Array
  readonly #isEmpty: boolean
  /** For each character of ASCII, the places that take it. */
  readonly #masks = new Map<number, Uint32Array>()

  /** Throws PatternWrong. */
  constructor(source: string) {
    this.source = source
    if (source.length > patternLengthMax) throw new PatternWrong(`has at most ${patternLengthMax} characters`)
    const reader = new Reader(source)
    const { first, last, isEmpty } = reader.read()
    this.#takes = reader.takes
    this.#first = setOf(first)
    this.#last = setOf(last)
    this.places = reader.follows.length
    this.#follows = new Uint32Array(this.places * words)
    for (const [place, following] of reader.follows.entries()) this.#follows.set(setOf([...following]), place * words)
    this.#isEmpty = isEmpty
  }

  /** Whether it is found anywhere in the text. */
  test(text: string): boolean {
    if (text.length > textLengthMax) return false
    if (this.#isEmpty) return true
    active.fill(0)
    if (this.#move(startCode)) return true
    for (let at = 0; at < text.length; at++) if (this.#move(text.charCodeAt(at))) return true
    return this.#move(endCode)
  }

  /** From all active places, and from the beginning, over one character; true: the end is reached. */
  #move(code: number): boolean {
    const follows = this.#follows
    const first = this.#first
    let [next0, next1, next2, next3] = [first[0], first[1], first[2], first[3]]
    for (let word = 0; word < words; word++) {
      for (let bits = active[word]; bits !== 0; bits &= bits - 1) {
        const at = (word * 32 + 31 - Math.clz32(bits & -bits)) * words
        next0 |= follows[at]
        next1 |= follows[at + 1]
        next2 |= follows[at + 2]
        next3 |= follows[at + 3]
      }
    }
    const mask = this.#maskOf(code)
    const last = this.#last
    active[0] = next0 & mask[0]
    active[1] = next1 & mask[1]
    active[2] = next2 & mask[2]
    active[3] = next3 & mask[3]
    return ((active[0] & last[0]) | (active[1] & last[1]) | (active[2] & last[2]) | (active[3] & last[3])) !== 0
  }

  #maskOf(code: number): Uint32Array {
    const known = this.#masks.get(code)
    if (known !== undefined) return known
    const mask = setOf(this.#takes.flatMap((takes, place) => (takes(code) ? [place] : [])))
    if (code < 128) this.#masks.set(code, mask)
    return mask
  }
}

function setOf(places: readonly number[]): Uint32Array {
  const set = new Uint32Array(words)
  for (const place of places) set[place >> 5] |= 1 << (place & 31)
  return set
}

const isDigit: Takes = (code) => code >= 48 && code <= 57
const isWord: Takes = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
const isSpace: Takes = (code) => code === 32 || (code >= 9 && code <= 13) || code === 0xa0
const classes: Readonly<Record<string, Takes>> = { d: isDigit, w: isWord, s: isSpace }
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Reads a pattern into places and what follows what. */
class Reader {
  readonly takes: Takes[] = []
  readonly follows: Set<number>[] = []
  readonly #source: string
  #at = 0
  #atoms = 0

  constructor(source: string) {
    this.#source = source
  }

  read(): Part {
    const whole = this.#choice()
    if (this.#at < this.#source.length) throw new PatternWrong(`has a ")" too many`)
    return whole
  }

  #choice(): Part {
    let part = this.#sequence()
    while (this.#take('|')) part = either(part, this.#sequence())
    return part
  }

  #sequence(): Part {
    let part: Part = { first: [], last: [], isEmpty: true }
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at])) {
      part = this.#joined(part, this.#repeated())
    }
    return part
  }

  #joined(one: Part, other: Part): Part {
    for (const place of one.last) for (const next of other.first) this.follows[place].add(next)
    return {
      first: one.isEmpty ? [...one.first, ...other.first] : one.first,
      last: other.isEmpty ? [...one.last, ...other.last] : other.last,
      isEmpty: one.isEmpty && other.isEmpty,
    }
  }

  #repeated(): Part {
    const from = this.#at
    let part = this.#atom()
    const to = this.#at
    const times = this.#times()
    if (times === undefined) return part
    const [least, most] = times
    // As often as it has to be there, written out; then as often as it may be.
    const again = () => {
      const behind = this.#at
      this.#at = from
      const copy = this.#atom()
      this.#at = behind
      return copy
    }
    if (this.#at === to) throw new PatternWrong('cannot be read')
    const optional = (of: Part): Part => ({ ...of, isEmpty: true })
    const looped = (of: Part): Part => {
      for (const place of of.last) for (const next of of.first) this.follows[place].add(next)
      return of
    }
    if (most === 0) return { first: [], last: [], isEmpty: true }
    if (least === 0) part = most === Number.POSITIVE_INFINITY ? optional(looped(part)) : optional(part)
    else if (least === 1 && most === Number.POSITIVE_INFINITY) return looped(part)
    for (let count = 2; count <= least; count++) {
      const isLast = count === least && most === Number.POSITIVE_INFINITY
      part = this.#joined(part, isLast ? looped(again()) : again())
    }
    if (most === Number.POSITIVE_INFINITY) return part
    for (let count = Math.max(1, least) + 1; count <= most; count++) part = this.#joined(part, optional(again()))
    return part
  }

  /** How often; undefined: once. */
  #times(): readonly [number, number] | undefined {
    const found = /^(?:[*+?]|\{(\d{1,3})(?:(,)(\d{1,3})?)?\})/.exec(this.#source.slice(this.#at))
    if (found === null) return undefined
    this.#at += found[0].length
    // Whether as much or as little as possible makes no difference to whether it is found.
    this.#take('?')
    if (/^[*+?{]/.test(this.#source.slice(this.#at))) throw new PatternWrong('repeats a repetition')
    const [sign, low, comma, high] = found
    if (sign === '*') return [0, Number.POSITIVE_INFINITY]
    if (sign === '+') return [1, Number.POSITIVE_INFINITY]
    if (sign === '?') return [0, 1]
    const least = Number(low)
    const most = comma === undefined ? least : high === undefined ? Number.POSITIVE_INFINITY : Number(high)
    if (most < least) throw new PatternWrong(`has a repetition from ${least} to ${most}`)
    return [least, most]
  }

  #atom(): Part {
    this.#atoms += 1
    if (this.#atoms > atomsMax) throw tooLarge
    const sign = this.#source[this.#at]
    this.#at += 1
    switch (sign) {
      case '(':
        return this.#group()
      case '[':
        return this.#place(this.#class())
      case '.':
        return this.#place((code) => code >= 0 && code !== 10 && code !== 13)
      case '^':
        return this.#place((code) => code === startCode)
      case '$':
        return this.#place((code) => code === endCode)
      case '\\':
        return this.#place(this.#escaped())
      case '*':
      case '+':
      case '?':
        throw new PatternWrong('repeats nothing')
      default:
        return this.#place(oneOf(sign.charCodeAt(0)))
    }
  }

  #group(): Part {
    if (this.#take('?') && !this.#take(':')) throw new PatternWrong('has no look-around and no named groups')
    const part = this.#choice()
    if (!this.#take(')')) throw new PatternWrong('has a "(" without its ")"')
    return part
  }

  #class(): Takes {
    const isNot = this.#take('^')
    const members: Takes[] = []
    while (this.#source[this.#at] !== ']') {
      if (this.#at >= this.#source.length) throw new PatternWrong('has a "[" without its "]"')
      members.push(this.#member())
    }
    this.#at += 1
    return (code) => code >= 0 && members.some((member) => member(code)) !== isNot
  }

  #member(): Takes {
    const low = this.#single()
    if (typeof low === 'function') return low
    const isRange = this.#source[this.#at] === '-' && ![undefined, ']'].includes(this.#source[this.#at + 1])
    if (!isRange) return oneOf(low)
    this.#at += 1
    const high = this.#single()
    if (typeof high === 'function' || high < low) throw new PatternWrong('has a range that is none')
    return (code) => code >= low && code <= high
  }

  #single(): number | Takes {
    const sign = this.#source[this.#at]
    this.#at += 1
    if (sign !== '\\') return sign.charCodeAt(0)
    return this.#escape()
  }

  #escaped(): Takes {
    const escape = this.#escape()
    return typeof escape === 'number' ? oneOf(escape) : escape
  }

  #escape(): number | Takes {
    const sign = this.#source[this.#at] ?? ''
    this.#at += 1
    const known = classes[sign.toLowerCase()]
    if (known !== undefined) return sign === sign.toLowerCase() ? known : (code) => code >= 0 && !known(code)
    if (Object.hasOwn(controls, sign)) return controls[sign]
    if (/^[^A-Za-z0-9]$/.test(sign)) return sign.charCodeAt(0)
    throw new PatternWrong(sign === '' ? 'ends in the middle of an escape' : `does not know \\${sign}`)
  }

  #place(takes: Takes): Part {
    const place = this.takes.length
    if (place >= placesMax) throw tooLarge
    this.takes.push(takes)
    this.follows.push(new Set())
    return { first: [place], last: [place], isEmpty: false }
  }

  #take(sign: string): boolean {
    if (this.#source[this.#at] !== sign) return false
    this.#at += 1
    return true
  }
}

function either(one: Part, other: Part): Part {
  return {
    first: [...one.first, ...other.first],
    last: [...one.last, ...other.last],
    isEmpty: one.isEmpty || other.isEmpty,
  }
}

function oneOf(only: number): Takes {
  return (code) => code === only
}
