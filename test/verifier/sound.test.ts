/** Directories of real runs are found sound, and looking at them changes nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Findings } from '../../verifier/findings.ts'
import { CannotVerify, verify } from '../../verifier/verify.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { randomCommands, newDirectory, run, type RunOptions } from './directories.ts'

function filesOf(directory: string): Map<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort()
  return new Map(paths.map((path) => [path, readFileSync(path, 'base64')]))
}

function expectSound(directory: string): Findings {
  const before = filesOf(directory)
  const findings = verify(directory)
  expect(findings.faults).toEqual([])
  expect(filesOf(directory)).toEqual(before)
  return findings
}

describe('random traders with loans, liquidations, funding and deleveraging', () => {
  test.each<[string, 'full' | 'empty', number, RunOptions]>([
    ['stopped', 'full', 1, { snapshotsAfter: [300, 900] }],
    ['stopped, with an insurance fund that ran empty', 'empty', 5, { snapshotsAfter: [300, 900] }],
    ['stopped, with a journal of many segments', 'full', 3, { snapshotsAfter: [200, 1_200], segmentBytesMax: 3_000 }],
    ['crashed, with history in its log', 'full', 2, { snapshotsAfter: [400], end: 'crash' }],
    ['crashed before the first snapshot', 'empty', 4, { end: 'crash' }],
  ])('%s', async (_what, fund, seed, options) => {
    const directory = await newDirectory()
    await run(directory, randomCommands(seed, 1_500, fund), options)
    const { counts, unchecked } = expectSound(directory)
    expect(counts['ended orders']).toBeGreaterThan(300)
    expect(counts['ended positions']).toBeGreaterThan(10)
    expect(counts['funding settlements']).toBeGreaterThan(5)
    const hasSnapshot = options.end !== 'crash' || options.snapshotsAfter !== undefined
    expect(hasSnapshot ? counts['balances compared'] : unchecked.join()).toBeTruthy()
  })

  test('with commands that broke the engine', async () => {
    class Breaking extends Engine {
      override apply(...[command, sequence, at]: Parameters<Engine['apply']>) {
        if (command.kind === 'deposit' && sequence > 100) throw new Error('it breaks')
        return super.apply(command, sequence, at)
      }
    }
    const directory = await newDirectory()
    const said = randomCommands(1, 300)
    const deposit = said.find(({ command }) => command.kind === 'deposit')!.command
    const more = said.toSpliced(180, 0, { command: deposit, at: said[180].at })
    await run(directory, more, { engineClass: Breaking })
    expectSound(directory)
  })

  test('with transfers that nobody named: their number is their name', async () => {
    const directory = await newDirectory()
    const said = randomCommands(1, 600).map(({ command, at }) => ({
      command: command.kind === 'transfer' ? { ...command, clientOid: '' } : command,
      at,
    }))
    await run(directory, said)
    expectSound(directory)
  })

  test('whose journal and old rows were removed: what cannot be checked is said, the rest is', async () => {
    const directory = await newDirectory()
    const said = randomCommands(6, 1_500)
    const [old, late] = [said.slice(0, 900), said.slice(900)]
    const daysLater = late.map(({ command, at }) => ({ command, at: at + 100 * 86_400_000 }))
    await run(directory, [...old, ...daysLater], {
      snapshotsAfter: [950, 1_300],
      segmentBytesMax: 3_000,
      during: async ({ history }, done) => {
        if (done >= 1_400 && done < 1_407) await history.prune(old.at(-1)!.at + 1)
      },
    })
    const { unchecked, counts } = expectSound(directory)
    expect(unchecked).toContain('rows older than 90 days: a venue removes them')
    expect(unchecked.join()).toContain('the journal no longer reaches back')
    expect(counts['balances compared']).toBeGreaterThan(0)
  })
})

describe('a demo venue with its simulator', () => {
  test('is refused while it runs, and sound when it has stopped, and after a kill', async () => {
    const venue = await startVenue({ simulator: true })
    try {
      await trading(venue)
      expect(() => verify(venue.directory)).toThrow(CannotVerify)
      await venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' })
      await venue.stop()
      const { counts } = expectSound(venue.directory)
      expect(counts['matches']).toBeGreaterThan(0)
      expect(counts['balances compared']).toBeGreaterThan(20)
      await venue.start()
      await trading(venue)
      await venue.kill()
      expectSound(venue.directory)
    } finally {
      await venue.remove()
    }
  })
})

test('a debt that another coin paid: what was sold for it is a conversion; beside it one by the house', async () => {
  const venue = await startVenue()
  try {
    const dave = await venue.person('Dave', { funds: { uta: { USDT: '10000' } } })
    const erin = await venue.person('Erin', { funds: { uta: { BTC: '1', USDT: '10000' } } })
    const order = { symbol: 'BTCUSDT', orderType: 'limit', price: '60000', qty: '0.1' }
    const place = async (who: typeof dave, category: string, side: string) => {
      expect((await who.post('/api/v3/trade/place-order', { ...order, category, side })).code).toBe('00000')
    }
    await place(erin, 'SPOT', 'buy')
    await place(dave, 'MARGIN', 'sell')
    await place(erin, 'SPOT', 'sell')
    const repay = { repayableCoinList: ['BTC'], paymentCoinList: ['USDT'] }
    expect((await dave.post('/api/v3/account/repay', repay)).code).toBe('00000')
    const asked = { fromCoin: 'USDT', toCoin: 'BTC', fromCoinSize: '60' }
    const { fee: _none, ...quote } = (await erin.get('/api/v2/convert/quoted-price', asked)).fields
    expect((await erin.post('/api/v2/convert/trade', quote)).code).toBe('00000')
    await venue.stop()
    expect(expectSound(venue.directory).counts['conversions compared']).toBe(1)
  } finally {
    await venue.remove()
  }
})

test('a flash repayment of cross margin: what was sold for it is a conversion', async () => {
  const venue = await startVenue()
  try {
    const dave = await venue.person('Dave', { mode: 'classic', funds: { crossed_margin: { BTC: '1' } } })
    const erin = await venue.person('Erin', { funds: { uta: { BTC: '1', USDT: '10000' } } })
    const room = '/api/v2/margin/crossed'
    const order = { symbol: 'BTCUSDT', orderType: 'limit', price: '60000' }
    const succeeds = async (who: typeof dave, path: string, body: object) => {
      expect((await who.post(path, body)).code).toBe('00000')
    }
    const offer = { ...order, category: 'SPOT', qty: '0.01' }
    await succeeds(dave, `${room}/account/borrow`, { coin: 'USDT', borrowAmount: '600' })
    await succeeds(erin, '/api/v3/trade/place-order', { ...offer, side: 'sell' })
    const bid = { ...order, side: 'buy', force: 'gtc', loanType: 'normal', baseSize: '0.01' }
    await succeeds(dave, `${room}/place-order`, bid)
    await succeeds(erin, '/api/v3/trade/place-order', { ...offer, side: 'buy', qty: '0.1' })
    await succeeds(dave, `${room}/account/flash-repay`, {})
    await venue.stop()
    expect(expectSound(venue.directory).counts['conversions compared']).toBe(1)
  } finally {
    await venue.remove()
  }
})

test('deposits and withdrawals that ended and that are under way, before and after a kill', async () => {
  const venue = await startVenue({ clock: 'manual', durability: 'sync' })
  try {
    const dave = await venue.person('Dave', { funds: { uta: { USDT: '10000' }, spot: { USDT: '50' } } })
    const erin = await venue.person('Erin', { funds: { uta: { USDT: '10000' } } })
    const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
    const asked = { coin: 'USDT', transferType: 'on_chain', chain: 'TRC20', address, size: '100' }
    const withdraw = async (more: object = {}) => {
      const answer = await dave.post('/api/v3/account/withdrawal', { ...asked, ...more })
      expect(answer.code, answer.text).toBe('00000')
      return answer.fields['orderId']
    }
    const send = (chain: string) =>
      venue.operator('chain/deposits', { uid: erin.uid, coin: 'USDT', chain, amount: '25' })
    const everything = async () => {
      const orderId = await withdraw()
      expect((await dave.post('/api/v3/account/cancel-withdrawal', { orderId })).code).toBe('00000')
      await withdraw({ address: (await erin.get('/api/v3/account/deposit-address', { ...asked })).fields['address'] })
      await withdraw({ transferType: 'internal_transfer', address: erin.uid })
      await withdraw({ address: '0x00000000219ab540356cBB839Cbe05303d7705Fa', chain: 'ERC20' })
      await send('TRC20')
      await venue.advance(120_000)
      await withdraw({ size: '20' })
      await send('ERC20')
    }
    await everything()
    await venue.operator('snapshots', {})
    await everything()
    await venue.kill()
    expectSound(venue.directory)
    await venue.start()
    await venue.advance(3_600_000)
    expect(await venue.operator('verify')).toMatchObject({ balanced: true })
    const records = (await dave.get('/api/v3/account/withdrawal-records')).list()
    expect(records.filter(({ status }) => status === 'success')).toHaveLength(8)
    expect(records.filter(({ status }) => status === 'cancel')).toHaveLength(2)
    await venue.stop()
    expectSound(venue.directory)
  } finally {
    await venue.remove()
  }
})

/** Resolves when the simulated takers have traded since it was asked. */
async function trading(venue: Venue): Promise<void> {
  const newest = async () => {
    const answer = await venue.get('/api/v3/market/fills', { category: 'USDT-FUTURES', symbol: 'BTCUSDT' })
    return answer.list()[0]?.['execId']
  }
  const before = await newest()
  await vi.waitFor(async () => expect(await newest()).not.toBe(before), { timeout: 50_000, interval: 200 })
}
