/**
 * The packages that a venue runs on, as package-lock.json names them: those of `dependencies`, with all that they bring along, and
 * Node itself. What tests and tools ask for, and what builds the pages, is not among them.
 */
import { posix } from 'node:path'

/** As much of a lock file as is read here (its version 3). */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const isNode = (name: string) => name.startsWith('node-linux-')

export interface ProductionPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly integrity: string
  readonly hasInstallScript: boolean
  /** Those of our own dependencies that bring it along; itself if it is one. */
  readonly broughtBy: readonly string[]
  /** Where it is installed, from the checkout. */
  readonly path: string
}

/** By name, then version. Throws where the lock does not hold what it asks for. */
export function productionPackages({ packages }: Lock): ProductionPackage[] {
  const broughtBy = new Map<string, Set<string>>()
  const visit = (path: string, by: string | undefined) => {
    const { dependencies, optionalDependencies } = packages[path]
    const optional = Object.keys(optionalDependencies ?? {}).filter((name) => path !== '' || isNode(name))
    for (const name of [...Object.keys(dependencies ?? {}), ...optional]) {
      const found = pathOf(packages, path, name)
      if (found === undefined) throw new Error(`package-lock.json has no ${name}, which ${path || 'the project'} needs`)
      const own = by ?? name
      const known = broughtBy.get(found) ?? new Set()
      if (known.has(own)) continue
      broughtBy.set(found, known.add(own))
      visit(found, own)
    }
  }
  visit('', undefined)
  return [...broughtBy]
    .map(([path, by]): ProductionPackage => {
      const { version = '', license = '', integrity = '', hasInstallScript = false } = packages[path]
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return { name, version, license, integrity, hasInstallScript, broughtBy: [...by].toSorted(), path }
    })
    .toSorted((one, other) => (`${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1))
}

/** As Node looks for a package: beside who asks, then further up. */
function pathOf(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = posix.join(at, 'node_modules', name)
    if (packages[path] !== undefined) return path
    if (at === '') return undefined
  }
}
