/**
 * The file that `tidemark cluster init` writes, by which cores, gateways and everybody else of a venue of several cores know
 * what they belong to (`--cluster FILE`): settings by their names.
 *
 * Gives way  to the command line, the environment and the configuration file
 * Checked    here for its fields and their types; what each may hold, where it is taken from (configuration.ts, cli/cluster.ts)
 * Private    a database's password may be in it: only its owner reads it
 * Source     scale.md §9
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { reasonOf, writeWholeFile } from '../data-directory.ts'
import { defaults } from './settings.ts'

const required = ['venue', 'venueId', 'nats'] as const
const clusterFields = [...required, 'natsMonitor', 'logSync', 'postgres', 'cores'] as const
export type ClusterField = (typeof clusterFields)[number]
export type ClusterFields = { readonly [Field in ClusterField]?: string | readonly string[] }

/** What is not said is left out. */
export function writeClusterFile(file: string, fields: ClusterFields): void {
  const said = Object.entries(fields).filter(([, value]) => value.length > 0)
  writeWholeFile(file, `${JSON.stringify(Object.fromEntries(said), undefined, 2)}\n`)
}

/** Every fault names the file, and the field where it is one; a field with a fault is not among those that are answered. */
export function readClusterFile(file: string): { readonly fields: ClusterFields; readonly faults: readonly string[] } {
  const nothing = (why: string) => ({ fields: {}, faults: [`cluster file ${file}: ${why}`] })
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    return nothing((cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : reasonOf(cause))
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return nothing('must be one JSON object')
  const fields: { [Field in ClusterField]?: string | readonly string[] } = {}
  const faults: string[] = []
  const as = (name: string) => `${name} in ${basename(file)}`
  for (const [name, value] of Object.entries(content)) {
    const field = clusterFields.find((one) => one === name)
    if (field === undefined) faults.push(`${as(name)}: there is no such field`)
    else if (Array.isArray(defaults[field]) ? isListOfTexts(value) : typeof value === 'string')
      fields[field] = value as string
    else faults.push(`${as(name)}: must be ${Array.isArray(defaults[field]) ? 'a list of texts' : 'a text'}`)
  }
  for (const field of required) {
    if (!Object.hasOwn(content, field)) faults.push(`${as(field)}: is missing`)
  }
  return { fields, faults }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
