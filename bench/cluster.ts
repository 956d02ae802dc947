/**
 * A venue of three cores with one log, beside the venue in one process:
 * `npm run bench -- cluster [--quick] [--only=PARTS] [--orders=N] [--rows-per-second=N] [--durability=os]`.
 *
 * Parts     orders   one connection and 64, in turns: one process, the cluster, the bare append to the log (cluster/orders.ts)
 *           resign   the core that leads hands over under load (cluster/resign.ts)
 *           gateway  one begins from nothing and with its directory, beside so many resting orders (cluster/gateway.ts)
 *           history  how long rows need into PostgreSQL, and whether reads see what was answered (cluster/history.ts)
 *           keys     a key is revoked: since when no gateway takes it (cluster/keys.ts)
 * Machine   three NATS servers, three cores, gateways and the load share it: on two processors ratios count, and processor times
 * Options   --orders=N resting orders (20,000) · --rows-per-second=N asked for (4,000) · --durability=os for files of cores, as the
 *           log is what lasts · --quick: less of everything
 */
import { parseArgs } from 'node:util'
import { natsServer } from '../test/support/nats.ts'
import { removeTemporaryDirectories } from '../test/support/temporary.ts'
import { benchGateway } from './cluster/gateway.ts'
import { benchHistory } from './cluster/history.ts'
import { benchKeys } from './cluster/keys.ts'
import { benchOrders } from './cluster/orders.ts'
import type { ClusterAsked } from './cluster/parts.ts'
import { benchResign } from './cluster/resign.ts'

const parts: Readonly<Record<string, (asked: ClusterAsked) => Promise<void>>> = {
  orders: benchOrders,
  resign: benchResign,
  gateway: benchGateway,
  history: benchHistory,
  keys: benchKeys,
}

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: text,
    orders: text,
    'rows-per-second': text,
    durability: text,
  },
})
const quick = values.quick
const only = values.only?.split(',') ?? Object.keys(parts)
for (const name of only) if (parts[name] === undefined) refuse('only', name, `any of ${Object.keys(parts).join(', ')}`)
const durability = values.durability ?? 'sync'
if (durability !== 'sync' && durability !== 'os') refuse('durability', durability, 'sync or os')
const asked: ClusterAsked = {
  quick,
  durability,
  orders: whole('orders', quick ? 2_000 : 20_000, 10_000_000),
  rowsPerSecond: whole('rows-per-second', 4_000, 1_000_000),
}
if (natsServer === undefined) process.exit(1)
// Keys in a database open for every process that has it.
process.env['TIDEMARK_MASTER_KEY'] = 'ab'.repeat(32)
try {
  for (const name of only) await parts[name](asked)
} finally {
  removeTemporaryDirectories()
}

function whole(name: 'orders' | 'rows-per-second', usual: number, most: number): number {
  const value = Number(values[name] ?? usual)
  return Number.isInteger(value) && value > 0 && value <= most
    ? value
    : refuse(name, values[name], `a whole number from 1 to ${most}`)
}

function refuse(name: string, value: string | undefined, rule: string): never {
  process.stderr.write(`--${name} "${value}": must be ${rule}\n`)
  process.exit(2)
}
