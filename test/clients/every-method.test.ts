/**
 * Every method of the published clients and where it leads: to an endpoint of the venue, to a path of which the venue says
 * why there is nothing, or to the first version, which ended. None leads to a path that nobody knows.
 *
 * bitget-api   each method of both clients is called once; what it sends is caught before it leaves
 * ccxt         its own table of paths, of which its implicit methods and all others are made
 * The page     what is counted travels as the test's metadata to scripts/clients-page.ts
 */
import { RestClientV2, RestClientV3 } from 'bitget-api'
import ccxt from 'ccxt'
import { expect, test } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import { notOfferedAt } from '../../src/api/not-offered.ts'

declare module 'vitest' {
  interface TaskMeta {
    reach?: { readonly client: string; readonly leads: readonly Lead[] }
  }
}

/** Where one method leads, and if to nothing, why. */
interface Lead {
  readonly method: string
  readonly line: string
  /** `fault`: to a path that the client spells wrongly. */
  readonly to: 'endpoint' | 'not offered' | 'first version' | 'fault' | 'nowhere'
  readonly reason?: string
}

const served = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))

function lead(method: string, line: string): Lead {
  const path = line.split(' ')[1] ?? ''
  if (path.includes('${'))
    return { method, line, to: 'fault', reason: "a name of the client's own code is in the path" }
  if (served.has(line)) return { method, line, to: 'endpoint' }
  if (/^\/api\/[a-z0-9]+\/v1\//.test(path)) return { method, line, to: 'first version', reason: 'it ended (30032)' }
  const reason = notOfferedAt(path)
  return reason === undefined ? { method, line, to: 'nowhere' } : { method, line, to: 'not offered', reason }
}

interface Request {
  readonly method?: string
  readonly url?: string
}

/** Methods that call no path, or only those of others. */
const withoutPath = ['constructor', 'getClientType', 'fetchLatencySummary']

/** What each method of a client sends, caught where it would leave. */
async function sentBy(Client: typeof RestClientV2 | typeof RestClientV3): Promise<Lead[]> {
  const sent: string[] = []
  const adapter = (config: Request) => {
    sent.push(`${config.method?.toUpperCase()} ${new URL(config.url ?? '').pathname}`)
    const data = { code: '00000', data: { serverTime: '0' } }
    return Promise.resolve({ data, status: 200, statusText: 'OK', headers: {}, config })
  }
  const keys = { apiKey: 'key', apiSecret: 'secret', apiPass: 'passphrase', baseUrl: 'http://venue' }
  const client = new Client(keys, { adapter: adapter as never }) as unknown as Record<string, Method>
  const leads: Lead[] = []
  for (const name of Object.getOwnPropertyNames(Client.prototype)) {
    if (withoutPath.includes(name)) continue
    sent.length = 0
    const call = async (...args: readonly unknown[]) => client[name]?.(...args)
    await call({}).catch(() => call('crossed', {})) // those of margin want to know which kind is meant
    expect(sent, name).toHaveLength(1)
    leads.push(lead(name, decodeURI(sent[0] ?? '')))
  }
  return leads
}

type Method = (...args: readonly unknown[]) => Promise<unknown>

type Paths = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, object>>>>>>

/** The paths that ccxt has an implicit method for. */
function pathsOfCcxt(): Lead[] {
  const { api } = new ccxt.bitget().describe() as { readonly api: Readonly<Record<string, Paths>> }
  return Object.values(api).flatMap((groups) =>
    Object.values(groups).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, paths]) =>
        Object.keys(paths).map((path) => lead(path, `${method.toUpperCase()} /api/${path}`)),
      ),
    ),
  )
}

const clients: readonly (readonly [string, number, () => Lead[] | Promise<Lead[]>])[] = [
  ['bitget-api, RestClientV2', 290, () => sentBy(RestClientV2)],
  ['bitget-api, RestClientV3', 200, () => sentBy(RestClientV3)],
  ['ccxt, implicit methods', 700, pathsOfCcxt],
]

for (const [client, atLeast, find] of clients) {
  test(`${client}: no method leads nowhere`, async ({ task }) => {
    const leads = await find()
    expect(leads.length).toBeGreaterThan(atLeast)
    expect(leads.filter(({ to }) => to === 'nowhere')).toEqual([])
    expect(leads.filter(({ to }) => to === 'endpoint').length).toBeGreaterThan(90)
    task.meta.reach = { client, leads }
  })
}
