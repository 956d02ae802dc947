/**
 * Orders that meet each other, twenty in a request, at a fixed rate: how long what a core has committed is not in PostgreSQL yet, and
 * whether whoever was answered at one gateway sees it in the history at the other.
 *
 * Rate   of rows is asked for: about so many orders are sent as make them. What came of it is told (`rowsPerSecond`)
 * Lag    looked at every ten milliseconds: since when the core has a command that the database has not
 */
import pg from 'pg'
import { pause } from '../../test/cluster/processes.ts'
import type { Person } from '../../test/support/person.ts'
import { atDueTimes } from '../due-times.ts'
import { quantile } from '../measure.ts'
import { type ClusterAsked, openCluster, openPostgres, spread, tell } from './parts.ts'

const ofBatch = 20
/** An order that trades once: its own, half a trade, a fill, and what moves its money. */
const rowsOfOrder = 4
const lookEveryMs = 10

export async function benchHistory(asked: ClusterAsked): Promise<void> {
  const postgres = await openPostgres()
  if (postgres === undefined) return
  await using opened = new AsyncDisposableStack()
  opened.use(postgres)
  const url = await postgres.database()
  const { venue } = opened.use(await openCluster(asked, { gateways: 2, postgres: url }))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  opened.defer(() => client.end())
  const sides = await Promise.all(['unified-main', 'unified-peer'].map((role) => venue.person(0, role)))
  // Somebody else, whose newest page has only these orders.
  const [reader, elsewhere] = await Promise.all([0, 1].map((gateway) => venue.person(gateway, 'unified-sub')))

  const seconds = asked.quick ? 5 : 20
  const perSecond = Math.max(1, asked.rowsPerSecond / rowsOfOrder / ofBatch / 2)
  const rowsBefore = await rowsIn(client)
  let isOver = false
  const lags = lagsUntil(venue.status.bind(venue, await venue.leader()), client, () => isOver)
  const reads = readsUntil(reader, elsewhere, () => isOver)
  const beganMs = performance.now()
  const sent = { count: 0 }
  // A pair of batches: one sells, and the other buys the same. In turns, so that nobody runs out of anything.
  const pair = async () => {
    const number = sent.count++
    await batch(sides[number % 2], 'sell', number)
    await batch(sides[1 - (number % 2)], 'buy', number)
  }
  const took = await atDueTimes({ perSecond, count: Math.ceil(perSecond * seconds), isOver: () => false }, pair)
  const tookS = (performance.now() - beganMs) / 1_000
  isOver = true
  const lagMs = await lags
  const { seen, unseen, readMs } = await reads
  const last = await venue.status(await venue.leader())
  while ((await appliedIn(client)) < last.sequence) await pause(lookEveryMs)
  const rows = (await rowsIn(client)) - rowsBefore
  tell(`history in PostgreSQL, ${asked.rowsPerSecond} rows/s asked for`, rows, {
    rowsPerSecond: rows / tookS,
    ordersPerSecond: (took.length * 2 * ofBatch) / tookS,
    pairP99Ms: quantile(took, 0.99),
    ...spread('lag', lagMs),
    ...spread('read', readMs),
    readYourWrites: seen / (seen + unseen),
  })
}

async function batch(person: Person, side: 'buy' | 'sell', number: number): Promise<void> {
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side, orderType: 'limit', qty: '0.001', price: '60000' }
  const orders = Array.from({ length: ofBatch }, (_, place) => ({ ...order, clientOid: `${side}${number}-${place}` }))
  const answer = await person.post('/api/v3/trade/place-batch', orders)
  // Each order of it has a code.
  if (/"code":"(?!00000)/.test(answer.text)) throw new Error(answer.text)
}

/** What the database lacked at each look: milliseconds since the core had it. */
async function lagsUntil(
  status: () => Promise<{ readonly sequence: number }>,
  client: pg.Client,
  isOver: () => boolean,
): Promise<number[]> {
  const lags: number[] = []
  let waiting: { readonly sequence: number; readonly ms: number }[] = []
  while (!isOver()) {
    waiting.push({ sequence: (await status()).sequence, ms: performance.now() })
    const applied = await appliedIn(client)
    const nowMs = performance.now()
    for (const { sequence, ms } of waiting) if (sequence <= applied) lags.push(nowMs - ms)
    waiting = waiting.filter(({ sequence }) => sequence > applied)
    await pause(lookEveryMs)
  }
  return lags
}

/** Orders that are canceled at once at one gateway, and looked for in the history at the other. */
async function readsUntil(person: Person, elsewhere: Person, isOver: () => boolean) {
  const readMs: number[] = []
  let seen = 0
  for (let count = 0; !isOver(); count++) {
    const clientOid = `seen${count}`
    const market = { category: 'SPOT', symbol: 'BTCUSDT' }
    const order = { ...market, side: 'buy', orderType: 'limit', qty: '0.002', price: '1000', clientOid }
    for (const [path, body] of [
      ['place-order', order],
      ['cancel-order', { ...market, clientOid }],
    ] as const) {
      const answer = await person.post(`/api/v3/trade/${path}`, body)
      if (answer.code !== '00000') throw new Error(answer.text)
    }
    const sinceMs = performance.now()
    const read = await elsewhere.get('/api/v3/trade/history-orders', { category: 'SPOT', limit: 100 })
    readMs.push(performance.now() - sinceMs)
    if (read.list('list').some((row) => row['clientOid'] === clientOid)) seen += 1
    await pause(lookEveryMs)
  }
  return { seen, unseen: readMs.length - seen, readMs }
}

async function appliedIn(client: pg.Client): Promise<number> {
  return Number((await client.query('select applied_sequence as applied from progress')).rows[0].applied)
}

async function rowsIn(client: pg.Client): Promise<number> {
  const named =
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'"
  const partitions = 'and table_name not in (select inhrelid::regclass::text from pg_inherits)'
  const tables = (await client.query(`${named} ${partitions}`)).rows as { readonly name: string }[]
  let rows = 0
  for (const { name } of tables)
    rows += Number((await client.query(`select count(*) as rows from "${name}"`)).rows[0].rows)
  return rows
}
