/**
 * The table of docs/interface.md that says in which file each endpoint is, made from the table that is served.
 *
 * File   of an endpoint: the module of src/api/v2/, v3/ and terminal/ whose list holds that very object; v2.ts and v3.ts, which put the
 *        lists together, hold more, so the shortest list counts
 * Same   from the same source: no times, no machine, sorted by path
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Endpoint, endpoints } from '../src/api/api.ts'
import { limitText } from '../src/api/reference/openapi.ts'
import { inOrder, root } from './test-report.ts'

const begin = '<!-- written by `npm run endpoints:page` -->'
const end = '<!-- end of what is written -->'

/** The page with the table as it has to be. */
export async function withEndpointTable(page: string): Promise<string> {
  const [before, rest, ...more] = page.split(begin)
  const [, after] = rest?.split(end) ?? []
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the page needs ${begin} and ${end} once`)
  return `${before}${begin}\n${await endpointTable()}${end}${after}`
}

async function endpointTable(): Promise<string> {
  const files = await filesOfEndpoints()
  const rows = [...endpoints]
    .sort((left, right) => inOrder(left.path, right.path) || inOrder(left.method, right.method))
    .map((endpoint) => {
      const file = files.get(endpoint)
      if (file === undefined) throw new Error(`${endpoint.path} is in no list of a module`)
      const { method, path, access, limit } = endpoint
      return `| ${method} \`${path}\` | [${file}](../src/api/${file}) | ${keyNeeded(access)} | ${limitText(limit)} |`
    })
  return ['| Endpoint | File | Key | Limit |', '|---|---|---|---|', ...rows, ''].join('\n')
}

/** Each endpoint with the module that it is written in, from src/api/. */
async function filesOfEndpoints(): Promise<ReadonlyMap<unknown, string>> {
  const table = new Set<unknown>(endpoints)
  const found = new Map<unknown, { readonly file: string; readonly length: number }>()
  for (const file of ['v2', 'v3', 'terminal'].flatMap(modulesOf)) {
    const module = (await import(pathToFileURL(join(root, 'src', 'api', file)).href)) as Record<string, unknown>
    const lists = Object.values(module).filter((value): value is unknown[] => Array.isArray(value))
    for (const list of lists.filter((values) => values.some((value) => table.has(value)))) {
      for (const endpoint of list) {
        const known = found.get(endpoint)
        if (known?.length === list.length) throw new Error(`${known.file} and ${file} hold the same endpoint`)
        if (known === undefined || list.length < known.length) found.set(endpoint, { file, length: list.length })
      }
    }
  }
  return new Map([...found].map(([endpoint, { file }]) => [endpoint, file]))
}

function modulesOf(version: string): string[] {
  const names = readdirSync(join(root, 'src', 'api', version)).filter((name) => name.endsWith('.ts'))
  return names.sort().map((name) => `${version}/${name}`)
}

/** What the key has to be permitted. */
function keyNeeded(access: Endpoint['access']): string {
  if (access === 'public') return 'none'
  const { permission, level, mainAccount } = access
  return `${permission}, ${level}${mainAccount ? ', of a main account' : ''}`
}
