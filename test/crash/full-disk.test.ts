/**
 * A disk that is full: the venue refuses definitely and goes on answering questions; with space again a restart has all that
 * was acknowledged, and takes orders. On a small file system in memory where one may be mounted, which needs privileges.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { Venue } from '../support/venue.ts'

const mounted = mount()
let venue: Venue | undefined

function mount(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', directory], { stdio: 'ignore' })
    return directory
  } catch {
    rmdirSync(directory)
    return undefined
  }
}

afterEach(async () => {
  await venue?.remove()
  execFileSync('umount', [mounted!])
  rmdirSync(mounted!)
})

test.skipIf(mounted === undefined)('refuses, answers, and comes back', async () => {
  venue = new Venue(join(mounted!, 'data'), { durability: 'sync' })
  await venue.start()
  const alice = await venue.person('Alice', { funds: { uta: { USDT: '5000000' } } })
  const ballast = join(mounted!, 'ballast')
  fillBut(16 * 1024, ballast)

  const acknowledged: string[] = []
  let refused = await place(alice, 'first')
  for (let number = 0; refused.code === '00000'; number++) {
    acknowledged.push(refused.fields['clientOid'] ?? '')
    refused = await place(alice, `order-${number}`)
  }
  expect(acknowledged.length).toBeGreaterThan(0)
  // What was being written may be there or not; from then on nothing is.
  expect(['40725', '45001']).toContain(refused.code)
  for (const clientOid of ['later-1', 'later-2']) {
    expect((await place(alice, clientOid)).code, 'a definite refusal').not.toBe('00000')
    expect((await orderInfo(alice, clientOid)).code, 'which did nothing').not.toBe('00000')
  }
  for (const clientOid of acknowledged.slice(-5)) expect((await orderInfo(alice, clientOid)).code).toBe('00000')
  expect((await alice.get('/api/v3/account/assets')).code).toBe('00000')

  await venue.stop()
  unlinkSync(ballast)
  await venue.start()
  for (const clientOid of acknowledged) expect((await orderInfo(alice, clientOid)).code, clientOid).toBe('00000')
  expect((await orderInfo(alice, 'later-1')).code).not.toBe('00000')
  expect((await place(alice, 'again')).code).toBe('00000')
  expect(await venue.operator('verify')).toMatchObject({ balanced: true })
})

function place(person: Person, clientOid: string) {
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.001', price: '50000' }
  return person.post('/api/v3/trade/place-order', { ...order, clientOid })
}

function orderInfo(person: Person, clientOid: string) {
  return person.get('/api/v3/trade/order-info', { clientOid })
}

/** Leaves a little room, so that orders are acknowledged before the disk is full; a system may count its free blocks roughly. */
function fillBut(bytes: number, ballast: string): void {
  const { bsize, bavail } = statfsSync(mounted!)
  for (let left = bytes; ; left += bytes) {
    try {
      return writeFileSync(ballast, Buffer.alloc(bsize * bavail - left))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' || left > 60 * bytes) throw error
    }
  }
}
