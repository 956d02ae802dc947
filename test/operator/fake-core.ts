/** A core that remembers what was submitted, and a venue around it: for tests of what the operator sends. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Catalog, Coin, Instrument } from '../../src/engine/catalog/catalog.ts'
import { Engine } from '../../src/engine/engine.ts'
import { type Amount, oneCoin, rate, rateOne } from '../../src/engine/numbers/numbers.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { AccountView } from '../../src/engine/protocol/query.ts'
import { done, type Reply } from '../../src/engine/protocol/reply.ts'
import type { OperatorPorts } from '../../src/operator/calls/calls.ts'
import { SealedKeyStore } from '../../src/operator/keys/key-store.ts'
import { Seal } from '../../src/operator/keys/seal.ts'
import { LogTail } from '../../src/operator/log-tail.ts'
import { Trail } from '../../src/operator/trail.ts'
import type { Core } from '../../src/runtime/runtime.ts'
import { silentLog } from '../../src/runtime/ports.ts'
import { VenueClock } from '../../src/runtime/venue-clock.ts'
import { temporaryDirectory } from '../support/temporary.ts'

export class FakeCore {
  readonly commands: Command[] = []
  coins: Coin[] = ['BTC', 'USDT'].map((name, id) => ({
    id,
    name,
    listingPriceE8: 1n,
    borrowable: false,
    dailyInterestRate: rate(0n),
    borrowLimit: 0n as Amount,
    lendingPoolLimit: 0n as Amount,
    marginLeverageMax: 3,
    collateral: [{ to: (10n ** 18n) as Amount, ratio: rate(rateOne) }],
    debtInitialRate: rate(rateOne / 10n),
    debtMaintenanceRate: rate(rateOne / 25n),
  }))
  instruments: Instrument[] = []
  accounts: Partial<AccountView>[] = [{ uid: 1001, kind: 'main', name: 'alice' }]
  /** What the next command answers. */
  reply: Reply = done

  async submit(command: Command): Promise<Reply> {
    this.commands.push(command)
    if (command.kind === 'list-instrument') {
      this.instruments.push({ ...command.instrument, id: this.instruments.length, listedAt: 0 })
    }
    return this.reply
  }

  query(query: { readonly kind: string; readonly uid?: number }): unknown {
    const catalog: Catalog = { version: 1, coins: this.coins, instruments: this.instruments }
    if (query.kind === 'catalog') return catalog
    if (query.kind === 'account') return this.accounts.find((account) => account.uid === query.uid)
    if (query.kind === 'accounts') return this.accounts
    // BTC is at 60,000 US dollars, everything else at 1.
    if (query.kind === 'index-prices') return this.coins.map(({ name }) => (name === 'BTC' ? 60_000n : 1n) * oneCoin)
    if (query.kind === 'prices') return { indexHalt: undefined }
    if (query.kind === 'settings') return new Engine(() => {}).query({ kind: 'settings' })
    throw new Error(`the fake core does not answer ${query.kind}`)
  }

  now(): number {
    return 1_700_000_000_000
  }
}

const silentPorts = { lastStamp: () => 0, log: silentLog, onAccepted: () => {} }

export function fakeVenue(change: Partial<OperatorPorts> = {}) {
  const core = new FakeCore()
  const keys = new SealedKeyStore(join(temporaryDirectory('keys'), 'keys.sqlite'), new Seal(randomBytes(32)))
  const ports: OperatorPorts = {
    core: core as unknown as Core,
    history: {
      lineage: async () => [],
      orderTimeline: async () => ({ order: undefined, fills: [], liquidation: undefined, trigger: undefined }),
      liquidationTimeline: async () => undefined,
      bills: async () => ({ rows: [], next: undefined, last: undefined }),
      liquidations: async () => ({ rows: [], next: undefined, last: undefined }),
    },
    keys,
    verify: async () => ({ balanced: true, faults: [], coins: [], stateHash: 'ab', sequence: 7 }),
    snapshot: async () => ({ sequence: 7, stateHash: 'ab', pauseMs: 1, bytes: 10, segmentsRemoved: 0 }),
    clock: new VenueClock({ kind: 'manual', startAt: 1_700_000_000_000 }, silentPorts),
    market: undefined,
    advanceClock: undefined,
    status: () => ({ status: 'ok' }),
    metrics: async () => [],
    course: () => ({ everyS: 60, points: [] }),
    logTail: new LogTail(),
    trail: new Trail(),
    ...change,
  }
  return { core, keys, ports }
}
