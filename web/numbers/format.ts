/**
 * Numbers for the eye. Times are in store/times.ts. Nothing that is shown here is ever sent.
 */
import { t } from '../words/words.ts'

const narrowSpace = '\u202f'

/** Digits in groups of three: `60,016.9`. */
export function grouped(text: string): string {
  const dot = text.indexOf('.')
  const whole = dot === -1 ? text : text.slice(0, dot)
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',') + (dot === -1 ? '' : text.slice(dot))
}

/** With so many decimals and groups; an empty text stays a dash. */
export function shown(text: string | undefined, decimals: number): string {
  if (text === undefined || text === '') return '–'
  const value = Number(text)
  return Number.isFinite(value) ? grouped(withoutSignOfZero(value.toFixed(decimals))) : '–'
}

function withoutSignOfZero(fixed: string): string {
  return /^-[0.]+$/.test(fixed) ? fixed.slice(1) : fixed
}

/** Coins that are dollars. */
export const dollars: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC'])

/** Money: two decimals of dollars and of large amounts, more where an amount is small. */
export function money(text: string | undefined, coin = ''): string {
  if (text === undefined || text === '') return '–'
  const value = Number(text)
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  const decimals = size === 0 || size >= 1_000 || (size >= 0.01 && dollars.has(coin)) ? 2 : size >= 1 ? 4 : 8
  const cut = value.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, '$1')
  return grouped(cut) + (coin === '' ? '' : narrowSpace + coin)
}

/** With its sign: `+12.40`. */
export function signed(text: string | undefined, coin = ''): string {
  return withPlus(money(text, coin))
}

/** A plus before what is shown as more than zero: what is rounded to zero has no sign. */
export function withPlus(plain: string): string {
  return /^[\d,.]*[1-9]/.test(plain) ? `+${plain}` : plain
}

/** `1.24M`, by the signs of the language. What is too small for a sign has so many decimals, or four figures. */
export function short(value: number, places?: number): string {
  if (!Number.isFinite(value)) return '–'
  const scale = t.numbers.scales.find(([from]) => Math.abs(value) >= from)
  if (scale !== undefined) return (value / scale[0]).toFixed(2) + scale[1]
  return grouped(places === undefined ? String(Number(value.toPrecision(value < 1 ? 3 : 4))) : value.toFixed(places))
}

/** A rate as per cent: `0.0001` is `0.01%`. */
export function percent(text: string | undefined, decimals = 2): string {
  if (text === undefined || text === '') return '–'
  const value = Number(text) * 100
  return Number.isFinite(value) ? `${withoutSignOfZero(value.toFixed(decimals))}%` : '–'
}

export function signedPercent(text: string | undefined, decimals = 2): string {
  return withPlus(percent(text, decimals))
}

/** `up`, `down` or `flat`: the class of a number that is coloured by its sign. */
export function direction(text: string | number | undefined): 'up' | 'down' | 'flat' {
  const value = Number(text ?? 0)
  return value > 0 ? 'up' : value < 0 ? 'down' : 'flat'
}

const two = (value: number): string => String(value).padStart(2, '0')

/** What is left of a time: `07:59:12`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

/** `long` → `Long`. */
export function titled(word: string): string {
  const plain = word.replaceAll('_', ' ')
  return plain.slice(0, 1).toUpperCase() + plain.slice(1)
}

const binaryScales = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
] as const

/** `12.4 MiB`. */
export function bytes(count: number): string {
  const [from, unit] = binaryScales.find(([size]) => count >= size) ?? [1, 'B']
  return `${from === 1 ? count : (count / from).toFixed(1)}${narrowSpace}${unit}`
}

/** The two largest units of a time: `3 d 4 h`. */
export function duration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), t.numbers.day],
    [Math.floor(seconds / 3_600) % 24, t.numbers.hour],
    [Math.floor(seconds / 60) % 60, t.numbers.minute],
    [Math.floor(seconds) % 60, t.numbers.second],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const told = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2)
  return told.map(([count, unit]) => `${count}${narrowSpace}${unit}`).join(' ')
}

/** A short time of seconds, for latencies: `0.34 ms`; what has no bound is above `most`. */
export function latency(seconds: number, most = '10 s'): string {
  if (seconds === Infinity) return `> ${most}`
  const ms = seconds * 1000
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)}${narrowSpace}s` : `${ms.toFixed(ms < 10 ? 2 : 1)}${narrowSpace}ms`
}
