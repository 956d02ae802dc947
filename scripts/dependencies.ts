/**
 * `npm run dependencies [-- --advisories DIRECTORY] [--json]`: the packages that a venue runs on, with version, licence,
 * integrity and who brings them along, and whether a database of advisories knows a fault of them.
 *
 * Needs     no network: package-lock.json, and the directory of OSV files that somebody has fetched (docs/dependencies.md)
 * Exits     0 · 1 when a package has an install script, no licence or no integrity hash, is installed in another version than the lock
 *           says, or has a known fault · 2 when it was asked for wrongly
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { knownFaults, readAdvisories } from './dependencies/advisories.ts'
import { type Lock, productionPackages } from './dependencies/packages.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => JSON.parse(readFileSync(join(checkout, file), 'utf8')) as unknown

try {
  const { values } = parseArgs({ options: { advisories: { type: 'string' }, json: { type: 'boolean' } } })
  const packages = productionPackages(read('package-lock.json') as Lock)
  const advisories = values.advisories === undefined ? [] : readAdvisories(values.advisories)
  const found = knownFaults(packages, advisories)
  const wrong = [
    ...packages.flatMap((one) => [
      ...(one.hasInstallScript ? [`${one.path} has an install script`] : []),
      ...(one.integrity === '' ? [`${one.path} has no integrity hash`] : []),
      ...(one.license === '' ? [`${one.path} names no licence`] : []),
      ...otherVersion(one.path, one.version),
    ]),
    ...found.map(({ package: { path, version }, advisory: { id, aliases = [], summary = '' } }) =>
      `${path} ${version}: ${[id, ...aliases].join(', ')} ${summary}`.trim(),
    ),
  ]
  if (values.json)
    process.stdout.write(`${JSON.stringify({ packages, advisories: advisories.length, wrong }, null, 2)}\n`)
  else {
    for (const { name, version, license, integrity, broughtBy } of packages) {
      process.stdout.write(`${`${name} ${version}`.padEnd(46)} ${license.padEnd(13)} ${broughtBy.join(', ')}\n`)
      process.stdout.write(`  ${integrity}\n`)
    }
    const compared =
      values.advisories === undefined
        ? 'Compared with no advisories: --advisories DIRECTORY names some.'
        : `Compared with ${advisories.length} advisories.`
    process.stdout.write(`\n${packages.length} packages. ${compared}\n`)
    for (const fault of wrong) process.stdout.write(`WRONG  ${fault}\n`)
  }
  process.exitCode = wrong.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`dependencies: ${(error as Error).message}\n`)
  process.exitCode = 2
}

/** Of what is installed; optional packages of another platform are not. */
function otherVersion(path: string, version: string): string[] {
  if (!existsSync(join(checkout, path))) return []
  const { version: installed } = read(join(path, 'package.json')) as { readonly version: string }
  return installed === version ? [] : [`${path} is installed as ${installed}, and the lock says ${version}`]
}
