/**
 * What clients send that are not installed here, request by request: every path is there, every field is known, and the
 * answer has what the client reads.
 *
 * Lists    requests/*.ts: facts about each client
 * Source   fidelity §5; wire/client-endpoints.md
 */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { type Argument, type Message, Socket } from '../support/socket.ts'
import { ethPerpetual, takenInBatch } from '../support/trading.ts'
import type { Venue } from '../support/venue.ts'
import { agentServer } from './requests/agent-server.ts'
import { hummingbot, hummingbotTopics } from './requests/hummingbot.ts'
import { vendorSdks } from './requests/vendor-sdks.ts'
import { callsOf } from './support/calls.ts'
import { startMarket } from './support/market.ts'
import { type ListedRequest, said, type Words } from './support/requests.ts'

let venue: Venue

beforeAll(async () => {
  venue = await startMarket()
})
afterAll(async () => {
  await venue?.remove()
})

/** The fields that an endpoint knows, by method and path. */
const known = new Map(
  endpoints.map(({ method, path, request }) => [
    `${method} ${path}`,
    Object.keys((request as { readonly properties?: object }).properties ?? {}),
  ]),
)

describe.each([agentServer, ...hummingbot, ...vendorSdks])('$client', ({ client, mode, headers = {}, requests }) => {
  const { works, notOffered, notByClient } = callsOf(client, mode)
  let person: Person
  let words: Words

  beforeAll(async () => {
    person = await venue.person('Carol', { mode: 'classic', funds: plenty })
    words = wordsOf(person)
  })

  async function send([call, line, fields]: ListedRequest): Promise<Answer> {
    const [method, path = ''] = line.split(' ')
    if (/set-(margin|position)-mode/.test(path)) await clear(person)
    const sent = await said(fields, words)
    const answer =
      method === 'GET'
        ? await person.get(path, sent as Record<string, string>, { headers })
        : await person.post(path, sent, { headers })
    expect(Object.keys(answer.envelope ?? {}).sort(), call).toEqual(['code', 'data', 'msg', 'requestTime'])
    return answer
  }

  for (const request of requests) {
    const [call, line, fields, otherwise = {}] = request
    const title = `${call}: ${line}`
    if (otherwise.notOffered !== undefined && !known.has(line)) {
      notOffered(title, otherwise.notOffered, async () => {
        const { code, msg } = await send(request)
        throw new Error(`${code} ${msg}`)
      })
      continue
    }
    if (otherwise.fault !== undefined) {
      notByClient(title, otherwise.fault, async () => {
        expect(await send(request)).toMatchObject({ status: 404, code: '40404' })
      })
      continue
    }
    works(
      otherwise.refused === undefined ? title : `${title} is refused with ${otherwise.refused}`,
      async () => {
        expect(known.get(line), 'an endpoint of the venue').toBeDefined()
        const passedOver = Object.keys(fields).filter((field) => known.get(line)?.includes(field) !== true)
        expect(passedOver.sort().join(' '), 'fields that the endpoint passes over').toBe(otherwise.passedOver ?? '')
        const answer = await send(request)
        expect(answer.code, answer.msg).toBe(otherwise.refused ?? '00000')
        const rejected = (answer.data as { failureList?: unknown } | null)?.failureList ?? []
        expect(rejected, 'what a batch refuses').toEqual([])
        if (otherwise.reads === undefined) return
        const first = (Array.isArray(answer.data) ? answer.data[0] : answer.data) as Fields
        expect(Object.keys(first)).toEqual(expect.arrayContaining(otherwise.reads.split(' ')))
      },
      otherwise.note,
    )
  }
})

describe('hummingbot, topics', () => {
  const { works } = callsOf('hummingbot', 'topics')

  works('public topics of both connectors', async () => {
    const socket = await Socket.open(venue, '/v2/ws/public')
    await confirmed(socket, hummingbotTopics.public, hummingbotTopics.public)
  })

  works('private topics of both connectors', async () => {
    const socket = await Socket.of(await venue.person('Dave', { mode: 'classic', funds: plenty }), '/v2/ws/private')
    await confirmed(socket, hummingbotTopics.private, [])
  })

  /** All are subscribed to; `pushed` ones tell at once what there is. */
  async function confirmed(socket: Socket, args: readonly Argument[], pushed: readonly Argument[]): Promise<void> {
    socket.send({ op: 'subscribe', args })
    const has = (arg: Argument, test: (message: Message) => boolean) =>
      socket.heard.some((message) => test(message) && same(message.arg, arg))
    await socket.next(
      () =>
        args.every((arg) => has(arg, ({ event }) => event === 'subscribe')) &&
        pushed.every((arg) => has(arg, ({ data }) => data !== undefined)),
    )
    socket.close()
  }
})

/** Whether a subscription is the one that was asked for; the venue may say more about it. */
function same(given: Readonly<Record<string, string>> | undefined, asked: Readonly<Record<string, string>>): boolean {
  return Object.entries(asked).every(([name, value]) => given?.[name] === value)
}

const plenty = {
  spot: { USDT: '100000', BTC: '10' },
  usdt_futures: { USDT: '100000' },
  crossed_margin: { USDT: '100000', BTC: '1' },
}

const futures = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }

/** No open order and no position of USDT futures is left, as settings of them ask for. */
async function clear(person: Person): Promise<void> {
  await person.post('/api/v2/mix/order/cancel-all-orders', { productType: 'USDT-FUTURES' })
  await person.post('/api/v2/mix/order/close-positions', { productType: 'USDT-FUTURES' })
}

/** What the `<words>` of the lists mean to this person. */
function wordsOf(person: Person): Words {
  let names = 0
  const aNewName = () => `listed-${++names}`
  const done = async (path: string, body: Record<string, unknown>): Promise<Fields> => {
    const answer = await person.post(path, body)
    if (answer.code !== '00000') throw new Error(`${path}: ${answer.text}`)
    return (Array.isArray(answer.data) ? answer.data[0] : answer.data) as Fields
  }
  const limit = { side: 'buy', orderType: 'limit', price: '59000', force: 'gtc' }
  const market = { side: 'buy', orderType: 'market' }
  const inSpot = (terms: object) =>
    done('/api/v2/spot/trade/place-order', { symbol: 'BTCUSDT', ...terms, clientOid: aNewName() })
  const inFutures = (terms: object, symbol = 'BTCUSDT', marginMode = 'crossed') =>
    done('/api/v2/mix/order/place-order', { ...futures, symbol, marginMode, ...terms, clientOid: aNewName() })
  const held = async () => {
    const [position] = (await person.get('/api/v2/mix/position/single-position', futures)).list()
    return position
  }
  const named = (field: 'orderId' | 'clientOid', order: () => Promise<Fields>) => async () =>
    (await order())[field] ?? ''
  const spotOrder = () => inSpot({ ...limit, size: '0.01' })
  const futuresOrder = () => inFutures({ ...limit, size: '0.01' })
  const subAccount = async () => {
    const { successList } = (await done('/api/v2/user/create-virtual-subaccount', {
      subAccountList: ['listed'],
    })) as unknown as { readonly successList: readonly Fields[] }
    return successList[0]?.['subaAccountUid'] ?? ''
  }
  let sub: Promise<string> | undefined
  const theSub = () => (sub ??= subAccount())
  return {
    'a new name': aNewName,
    now: () => String(venue.now()),
    'a day ago': () => String(venue.now() - 86_400_000),
    'the account': () => person.uid,
    'the sub-account': theSub,
    'a key of the sub-account': async () => {
      const body = { subAccountUid: await theSub(), passphrase: 'passphrase', label: 'listed', permList: ['read'] }
      return (await done('/api/v2/user/create-virtual-subaccount-apikey', body))['subAccountApiKey'] ?? ''
    },
    'a spot order': named('orderId', spotOrder),
    'the name of a spot order': named('clientOid', spotOrder),
    'a filled spot order': named('orderId', () => inSpot({ ...market, size: '100' })),
    'a spot plan': async () => {
      const terms = {
        ...limit,
        triggerPrice: '58000',
        executePrice: '58000',
        planType: 'amount',
        size: '0.01',
        triggerType: 'mark_price',
      }
      return (await done('/api/v2/spot/trade/place-plan-order', { symbol: 'BTCUSDT', ...terms }))['orderId'] ?? ''
    },
    'a margin order': async () => {
      const terms = { ...limit, baseSize: '0.01', loanType: 'normal' }
      return (await done('/api/v2/margin/crossed/place-order', { symbol: 'BTCUSDT', ...terms }))['orderId'] ?? ''
    },
    'a futures order': named('orderId', futuresOrder),
    'the name of a futures order': named('clientOid', futuresOrder),
    'a filled futures order': named('orderId', () => inFutures({ ...market, size: '0.01' })),
    'what is held of BTCUSDT': async () => {
      await clear(person)
      await inFutures({ ...market, size: '0.01' })
      return (await held())?.['total'] ?? ''
    },
    'a position to close': async () => {
      await clear(person)
      await inFutures({ ...market, size: '0.01' })
      return (await held())?.['holdSide'] ?? ''
    },
    'an isolated position': async () => {
      const bob = await venue.person('Bob', { funds: { uta: { USDT: '100000' } } })
      await takenInBatch(bob, 'sell 1 @ 3000', ethPerpetual)
      const which = { ...futures, symbol: 'ETHUSDT' }
      await done('/api/v2/mix/account/set-margin-mode', { ...which, marginMode: 'isolated' })
      await inFutures({ ...market, size: '1' }, 'ETHUSDT', 'isolated')
      return 'long'
    },
    'an address': () => 'TQ5Cmt1hLrW1dWbcBS7RSWUVtaSBJzXgVr',
    'a withdrawal': async () => {
      const to = { transferType: 'on_chain', chain: 'BTC', address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }
      return (await done('/api/v2/spot/wallet/withdrawal', { coin: 'BTC', size: '0.1', ...to }))['orderId'] ?? ''
    },
  }
}
