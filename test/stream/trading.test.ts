/** Orders over the socket: the same rules and limits as over HTTP, and its own envelope. */
import { expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { unifiedOrder } from '../support/trading.ts'

const scene = stage()
const unified = { mode: 'unified', funds: { uta: { USDT: '100000' } } } as const
const order = { symbol: 'BTCUSDT', qty: '0.1', price: '50000', side: 'buy', orderType: 'limit', timeInForce: 'gtc' }

async function trader(path: '/v2/ws/private' | '/v3/ws/private', options: object = unified): Promise<[Person, Socket]> {
  const alice = await scene.person('Alice', options)
  alice.hasTraded = true
  return [alice, await Socket.of(alice, path)]
}

test('v3: one order placed and canceled', async () => {
  const [alice, socket] = await trader('/v3/ws/private')
  const request = { op: 'trade', id: '1', category: 'usdt-futures', topic: 'place-order' }
  socket.send({ ...request, args: [{ ...order, clientOid: 'mine' }] })
  const placed = await socket.next()
  expect(placed).toEqual({
    event: 'trade',
    id: '1',
    category: 'usdt-futures',
    topic: 'place-order',
    args: [
      {
        symbol: 'BTCUSDT',
        orderId: expect.stringMatching(/^\d+$/),
        clientOid: 'mine',
        cTime: expect.stringMatching(/^\d{13}$/),
      },
    ],
    code: '0',
    msg: 'success',
    ts: expect.stringMatching(/^\d{13}$/),
  })
  expect(await unifiedOrder(alice, { clientOid: 'mine' })).toMatchObject({ orderStatus: 'live', price: '50000' })
  socket.send({ ...request, id: '2', topic: 'cancel-order', args: [{ symbol: 'BTCUSDT', clientOid: 'mine' }] })
  expect(await socket.next()).toMatchObject({ event: 'trade', id: '2', args: [{ clientOid: 'mine' }], code: '0' })
  socket.close()
})

test('v3: batches, in both spellings', async () => {
  const [, socket] = await trader('/v3/ws/private')
  for (const topic of ['batch-place', 'batch-place-order']) {
    socket.send({ op: 'trade', id: topic, category: 'spot', topic, args: [order, { ...order, price: '1' }] })
    const { args, code } = await socket.next()
    expect(code).toBe('0')
    expect(args).toMatchObject([
      { symbol: 'BTCUSDT', orderId: expect.stringMatching(/^\d+$/) },
      { code: expect.any(String) },
    ])
    const [{ orderId }] = args as [{ orderId: string }]
    const cancel = topic.replace('place', 'cancel').replace('batch-cancel-order', 'batch-cancel-order')
    socket.send({ op: 'trade', id: 'c', category: 'spot', topic: cancel, args: [{ symbol: 'BTCUSDT', orderId }] })
    expect(await socket.next()).toMatchObject({ event: 'trade', id: 'c', args: [{ orderId }], code: '0' })
  }
  socket.close()
})

test.each([
  // topic          how the order is named                 what else is said
  ['modify-order', 'orderId', { price: '50001' }],
  ['modify-order', 'clientOid', { price: '50001' }],
  ['cancel-order', 'orderId', {}],
  ['cancel-order', 'clientOid', {}],
  ['batch-modify', 'orderId', { price: '50001' }],
] as const)('v3: %s by %s alone answers the symbol of the order', async (topic, name, more) => {
  const success = topic.startsWith('batch') ? { code: '0', msg: 'Success' } : {}
  const [, socket] = await trader('/v3/ws/private')
  const request = { op: 'trade', id: '1', category: 'usdt-futures' }
  socket.send({ ...request, topic: 'place-order', args: [{ ...order, clientOid: 'mine' }] })
  const { args } = await socket.next()
  const [{ orderId }] = args as [{ orderId: string }]
  const named = name === 'orderId' ? { orderId } : { clientOid: 'mine' }
  socket.send({ op: 'trade', id: '2', topic, args: [{ ...named, ...more }] })
  const answer = await socket.next()
  expect(answer).toMatchObject({ event: 'trade', id: '2', code: '0' })
  const acknowledged = { symbol: 'BTCUSDT', orderId, clientOid: 'mine', cTime: expect.any(String) }
  expect(answer['args']).toEqual([{ ...success, ...acknowledged }])
  socket.close()
})

test('v3: what is canceled before its answer came has its symbol too', async () => {
  const [, socket] = await trader('/v3/ws/private')
  const request = { op: 'trade', category: 'usdt-futures' }
  socket.send({ ...request, id: '1', topic: 'place-order', args: [{ ...order, clientOid: 'mine' }] })
  socket.send({ ...request, id: '2', topic: 'cancel-order', args: [{ clientOid: 'mine' }] })
  const answers = [await socket.next(), await socket.next()]
  for (const id of ['1', '2']) {
    const answer = answers.find((candidate) => candidate['id'] === id)
    expect(answer).toMatchObject({ event: 'trade', code: '0', args: [{ symbol: 'BTCUSDT', clientOid: 'mine' }] })
  }
  socket.close()
})

test('v2: each argument is a request of its own', async () => {
  const [, socket] = await trader('/v2/ws/private', {
    mode: 'classic',
    funds: { spot: { USDT: '100000' }, usdt_futures: { USDT: '100000' } },
  })
  const spot = { orderType: 'limit', side: 'buy', size: '0.1', price: '50000', force: 'gtc', clientOid: 'spot' }
  const futures = { ...spot, clientOid: 'futures', marginMode: 'crossed', marginCoin: 'USDT' }
  const place = (id: string, instType: string, params: object) => ({
    id,
    instType,
    instId: 'BTCUSDT',
    channel: 'place-order',
    params,
  })
  socket.send({
    op: 'trade',
    args: [place('a', 'SPOT', spot), place('b', 'USDT-FUTURES', futures), place('c', 'SPOT', { ...spot, price: '' })],
  })
  const answers = [await socket.next(), await socket.next(), await socket.next()]
  const of = (id: string) => answers.find(({ arg }) => (arg as unknown as readonly { id: string }[])[0]?.id === id)
  expect(of('a')).toMatchObject({
    event: 'trade',
    code: 0,
    msg: 'Success',
    arg: [{ params: { clientOid: 'spot', orderId: expect.stringMatching(/^\d+$/) } }],
  })
  expect(of('b')).toMatchObject({
    event: 'trade',
    code: 0,
    arg: [{ instType: 'USDT-FUTURES', params: { clientOid: 'futures' } }],
  })
  expect(of('c')).toMatchObject({ event: 'error', code: expect.any(Number) })
  const cancel = {
    id: 'd',
    inst_type: 'SPOT',
    inst_id: 'BTCUSDT',
    channel: 'cancel-order',
    params: { clientOid: 'spot' },
  }
  socket.send({ op: 'trade', args: [cancel] })
  expect(await socket.next(), 'by other names').toMatchObject({
    event: 'trade',
    code: 0,
    arg: [{ id: 'd', instType: 'SPOT', instId: 'BTCUSDT' }],
  })
  socket.close()
})

test.each([
  // request                                                                     code
  [{ category: 'spot', topic: 'place-order', args: [{ ...order, qty: '100' }] }, '43012'],
  [{ category: 'spot', topic: 'place-order', args: [{ ...order, price: undefined }] }, '40019'],
  [{ category: 'spot', topic: 'place-order', args: [{ ...order, symbol: 'BTCEUR' }] }, '40034'],
  [
    {
      category: 'spot',
      topic: 'place-order',
      args: [{ ...order, requestTime: '1750000000000', receiveWindow: '10000' }],
    },
    '40078',
  ],
  [{ topic: 'place-order', args: [order] }, '40019'],
  [{ category: 'spot', topic: 'cancel-order', args: [{ orderId: '1' }] }, '43001'],
  [{ category: 'spot', topic: 'sell-everything', args: [order] }, '30001'],
  [{ category: 'spot', topic: '__proto__', args: [order] }, '30001'],
  [{ category: 'spot', topic: 'place-order', args: [] }, '30016'],
  [{ category: 'spot', topic: 'place-order', args: [order, order] }, '30016'],
  [{ category: 'spot', topic: 'modify-order', args: [{ orderId: '1', qty: '1' }, {}] }, '30016'],
  [{ category: 'spot', topic: 'cancel-order', args: [{ orderId: '1' }, { orderId: '2' }] }, '30016'],
])('v3: %j is refused with %s', async (request, code) => {
  const [, socket] = await trader('/v3/ws/private')
  socket.send({ op: 'trade', id: '9', ...request })
  expect(await socket.next()).toMatchObject({ event: 'error', id: '9', code, msg: expect.stringMatching(/./) })
  socket.close()
})

test('v3: a refusal has the id, a code and a sentence, and nothing else', async () => {
  const [, socket] = await trader('/v3/ws/private')
  const args = [{ ...order, qty: '100' }]
  socket.send({ op: 'trade', id: '9', category: 'spot', topic: 'place-order', args })
  const refused = await socket.next()
  expect(refused).toEqual({ event: 'error', id: '9', code: '43012', msg: expect.stringMatching(/./) })
  socket.close()
})

test.each([
  // topic          args                                                   what is said of the request         message
  ['place-order', [{ ...order, clientOid: 'a' }], { category: 'spot' }, 'success'],
  ['batch-place', [{ ...order, clientOid: 'b' }], { category: 'spot' }, 'Success'],
  ['modify-order', [{ clientOid: 'mine', price: '49000' }], {}, 'Success'],
  ['batch-modify', [{ clientOid: 'mine', price: '49000' }], { category: 'usdt-futures' }, 'Success'],
  ['cancel-order', [{ clientOid: 'mine' }], {}, 'Success'],
  ['batch-cancel', [{ clientOid: 'mine' }], { category: 'usdt-futures' }, 'Success'],
])('v3: the answer to %s repeats what was asked and says how each order went', async (topic, args, beside, msg) => {
  const [, socket] = await trader('/v3/ws/private')
  const setUp = { op: 'trade', id: '0', category: 'usdt-futures', topic: 'place-order' }
  socket.send({ ...setUp, args: [{ ...order, clientOid: 'mine' }] })
  await socket.next()
  socket.send({ op: 'trade', id: '1', topic, args, ...beside })
  const answer = await socket.next()
  const went = topic.startsWith('batch') ? { code: '0', msg: 'Success' } : {}
  const ids = { orderId: expect.stringMatching(/^\d+$/), clientOid: args[0]?.clientOid }
  expect(answer).toEqual({
    event: 'trade',
    id: '1',
    ...beside,
    topic,
    args: [{ ...went, symbol: 'BTCUSDT', ...ids, cTime: expect.stringMatching(/^\d{13}$/) }],
    code: '0',
    msg,
    ts: expect.stringMatching(/^\d{13}$/),
  })
  socket.close()
})

test('v3: an order of a batch that was refused says so in its place', async () => {
  const [, socket] = await trader('/v3/ws/private')
  const args = [order, { ...order, qty: '100' }]
  socket.send({ op: 'trade', id: '1', category: 'spot', topic: 'batch-place', args })
  expect(await socket.next()).toMatchObject({
    code: '0',
    args: [{ code: '0' }, { code: '43012', msg: expect.stringMatching(/./) }],
  })
  socket.close()
})

test('v3: presets may be in lower case; a batch takes none, as over HTTP', async () => {
  const [alice, socket] = await trader('/v3/ws/private')
  const args = [{ ...order, clientOid: 'mine', takeprofit: '70000', stoploss: '40000' }]
  const request = { op: 'trade', id: '1', category: 'usdt-futures' }
  socket.send({ ...request, topic: 'place-order', args })
  expect(await socket.next()).toMatchObject({ event: 'trade', code: '0' })
  const { takeProfit, stopLoss } = await unifiedOrder(alice, { clientOid: 'mine' })
  expect({ takeProfit, stopLoss }).toEqual({ takeProfit: '70000', stopLoss: '40000' })
  for (const names of [
    { takeprofit: '70000', stoploss: '40000' },
    { takeProfit: '70000', stopLoss: '40000' },
  ]) {
    socket.send({ ...request, topic: 'batch-place', args: [{ ...order, ...names }] })
    expect(await socket.next()).toMatchObject({
      args: [{ code: '400172', msg: expect.stringContaining('takeProfit') }],
    })
  }
  socket.close()
})

test('the broker that a message names gets the rebate of its orders', async () => {
  const broker = scene.venue.as('broker-main')
  const rebates = async () =>
    (await broker.get('/api/v2/spot/account/bills', { businessType: 'REBATE_REWARDS' })).list().length
  const [, maker] = await trader('/v3/ws/private', { funds: { uta: { BTC: '1' } } })
  const [, taker] = await trader('/v3/ws/private')
  const limit = { ...order, price: '60000' }
  const request = { op: 'trade', id: '1', category: 'spot', topic: 'place-order' }
  maker.send({ ...request, args: [{ ...limit, side: 'sell' }] })
  await maker.next()
  const before = await rebates()
  taker.send({ ...request, apiCode: 'demo-broker', args: [limit] })
  expect(await taker.next()).toMatchObject({ event: 'trade', code: '0' })
  expect(await rebates()).toBe(before + 1)
  for (const socket of [maker, taker]) socket.close()
})

test('v3: the time a request was sent at counts for its orders', async () => {
  const [, socket] = await trader('/v3/ws/private')
  const request = { op: 'trade', id: '1', category: 'spot', topic: 'place-order' }
  const args = [{ ...order, receiveWindow: '10000' }]
  socket.send({ ...request, requestTime: '1750000000000', args })
  expect(await socket.next()).toMatchObject({ event: 'error', code: '40078' })
  socket.send({ ...request, requestTime: String(scene.venue.now()), args })
  expect(await socket.next()).toMatchObject({ event: 'trade', code: '0' })
  socket.close()
})

test('v3: of several orders where one is meant none is placed', async () => {
  const [alice, socket] = await trader('/v3/ws/private')
  const args = ['first', 'second'].map((clientOid) => ({ ...order, clientOid }))
  socket.send({ op: 'trade', id: '1', category: 'spot', topic: 'place-order', args })
  expect(await socket.next()).toMatchObject({ event: 'error', id: '1', msg: expect.stringContaining('args') })
  expect((await alice.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' })).list('list')).toEqual([])
  socket.close()
})

test('a key that only reads places nothing', async () => {
  const [, socket] = await trader('/v3/ws/private', { ...unified, permissions: ['read'] })
  socket.send({ op: 'trade', id: '1', category: 'spot', topic: 'place-order', args: [order] })
  expect(await socket.next()).toMatchObject({ event: 'error', id: '1', code: '40014' })
  socket.close()
})

test.each([
  ['/v3/ws/private', { category: 'spot', topic: 'place-order', args: [order] }, { code: '30004', id: '7' }],
  ['/v3/ws/public', { category: 'spot', topic: 'cancel-order', args: [{ orderId: '1' }] }, { code: '30004', id: '7' }],
  ['/v3/ws/private', {}, { code: '30004', id: '7' }],
  ['/v2/ws/private', { args: [{ channel: 'place-order' }] }, { code: 30004 }],
])('before a login %s answers %j with its id, if it has one', async (path, request, answered) => {
  const socket = await Socket.open(scene.venue, path)
  socket.send({ op: 'trade', id: '7', ...request })
  expect(await socket.next()).toMatchObject({ event: 'error', ...answered, msg: 'User needs to log in' })
  socket.send('ping')
  expect(await socket.next()).toEqual({ text: 'pong' })
  socket.close()
})
