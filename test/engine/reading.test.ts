/**
 * Rules and readers cannot write: what would change the state through `Reading` does not compile.
 *
 * Probes   one function a probe, all compiled together; each must have an error on its own line
 * Source   floors of the engine in docs/architecture.md; src/engine/state/seen.ts
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** What each line of a probe would do, as the body of a function of `reading`. */
const writes = [
  // what only commands do
  "reading.emit({ kind: 'catalog-changed' })",
  "reading.timers.add(0, { kind: 'check-index' })",
  'reading.timers.remove(() => true)',
  'reading.counters.order++',
  'reading.sequence = 1',
  'reading.at = 1',
  'reading.traded.push(0)',
  'reading.bookSequences[0] = 1',
  'reading.openBook(0)',
  'reading.load({})',
  // money
  "reading.ledger.post('fees', 1, zero)",
  "reading.ledger.postHouse('fees', 'insurance', 0, zero)",
  "reading.ledger.charge(1, 'fees', zero)",
  'reading.ledger.transfer(1, 2, zero)',
  'reading.ledger.hold(1, zero)',
  'reading.ledger.release(1, zero)',
  'reading.ledger.lend(1, zero)',
  'reading.ledger.accrue(1, zero)',
  'reading.ledger.payDebt(1, zero)',
  'reading.ledger.coverDebt(1)',
  "reading.ledger.slot(1, 'spot', 0)",
  'reading.ledger.touch(1)',
  'reading.ledger.watchAccount(1)',
  // columns, as typed arrays and as fields
  'reading.ledger.balance[1] = 0n',
  'reading.ledger.held[1] += 1n',
  'reading.ledger.updatedAt[1] = 0',
  'reading.ledger.balance.fill(0n)',
  'reading.ledger.balance.set([0n])',
  'reading.ledger.house[0] = 0n',
  'reading.ledger.changed.push(1)',
  'reading.loans.principal[1] = 0n',
  'reading.loans.ofRow.delete(1)',
  'reading.orders.remaining.set(1, 0)',
  "reading.orders.clientOid[1] = ''",
  'reading.triggers.price.set(1, 0)',
  // rows
  'reading.orders.allocate()',
  'reading.orders.free(1)',
  'reading.orders.change(1, { loan: 0n })',
  'reading.triggers.leave(1)',
  'reading.loans.allocate()',
  // accounts
  'account.frozenByOwner = true',
  'account.frozenByOperator = true',
  "account.mode = 'unified'",
  'account.firstOrder = 1',
  "account.clientOids?.set('mine', 1)",
  "reading.accounts.takeClientOid(account, 'mine', 1)",
  'reading.accounts.countOrder(account, 0)',
  "reading.accounts.channels.set('broker', 1)",
  // exposures and positions
  'exposure.held = 0n',
  'exposure.leverage = 1',
  "exposure.addOpening('buy', 1, 0n)",
  'if (exposure.long !== undefined) exposure.long.margin = zero',
  "reading.futures.find(1, 'usdt_futures', 0)!.held = 0n",
  'reading.futures.keep(exposure)',
  "reading.futures.removePosition(exposure, 'long')",
  'reading.futures.openInterest[0] = 1',
  // books and prices
  'reading.books.push(reading.book(0))',
  'reading.book(0).bids.best = 1',
  "shrink(reading.book(0), 'buy', 1, 1)",
  'reading.prices.mark[0] = 1',
  'reading.prices.usd[0] = 1n',
  'reading.prices.setLast(0, 1 as never)',
  'reading.prices.unsettleMark(0)',
  'reading.prices.samples[0].premiums = 0',
  'reading.prices.settings.jumpFactor = 0n as never',
  // what liquidation and the operator keep
  'reading.liquidation.queue.pop()',
  "reading.liquidation.queued.add('')",
  'reading.liquidation.fund = 1',
  'reading.debtors.changed.add(1)',
  'reading.settings.dailyOrdersRestriction = 1',
  'reading.transfers.clear()',
  'reading.coinLeverages.set(1, 1)',
  // a handle or a state by which it could be written
  'const row: AccountRow = account',
  'const row: ExposureRow = exposure',
  'const state: State = reading',
]

/** What rules do all the time compiles: without it the probes would prove nothing. */
const reads = [
  'const units = reading.ledger.balance[1] + reading.ledger.balanceOf(1)',
  'const lots = reading.orders.remaining.at(1)',
  "const best = bestPrice(reading.book(0), 'buy')",
  'const mark = reading.prices.markPrice(0)',
  'const held = exposure.held + (exposure.long?.margin ?? 0n)',
  "const supposed = reading.futures.copyOf(exposure); supposed.addOpening('buy', 1, 0n)",
  'for (const other of reading.futures.ofAccount(account.handle)) if (other.wallet === exposure.wallet) break',
]

/** Indexes of the probes that have an error, and other errors in full. */
function compile(
  probes: readonly string[],
  [reading, account, exposure] = ['Reading', 'Account', 'Exposure'],
): { readonly failing: number[]; readonly others: string[] } {
  const directory = mkdtempSync(join(tmpdir(), 'reading-'))
  try {
    const engine = join(checkout, 'src/engine')
    const head = [
      `import { bestPrice, shrink } from '${engine}/book/book.ts'`,
      `import { zero } from '${engine}/numbers/numbers.ts'`,
      `import type { AccountRow } from '${engine}/state/account-table.ts'`,
      `import type { ExposureRow } from '${engine}/state/exposure-table.ts'`,
      `import type { Account, Exposure, Reading, State } from '${engine}/state/state.ts'`,
      'export const used = [bestPrice, shrink, zero] as const',
      'export type Used = Account | AccountRow | Exposure | ExposureRow | Reading | State',
    ]
    const lines = probes.map(
      (probe, index) =>
        `export function probe${index}(reading: ${reading}, account: ${account}, exposure: ${exposure}): unknown { ${probe}; return [reading, account, exposure] }`,
    )
    writeFileSync(join(directory, 'probes.mts'), [...head, ...lines].join('\n'))
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        extends: join(checkout, 'tsconfig.json'),
        compilerOptions: { types: [], noUnusedLocals: false, rootDir: '/' },
        include: [],
        files: ['probes.mts'],
      }),
    )
    const tsc = join(checkout, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '--pretty', 'false', '--project', directory], {
      encoding: 'utf8',
    })
    const failing = new Set<number>()
    const others: string[] = []
    for (const line of stdout.split('\n').filter((text) => /error TS\d+/.test(text))) {
      const at = /probes\.mts\((\d+),/.exec(line)
      const index = Number(at?.[1]) - head.length - 1
      if (at !== null && index >= 0) failing.add(index)
      else others.push(line)
    }
    return { failing: [...failing].sort((a, b) => a - b), others }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

test('what would write through Reading does not compile', () => {
  const { failing, others } = compile(writes)
  expect(others).toEqual([])
  expect(writes.filter((_, index) => !failing.includes(index))).toEqual([])
})

test('a command may do all of it: the probes fail for no other reason', () => {
  const { failing, others } = compile(writes, ['State', 'AccountRow', 'ExposureRow'])
  expect(others).toEqual([])
  expect(failing.map((index) => writes[index])).toEqual([])
})

test('what only reads compiles', () => {
  const { failing, others } = compile(reads)
  expect(others).toEqual([])
  expect(failing.map((index) => reads[index])).toEqual([])
})
