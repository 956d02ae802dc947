/**
 * A key that is revoked, or may no longer do what its sockets do, ends them at once: whoever changes it, and whatever they do.
 */
import { expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import { type Key, Person } from '../support/person.ts'
import { type Argument, Socket, type StreamPath } from '../support/socket.ts'

const scene = stage()

interface Family {
  readonly main: Person
  readonly sub: Person
}

/** A main account with a sub-account, whose key the main account made and can change. */
async function family(permissions: readonly string[], ips: readonly string[] = []): Promise<Family> {
  const main = await scene.person('Main')
  const sub = await scene.person('Sub', { parent: main })
  const passphrase = 'subkeypass1'
  const made = await main.post('/api/v3/user/create-sub-api', {
    subUid: sub.uid,
    note: 'bot',
    type: 'read_write',
    passphrase,
    permissions,
    ips,
  })
  const { apiKey, secret } = made.fields as Record<string, string>
  const key: Key = { apiKey, secret, passphrase }
  return { main, sub: new Person(scene.venue, 'Sub', sub.uid, key) }
}

const own = { instType: 'UTA', topic: 'order' }
const ownV2 = { instType: 'USDT-FUTURES', channel: 'orders', instId: 'default' }

/** Logged in and subscribed to nothing, to its own orders, on each version. */
async function watching(person: Person): Promise<readonly Socket[]> {
  const open = async (path: StreamPath, ...subscriptions: readonly Argument[]) => {
    const socket = await Socket.of(person, path)
    for (const argument of subscriptions) await socket.subscribe(argument)
    return socket
  }
  return Promise.all([
    open('/v3/ws/private'),
    open('/v2/ws/public'),
    open('/v3/ws/private', own),
    open('/v2/ws/private', ownV2),
  ])
}

async function endedWith(socket: Socket, code: number): Promise<void> {
  // An order that is under way when the key goes is refused, or is not heard at all.
  socket.send({ op: 'trade', id: '1', topic: 'place-order', category: 'SPOT', args: [{}] })
  expect(await socket.next(({ event }) => event === 'error')).toMatchObject({ event: 'error', code })
  expect(await socket.closed).toBe(1001)
  expect(socket.heard.filter(({ event }) => event === 'error' || event === 'trade')).toHaveLength(1)
}

async function stays(socket: Socket): Promise<void> {
  socket.send('ping')
  expect(await socket.next()).toEqual({ text: 'pong' })
  socket.close()
}

test('revoked by the operator: every socket of the key ends, those of other keys of the account stay', async () => {
  const alice = await scene.person('Alice')
  const other = new Person(scene.venue, 'Alice', alice.uid, await scene.venue.makeKey(alice.uid))
  const [ending, staying] = [await watching(alice), await watching(other)]
  await scene.venue.operator('keys/revoke', { apiKey: alice.key.apiKey })
  for (const socket of ending) await endedWith(socket, 30004)
  for (const socket of staying) await stays(socket)
})

test('deleted by the main account', async () => {
  const { main, sub } = await family(['uta_trade'])
  const sockets = await watching(sub)
  expect((await main.post('/api/v3/user/delete-sub-api', { apiKey: sub.key.apiKey })).code).toBe('00000')
  for (const socket of sockets) await endedWith(socket, 30004)
})

test.each(['v2', 'v3'])('given another list of addresses over %s', async (version) => {
  const { main, sub } = await family(['uta_trade'])
  const change = (ips: readonly string[]) =>
    version === 'v3'
      ? main.post('/api/v3/user/update-sub-api', { apiKey: sub.key.apiKey, passphrase: sub.key.passphrase, ips })
      : main.post('/api/v2/user/modify-virtual-subaccount-apikey', {
          subAccountUid: sub.uid,
          subAccountApiKey: sub.key.apiKey,
          passphrase: sub.key.passphrase,
          ipList: ips,
        })
  const sockets = await watching(sub)
  expect((await change(['127.0.0.1'])).code).toBe('00000')
  for (const socket of sockets) {
    socket.send('ping')
    expect(await socket.next(({ text }) => text !== undefined), 'its own address is on it').toEqual({ text: 'pong' })
  }
  expect((await change(['10.0.0.1'])).code).toBe('00000')
  for (const socket of sockets) await endedWith(socket, 40018)
})

test('given other permissions: what it may no longer watch ends, what it may stays', async () => {
  const { main, sub } = await family(['uta_trade'])
  const [bare, publicOnly, onV3, onV2] = await watching(sub)
  const { apiKey, passphrase } = sub.key
  const changed = await main.post('/api/v3/user/update-sub-api', { apiKey, passphrase, permissions: ['transfer'] })
  expect(changed.code).toBe('00000')
  for (const socket of [onV3, onV2]) await endedWith(socket, 40014)
  for (const socket of [bare, publicOnly]) await stays(socket)
})

test('its sub-account may do less: the same', async () => {
  const { main, sub } = await family(['uta_trade'])
  const [bare, publicOnly, onV3, onV2] = await watching(sub)
  const answer = await main.post('/api/v2/user/modify-virtual-subaccount', {
    subAccountUid: sub.uid,
    permList: ['transfer'],
  })
  expect(answer.code).toBe('00000')
  for (const socket of [onV3, onV2]) await endedWith(socket, 40014)
  for (const socket of [bare, publicOnly]) await stays(socket)
})

test('who logs in anew with a key that may do less watches no more than that key may', async () => {
  const alice = await scene.person('Alice')
  const lesser = await scene.venue.makeKey(alice.uid, ['transfer'])
  const equal = await scene.venue.makeKey(alice.uid, ['uta_trade'])
  const socket = await Socket.of(alice, '/v3/ws/private')
  await socket.subscribe(own)
  const login = async (key: Key) => {
    socket.login(key, scene.venue.now())
    expect(await socket.next(({ event }) => event !== undefined)).toMatchObject({ event: 'login', code: 0 })
  }
  await login(equal)
  // Subscribed still: a second time it is acknowledged and not begun anew.
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '1000', qty: '0.01' }
  await scene.venue.deposit(alice, { uta: { USDT: '100000' } })
  await alice.post('/api/v3/trade/place-order', order)
  await socket.push('order')
  await login(lesser)
  await alice.post('/api/v3/trade/place-order', order)
  socket.send({ op: 'subscribe', args: [own] })
  expect(await socket.next(), 'nothing was pushed before').toMatchObject({ event: 'error', code: 40014 })
  socket.close()
})
