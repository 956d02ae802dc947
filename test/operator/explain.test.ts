/**
 * `explain` on a real venue: over the operator's listener and the command line, for an account, a position, a symbol,
 * live and ended orders, trigger orders, and a liquidation that is long over.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Explanation } from '../../src/operator/calls/explain.ts'
import type { Person } from '../support/person.ts'
import { sooner } from '../support/sooner.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { inherited } from '../support/inherited.ts'

vi.setConfig({ testTimeout: 60_000 }) // starts processes, on a machine that may be busy

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
const usdtFutures = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }

let venue: Venue
let alice: Person
let bob: Person

beforeAll(async () => {
  venue = await startVenue({ clock: 'manual' })
  await venue.setIndexPrices({ BTC: '60000' })
  alice = await venue.person('alice', { mode: 'classic', funds: { usdt_futures: { USDT: '2000' } } })
  bob = await venue.person('bob', { mode: 'classic', funds: { usdt_futures: { USDT: '1000000' } } })
})

afterAll(() => venue?.remove())

async function order(who: Person, side: 'buy' | 'sell', size: string, price: string, marginMode: string) {
  const body = { ...usdtFutures, side, size, price, marginMode, orderType: 'limit', force: 'gtc' }
  const answer = await who.post('/api/v2/mix/order/place-order', body)
  return String((answer.data as { orderId: string }).orderId)
}

function explain(query: string): Promise<Explanation> {
  return venue.operator<Explanation>(`explain?${query}`)
}

function result({ lines }: Explanation, name: string, of = ''): string | undefined {
  return lines.find((line) => line.name === name && line.of.includes(of))?.result
}

function input({ inputs }: Explanation, name: string, of = ''): string | undefined {
  return inputs.find((candidate) => candidate.name === name && candidate.of.includes(of))?.value
}

async function tidemark(...args: string[]) {
  const child = spawn(process.execPath, [...sooner, cli, ...args, '--data', venue.directory], {
    env: inherited,
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const [code] = await once(child, 'close')
  return { code: code as number, out, err }
}

describe('a long of 0.5 at 60,000 with 1,500 of its own margin', () => {
  let resting = ''
  let opening = ''
  beforeAll(async () => {
    resting = await order(bob, 'sell', '0.5', '60000', 'crossed')
    opening = await order(alice, 'buy', '0.5', '60000', 'isolated')
  })

  test('the position: formulas, figures, and the command that opened it', async () => {
    const told = await explain(`uid=${alice.uid}&symbol=BTCUSDT`)
    expect(told.subject).toEqual({ kind: 'position', uid: alice.uid, symbol: 'BTCUSDT', category: 'USDT-FUTURES' })
    expect(input(told, 'quantity', 'BTCUSDT long')).toBe('0.5')
    expect(Number(result(told, 'bankruptcyPrice'))).toBeLessThan(Number(result(told, 'liquidationPrice')))
    expect(told.causedBy).toMatchObject({ command: 'place-order' })
    expect(told.causes[0]?.what).toContain('buy 0.5 BTCUSDT at 60000')
    expect(told.causedBy?.sequence).toBe(told.asOf.sequence)
  })

  test('the account, and the side that is not there', async () => {
    const told = await explain(`uid=${alice.uid}`)
    expect(result(told, 'breached', 'isolated BTCUSDT long')).toBe('no')
    expect(told.causes.map(({ command }) => command)).toContain('deposit')
    const short = await explain(`uid=${alice.uid}&symbol=BTCUSDT&holdSide=short`)
    expect(short.lines.filter(({ name }) => name === 'liquidationPrice')).toEqual([])
  })

  test('the symbol: the pair and the contract, or one of them', async () => {
    const both = await explain('symbol=btcusdt')
    expect(new Set(both.lines.map(({ of }) => of))).toEqual(new Set(['BTCUSDT spot', 'BTCUSDT']))
    const explained = await explain('symbol=BTCUSDT&category=usdt-futures')
    expect(new Set(explained.lines.map(({ of }) => of))).toEqual(new Set(['BTCUSDT']))
    expect(result(explained, 'fundingRate')).toBeDefined()
  })

  test('orders: one that has ended, and one that is live', async () => {
    const ended = await explain(`orderId=${opening}`)
    expect(ended.subject).toEqual({ kind: 'order', orderId: opening, uid: alice.uid })
    expect(result(ended, 'notional', 'fill')).toBe('30000')
    expect(ended.causedBy).toMatchObject({ command: 'place-order' })
    const live = await order(bob, 'sell', '0.1', '70000', 'crossed')
    const told = await explain(`orderId=${live}`)
    expect(input(told, 'status')).toBe('live')
    expect(told.causedBy?.sequence).toBe(told.asOf.sequence)
    await bob.post('/api/v2/mix/order/cancel-order', { ...usdtFutures, orderId: live })
    expect((await explain(`orderId=${live}`)).causedBy).toMatchObject({ command: 'cancel-order' })
    expect(await explain(`orderId=${resting}&uid=${bob.uid}`)).toBeDefined()
  })

  test('what is not there is refused with its field, and nothing is written', async () => {
    const { sequence, stateHash } = await venue.operator<{ sequence: number; stateHash: string }>('verify')
    const refusals = [
      ['uid=77', /uid: there is no account 77/],
      ['symbol=NOPE', /symbol: there is no instrument NOPE/],
      ['orderId=5', /orderId: there is no order 5/],
      ['liquidationId=5', /liquidationId: there is no liquidation 5/],
      ['', /uid or symbol, orderId or liquidationId is required/],
      ['uid=x', /uid must be an account number/],
      [`orderId=${resting}&uid=${alice.uid}`, /orderId: there is no order/],
      [`uid=${alice.uid}&symbol=BTCUSDT&category=SPOT`, /symbol must be a futures contract/],
    ] as const
    for (const [query, sentence] of refusals) await expect(explain(query)).rejects.toThrow(sentence)
    expect(await venue.operator('verify')).toMatchObject({ sequence, stateHash })
  })

  test('the command line: text for people, JSON for scripts, one line when refused', async () => {
    const shown = await tidemark('explain', '--uid', alice.uid, '--symbol', 'BTCUSDT')
    expect(shown.err).toBe('')
    expect(shown.out).toMatch(/^position uid \d+ symbol BTCUSDT/)
    expect(shown.out).toMatch(/^ {2}liquidationPrice = [\d.]+ USDT$/m)
    expect(shown.out).toContain('P_liq = (M + cum − s·q·E) / (q·(mmr + f − s))   [docs/risk.md § Isolated]')
    expect(shown.out).toMatch(/exactly [\d.]+… = \d+\/\d+, rounded up to 0\.1/)
    expect(shown.out).toMatch(/^caused by command \d+ place-order, /m)
    const json = await tidemark('explain', '--uid', alice.uid, '--symbol', 'BTCUSDT', '--json')
    expect(JSON.parse(json.out)).toEqual(await explain(`uid=${alice.uid}&symbol=BTCUSDT`))
    const refused = { code: 1, out: '', err: 'tidemark: account-unknown: uid: there is no account 77\n' }
    expect(await tidemark('explain', '--uid', '77')).toEqual(refused)
  })
})

describe('trigger orders', () => {
  /** Somebody of their own with a plan that buys at market once the mark price is there. */
  async function planned(name: string, funds: string, triggerPrice: string) {
    const person = await venue.person(name, { mode: 'classic', funds: { usdt_futures: { USDT: funds } } })
    const plan = { planType: 'normal_plan', triggerPrice, triggerType: 'mark_price', orderType: 'market' }
    const body = { ...usdtFutures, ...plan, side: 'buy', size: '0.1', marginMode: 'crossed' }
    const { orderId = '' } = (await person.post('/api/v2/mix/order/place-plan-order', body)).fields
    return { person, orderId }
  }

  test('one that waits, what it became, and why another failed', async () => {
    await venue.setIndexPrices({ BTC: '60000' })
    const { person: carol, orderId } = await planned('carol', '10000', '60300')
    const { orderId: failing } = await planned('dave', '1', '60300')
    const waits = await explain(`orderId=${orderId}`)
    expect(waits.subject).toEqual({ kind: 'trigger', orderId, uid: carol.uid })
    expect(input(waits, 'waits for')).toBe('a rise to its triggerPrice')
    expect([waits.causes, waits.causedBy]).toEqual([[], null])
    await expect(explain(`orderId=${orderId}&uid=${bob.uid}`)).rejects.toThrow('orderId: there is no order')

    const offer = await order(bob, 'sell', '0.2', '60310', 'crossed')
    await venue.setIndexPrices({ BTC: '60300' })
    await bob.post('/api/v2/mix/order/cancel-order', { ...usdtFutures, orderId: offer })
    const executed = await explain(`orderId=${orderId}&uid=${carol.uid}`)
    const became = executed.subject['became'] ?? ''
    expect(executed).toMatchObject({
      causedBy: { command: 'set-index-prices' },
      causes: [{ what: `triggered: order ${became}` }],
    })
    expect(input(executed, 'status')).toBe('executed')
    expect(input(await explain(`orderId=${became}`), 'cause')).toBe('trigger')
    const failed = await explain(`orderId=${failing}`)
    expect(failed.causes).toMatchObject([{ what: 'triggered, and its order was refused: insufficient-margin' }])
  })
})

describe('after it was liquidated', () => {
  let forced = ''
  beforeAll(async () => {
    await venue.setIndexPrices({ BTC: '55000' })
    await venue.advance(2_000)
    const account = await explain(`uid=${alice.uid}`)
    expect(account.causes.some(({ what }) => /^liquidation \d+ of isolated/.test(what))).toBe(true)
    const history = await alice.get('/api/v2/mix/order/orders-history', { productType: 'USDT-FUTURES', limit: '20' })
    const { entrustedList } = history.data as { entrustedList: { orderId: string; enterPointSource: string }[] }
    forced = entrustedList.find((entrusted) => entrusted.enterPointSource === 'SYS')?.orderId ?? ''
  })

  test.each([['at once'], ['after a crash and a restart']])('its order tells why: %s', async (when) => {
    if (when !== 'at once') await venue.restart('kill')
    const told = await explain(`orderId=${forced}`)
    expect(told.subject).toMatchObject({ kind: 'order', uid: alice.uid })
    expect(told.subject['liquidationId']).toMatch(/^\d+$/)
    expect(input(told, 'cause')).toBe('liquidation')
    expect(input(told, 'margin M BTCUSDT long', 'liquidation')).toBeDefined()
    expect(result(told, 'breached', 'liquidation')).toBe('yes')
    expect(result(told, 'bankruptcyPrice', 'step 1: close')).toBe(input(told, 'price', `order ${forced}`))
    expect(told.lines.some(({ name }) => name.startsWith('insurance fund'))).toBe(true)
    expect(told.causes[0]?.command).toMatch(/^(set-index-prices|run-timers)$/)
    expect(told.causes[0]?.sequence).toBeGreaterThan(0)
    const whole = await explain(`liquidationId=${told.subject['liquidationId']}`)
    expect(input(whole, 'cause', `forced order ${forced}`)).toBe('liquidation')
    expect(whole.causedBy).toEqual(told.causedBy)
  })
})
