/**
 * Every kind of damage to a directory is found, and its place is named: a flipped bit anywhere in the journal, segments lost
 * or swapped, a row of history deleted, repeated or changed, a balance changed in a snapshot whose checksums are right.
 */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import { openSnapshots } from '../../src/journal/journal.ts'
import { type Fault, Findings } from '../../verifier/findings.ts'
import { readJournal } from '../../verifier/journal.ts'
import { readSnapshots } from '../../verifier/snapshot.ts'
import { verify } from '../../verifier/verify.ts'
import { randomCommands, run } from './directories.ts'

let home: string
let sound: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-damage-'))
  sound = join(home, 'sound')
  await run(sound, randomCommands(500, 1_200), { segmentBytesMax: 20_000 })
  return () => rm(home, { recursive: true, force: true })
}, 120_000)

/** What is found in a copy that was damaged. */
function faultsAfter(damage: (directory: string) => void): readonly Fault[] {
  const copy = join(home, 'copy')
  rmSync(copy, { recursive: true, force: true })
  cpSync(sound, copy, { recursive: true })
  damage(copy)
  return verify(copy).faults
}

test('the directory is sound before', () => {
  expect(faultsAfter(() => {})).toEqual([])
})

describe('the journal', () => {
  test('a flipped bit at any byte is found at its batch', async () => {
    const small = join(home, 'small')
    await run(small, randomCommands(1, 1).slice(-50), { segmentBytesMax: 1_500, end: 'crash' })
    const names = readdirSync(join(small, 'journal')).sort()
    expect(names.length).toBeGreaterThan(1)
    let flipped = 0
    for (const name of names) {
      const path = join(small, 'journal', name)
      const bytes = readFileSync(path)
      for (let at = 0; at < bytes.length; at++) {
        const damaged = Buffer.from(bytes)
        damaged[at] ^= 1 << (at % 8)
        writeFileSync(path, damaged)
        const findings = new Findings()
        readJournal(small, findings)
        const [first] = findings.faults
        expect(first?.file, `bit at ${at} of ${name}`).toBe(`journal/${name}`)
        expect(first.offset).toBeLessThanOrEqual(at)
        flipped += 1
      }
      writeFileSync(path, bytes)
    }
    expect(flipped).toBeGreaterThan(1_900)
  })

  test.each([
    ['the last batch torn over zeros', 10, 3_000],
    ['the last batch gone, zeros in its place', 1_000_000, 3_000],
    ['zeros behind the last batch', 0, 3_000],
  ])('%s is no fault', async (_what, lost, zeros) => {
    const torn = join(home, 'torn')
    rmSync(torn, { recursive: true, force: true })
    await run(torn, randomCommands(1, 1).slice(-50), { end: 'crash' })
    const [name] = readdirSync(join(torn, 'journal'))
    const path = join(torn, 'journal', name)
    const bytes = readFileSync(path)
    const last = bytes.lastIndexOf(Buffer.from('fe5463ff', 'hex'))
    const kept = Math.max(last, bytes.length - lost)
    writeFileSync(path, Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(zeros)]))
    const findings = new Findings()
    readJournal(torn, findings)
    expect(findings.faults).toEqual([])
  })

  const segments = () => readdirSync(join(sound, 'journal')).sort()

  test('any segment that is gone', () => {
    const names = segments()
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) {
      const faults = faultsAfter((copy) => rmSync(join(copy, 'journal', name)))
      expect(JSON.stringify(faults), name).toMatch(
        /is due|records were lost|and the older of two snapshots stands at 0/,
      )
    }
  })

  test('two that changed places, and one that is an older copy of itself', () => {
    const [first, second] = segments()
    const swapped = faultsAfter((copy) => {
      const path = (name: string) => join(copy, 'journal', name)
      renameSync(path(first), path('x'))
      renameSync(path(second), path(first))
      renameSync(path('x'), path(second))
    })
    expect(swapped[0]).toMatchObject({ file: `journal/${first}`, offset: 0 })
    const older = faultsAfter((copy) => {
      const bytes = readFileSync(join(copy, 'journal', first))
      const headerOfSecond = 28 + 36 + bytes.readUInt32LE(28 + 16)
      writeFileSync(join(copy, 'journal', first), bytes.subarray(0, headerOfSecond))
    })
    expect(older[0]).toMatchObject({ file: `journal/${second}`, offset: 0 })
  })

  test('its end cut off shows in what stands further', () => {
    const newest = segments().at(-1)!
    const faults = faultsAfter((copy) => {
      const path = join(copy, 'journal', newest)
      writeFileSync(path, readFileSync(path).subarray(0, -10))
    })
    expect(faults.map(({ file }) => file)).toEqual(expect.arrayContaining(['history.sqlite']))
    expect(JSON.stringify(faults)).toContain('records were lost')
  })
})

describe('history', () => {
  const tables = [
    'fills',
    'trades',
    'orders',
    'triggers',
    'transfers',
    'external_flows',
    'loans',
    'repayments',
    'interest',
    'bills',
    'conversions',
    'funding_rates',
    'funding_payments',
    'positions',
    'insurance',
    'liquidations',
    'liquidation_offers',
  ]

  /** Runs SQL over the copy's history. */
  function faultsOfSql(...statements: readonly string[]): readonly Fault[] {
    return faultsAfter((copy) => {
      const database = new DatabaseSync(join(copy, 'history.sqlite'))
      for (const statement of statements) database.exec(statement)
      database.close()
    })
  }

  /** Rows that others contradict: an order that was filled, a settlement that was paid, a bill of a wallet that has all. */
  const contradicted: Record<string, string> = {
    orders: `where status = 'filled' and quote_amount_e8 = 0`,
    funding_rates: 'where sequence in (select sequence from funding_payments)',
  }
  /** What only fills of spot have. */
  const ofSpot = ['base_e8', 'paid_coin_id', 'paid_balance_e8']
  const middle = (table: string, column = '') => {
    const which = ofSpot.includes(column) ? 'where paid_coin_id is not null' : (contradicted[table] ?? '')
    return `(select rowid from ${table} ${which} order by rowid limit 1 offset (select count(*) / 2 from ${table} ${which}))`
  }

  /** Tables of which a row is a report that nothing else repeats. */
  const reports = ['triggers', 'liquidations', 'liquidation_offers']

  /** Figures that stand once, so that nothing contradicts another value. */
  const singleFigures = [
    'orders.quote_amount_e8',
    'orders.base_amount_e8',
    'orders.position_entry_e8',
    'orders.average_price_e8',
    'orders.created_at_ms',
    'bills.fee_e8',
    'bills.other_wallet',
    'insurance.balance_e8',
    'funding_rates.at_ms',
  ]

  test.each(tables)('%s has rows to be damaged', (table) => {
    using database = new DatabaseSync(join(sound, 'history.sqlite'), { readOnly: true })
    expect(database.prepare(`select count(*) count from ${table}`).get()?.['count']).toBeGreaterThan(0)
  })

  test.each(tables)('a row of %s that is deleted', (table) => {
    const faults = faultsOfSql(`delete from ${table} where rowid = ${middle(table)}`)
    // The number of one that is missing may also have been of profit, which has no row; and it moves nothing itself.
    const silent = table === 'liquidations'
    expect(faults.length > 0, JSON.stringify(faults)).toBe(!silent)
  })

  test.each(tables)('a row of %s that is there twice', (table) => {
    const key = new DatabaseSync(join(sound, 'history.sqlite'), { readOnly: true })
    const [{ name }] = key.prepare(`select name from pragma_table_info('${table}') where pk = 1`).all()
    key.close()
    const faults = faultsOfSql(
      `create temp table one as select * from ${table} where rowid = ${middle(table)}`,
      `update one set ${String(name)} = (select max(${String(name)}) + 1 from ${table})`,
      `insert into ${table} select * from one`,
    )
    expect(faults).not.toEqual([])
  })

  const isMoney = (column: string) => /_e8$|_lots$|uid$|wallet$|coin_id$|sequence$|command$|_ms$/.test(column)

  test('a value that is changed, in every column of who, what, when and how much', () => {
    const database = new DatabaseSync(join(sound, 'history.sqlite'), { readOnly: true })
    const unnoticed: string[] = []
    let changed = 0
    for (const table of tables.filter((listed) => !reports.includes(listed))) {
      for (const { name, type } of database.prepare(`select name, type from pragma_table_info('${table}')`).all()) {
        const column = String(name)
        if (!isMoney(column) || singleFigures.includes(`${table}.${column}`)) continue
        // Commands of one batch share their stamp, and may be alike.
        const value = type === 'TEXT' ? `${column} || 'x'` : `${column} + ${column === 'sequence' ? 100 : 1}`
        const faults = faultsOfSql(`update ${table} set ${column} = ${value} where rowid = ${middle(table, column)}`)
        changed += 1
        if (faults.length === 0) unnoticed.push(`${table}.${column}`)
      }
    }
    database.close()
    expect(changed).toBeGreaterThan(80)
    expect(unnoticed).toEqual([])
  })

  test('how far it says that it reaches', () => {
    for (const change of ['applied_sequence - 1', 'applied_sequence + 1', '0']) {
      expect(faultsOfSql(`update progress set applied_sequence = ${change}`), change).not.toEqual([])
    }
  })

  test('a file that is no database', () => {
    const faults = faultsAfter((copy) => writeFileSync(join(copy, 'history.sqlite'), Buffer.alloc(9_000, 'x')))
    expect(faults[0]).toMatchObject({ file: 'history.sqlite' })
  })
})

describe('snapshots', () => {
  test('a flipped bit is found', () => {
    const copy = join(home, 'snapshot')
    cpSync(join(sound, 'snapshots'), join(copy, 'snapshots'), { recursive: true })
    const [name] = readdirSync(join(copy, 'snapshots'))
    const path = join(copy, 'snapshots', name)
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length; at += at < 200 ? 1 : 997) {
      const damaged = Buffer.from(bytes)
      damaged[at] ^= 1 << (at % 8)
      writeFileSync(path, damaged)
      const findings = new Findings()
      readSnapshots(copy, findings)
      expect(findings.faults[0], `bit at ${at}`).toMatchObject({
        file: `snapshots/${name}`,
        offset: expect.any(Number),
      })
    }
  })

  /** Saved anew with every checksum and the hash as they should be. */
  async function faultsOfState(change: (ledger: { balance: BigInt64Array; rows: number }) => void) {
    const copy = join(home, 'copy')
    faultsAfter(() => {})
    const snapshots = await openSnapshots(join(copy, 'snapshots'))
    const { snapshot } = await snapshots.newest()
    const [stamp, ...saved] = await Array.fromAsync(snapshot!.chunks())
    const state = decode(saved) as { ledger: { balance: BigInt64Array; rows: number } }
    change(state.ledger)
    const chunks = encode(state)
    rmSync(snapshot!.file)
    const hash = createHash('sha256').update(Buffer.concat(chunks)).digest('hex')
    await snapshots.save(snapshot!.sequence, hash, [stamp, ...chunks])
    return verify(copy).faults
  }

  test('a balance that is changed, though all checksums are right', async () => {
    const faults = await faultsOfState(({ balance }) => (balance[3] += 1n))
    expect(JSON.stringify(faults)).toContain('wallets and house accounts are off by 1')
    expect(JSON.stringify(faults)).toContain('but the rows of history.sqlite sum up to')
  })

  test('money that moved from one wallet to another', async () => {
    const faults = await faultsOfState(({ balance }) => {
      const other = balance.findIndex((units, row) => row > 3 && units > 0n)
      balance[other] -= 1n
      balance[3] += 1n
    })
    expect(faults.length).toBeGreaterThan(0)
    expect(faults[0].row).toMatch(/^coin|^worth/)
  })
})
