/**
 * An edge on loopback for the tests of this folder: the real HTTP server over a core that does what the test says.
 */
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { type Api, type ApiOptions, createApi } from '../../src/api/api.ts'
import type { ApiKey } from '../../src/api/keys/keys.ts'
import type { AccountView } from '../../src/engine/protocol/query.ts'
import type { Core } from '../../src/runtime/core.ts'

export const alice: AccountView = {
  uid: 1001,
  kind: 'main',
  parentUid: undefined,
  name: 'Alice',
  note: '',
  mode: 'unified',
  stpMode: 'none',
  holdMode: { 'USDT-FUTURES': 'one_way_mode', 'COIN-FUTURES': 'one_way_mode', 'USDC-FUTURES': 'one_way_mode' },
  broker: undefined,
  boundAt: undefined,
  copyTrader: undefined,
  createdAt: 0,
  updatedAt: 0,
  frozen: false,
  frozenByOperator: false,
  permissions: undefined,
  dailyOrders: 0,
}

export function keyOf(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    apiKey: 'bg_dummykey',
    uid: alice.uid,
    kind: 'hmac',
    secret: 'dummy-secret-0001',
    passphrase: 'dummypass1',
    permissions: ['uta_trade', 'uta_mgt'],
    readOnly: false,
    ipList: [],
    label: '',
    createdAt: 0,
    revokedAt: undefined,
    ...fields,
  }
}

/** A core that knows Alice and an empty catalogue; every command is done. */
export function coreOf(parts: Partial<Core> = {}, account: AccountView = alice): Core {
  const query = (({ kind }: { readonly kind: string }) =>
    kind === 'catalog'
      ? { version: 0, coins: [], instruments: [] }
      : kind === 'account'
        ? account
        : kind === 'reserves'
          ? { accounts: [], inside: [] }
          : []) as Core['query']
  return {
    submit: () => Promise.resolve({ kind: 'done' }),
    submitAll: (commands) => Promise.resolve(commands.map(() => ({ kind: 'done' }) as const)),
    query,
    now: () => Date.now(),
    ...parts,
  }
}

export interface Edge {
  readonly api: Api
  readonly url: string
  /** A signed request; `headers` replace those of the signature. */
  readonly signed: (method: string, target: string, body?: string, headers?: Record<string, string>) => Promise<Answer>
  readonly plain: (method: string, target: string, init?: RequestInit) => Promise<Answer>
  /** Bytes on a socket as they are; answers what comes back until the other side closes. */
  readonly raw: (bytes: string) => Promise<string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly envelope: {
    readonly code: string
    readonly msg: string
    readonly requestTime: number
    readonly data: unknown
  }
}

export async function openEdge(options: Partial<ApiOptions> = {}, key: ApiKey = keyOf()): Promise<Edge> {
  const api = createApi({
    core: coreOf(),
    history: {} as ApiOptions['history'],
    market: {} as ApiOptions['market'],
    keys: { find: (name: string) => (name === key.apiKey ? key : undefined) } as ApiOptions['keys'],
    rateLimits: { enabled: false },
    ...options,
  })
  const url = await api.listen({ host: '127.0.0.1', port: 0 })
  const plain = async (method: string, target: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetch(url + target, { ...init, method })
    return { status: answer.status, headers: answer.headers, envelope: (await answer.json()) as Answer['envelope'] }
  }
  return {
    api,
    url,
    plain,
    signed: (method, target, body, headers = {}) => {
      const timestamp = String(Date.now())
      const sign = createHmac('sha256', key.secret)
        .update(timestamp + method + target + (body ?? ''))
        .digest('base64')
      return plain(method, target, {
        ...(body === undefined ? {} : { body }),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          'access-key': key.apiKey,
          'access-sign': sign,
          'access-timestamp': timestamp,
          'access-passphrase': key.passphrase,
          ...headers,
        },
      })
    },
    raw: (bytes) =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
        let received = ''
        socket.on('data', (chunk) => {
          received += chunk.toString()
        })
        socket.on('close', () => resolve(received))
        socket.on('error', reject)
      }),
  }
}
