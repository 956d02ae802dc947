/**
 * What the owner of a bot says of it: `grade.json`, checked whole.
 *
 * Absent    each field has a default; an empty object is a configuration
 * Wrong     each wrong field is named with its rule, and what is no field with the nearest that is
 * Source    lab.md §4.11; docs/grading.md
 */
import type { Role } from './laboratory.ts'

export interface Configuration {
  /** Of each symbol, either way, in base coin; null: the bot has no such limit. */
  readonly maxPosition: number | null
  readonly maxOpenOrders: number | null
  /** Milliseconds, before they are scaled. */
  readonly recoverWithin: number
  readonly symbols: readonly string[]
  readonly category: string
  readonly tolerance: { readonly position: number; readonly price: number }
  /** Milliseconds of trading before a fault, as they are. */
  readonly warmUp: number
  /** The account that the bot trades for. */
  readonly role: Role
  /** Variables of its environment, besides those of every bot. */
  readonly env: Readonly<Record<string, string>>
}

const defaults: Configuration = {
  maxPosition: null,
  maxOpenOrders: null,
  recoverWithin: 60_000,
  symbols: ['BTCUSDT'],
  category: 'USDT-FUTURES',
  tolerance: { position: 0, price: 0.005 },
  warmUp: 2_000,
  role: 'unified-main',
  env: {},
}

export class ConfigurationFaults extends Error {
  override name = 'ConfigurationFaults'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('; '))
    this.faults = faults
  }
}

const roles: readonly Role[] = ['unified-main', 'classic-main', 'hybrid-main', 'copy-trader']
const categories = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES', 'SPOT'] as const
/** In place of these, between braces, a variable has what the run has. */
export const placeholders = [
  'url',
  'key',
  'secret',
  'passphrase',
  'uid',
  'ws',
  'wsPublic',
  'wsPrivate',
  'wsPublicV2',
  'wsPrivateV2',
  'symbols',
  'state',
  'scale',
  'seed',
] as const

/** A field's rule, and how it is read; undefined: it is wrong. */
interface Field<Value> {
  readonly rule: string
  readonly read: (value: unknown) => Value | undefined
}

const fields: { readonly [Name in keyof Configuration]: Field<Configuration[Name]> } = {
  maxPosition: { rule: 'must be a positive number in base coin, or null', read: orNull(positive) },
  maxOpenOrders: {
    rule: 'must be a whole number from 1, or null',
    read: orNull((value) => (Number.isSafeInteger(value) ? positive(value) : undefined)),
  },
  recoverWithin: { rule: 'must be a duration such as "60s", from 1s to 1h', read: duration(1_000, 3_600_000) },
  symbols: {
    rule: 'must be a list of 1 to 10 symbols, none twice',
    read: (value) => {
      const isList = Array.isArray(value) && value.length > 0 && value.length <= 10
      if (!isList || !value.every((one) => typeof one === 'string' && /^[A-Z0-9]{2,30}$/.test(one))) return undefined
      return new Set(value).size === value.length ? (value as string[]) : undefined
    },
  },
  category: { rule: `must be one of ${categories.join(', ')}`, read: oneOf(categories) },
  tolerance: {
    rule: 'must be {"position": base coin from 0, "price": a share from 0 to 1}, either or both',
    read: (value) => {
      if (!isRecord(value) || Object.keys(value).some((name) => !(name in defaults.tolerance))) return undefined
      const read = { ...defaults.tolerance, ...value }
      const isShare = typeof read.price === 'number' && read.price >= 0 && read.price <= 1
      return isShare && typeof read.position === 'number' && read.position >= 0 && read.position < Infinity
        ? read
        : undefined
    },
  },
  warmUp: { rule: 'must be a duration such as "2s", up to 10m', read: duration(0, 600_000) },
  role: { rule: `must be one of ${roles.join(', ')}`, read: oneOf(roles) },
  env: {
    rule: `must be an object of texts; what stands between braces is one of ${placeholders.join(', ')}`,
    read: (value) => {
      if (!isRecord(value)) return undefined
      const isFine = Object.entries(value).every(([name, text]) => {
        const named = typeof text === 'string' ? [...text.matchAll(/\{(\w+)\}/g)].map(([, word]) => word) : ['?']
        return (
          /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) &&
          named.every((word) => (placeholders as readonly string[]).includes(word))
        )
      })
      return isFine ? (value as Record<string, string>) : undefined
    },
  },
}

/** Throws ConfigurationFaults with every field that is wrong. */
export function readConfiguration(given: unknown): Configuration {
  if (!isRecord(given)) throw new ConfigurationFaults(['must be a JSON object'])
  const faults: string[] = []
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(fields, name)) {
      faults.push(`${name} is no field; there are ${Object.keys(fields).join(', ')}`)
      continue
    }
    const field: Field<unknown> = fields[name as keyof Configuration]
    const found = field.read(value)
    if (found === undefined) faults.push(`${name} ${field.rule}`)
    else read[name] = found
  }
  if (faults.length > 0) throw new ConfigurationFaults(faults)
  return { ...defaults, ...read }
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 && value < Infinity ? value : undefined
}

function orNull<Value>(read: (value: unknown) => Value | undefined): (value: unknown) => Value | null | undefined {
  return (value) => (value === null ? null : read(value))
}

function oneOf<Word extends string>(words: readonly Word[]): (value: unknown) => Word | undefined {
  return (value) => words.find((word) => word === value)
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** As the laboratory writes them, or whole milliseconds. */
function duration(least: number, most: number): (value: unknown) => number | undefined {
  return (value) => {
    const [, figure, unit = ''] = (typeof value === 'string' && /^([0-9]{1,9})(ms|s|m|h)$/.exec(value)) || []
    const ms = typeof value === 'number' && Number.isSafeInteger(value) ? value : Number(figure) * (unitMs[unit] ?? NaN)
    return ms >= least && ms <= most ? ms : undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
