/**
 * A venue that is killed under load, again and again, and comes back with everything that it acknowledged.
 *
 * Load      orders that rest, orders that trade, transfers between accounts, loans and repayments, all at once over HTTP
 * Kill      SIGKILL at a seeded moment, then a start on the same directory
 * Checked   every acknowledged order is there under its number · one that was not answered is there whole or not at all · every fill that was read is read again, once · an
 *           acknowledged transfer sent again answers the same number and moves nothing · the debt is what the last
 *           acknowledged repayment left · the books balance · in the end the independent verifier finds nothing
 * Seed      CRASH_SEED repeats a run; CRASH_KILLS (default 6; `npm run crash-kills`: 50) how many kills
 * Source    design.md §1 "Journal first, then apply", §4.6, §4.14; reliability.md D1, F2
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verify } from '../../verifier/verify.ts'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

const seed = Number(process.env['CRASH_SEED'] ?? 20_261_121)
const kills = Number(process.env['CRASH_KILLS'] ?? 6)

interface AcknowledgedOrder {
  readonly person: Person
  readonly orderId: string
  readonly clientOid: string
}

interface AcknowledgedTransfer {
  readonly body: Readonly<Record<string, string>>
  readonly transferId: string
}

const random = seeded(seed)
const orders: AcknowledgedOrder[] = []
const transfers: AcknowledgedTransfer[] = []
/** Sent and not answered, with their quantity. */
const unanswered = new Map<string, { readonly person: Person; readonly quantity: string }>()
const ofUnanswered = { there: 0, absent: 0 }
/** Every fill that a client has seen, by its id. */
const fillsSeen = new Map<string, string>()
let venue: Venue
let alice: Person
let bob: Person
let carol: Person
let sub: Person
/** What Carol owed after the last acknowledged answer, and what an unanswered request may have taken off since. */
let debt = { known: 0, unanswered: 0 }
let nextId = 1

beforeAll(async () => {
  venue = await startVenue({ durability: 'sync' })
  const funds = { uta: { USDT: '5000000', BTC: '50' }, spot: { USDT: '100000' } }
  alice = await venue.person('Alice', { funds })
  bob = await venue.person('Bob', { funds })
  sub = await venue.person('Sub', { parent: alice })
  carol = await venue.person('Carol', { funds: { uta: { BTC: '10' } } })
  const loan = await carol.post('/api/v2/margin/crossed/account/borrow', { coin: 'USDT', borrowAmount: '100000' })
  expect(loan.code).toBe('00000')
  debt = { known: await debtOf(carol), unanswered: 0 }
})

afterAll(() => venue.remove())

test(`${kills} kills under load lose nothing that was acknowledged (seed ${seed})`, {
  timeout: 60_000 + kills * 30_000,
}, async () => {
  for (let kill = 1; kill <= kills; kill++) {
    const ordersBefore = orders.length
    let running = true
    const untilKilled = (step: () => Promise<void>) => repeat(step, () => running)
    const load = [
      ...[alice, bob, alice, bob].map((person) => untilKilled(() => placeOne(person))),
      untilKilled(transferOne),
      untilKilled(repayOne),
      untilKilled(readFills),
    ]
    await pause(150 + random(450))
    running = false
    await venue.kill()
    await Promise.all(load)
    await venue.start()

    expect(orders.length, 'orders were acknowledged in this round').toBeGreaterThan(ordersBefore)
    await checkOrders(orders.slice(ordersBefore))
    await checkUnanswered()
    await checkTransfers(transfers.slice(-20))
    await checkDebt()
    await checkBooks()
  }
  await checkOrders(orders)
  await checkFills()
  expect(ofUnanswered.there + ofUnanswered.absent, 'requests were cut off').toBeGreaterThan(0)
  await venue.stop()
  const { faults, counts } = verify(venue.directory)
  expect(faults).toEqual([])
  console.log(`${kills} kills, ${orders.length} orders acknowledged`, ofUnanswered, counts)
})

/** A futures order of v2 or a spot order of v3, at prices where some rest and some trade. */
async function placeOne(person: Person): Promise<void> {
  const clientOid = `crash-${nextId++}`
  const side = random(2) === 0 ? 'buy' : 'sell'
  const price = String(60_000 + (random(400) - 200) / 10)
  const isFuture = random(2) === 0
  unanswered.set(clientOid, { person, quantity: isFuture ? '0.01' : '0.001' })
  const answer = isFuture
    ? await person.post('/api/v2/mix/order/place-order', {
        symbol: 'BTCUSDT',
        productType: 'USDT-FUTURES',
        marginMode: 'crossed',
        marginCoin: 'USDT',
        size: '0.01',
        side,
        orderType: 'limit',
        force: random(3) === 0 ? 'ioc' : 'gtc',
        price,
        clientOid,
      })
    : await person.post('/api/v3/trade/place-order', {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        qty: '0.001',
        side,
        orderType: 'limit',
        timeInForce: random(3) === 0 ? 'ioc' : 'gtc',
        price,
        clientOid,
      })
  unanswered.delete(clientOid)
  if (answer.code === '00000') orders.push({ person, orderId: answer.fields['orderId'] ?? '', clientOid })
  else if (answer.code === '40761' || answer.code === '43005') await cancelAll(person)
  else throw new Error(`an order was refused: ${answer.text}`)
}

async function cancelAll(person: Person): Promise<void> {
  await person.post('/api/v3/trade/cancel-symbol-order', { category: 'USDT-FUTURES' })
  await person.post('/api/v3/trade/cancel-symbol-order', { category: 'SPOT' })
}

async function transferOne(): Promise<void> {
  const body = {
    fromType: 'uta',
    toType: 'uta',
    amount: '1.5',
    coin: 'USDT',
    fromUserId: alice.uid,
    toUserId: sub.uid,
    clientOid: `crash-transfer-${nextId++}`,
  }
  const answer = await alice.post('/api/v3/account/sub-transfer', body)
  expect(answer.code).toBe('00000')
  transfers.push({ body, transferId: answer.fields['transferId'] ?? '' })
}

async function repayOne(): Promise<void> {
  debt = { ...debt, unanswered: 1 }
  const answer = await carol.post('/api/v2/margin/crossed/account/repay', { coin: 'USDT', repayAmount: '1' })
  expect(answer.code).toBe('00000')
  debt = { known: Number(answer.fields['remainDebtAmount']), unanswered: 0 }
}

async function readFills(): Promise<void> {
  const answer = await bob.get('/api/v3/trade/fills', { limit: 100 })
  for (const fill of answer.list('list')) fillsSeen.set(fill['execId'] ?? '', JSON.stringify(fill))
}

async function checkOrders(acknowledged: readonly AcknowledgedOrder[]): Promise<void> {
  await inParallel(acknowledged, async ({ person, orderId, clientOid }) => {
    const found = await person.get('/api/v3/trade/order-info', { clientOid })
    expect(found.code, `order ${clientOid} is there`).toBe('00000')
    expect(found.fields['orderId']).toBe(orderId)
  })
}

/** Whole, or unknown like one that was never sent. */
async function checkUnanswered(): Promise<void> {
  const { code: absent } = await alice.get('/api/v3/trade/order-info', { clientOid: 'never-sent' })
  await inParallel([...unanswered], async ([clientOid, { person, quantity }]) => {
    const found = await person.get('/api/v3/trade/order-info', { clientOid })
    expect([absent, '00000'], clientOid).toContain(found.code)
    if (found.code === '00000') expect(found.fields['qty']).toBe(quantity)
    ofUnanswered[found.code === '00000' ? 'there' : 'absent'] += 1
  })
  unanswered.clear()
}

async function checkTransfers(acknowledged: readonly AcknowledgedTransfer[]): Promise<void> {
  const before = await equityOf(sub)
  for (const { body, transferId } of acknowledged) {
    const again = await alice.post('/api/v3/account/sub-transfer', body)
    expect(again.fields['transferId']).toBe(transferId)
  }
  expect(await equityOf(sub)).toBe(before)
}

async function checkDebt(): Promise<void> {
  const now = await debtOf(carol)
  expect([debt.known, debt.known - debt.unanswered]).toContain(now)
  debt = { known: now, unanswered: 0 }
}

async function checkBooks(): Promise<void> {
  const { balanced, faults } = await venue.operator<{ balanced: boolean; faults: string[] }>('verify')
  expect(faults).toEqual([])
  expect(balanced).toBe(true)
}

/** Walks Bob's whole history: what was ever seen is in it, unchanged, and nothing is in it twice. */
async function checkFills(): Promise<void> {
  const found = new Map<string, string>()
  let cursor: string | undefined
  do {
    const page = await bob.get('/api/v3/trade/fills', { limit: 100, cursor })
    for (const fill of page.list('list')) {
      expect(found.has(fill['execId'] ?? ''), 'no fill twice').toBe(false)
      found.set(fill['execId'] ?? '', JSON.stringify(fill))
    }
    cursor = page.fields['cursor'] ?? undefined
  } while (cursor)
  expect(fillsSeen.size).toBeGreaterThan(0)
  for (const [execId, fill] of fillsSeen) expect(found.get(execId)).toBe(fill)
}

async function debtOf(person: Person): Promise<number> {
  return Number((await coinOf(person))?.['debt'] ?? 0)
}

async function equityOf(person: Person): Promise<string | undefined> {
  return (await coinOf(person))?.['balance']
}

async function coinOf(person: Person) {
  const answer = await person.get('/api/v3/account/assets')
  return answer.list('assets').find((asset) => asset['coin'] === 'USDT')
}

/** Repeats a step while the venue lives; what a killed venue leaves unanswered is not an error. */
async function repeat(step: () => Promise<void>, running: () => boolean): Promise<void> {
  while (running()) {
    try {
      await step()
    } catch (error) {
      if (running() && !isCut(error)) throw error
    }
  }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && /ECONNRESET|ECONNREFUSED|socket hang up|EPIPE/.test(error.message)
}

async function inParallel<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await check(item)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function seeded(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >>> 8) % below
  }
}
