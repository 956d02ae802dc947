/** What an import makes of whole files: one order, one scale, a report; and of wrong ones: one line and nothing left. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { importTape, Tape } from '../../src/tape/tape.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { imported, rowsOf, written } from './read.ts'
import { zipped } from './zipped.ts'

const levelHeader = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'
const t = 1_704_067_200_000_000
const level = (after: number, side: string, price: number, amount: number, isSnapshot = false) => {
  return `x,BTCUSDT,${t + after},${t + after + 7},${isSnapshot},${side},${price},${amount}`
}

describe('order and scale', () => {
  test('rows of several files are sorted by time, and stay in the order of the files at one time', async () => {
    const one = written('one.csv', 'time,price,size\n1704067203,1,1\n1704067201,2,1\n1704067202,3,1\n')
    const other = written('other.csv', 'time,price,size\n1704067202,4,1\n1704067201,5,1\n')
    const { tape } = await imported([one, other])
    expect(rowsOf(tape).map((row) => row.split(' ')[2])).toEqual(['2', '5', '3', '4', '1'])
  })

  test('any number of files in any order are one sorted tape that has every row', async () => {
    const row = fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 9_999 }), fc.nat({ max: 3 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
        async (files) => {
          const paths = files.map((rows, number) => {
            const lines = rows.map(([after, price, decimals]) => `${1_704_067_200 + after},${price / 10 ** decimals},1`)
            return written(`${number}.csv`, `time,price,size\n${lines.join('\n')}\n`)
          })
          const { tape } = await imported(paths)
          const wanted = files
            .flat()
            .map(([after, price, decimals], number) => ({ after, price: price / 10 ** decimals, number }))
            .sort((a, b) => a.after - b.after || a.number - b.number)
          expect(
            rowsOf(tape).map((text) => [Number(text.split(' ')[0]) / 1e6 - 1_704_067_200, Number(text.split(' ')[2])]),
          ).toEqual(wanted.map(({ after, price }) => [after, price]))
        },
      ),
      { numRuns: 30 },
    )
  })

  test('more rows than a block has, and a scale that grows in the last one', async () => {
    const rows = Array.from(
      { length: 200_000 },
      (_, at) => `${1_704_067_200_000 + at},${at === 199_999 ? '100.123' : 100},1`,
    )
    const { tape, report } = await imported(written('a.csv', `time,price,size\n${rows.join('\n')}\n`))
    expect(report.rows).toBe(200_000)
    expect(tape.contents.scales).toEqual({ price: 3, amount: 0 })
    expect(tape.contents.blocks).toHaveLength(4)
    const all = rowsOf(tape)
    expect(all[0]).toBe(`${t} buy 100 1`)
    expect(all.at(-1)).toBe(`${t + 199_999_000} buy 100.123 1`)
    expect(new Set(all).size).toBe(200_000)
  })

  test.each([
    ['exchange', t],
    ['local', t + 7],
  ] as const)('the %s time counts', async (time, at) => {
    const { tape } = await imported(written('a.csv', `${levelHeader}\n${level(0, 'bid', 1, 1, true)}\n`), { time })
    expect(rowsOf(tape)).toEqual([`${at} clear 0 0`, `${at} bid 1 1`])
  })
})

describe('the report', () => {
  test('levels before the first snapshot and other symbols are dropped and counted', async () => {
    const lines = [
      levelHeader,
      level(0, 'bid', 1, 1),
      level(1, 'bid', 2, 1, true),
      level(1, 'bid', 2, 1).replace('BTC', 'ETH'),
    ]
    const file = written('a.csv', `${lines.join('\n')}\n`)
    const { report } = await imported(file)
    expect(report.dropped).toEqual([
      { reason: 'before the first snapshot', count: 1, first: `${file}, row 2` },
      { reason: 'other symbols', count: 1, first: `${file}, row 4` },
    ])
    expect([report.lines, report.rows, report.kinds]).toEqual([3, 2, { bid: 1, clear: 1 }])
  })

  test('of two levels that meet the older one goes, and where it was first is told', async () => {
    const lines = [
      levelHeader,
      level(0, 'bid', 10, 1, true),
      level(0, 'ask', 11, 1, true),
      level(5, 'bid', 11, 2),
      level(9, 'bid', 9, 1),
    ]
    const file = written('a.csv', `${lines.join('\n')}\n`)
    const { report, tape } = await imported(file)
    expect(report.crossed).toEqual({ count: 1, first: `${file}, row 5` })
    expect(rowsOf(tape).slice(3)).toEqual([`${t + 5} bid 11 2`, `${t + 5} ask 11 0`, `${t + 9} bid 9 1`])
  })

  test('a book that meets within one moment only is not crossed', async () => {
    const lines = [
      levelHeader,
      level(0, 'bid', 10, 1, true),
      level(0, 'ask', 11, 1, true),
      level(5, 'bid', 11, 2),
      level(5, 'ask', 11, 0),
    ]
    const { report } = await imported(written('a.csv', `${lines.join('\n')}\n`))
    expect(report.crossed.count).toBe(0)
  })

  test.each([
    ['as long as allowed', 60_000_000, 0],
    ['a microsecond longer', 60_000_001, 1],
  ])('a gap: %s', async (_, after, count) => {
    const lines = [levelHeader, level(0, 'bid', 10, 1, true), level(after, 'bid', 10, 2)]
    const { report } = await imported(written('a.csv', `${lines.join('\n')}\n`))
    expect(report.gaps.count).toBe(count)
    if (count > 0) expect(report.gaps.first).toBe('the book: nothing for 60000 ms after 2024-01-01T00:00:00.000Z')
  })

  test('a missing candle is a gap', async () => {
    const candle = (minute: number) => `${1_704_067_200 + minute * 60},1,1,1,1`
    const { report } = await imported(
      written('a.csv', `time,open,high,low,close\n${[0, 1, 3].map(candle).join('\n')}\n`),
    )
    expect(report.gaps).toEqual({
      count: 1,
      longestMs: 120_000,
      first: 'candles: nothing for 120000 ms after 2024-01-01T00:01:00.000Z',
    })
  })
})

describe('what is wrong is one line, and nothing is left', () => {
  const trades = 'time,price,size\n1704067200,10,1\n'
  test.each<readonly [string, string, string | Uint8Array, string]>([
    [
      'a price that is none',
      'a.csv',
      `${trades}1704067201,ten,1\n`,
      'FILE, row 3: price "ten" must be a plain decimal above 0',
    ],
    ['a price of 0', 'a.csv', `${trades}1704067201,0,1\n`, 'FILE, row 3: price "0" must be a plain decimal above 0'],
    [
      'a negative size',
      'a.csv',
      `${trades}1704067201,1,-1\n`,
      'FILE, row 3: size "-1" must be a plain decimal, 0 or more',
    ],
    [
      'a time that is none',
      'a.csv',
      `${trades}yesterday,1,1\n`,
      'FILE, row 3: time "yesterday" must be a Unix time in seconds, milli- or microseconds, or ISO 8601 with its zone',
    ],
    [
      'a row that is cut off',
      'a.csv',
      `${trades}1704067201,1`,
      'FILE, row 3: size "" is missing: the row has 2 fields and needs 3',
    ],
    [
      'too many digits',
      'a.csv',
      `${trades}1704067201,12345678901234567,1\n`,
      'FILE, row 3: price "12345678901234567" has more digits than are kept (15)',
    ],
    ['a quote without an end', 'a.csv', `${trades}"1704067201,1,1\n`, 'FILE, row 3: a double quote has no end'],
    ['nothing', 'a.csv', '', 'FILE: is empty'],
    ['only a header', 'a.csv', 'time,price\n', 'FILE: has no row after its header'],
    [
      'no format',
      'a.csv',
      'a,b\n1,2\n',
      'FILE, row 1: "a,b" is none of the known formats: name its columns with --columns time=…,price=…',
    ],
    ['a column twice', 'a.csv', 'time,price,price\n', 'FILE, row 1: column price is there twice'],
    [
      'another symbol',
      'a.csv',
      `${levelHeader}\n${level(0, 'bid', 1, 1, true).replace('BTC', 'XBT')}\n`,
      'FILE: has no row of BTCUSDT, it has XBTUSDT: if that is it, say --source-symbol XBTUSDT',
    ],
    [
      'a side that is none',
      'a.csv',
      `${levelHeader}\n${level(0, 'middle', 1, 1, true)}\n`,
      'FILE, row 2: side "middle" must be bid or ask',
    ],
    [
      'a candle whose high is not',
      'a.csv',
      'time,open,high,low,close\n1704067200,5,4,1,3\n',
      'FILE, row 2: high "4" must be the highest of the four prices',
    ],
    [
      'a zip that is cut off',
      'a.zip',
      zipped({ 'a.csv': trades }).subarray(0, 60),
      'FILE: is a zip file that is cut off: its directory is missing',
    ],
    ['a zip with a changed byte', 'a.zip', changed(zipped({ 'a.csv': trades }, 'stored'), 50), 'FILE/a.csv'],
  ])('%s', async (_, name, content, message) => {
    const file = written(name, content)
    const out = join(temporaryDirectory('tape'), 'day.tmk')
    const failed = importTape({ files: [file], out, symbol: 'BTCUSDT' })
    await expect(failed).rejects.toThrow(message.replace('FILE', file))
    await expect(failed).rejects.toMatchObject({ name: 'TapeWrong' })
    expect(readdirSync(dirname(out))).toEqual([])
  })

  test('a file that is not there', async () => {
    await expect(imported('/nowhere/a.csv')).rejects.toThrow('/nowhere/a.csv: there is no such file')
  })

  test('a tape that is there stays as it was', async () => {
    const { out } = await imported(written('a.csv', trades))
    const before = readFileSync(out)
    const failed = importTape({ files: [written('b.csv', `${trades}x,1,1\n`)], out, symbol: 'BTCUSDT' })
    await expect(failed).rejects.toThrow('row 3: time')
    expect(readFileSync(out).equals(before)).toBe(true)
  })

  test('two files that each say a book', async () => {
    const quotes = written(
      'q.csv',
      'exchange,symbol,timestamp,local_timestamp,ask_amount,ask_price,bid_price,bid_amount\nx,BTCUSDT,1704067200000000,1,1,2,1,1\n',
    )
    const levels = written('l.csv', `${levelHeader}\n${level(0, 'bid', 1, 1, true)}\n`)
    const message = `${quotes}: says the book as tardis-quotes, and ${levels} says it as tardis-incremental_book_L2: give one of them`
    await expect(imported([levels, quotes])).rejects.toThrow(message)
  })

  test('a disk that takes no more', () => {
    const rows = Array.from(
      { length: 100_000 },
      (_, at) => `${1_704_067_200_000 + at},${1 + ((at * 7_919) % 99_991)},${(at * 104_729) % 99_991}`,
    )
    const file = written('a.csv', `time,price,size\n${rows.join('\n')}\n`)
    const directory = temporaryDirectory('tape')
    const words = `market import ${file} --symbol BTCUSDT --out ${directory}/day.tmk`
    const script = `trap '' XFSZ; ulimit -f 100; exec ${process.execPath} ${cli} ${words}`
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    expect(stderr).toMatch(/^tidemark: .*day\.tmk.*: cannot be written: E(FBIG|NOSPC).*\n$/)
    expect(status).toBe(1)
    expect(readdirSync(directory)).toEqual([])
  })
})

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))

describe('a tape that is read', () => {
  test.each([
    ['a changed byte of a block', (bytes: Buffer) => changed(bytes, 20), /the block at byte 8 has a wrong checksum/],
    [
      'a changed byte of its table',
      (bytes: Buffer) => changed(bytes, bytes.length - 30),
      /its table of contents has a wrong checksum/,
    ],
    ['an end that is missing', (bytes: Buffer) => bytes.subarray(0, -5), /is cut off/],
    ['another file', () => Buffer.from('time,price\n'), /is no recorded market \(\.tmk\)/],
  ])('%s is found', async (_, change, message) => {
    const { out } = await imported(written('a.csv', 'time,price,size\n1704067200,10,1\n'))
    writeFileSync(out, change(readFileSync(out)))
    expect(() => new Tape(out).verify()).toThrow(message)
  })

  test('a tape is there under its name alone', async () => {
    const { out } = await imported(written('a.csv', 'time,price,size\n1704067200,10,1\n'))
    expect(existsSync(out)).toBe(true)
    expect(readdirSync(dirname(out))).toEqual(['day.tmk'])
  })
})

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] ^= 1
  return copy
}
