/**
 * Orders and cancels of spot, half of each, signed beforehand: through a gateway of a cluster, and through the venue in one process.
 *
 * Turns     one process, the cluster, the bare append to the log of a message as long as that of one order; medians of the turns
 * Added     by the cluster to a request of one connection at the median; `beyondAppendMs`: what of it is not the append
 * Ratio     of the rates with 64 connections, in each turn
 * Times     of the processor for a request with 64 connections, by role: the two cores that follow and the two NATS servers that do
 *           not lead are sums
 */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { end, launch } from '../../test/gateway/processes.ts'
import { temporaryDirectory } from '../../test/support/temporary.ts'
import { Generator } from '../http/generator.ts'
import type { Round, RoundMeasured } from '../http/load.ts'
import type { LoadKey, LoadRequest } from '../http/requests.ts'
import { cpuSeconds } from '../http/server.ts'
import { median } from '../measure.ts'
import { type ClusterAsked, openCluster, tell } from './parts.ts'

const many = 64
/** An order is canceled when so many others were sent after it: its answer is there by then. */
const openAtOnce = 100
const messageBytes = 256

interface Asked {
  readonly port: number
  readonly keys: readonly LoadKey[]
}

interface Turn {
  readonly one: RoundMeasured
  readonly all: RoundMeasured
}

export async function benchOrders(asked: ClusterAsked): Promise<void> {
  const turns = asked.quick ? 1 : 3
  const [few, lots] = asked.quick ? [400, 2_000] : [2_000, 12_000]
  await using opened = new AsyncDisposableStack()
  const { nats, venue } = opened.use(await openCluster(asked))
  const data = temporaryDirectory('one-process')
  const children: ChildProcess[] = []
  opened.defer(async () => void (await Promise.all(children.map((child) => end(child)))))
  const flags = ['--port', '0', '--no-rate-limits', '--durability', asked.durability]
  const alone = await launch(children, 'start', data, ...flags)
  const log = await nats.open(await nats.venue())
  opened.defer(() => log.close())
  const load = opened.use(new Generator<Round, RoundMeasured>('load.ts'))

  const atCluster = { port: portOf(venue.gatewayUrls[0]), keys: [keyIn(venue.coreData(await venue.leader()))] }
  const atOne = { port: portOf(String(alone.ready['url'])), keys: [keyIn(data)] }
  const play = async ({ port, keys }: Asked, connections: number, count: number) => {
    const measured = await load.ask({ port, keys, connections, requests: placedAndCanceled(count) })
    if (measured.failed > 0)
      throw new Error(`${measured.failed} requests were refused, first:\n${measured.firstFailure}`)
    return measured
  }
  // Compilers first.
  for (const place of [atOne, atCluster]) await play(place, many, lots)

  const roles = await rolesOf()
  const cpu = new Map([...roles.keys()].map((role) => [role, 0]))
  const ones: Turn[] = []
  const clusters: Turn[] = []
  const appendsMs: number[] = []
  let position = 0
  for (let turn = 0; turn < turns; turn++) {
    ones.push({ one: await play(atOne, 1, few), all: await play(atOne, many, lots) })
    const one = await play(atCluster, 1, few)
    const before = new Map([...roles].map(([role, pids]) => [role, cpuOf(pids)]))
    clusters.push({ one, all: await play(atCluster, many, lots) })
    for (const [role, pids] of roles) cpu.set(role, cpu.get(role)! + cpuOf(pids) - before.get(role)!)
    const message = Buffer.alloc(messageBytes, turn)
    const tookMs: number[] = []
    for (let count = 0; count < few; count++) {
      const sinceMs = performance.now()
      position = await log.append(position, message)
      tookMs.push(performance.now() - sinceMs)
    }
    appendsMs.push(median(tookMs))
  }
  const middle = (list: readonly Turn[], read: (turn: Turn) => number) => median(list.map(read))
  const added = clusters.map(({ one }, turn) => one.p50Ms - ones[turn].one.p50Ms)
  for (const [name, list] of [
    ['one process', ones],
    ['three cores', clusters],
  ] as const) {
    tell(`${name}, orders`, turns * (few + lots), {
      oneP50Ms: middle(list, ({ one }) => one.p50Ms),
      oneP99Ms: middle(list, ({ one }) => one.p99Ms),
      perSecond: middle(list, ({ all }) => lots / all.seconds),
      p50Ms: middle(list, ({ all }) => all.p50Ms),
      p99Ms: middle(list, ({ all }) => all.p99Ms),
    })
  }
  tell('three cores over one process', turns, {
    addedP50Ms: median(added),
    appendP50Ms: median(appendsMs),
    beyondAppendMs: median(added.map((ms, turn) => ms - appendsMs[turn])),
    rateRatio: median(clusters.map(({ all }, turn) => ones[turn].all.seconds / all.seconds)),
  })
  const us = [...cpu].map(([role, seconds]) => [role, (seconds * 1e6) / (turns * lots)])
  tell('three cores, processor time of a request', turns * lots, Object.fromEntries(us) as Record<string, number>)

  async function rolesOf(): Promise<Map<string, readonly number[]>> {
    const leader = await venue.leader()
    const of = (place: number) => venue.core(place).pid!
    const own = await nats.open(venue.name)
    const first = nats.placeOf(await own.leader())
    await own.close()
    const others = (place: number) => [1, 2].map((step) => (place + step) % 3)
    return new Map([
      ['gatewayUs', [venue.gateway(0).pid!]],
      ['leaderUs', [of(leader)]],
      ['followersUs', others(leader).map(of)],
      ['natsLeaderUs', [nats.pidOf(first)]],
      ['natsFollowersUs', others(first).map((place) => nats.pidOf(place))],
    ])
  }
}

function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

let placed = 0

/** So many requests, of which the first place orders and the last cancel them. */
function placedAndCanceled(count: number): LoadRequest[] {
  const first = placed
  placed += count / 2
  const market = { category: 'SPOT', symbol: 'BTCUSDT' }
  const order = { ...market, side: 'buy', orderType: 'limit', qty: '0.002', price: '1000' }
  const place = (at: number) => ({ ...order, clientOid: `o${first + at}` })
  const cancel = (at: number) => ({ ...market, clientOid: `o${first + at}` })
  const requests: LoadRequest[] = []
  for (let at = 0; at < count / 2 + openAtOnce; at++) {
    if (at < count / 2) requests.push({ key: 0, target: '/api/v3/trade/place-order', body: JSON.stringify(place(at)) })
    if (at >= openAtOnce) {
      requests.push({ key: 0, target: '/api/v3/trade/cancel-order', body: JSON.stringify(cancel(at - openAtOnce)) })
    }
  }
  return requests
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function keyIn(data: string): LoadKey {
  const keys = JSON.parse(readFileSync(`${data}/demo-keys.json`, 'utf8')) as (LoadKey & { readonly role: string })[]
  return keys.find(({ role }) => role === 'unified-main')!
}
