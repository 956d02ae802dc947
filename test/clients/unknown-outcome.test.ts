/**
 * Orders whose answer never came: after 40010, 40725 and 45001 each of four programs finds out what became of its order
 * by the client order id, and sending it again never makes two.
 *
 * Causes    40010: the disk is slow, and the client's time is over · 40725: the disk fails · 45001: the engine throws.
 *           Nothing else is touched (support/faulty-venue.ts): the codes are the venue's own
 * Never     sequenced: 40010: it waited for a batch, and then the disk failed · 40725: its batch was never written · 45001:
 *           the engine threw on it, and it was taken back
 * Source    design §4.5, §4.6, §1; reliability.md F1, F2
 */
import { afterEach, describe, expect, test } from 'vitest'
import { FaultyVenue } from './support/faulty-venue.ts'
import { type Fate, hireSenders, prepare, type Sender } from './support/senders.ts'

const codes = ['40010', '40725', '45001'] as const
type Code = (typeof codes)[number]

const fates = ['live', 'partly filled', 'filled', 'canceled', 'rejected'] as const
const clientOid = 'asked-for'

let venue: FaultyVenue
let hired: Awaited<ReturnType<typeof hireSenders>>
let senders: readonly Sender[]

afterEach(async () => {
  await venue.remove()
})

/** A venue with four programs on it and, for each of them, the other side of the order's fate. */
async function open(code: Code, fate: Fate): Promise<void> {
  venue = await FaultyVenue.open(code === '40010' ? 1_500 : 10_000)
  const bob = await venue.person('Bob', { funds: { uta: { USDT: '100000', USDC: '100000', BTC: '10' } } })
  hired = await hireSenders(venue)
  senders = await hired.connect()
  for (const { market } of senders) await prepare(bob, fate, market)
}

/** A sound venue on the same directory; the programs find it again. */
async function restart(): Promise<void> {
  await venue.restart()
  senders = await hired.connect()
}

/** All of them send at once; the answer is the venue's code for each. */
function sendAll(fate: Fate): Promise<string[]> {
  return Promise.all(senders.map((sender) => sender.send(clientOid, fate)))
}

/** The orders are written, and what their senders are told leaves them in the dark. Ends with a sound venue. */
async function loseTheAnswer(code: Code, fate: Fate): Promise<string[]> {
  const { sent, release } = await venue.gather(senders.length, () => sendAll(fate))
  if (code === '40010') {
    const answers = await sent // the disk is still at the batch before
    release()
    await venue.operator('prices', { prices: { DOGE: '0.15' } }) // behind the orders
    return answers
  }
  if (code === '40725') venue.disk.beforeSync = () => Promise.reject(new Error('EIO'))
  else {
    venue.breaksOn = ({ kind }) => kind === 'set-index-prices'
    // It cannot be noted that this command is to be passed over, so that the venue stops.
    venue.disk.create = () => Promise.reject(new Error('ENOSPC'))
  }
  release()
  const answers = await sent
  await restart()
  return answers
}

/** The orders are never sequenced, or taken back, and their senders are as much in the dark. */
async function loseTheOrder(code: Code): Promise<string[]> {
  if (code === '45001') {
    venue.breaksOn = ({ kind }) => kind === 'place-order'
    const answers = await sendAll('live')
    venue.breaksOn = () => false
    return answers
  }
  const { sent, release, fail } = await venue.gather(senders.length, () => sendAll('live'))
  const end = code === '40010' ? () => fail(new Error('EIO')) : release
  if (code === '40725') {
    venue.disk.beforeWrite = () => Promise.reject(new Error('EIO'))
    end()
  }
  const answers = await sent
  end()
  await restart()
  return answers
}

async function each<Answer>(ask: (sender: Sender) => Promise<Answer>): Promise<Record<string, Answer>> {
  const answers = await Promise.all(senders.map(async (sender) => [sender.name, await ask(sender)] as const))
  return Object.fromEntries(answers)
}

/** The same of all four. */
function all<Value>(value: Value): Record<string, Value> {
  return Object.fromEntries(senders.map(({ name }) => [name, value]))
}

describe.each(codes)('after %s', (code) => {
  test('an order that was never sequenced is definitely not there; sent again it is placed, once', async () => {
    await open(code, 'live')
    expect(await loseTheOrder(code)).toEqual([code, code, code, code])
    expect(await each((sender) => sender.find(clientOid))).toEqual(all('absent'))
    expect(await each((sender) => sender.send(clientOid, 'live'))).toEqual(all('00000'))
    expect(await each((sender) => sender.send(clientOid, 'live'))).toEqual(all('40786'))
    expect(await each((sender) => sender.find(clientOid))).toEqual(all('live'))
    expect(await each((sender) => sender.count(clientOid))).toEqual(all(1))
  })

  test.each(fates.filter((fate) => fate !== 'rejected'))(
    'an order that is %s is found so; sent again it is refused, and there is one',
    async (fate) => {
      await open(code, fate)
      expect(await loseTheAnswer(code, fate)).toEqual([code, code, code, code])
      expect(await each((sender) => sender.find(clientOid))).toEqual(all(fate))
      expect(await each((sender) => sender.send(clientOid, fate))).toEqual(all('40786'))
      expect(await each((sender) => sender.find(clientOid))).toEqual(all(fate))
      expect(await each((sender) => sender.count(clientOid))).toEqual(all(1))
    },
  )

  test('an order that was rejected is not there; sent again it is rejected with its reason', async () => {
    await open(code, 'rejected')
    expect(await loseTheAnswer(code, 'rejected')).toEqual([code, code, code, code])
    expect(await each((sender) => sender.find(clientOid))).toEqual(all('absent'))
    const contracts = { ...all('40762'), 'ccxt, classic, spot': '43012' }
    expect(await each((sender) => sender.send(clientOid, 'rejected'))).toEqual(contracts)
    expect(await each((sender) => sender.count(clientOid))).toEqual(all(0))
    // Its id is free.
    expect(await each((sender) => sender.send(clientOid, 'live'))).toEqual(all('00000'))
  })
})

test('after a journal that failed an order is told that it was never sequenced, and it was not', async () => {
  await open('40725', 'live')
  venue.disk.beforeSync = () => Promise.reject(new Error('EIO'))
  await venue.operator('prices', { prices: { DOGE: '0.15' } }).catch(() => {})
  expect(await sendAll('live')).toEqual(['40015', '40015', '40015', '40015'])
  await restart()
  expect(await each((sender) => sender.find(clientOid))).toEqual(all('absent'))
})
