/** Every format that is known: a few lines of it, with and without a header, and the rows that a tape has of them. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'
import { imported, rowsOf, written } from './read.ts'
import { zipped } from './zipped.ts'

const t = '1704067200000000'
const depth = (side: string, levels: number) => {
  return Array.from({ length: levels }, (_, level) => `${side}[${level}].price,${side}[${level}].amount`)
}
const depthHeader = (levels: number) => {
  const [asks, bids] = [depth('asks', levels), depth('bids', levels)]
  return ['exchange,symbol,timestamp,local_timestamp', ...asks.flatMap((ask, level) => [ask, bids[level]])].join(',')
}
const depthRow = (time: string, shift: number, levels: number) => {
  const pairs = Array.from({ length: levels }, (_, level) => [`${101 + level + shift},1`, `${100 - level + shift},2`])
  return ['x,BTCUSDT', time, time, ...pairs.flat()].join(',')
}

const formats: readonly (readonly [name: string, file: string, lines: readonly string[], rows: readonly string[]])[] = [
  [
    'tardis-incremental_book_L2',
    'a.csv',
    [
      'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount',
      `binance-futures,BTCUSDT,${t},1704067200004000,true,bid,42000.1,1.5`,
      `binance-futures,BTCUSDT,${t},1704067200004000,true,ask,42000.2,2`,
      'binance-futures,BTCUSDT,1704067200100001,1704067200104000,false,ask,42000.2,0',
    ],
    [`${t} clear 0 0`, `${t} bid 42000.1 1.5`, `${t} ask 42000.2 2`, '1704067200100001 ask 42000.2 0'],
  ],
  [
    'tardis-book_snapshot_5',
    'a.csv',
    [depthHeader(5), depthRow(t, 0, 5), depthRow('1704067201000000', 1, 5)],
    [
      ...[101, 102, 103, 104, 105].map((price) => `${t} ask ${price} 1`),
      ...[100, 99, 98, 97, 96].map((price) => `${t} bid ${price} 2`),
      '1704067201000000 ask 101 0',
      '1704067201000000 ask 106 1',
      '1704067201000000 bid 96 0',
      '1704067201000000 bid 101 2',
    ],
  ],
  [
    'tardis-trades',
    'a.csv',
    [
      'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
      `x,BTCUSDT,${t},${t},1,buy,42000.5,0.01`,
      `x,BTCUSDT,${t},${t},2,sell,42000.4,1e-05`,
      `x,BTCUSDT,${t},${t},3,unknown,42000.3,0.01`,
      `x,BTCUSDT,${t},${t},4,unknown,42000.4,0.01`,
      `x,BTCUSDT,${t},${t},5,unknown,42000.4,0.01`,
    ],
    [
      `${t} buy 42000.5 0.01`,
      `${t} sell 42000.4 0.00001`,
      `${t} sell 42000.3 0.01`,
      `${t} buy 42000.4 0.01`,
      `${t} buy 42000.4 0.01`,
    ],
  ],
  [
    'tardis-liquidations',
    'x_liquidations_2024-01-01_BTCUSDT.csv',
    ['exchange,symbol,timestamp,local_timestamp,id,side,price,amount', `x,BTCUSDT,${t},${t},,sell,42000,3`],
    [`${t} liquidationSell 42000 3`],
  ],
  [
    'tardis-quotes',
    'a.csv',
    [
      'exchange,symbol,timestamp,local_timestamp,ask_amount,ask_price,bid_price,bid_amount',
      `x,BTCUSDT,${t},${t},1,101,100,2`,
      `x,BTCUSDT,1704067200000005,${t},1,101,99,2`,
      `x,BTCUSDT,1704067200000006,${t},,,99,2`,
    ],
    [
      `${t} ask 101 1`,
      `${t} bid 100 2`,
      '1704067200000005 bid 100 0',
      '1704067200000005 bid 99 2',
      '1704067200000006 ask 101 0',
    ],
  ],
  [
    'tardis-derivative_ticker',
    'a.csv',
    [
      'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price',
      `x,BTCUSDT,${t},${t},1704096000000000,0.0001,,100.5,42000,42001.123456789012,42000.5`,
      `x,BTCUSDT,1704067201000000,${t},1704096000000000,-0.00025,,100.5,42000,42001.123456789012,`,
    ],
    [
      `${t} index 42001.12345679 0`,
      `${t} mark 42000.5 0`,
      `${t} funding 0.0001 0`,
      '1704067201000000 funding -0.00025 0',
    ],
  ],
  [
    'binance-aggTrades',
    'a.csv',
    [
      'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker',
      '1,42000.10,0.500,1,2,1704067200000,true',
      '2,42000.20,0.001,3,3,1704067200001,false',
    ],
    [`${t} sell 42000.1 0.5`, '1704067200001000 buy 42000.2 0.001'],
  ],
  [
    'binance-aggTrades',
    'spot-without-a-header.csv',
    ['1,42000.10000000,0.50000000,1,2,1735689600000001,True,True'],
    ['1735689600000001 sell 42000.1 0.5'],
  ],
  [
    'binance-trades',
    'a.csv',
    ['id,price,qty,quote_qty,time,is_buyer_maker', '1,42000.1,0.5,21000.05,1704067200000,false'],
    [`${t} buy 42000.1 0.5`],
  ],
  [
    'binance-trades',
    'spot-without-a-header.csv',
    ['1,42000.10000000,0.50000000,21000.05000000,1735689600000001,False,True'],
    ['1735689600000001 buy 42000.1 0.5'],
  ],
  [
    'binance-klines',
    'a.csv',
    [
      'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore',
      '1704067200000,10,12,9,11.5,5,1704067259999,50,3,2,20,0',
      '1704067260000,11.5,11.75,8,9,6,1704067319999,50,3,2,20,0',
    ],
    [
      `${t} candle 10 5`,
      `${t} candle 9 0`,
      `${t} candle 12 0`,
      `${t} candle 11.5 0`,
      '1704067260000000 candle 11.5 6',
      '1704067260000000 candle 11.75 0',
      '1704067260000000 candle 8 0',
      '1704067260000000 candle 9 0',
    ],
  ],
  [
    'binance-klines',
    'without-a-header.csv',
    ['1735689600000000,10,10,10,10,5,1735689659999999,50,3,2,20,0'],
    ['10 5', '10 0', '10 0', '10 0'].map((row) => `1735689600000000 candle ${row}`),
  ],
  [
    'binance-bookTicker',
    'a.csv',
    [
      'update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time',
      '1,100,2,101,1,1704067200000,1704067200003',
    ],
    [`${t} ask 101 1`, `${t} bid 100 2`],
  ],
  [
    'binance-bookTicker',
    'without-a-header.csv',
    ['1,100,2,101,1,1704067200000,1704067200003'],
    [`${t} ask 101 1`, `${t} bid 100 2`],
  ],
  [
    // Two percent: 10 at 98 in the first band, 5 more at 97 in the second.
    'binance-bookDepth',
    'a.csv',
    [
      'timestamp,percentage,depth,notional',
      '2024-01-01 00:00:00,-2,15,1465',
      '2024-01-01 00:00:00,-1,10,980',
      '2024-01-01 00:00:00,1,4,408',
      '2024-01-01 00:00:00,2,10,1038',
    ],
    [`${t} clear 0 0`, `${t} bid 98 10`, `${t} bid 97 5`, `${t} ask 102 4`, `${t} ask 105 6`],
  ],
  [
    'own-candles',
    'a.csv',
    ['Time,Open,High,Low,Close,Volume', '2024-01-01T00:00:00Z,10,12,9,9.5,5'],
    [`${t} candle 10 5`, `${t} candle 12 0`, `${t} candle 9 0`, `${t} candle 9.5 0`],
  ],
  [
    'own-quotes',
    'a.csv',
    ['time,bid,bidSize,ask,askSize', '1704067200,100,2,101,1', '1704067201,100,2,102,1'],
    [`${t} ask 101 1`, `${t} bid 100 2`, '1704067201000000 ask 101 0', '1704067201000000 ask 102 1'],
  ],
  [
    'own-trades',
    'a.csv',
    ['time,price,size', '1704067200,10,1', '1704067201,11,2'],
    [`${t} buy 10 1`, '1704067201000000 buy 11 2'],
  ],
]

describe('a format is recognised, and its rows become these', () => {
  test.each(formats)('%s in %s', async (name, file, lines, rows) => {
    const { report, tape } = await imported(written(file, `${lines.join('\n')}\n`))
    expect(report.sources.map(({ format }) => format)).toEqual([name])
    expect(rowsOf(tape)).toEqual(rows)
  })

  test.each([
    ['25 levels', depthHeader(25), depthRow(t, 0, 25), 50],
    ['windows line ends and a byte order mark', '\ufefftime,price\r', '1704067200,10\r', 1],
    ['quotes around fields', '"time","price"', '"1704067200","10"', 1],
  ])('%s', async (_, header, row, rows) => {
    const { report } = await imported(written('a.csv', `${header}\n${row}`))
    expect(report.rows).toBe(rows)
  })
})

test('the made-up quotes of docs/backtests.md are a record', async () => {
  const text = readFileSync(new URL('../../docs/backtests.md', import.meta.url), 'utf8')
  const program = /^node -e '\n(?<program>[^']*quotes\.csv[^']*)'$/m.exec(text)?.groups?.['program'] ?? ''
  const directory = temporaryDirectory('made-up')
  expect(spawnSync(process.execPath, ['-e', program], { cwd: directory }).status).toBe(0)
  const { report } = await imported(join(directory, 'quotes.csv'))
  expect(report).toMatchObject({ lines: 600, sources: [{ format: 'own-quotes' }], dropped: [], crossed: { count: 0 } })
})

describe('packed files', () => {
  const text = 'time,price,size\n1704067200,10,1\n1704067201,11,2\n'
  test.each([
    ['gzip', 'a.csv.gz', gzipSync(text)],
    ['zstd', 'a.csv.zst', zstdCompressSync(text)],
    ['zip, deflated', 'a.zip', zipped({ 'a.csv': text })],
    ['zip, stored', 'a.zip', zipped({ 'a.csv': text }, 'stored')],
    ['gzip of another name', 'a.csv', gzipSync(text)],
  ])('%s', async (_, name, bytes) => {
    const { tape } = await imported(written(name, bytes))
    expect(rowsOf(tape)).toEqual([`${t} buy 10 1`, '1704067201000000 buy 11 2'])
  })

  test('each file of a zip is a source', async () => {
    const files = {
      'day/a.csv': 'time,price,size\n1704067205,10,1\n',
      'day/b.csv': 'time,price,size\n1704067201,11,2\n',
    }
    const { report, tape, out } = await imported(written('a.zip', zipped(files)))
    expect(report.sources.map(({ file }) => file.replace(/.*a\.zip/, 'a.zip'))).toEqual([
      'a.zip/day/a.csv',
      'a.zip/day/b.csv',
    ])
    expect(rowsOf(tape)).toEqual(['1704067201000000 buy 11 2', '1704067205000000 buy 10 1'])
    expect(out).toMatch(/day\.tmk$/)
  })
})

describe('columns as somebody names them', () => {
  test.each([
    ['by name', 'ts;x,px,qty\n'.replace(';x', ''), { time: 'ts', price: 'px', size: 'qty' }, undefined],
    ['by number, without a header', '', { time: '1', price: '2', size: '3' }, undefined],
    ['by number, with a header', 'when,what,how much\n', { time: '1', price: '2', size: '3' }, 'trades'],
  ])('%s', async (_, header, columns, format) => {
    const { report, tape } = await imported(written('a.txt', `${header}1704067200000,10,1.5\n`), { columns, format })
    expect(report.sources[0].format).toBe('columns-trades')
    expect(rowsOf(tape)).toEqual([`${t} buy 10 1.5`])
  })

  test.each([
    ['levels', { time: 'a', side: 'b', price: 'c', size: 'd' }, '1704067200,sell,10,1', ['ask 10 1']],
    ['quotes', { time: 'a', bid: 'b', ask: 'c' }, '1704067200,9,10,', ['ask 10 1', 'bid 9 1']],
    ['ticker', { time: 'a', index: 'b', funding: 'd' }, '1704067200,9,,0.0003', ['index 9 0', 'funding 0.0003 0']],
    ['liquidations', { time: 'a', side: 'b', price: 'c', size: 'd' }, '1704067200,buy,10,1', ['liquidationBuy 10 1']],
  ])('%s', async (format, columns, row, rows) => {
    const { tape } = await imported(written('a.csv', `a,b,c,d\n${row}\n`), { columns, format })
    expect(rowsOf(tape)).toEqual(rows.map((one) => `${t} ${one}`))
  })
})
