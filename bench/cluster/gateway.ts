/**
 * A gateway begins beside so many resting orders: in an empty directory, and in the one that it had. From the start of its process
 * until it takes requests.
 *
 * Orders  are made in a venue of one process without a network, which is then brought into the log. The cores begin from it
 */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Engine } from '../../src/engine/engine.ts'
import { coinByName, instrumentBySymbol, type InstrumentId } from '../../src/engine/catalog/catalog.ts'
import { type Amount, lots, ticks } from '../../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../src/engine/protocol/command.ts'
import type { Uid } from '../../src/engine/vocabulary.ts'
import { openHistory } from '../../src/history/history.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { commanded } from '../../test/cluster/processes.ts'
import { end, launch } from '../../test/gateway/processes.ts'
import { temporaryDirectory } from '../../test/support/temporary.ts'
import { median } from '../measure.ts'
import { type ClusterAsked, openCluster, tell } from './parts.ts'

const ofAccountMax = 400
const funds = 1_000_000n * 100_000_000n

export async function benchGateway(asked: ClusterAsked): Promise<void> {
  const { orders, quick } = asked
  const original = await venueWith(orders)
  const brought = performance.now()
  await using home = await openCluster(asked, {
    startsGateways: false,
    before: async (venue) => {
      cpSync(original, venue.coreData(0), { recursive: true })
      await commanded('cluster', 'import', '--data', venue.coreData(0), ...venue.logFlags())
      await venue.startCore(0)
    },
  })
  const coresMs = performance.now() - brought
  const { venue } = home
  const nothingMs: number[] = []
  const againMs: number[] = []
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    for (const ms of [nothingMs, againMs]) {
      if (ms === nothingMs) rmSync(venue.gatewayData(0), { recursive: true, force: true })
      const sinceMs = performance.now()
      await venue.startGateway(0)
      ms.push(performance.now() - sinceMs)
      await venue.kill(venue.gateway(0))
    }
  }
  tell(`a gateway begins beside ${orders} resting orders`, nothingMs.length, {
    fromNothingS: median(nothingMs) / 1_000,
    withDirectoryS: median(againMs) / 1_000,
    broughtInS: coresMs / 1_000,
  })
}

/** The directory of a demo venue, which has ended, with so many orders that rest. */
async function venueWith(orders: number): Promise<string> {
  const data = join(temporaryDirectory('resting'), 'data')
  const started = await launch([], 'start', data, '--port', '0')
  await end(started.process)
  const history = await openHistory(join(data, 'history.sqlite'))
  const runtime = await openRuntime({ dataDirectory: data, engineClass: Engine, history, durability: 'os' })
  const { id: instrument } = instrumentBySymbol(runtime.query({ kind: 'catalog' }), 'SPOT', 'BTCUSDT')!
  for (let placed = 0; placed < orders; placed += ofAccountMax) {
    const uid = await funded(runtime)
    const count = Math.min(ofAccountMax, orders - placed)
    const priceOf = (index: number) => 100_000 + ((placed + index) % 400_000)
    await done(
      runtime,
      Array.from({ length: count }, (_, index) => bid(uid, instrument, priceOf(index))),
    )
  }
  await runtime.stop()
  await history.close()
  return data
}

async function funded(runtime: Runtime): Promise<Uid> {
  const account = { kind: 'create-account', account: 'main', parentUid: undefined, mode: 'unified', name: '' } as const
  const [reply] = await done(runtime, [account])
  if (reply.kind !== 'account-created') throw new Error('an account was not created')
  const { uid } = reply
  const { id: coin } = coinByName(runtime.query({ kind: 'catalog' }), 'USDT')!
  await done(runtime, [{ kind: 'deposit', uid, wallet: 'uta', coin, amount: funds as Amount }])
  return uid
}

async function done(runtime: Runtime, commands: readonly Command[]) {
  const replies = await runtime.submitAll(commands)
  for (const reply of replies)
    if (reply.kind === 'refused') throw new Error(`refused: ${JSON.stringify(reply.refusal.kind)}`)
  return replies
}

/** Far below any ask; of 0.002 BTC. */
function bid(uid: Uid, instrument: InstrumentId, price: number): PlaceOrder {
  return {
    kind: 'place-order',
    uid,
    interface: 'v3',
    category: 'SPOT',
    instrument,
    side: 'buy',
    orderType: 'limit',
    price: ticks(price),
    quantity: { unit: 'lots', lots: lots(2_000) },
    timeInForce: 'gtc',
    positionSide: undefined,
    tradeSide: undefined,
    reduceOnly: false,
    marginMode: undefined,
    marginCoin: undefined,
    stpMode: undefined,
    clientOid: '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: 'normal',
    channelCode: '',
  }
}
