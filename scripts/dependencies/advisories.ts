/**
 * Known faults of packages, out of files of a database of advisories in the OSV format (OSV schema 1.x).
 *
 * Counts    a version that an advisory lists, or that lies in one of its ranges. A range begins with `introduced`, and ends
 *           before `fixed` or behind `last_affected`; several may follow one another
 * Left out  what was withdrawn, other ecosystems than npm, ranges of commits
 * Source    the OSV schema, "affected[].ranges[]" and its algorithm of evaluation
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compare, valid } from 'semver'
import type { ProductionPackage } from './packages.ts'

type Event = Readonly<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string | undefined>>

export interface Advisory {
  readonly id: string
  readonly summary?: string
  readonly aliases?: readonly string[]
  readonly withdrawn?: string
  readonly affected?: readonly {
    readonly package?: { readonly ecosystem?: string; readonly name?: string }
    readonly versions?: readonly string[]
    readonly ranges?: readonly { readonly type?: string; readonly events?: readonly Partial<Event>[] }[]
  }[]
}

export interface KnownFault {
  readonly package: ProductionPackage
  readonly advisory: Advisory
}

/** All of a directory and those in it; every file with the ending json has to be one advisory. */
export function readAdvisories(directory: string): Advisory[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  return names.toSorted().map((name) => {
    const file = join(directory, name)
    let found: unknown
    try {
      found = JSON.parse(readFileSync(file, 'utf8'))
    } catch (cause) {
      throw new Error(`${file}: must be JSON: ${(cause as Error).message}`, { cause })
    }
    if (typeof (found as Partial<Advisory> | null)?.id !== 'string') throw new Error(`${file}: must have an id (OSV)`)
    return found as Advisory
  })
}

export function knownFaults(packages: readonly ProductionPackage[], advisories: readonly Advisory[]): KnownFault[] {
  const byName = new Map<string, ProductionPackage[]>()
  for (const one of packages) byName.set(one.name, [...(byName.get(one.name) ?? []), one])
  const found: KnownFault[] = []
  for (const advisory of advisories) {
    if (advisory.withdrawn !== undefined) continue
    const met = new Set<ProductionPackage>()
    for (const { package: named, versions = [], ranges = [] } of advisory.affected ?? []) {
      if (named?.ecosystem !== 'npm') continue
      for (const one of byName.get(named.name ?? '') ?? []) {
        const isMet = versions.includes(one.version) || ranges.some((range) => isIn(one.version, range, advisory.id))
        if (isMet) met.add(one)
      }
    }
    found.push(...[...met].map((one) => ({ package: one, advisory })))
  }
  return found
}

type Range = NonNullable<NonNullable<Advisory['affected']>[number]['ranges']>[number]

function isIn(version: string, { type, events = [] }: Range, id: string): boolean {
  if (type === 'GIT') return false
  const steps = events.flatMap((event) =>
    (['introduced', 'fixed', 'last_affected'] as const).flatMap((kind) => {
      const at = event[kind]
      if (at === undefined) return []
      // 0 stands for a version before all others.
      if (at !== '0' && valid(at) === null) throw new Error(`${id}: ${kind} ${at}: must be a version`)
      return [{ kind, at }]
    }),
  )
  const order = (one: string, other: string) =>
    one === other ? 0 : one === '0' ? -1 : other === '0' ? 1 : compare(one, other)
  let isMet = false
  for (const { kind, at } of steps.toSorted((one, other) => order(one.at, other.at))) {
    const passed = order(version, at)
    if (kind === 'introduced' && passed >= 0) isMet = true
    if (kind === 'fixed' && passed >= 0) isMet = false
    if (kind === 'last_affected' && passed > 0) isMet = false
  }
  return isMet
}
