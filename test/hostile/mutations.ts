/**
 * What a hostile or broken client makes of a request that was right: single values, the shape of the whole, the bytes.
 *
 * Text       a body is worked on as text, since much of what is wrong with JSON has no value (two fields of one name)
 * Signed     afterwards, with a good key: the mutation reaches the parser and not only the signature check
 */
import type { Random } from '../../src/simulator/random.ts'
import type { Json } from './grammar.ts'

const many = (text: string, count: number) => text.repeat(count)

/** JSON texts that stand in place of a value. */
export const badValues: readonly string[] = [
  ['null', 'true', 'false', '[]', '{}', '[[]]', '{"a":1}', '[null]', '""', '" "', '"  1"', '"1 "', '"\\t1"', '"1\\n"'],
  // numbers: signs, exponents, forms that other languages read
  ['0', '-0', '-1', '1e3', '1E400', '-1e-400', '0.1e-7', '1.0', '0.000000000000000000000000000001'],
  ['9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807', '9223372036854775808'],
  ['18446744073709551615', '18446744073709551616', '99999999999999999999', many('9', 400), `0.${many('1', 400)}`],
  [
    '"-1"',
    '"+1"',
    '"1e5"',
    '"1E5"',
    '"0x10"',
    '"0b1"',
    '"1_000"',
    '"1,000"',
    '".5"',
    '"5."',
    '"00001"',
    '"--1"',
    '"1.1.1"',
  ],
  ['"NaN"', '"Infinity"', '"-Infinity"', '"undefined"', '"null"', '"true"', '"-0"', '"0"', '"0.0"', '"0.00000000"'],
  // digits of other scripts, and what looks like nothing
  ['"١٢٣"', '"１２３"', '"१२३"', '"1\u00a0000"', '"\u200b1"', '"²"', '"½"', '"\ufeff1"', '"\u2212 1"', '"𝟙𝟚"'],
  // long
  `"${many('1', 1_000)}"`,
  `"0.${many('0', 998)}1"`,
  `"${many('9', 41)}"`,
  `"${many('1', 40)}.${many('1', 40)}"`,
  `"${many('A', 10_000)}"`,
  `"${many('😀', 2_000)}"`,
  // names that mean something to the language
  ['"__proto__"', '"constructor"', '"prototype"', '"toString"', '"hasOwnProperty"', '"valueOf"', '"length"'],
  [
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"toString":1,"valueOf":2}',
    '{"length":1000000000}',
  ],
  // characters
  [
    '"\\u0000"',
    '"BTC\\u0000USDT"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\uffff"',
    '"\u202e"',
    '"é"',
    '"ß"',
    '"ı"',
    '"K"',
  ],
  // other people's languages
  [
    '"\' OR 1=1 --"',
    '"<script>alert(1)</script>"',
    '"../../../../etc/passwd"',
    '"${7*7}"',
    '"%s%n%x"',
    '"{0}{1}"',
    '"$&$1$$"',
  ],
].flat()

const strangeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  '',
  ' ',
  '\u0000',
  'a'.repeat(2_000),
  '0',
]

const queryValues = [
  '%',
  '%zz',
  '%80',
  '%c0%af',
  '%00',
  '%ff%fe',
  '+',
  '%2B1',
  '%20',
  '%2e%2e',
  '1e3',
  '-1',
  '%D9%A1',
  '%EF%BC%91',
  'null',
  'undefined',
  'NaN',
  '__proto__',
  'constructor',
  '[]',
  '{}',
  '1'.repeat(1e3),
  '9'.repeat(40),
  `0.${'0'.repeat(300)}1`,
  "'%20OR%201=1",
  '%3Cscript%3E',
  '=',
  '==',
  '&',
  ';',
  '#x',
  '%26',
  '%25',
  '%2525',
  'a'.repeat(5e3),
]

export class Mutations {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random.share() * choices.length)]
  }

  #at(length: number): number {
    return Math.floor(this.#random.share() * (length + 1))
  }

  /** The body of a request, and its bytes made worse. */
  body(value: Json): Buffer {
    const text = this.#random.happens(0.75) ? this.#worseText(value) : JSON.stringify(value)
    return this.#random.happens(0.25) ? this.worseBytes(Buffer.from(text)) : Buffer.from(text)
  }

  #worseText(value: Json): string {
    if (this.#random.happens(0.06)) return this.#shape(JSON.stringify(value))
    if (Array.isArray(value)) {
      const entries = value.map((item) => JSON.stringify(item))
      const index = Math.floor(this.#random.share() * entries.length)
      entries[index] = this.#random.happens(0.7) ? this.#worseText(value[index]) : this.pick(badValues)
      return `[${entries.join(',')}]`
    }
    if (typeof value !== 'object' || value === null) return this.pick(badValues)
    const fields = Object.entries(value as Readonly<Record<string, Json>>).map(([name, member]): [string, string] => [
      name,
      JSON.stringify(member),
    ])
    for (let times = this.#random.happens(0.3) ? 2 : 1; times > 0; times--)
      this.#worseField(fields, value as Readonly<Record<string, Json>>)
    return `{${fields.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(',')}}`
  }

  #worseField(fields: [string, string][], value: Readonly<Record<string, Json>>): void {
    const index = Math.floor(this.#random.share() * fields.length)
    const field = fields[index]
    const kind = this.#random.share()
    if (field === undefined || kind < 0.06) fields.push([this.pick(strangeNames), this.pick(badValues)])
    else if (kind < 0.14) fields.splice(index, 1)
    else if (kind < 0.22) fields.push([field[0], this.#random.happens(0.5) ? field[1] : this.pick(badValues)])
    else if (kind < 0.26) field[0] = this.#random.happens(0.5) ? field[0].toUpperCase() : this.pick(strangeNames)
    else if (kind < 0.3) field[1] = this.#shape(field[1])
    else if (kind < 0.45 && typeof value[field[0]] === 'object') field[1] = this.#worseText(value[field[0]])
    else field[1] = this.pick(badValues)
  }

  /** The same in another shape: deeper, wider, or something else altogether. */
  #shape(text: string): string {
    const size = this.pick([10, 300, 2_000, 20_000])
    switch (this.#at(9)) {
      case 0:
        return `[${text}]`
      case 1:
        return `${many('[', size)}${text}${many(']', size)}`
      case 2:
        return `${many('{"a":', size)}${text}${many('}', size)}`
      case 3:
        return `[${many(`${text.slice(0, 200_000 / size)},`, size)}${text}]`
      case 4:
        return `[${many('1,', size)}1]`
      case 5:
        return `{${Array.from({ length: size }, (_, index) => `"k${index}":${index}`).join(',')}}`
      case 6:
        return many('[', size)
      case 7:
        return `"${many('a', size * 10)}"`
      case 8:
        return many('7', size * 10)
      default:
        return this.pick([
          '',
          ' ',
          'null',
          'true',
          '0',
          '""',
          '[]',
          '{}',
          '[{}]',
          'undefined',
          'NaN',
          "{'a':1}",
          '{"a":1,}',
          '{a:1}',
        ])
    }
  }

  worseBytes(bytes: Buffer): Buffer {
    const at = this.#at(bytes.length)
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
    const alien = [
      [0xff],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0],
      [0xef, 0xbb, 0xbf],
      [0xe2, 0x80],
    ]
    switch (this.#at(5)) {
      case 0:
        return Buffer.from(before)
      case 1:
        return Buffer.concat([before, Buffer.from(this.pick(alien)), after])
      case 2:
        return Buffer.concat([before, after.subarray(1)])
      case 3: {
        const changed = Buffer.from(bytes)
        if (at < changed.length) changed[at] = changed[at] ^ (1 << this.#at(7))
        return changed
      }
      case 4:
        return Buffer.concat([bytes, this.pick([Buffer.from('x'), Buffer.from(' '), Buffer.from('\u0000'), bytes])])
      default:
        return Buffer.concat([Buffer.from(this.pick(['\ufeff', '//', ")]}',\n", '\u0000', ' \r\n\t'])), bytes])
    }
  }

  /** A query string, percent-encoded as far as a client would that means harm. */
  query(fields: Readonly<Record<string, Json>>): string {
    const pairs = Object.entries(fields).map(([name, value]) => `${name}=${encoded(value)}`)
    const index = Math.floor(this.#random.share() * pairs.length)
    const name = pairs[index]?.split('=')[0] ?? 'symbol'
    switch (this.#at(7)) {
      case 0:
        pairs.push(pairs[index] ?? 'a=1')
        break
      case 1:
        pairs.splice(index, 1)
        break
      case 2:
        pairs.push(`${encodeURIComponent(this.pick(strangeNames))}=${this.pick(queryValues)}`)
        break
      case 3:
        return `${this.pick(['&', '&&', '=', '=&=', '?', '&='])}${pairs.join('&')}${this.pick(['', '&', '=', '?a'])}`
      case 4:
        pairs.push(...Array.from({ length: this.pick([5, 100, 900]) }, (_, field) => `k${field}=${field}`))
        break
      default:
        pairs[index] = `${this.#random.happens(0.1) ? `${name}[]` : name}=${this.pick(queryValues)}`
    }
    return pairs.join('&')
  }

  /** Headers that a client would not send, over those that it would. */
  headers(headers: Readonly<Record<string, string | string[]>>): Record<string, string | string[]> {
    const changed: Record<string, string | string[]> = { ...headers }
    const name = this.pick([...Object.keys(headers), 'content-type', 'locale', 'x-forwarded-for', 'x-channel-api-code'])
    const known = changed[name] ?? ''
    switch (this.#at(4)) {
      case 0:
        delete changed[name]
        break
      case 1:
        changed[name] = [String(known), String(known)]
        break
      case 2:
        changed[name] = `${String(known)}${this.pick(['x', ' ', '=', ',', '\u00e9'])}`
        break
      case 3:
        changed[name] = String(known).slice(0, this.#at(String(known).length))
        break
      default:
        changed[name] = this.pick([
          '',
          '0',
          '-1',
          '1e13',
          '9'.repeat(13),
          'text/plain',
          'application/jsonx',
          'multipart/form-data; boundary=x',
          'application/json;charset=utf-16',
          '__proto__',
          'zh-CN',
          'x'.repeat(3e3),
          '127.0.0.1, 10.0.0.1',
          '::ffff:1.2.3.4',
        ])
    }
    return changed
  }

  path(path: string): string {
    return this.pick([
      `${path}/`,
      path.toUpperCase(),
      `${path}%2f`,
      path.slice(0, -1),
      `${path}x`,
      `${path};a=1`,
      path.replace('v2', 'v1'),
      path.replace('/api', '/api/'),
      path.replace('v3', 'v2'),
      `${path}/__proto__`,
      path.replace(/[a-z]$/, '%00'),
      '/api/v9/x',
    ])
  }
}

/** A value in a query. Half a character has no bytes to send: what takes its place has. */
export function encoded(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return encodeURIComponent(text.toWellFormed())
}
