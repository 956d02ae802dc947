/**
 * Through the doors: a venue whose clients come by HTTP, from the endpoint table down, on the machine that loses power,
 * with the real history in SQLite beside it.
 *
 * Answers   every request has an envelope; none is a fault of the venue's own except while the machine is down
 * Retried   what a power cut left unanswered is sent again until it is answered, and is there once (reliability F2)
 * Agrees    after all the power cuts the history has every fill that the engine emitted, once, with its fees
 * Same      a second life from the same seed ends in the same state
 */
import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Api, type ApiKey, createApi, type KeyKeeper, permissions } from '../../src/api/api.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Uid } from '../../src/engine/vocabulary.ts'
import { type History, openHistory } from '../../src/history/history.ts'
import { Market } from '../../src/market/market.ts'
import { units } from '../engine/support/figures.ts'
import { coinListings } from '../engine/support/listings.ts'
import { Computer } from './computer.ts'
import { IndexPrices } from './index-prices.ts'
import { openMarkets } from './people.ts'
import { Random } from './random.ts'
import { nextRequest, type Sent } from './requests.ts'
import { Watch } from './watch.ts'

const seed = Number(process.env['SIMULATION_SEED'] ?? 1)
const again = `SIMULATION_SEED=${seed} npm test -- test/simulation/doors.test.ts`

interface Answer {
  readonly status: number
  readonly code: string
  readonly data: unknown
}

class Doors {
  readonly watch = new Watch()
  readonly #random: Random
  readonly #indexPrices: IndexPrices
  readonly #computer: Computer
  readonly #keys = new Map<string, ApiKey>()
  /** By API key. */
  readonly #placed = new Map<string, readonly Sent[]>()
  #history: History | undefined
  #api: Api | undefined
  answered = 0
  retried = 0
  subAccounts = 0
  readonly codes = new Map<string, number>()

  constructor(lifeSeed: number, file: string) {
    const random = new Random(lifeSeed)
    this.#random = random.fork()
    this.#indexPrices = new IndexPrices(
      random.fork(),
      coinListings.map(({ listingPriceE8 }) => listingPriceE8),
    )
    const histories = {
      open: async () => (this.#history = await openHistory(file)),
      lose: async () => {
        await this.#history?.abandon()
        this.#history = undefined
      },
    }
    const machine = { startAt: 1_767_225_600_000, segmentBytesMax: 20_000 }
    this.#computer = new Computer({ watch: this.watch, random: random.fork(), histories, ...machine })
  }

  get #runtime() {
    return this.#computer.runtime
  }

  get cuts(): number {
    return this.#computer.cuts
  }

  async live(requests: number): Promise<string> {
    await this.#computer.start()
    await this.#admit()
    await this.#openDoors()
    for (let number = 1; number <= requests; number++) {
      const key = this.#random.pick([...this.#keys.values()])
      const own = this.#placed.get(key.apiKey) ?? []
      const sent = nextRequest(this.#random, number, own)
      await this.#askUntilAnswered(key, sent)
      if (sent.clientOid !== undefined) this.#placed.set(key.apiKey, [...own.slice(-4), sent])
      await this.#disturb()
    }
    await this.#compareHistory()
    this.watch.checkAll()
    this.subAccounts = this.#runtime.query({ kind: 'accounts' }).filter(({ kind }) => kind === 'sub').length
    const hash = await this.#runtime.stateHash()
    await this.#computer.lost()
    return hash
  }

  async #admit(): Promise<void> {
    const must = async (command: Command) => {
      const reply = await this.#runtime.submit(command)
      if (reply.kind === 'refused') throw new Error(`${command.kind} was refused: ${reply.refusal.kind}`)
      return reply
    }
    await openMarkets(must)
    for (let person = 0; person < 6; person++) {
      const mode = (['unified', 'hybrid', 'classic'] as const)[person % 3] ?? 'classic'
      const reply = await must({
        kind: 'create-account',
        account: 'main',
        parentUid: undefined,
        mode,
        name: `p${person}`,
      })
      if (reply.kind !== 'account-created') throw new Error('nobody joined')
      const { uid } = reply
      const wallets = mode === 'classic' ? (['spot', 'usdt_futures'] as const) : (['uta', 'spot'] as const)
      for (const wallet of wallets) await must({ kind: 'deposit', uid, wallet, coin: 3, amount: units('300000') })
      await must({ kind: 'deposit', uid, wallet: wallets[0], coin: wallets[0] === 'spot' ? 0 : 1, amount: units('20') })
      this.#keys.set(`bg_${uid}`, keyOf(uid))
    }
  }

  /** The interface on the venue that runs now. */
  async #openDoors(): Promise<void> {
    const history = this.#history as History
    const runtime = this.#runtime
    const market = new Market()
    runtime.addConsumer({ record: (_sequence, _at, events) => market.record(events) })
    this.#api = createApi({
      core: runtime,
      history,
      market,
      keys: { find: (name: string) => this.#keys.get(name) } as KeyKeeper,
      rateLimits: { enabled: false },
      systemClock: () => runtime.now(),
    })
    await this.#api.app.ready()
  }

  async #ask({ apiKey, secret, passphrase }: ApiKey, { method, path, query, body }: Sent): Promise<Answer> {
    const target = query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`
    const text = body === undefined ? '' : JSON.stringify(body)
    const timestamp = String(this.#runtime.now())
    const sign = createHmac('sha256', secret)
      .update(timestamp + method + target + text)
      .digest('base64')
    const { statusCode, payload } = await (this.#api as Api).app.inject({
      method,
      url: target,
      ...(text === '' ? {} : { payload: text }),
      headers: {
        'content-type': 'application/json',
        'access-key': apiKey,
        'access-sign': sign,
        'access-timestamp': timestamp,
        'access-passphrase': passphrase,
      },
    })
    const envelope = JSON.parse(payload) as { code: string; msg: string; requestTime: number; data: unknown }
    expect(typeof envelope.code, payload).toBe('string')
    expect(typeof envelope.msg, payload).toBe('string')
    return { status: statusCode, code: envelope.code, data: envelope.data }
  }

  /** Some send the same at once, and all of them send it again when nothing certain came back. */
  async #askUntilAnswered(key: ApiKey, sent: Sent): Promise<void> {
    for (;;) {
      const times = sent.clientOid !== undefined && this.#random.happens(0.1) ? 2 + this.#random.below(8) : 1
      const answers = await Promise.all(Array.from({ length: times }, () => this.#ask(key, sent)))
      const accepted = answers.filter(({ code }) => code === '00000').length
      if (sent.clientOid !== undefined)
        expect(accepted, `${sent.clientOid} is placed once; ${again}`).toBeLessThanOrEqual(1)
      for (const { code } of answers) this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
      if (!this.#computer.down) {
        for (const { status, code } of answers)
          expect(status, `${sent.path} answered ${code}; ${again}`).toBeLessThan(500)
        this.answered += answers.length
        return
      }
      this.retried += 1
      await this.#restart()
    }
  }

  async #disturb(): Promise<void> {
    const random = this.#random
    const computer = this.#computer
    if (random.happens(0.15)) {
      await this.#runtime.submit(this.#indexPrices.next()).catch(() => {})
    }
    if (!computer.down && random.happens(0.2)) await this.#runtime.advance(random.below(30_000)).catch(() => {})
    if (!computer.down && random.happens(0.01)) await this.#runtime.snapshot().catch(() => {})
    if (!computer.down && !computer.planned && random.happens(0.02))
      computer.plan(1 + random.below(8), computer.anyEnd())
    if (computer.down) await this.#restart()
  }

  async #restart(): Promise<void> {
    const applied = this.watch.last
    await this.#api?.close()
    await this.#computer.lost()
    await this.#computer.start()
    expect(this.#runtime.sequence, again).toBeGreaterThanOrEqual(applied)
    await this.#openDoors()
  }

  /** Every fill that the engine emitted is in the history once. */
  async #compareHistory(): Promise<void> {
    const history = this.#history as History
    let found = 0
    for (const { uid } of this.#keys.values()) {
      const seen = new Set<number>()
      let beforeExecId: number | undefined
      do {
        const page = await history.fills({ uid, limit: 100, beforeExecId })
        for (const { execId } of page.rows) seen.add(execId)
        found += page.rows.length
        beforeExecId = page.next
      } while (beforeExecId !== undefined)
      const orders = await history.orders({ uid, limit: 1000 })
      for (const { orderId } of orders.rows) {
        expect(this.#runtime.query({ kind: 'order', uid, order: { orderId, clientOid: '' } }), again).toBeUndefined()
      }
      expect(seen.size).toBeLessThanOrEqual(found)
    }
    const funds = this.#runtime.query({ kind: 'accounts' }).filter(({ uid }) => !this.#keys.has(`bg_${uid}`))
    for (const { uid } of funds) found += (await history.fills({ uid, limit: 1000 })).rows.length
    expect(found, again).toBe(this.watch.fills)
  }
}

function keyOf(uid: Uid): ApiKey {
  const facts = {
    kind: 'hmac',
    secret: `secret-${uid}`,
    passphrase: 'simulated',
    permissions,
    readOnly: false,
    ipList: [],
  } as const
  return { apiKey: `bg_${uid}`, uid, label: '', createdAt: 0, revokedAt: undefined, ...facts }
}

test('requests through the doors of a venue that loses power', { timeout: 600_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-doors-'))
  try {
    const hashes: string[] = []
    for (const life of [1, 2]) {
      const doors = new Doors(seed, join(directory, `history-${life}.sqlite`))
      hashes.push(await doors.live(700))
      expect(doors.watch.faults, again).toEqual([])
      expect(doors.answered).toBeGreaterThan(700)
      expect(doors.cuts).toBeGreaterThan(3)
      expect(doors.retried).toBeGreaterThan(0)
      expect(doors.watch.fills).toBeGreaterThan(30)
      expect(doors.codes.get('00000')).toBeGreaterThan(200)
      expect(doors.subAccounts).toBeGreaterThan(3)
      expect(doors.watch.counts.get('amend-order accepted') ?? 0).toBeGreaterThan(3)
    }
    expect(hashes[1], again).toBe(hashes[0])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
