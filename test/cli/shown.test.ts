/** What people see of the command line, and what it asks: tables, the live book, progress, completion, words of orders. */
import { spawnSync } from 'node:child_process'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { bookText } from '../../src/cli/book.ts'
import { completionScript } from '../../src/cli/completion.ts'
import { BookGap, compareDecimals, LiveBook } from '../../src/cli/live-book.ts'
import { type OrderAsked, v2Words, v3Words } from '../../src/cli/order-words.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { openProgress } from '../../src/cli/progress.ts'
import { type Look, shownText } from '../../src/cli/table.ts'
import { statusText } from '../../src/cli/upkeep.ts'

const look: Look = { width: 40, heading: (text) => `*${text}*` }

describe('answers for people', () => {
  test('a list is a table, what is absent a dash, a list in a cell its members', () => {
    const rows = [
      { uid: '1', name: 'Alice', parent: null, ips: [] },
      { uid: '1000', name: '', parent: '1', ips: ['10.0.0.1', '10.0.0.2'] },
    ]
    expect(shownText(rows, look)).toBe(
      ['*uid   name   parent  ips*', '1     Alice  -       -', '1000  -      1       10.0.0.1,10.0.0.2', ''].join('\n'),
    )
    expect(shownText(rows, look, ['name', 'uid'])).toBe('*name   uid*\nAlice  1\n-      1000\n')
    expect(shownText([], look)).toBe('(none)\n')
  })

  test('one record is its fields, records in it by their path, lists of records below', () => {
    const answer = { balanced: true, house: { fees: '1.5' }, coins: [{ coin: 'BTC' }] }
    expect(shownText(answer, look)).toBe('balanced    true\nhouse.fees  1.5\n\n*coins*\n*coin*\nBTC\n')
  })

  test.each([20, 30, 40])('no line is wider than %i characters, and the widest column gives way', (width) => {
    const rows = [{ a: 'x'.repeat(50), b: 'short', c: '12345.678' }]
    const lines = shownText(rows, { ...look, width, heading: (text) => text }).split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
    expect(lines[1]).toContain('…')
    if (width > 20) expect(lines[1]).toMatch(/…  short  12345\.678$/)
  })

  test('a name that somebody chose commands the terminal nothing', () => {
    const shown = shownText([{ name: '\x1b[2Jgone\nnext\u202e' }], look)
    expect(shown).toBe('*name*\n�[2Jgone�next�\n')
  })
})

describe('the live book', () => {
  const push = (action: 'snapshot' | 'update', seq: number, pseq: number, a: object, b: object) => {
    return { action, data: [{ a: Object.entries(a), b: Object.entries(b), seq, pseq, ts: '1700000000000' }] }
  }

  test('is the snapshot with every change since, best first', () => {
    const book = new LiveBook()
    book.take(push('snapshot', 7, 0, { '101.5': '1', '101.25': '2' }, { '99.9': '3', '100': '4', '9': '1' }))
    book.take(push('update', 8, 7, { '101.25': '0.00', '102': '5' }, { '100': '1.5' }))
    expect(book.shown(2)).toEqual({
      sequence: 8,
      at: 1_700_000_000_000,
      bids: [
        ['100', '1.5'],
        ['99.9', '3'],
      ],
      asks: [
        ['101.5', '1'],
        ['102', '5'],
      ],
    })
  })

  test('is worth nothing after a gap, until a snapshot comes', () => {
    const book = new LiveBook()
    book.take(push('snapshot', 7, 0, {}, { '100': '4' }))
    expect(() => book.take(push('update', 9, 8, {}, {}))).toThrow(BookGap)
    book.take(push('snapshot', 9, 0, {}, { '99': '1' }))
    expect(book.shown(5).bids).toEqual([['99', '1']])
  })

  test.each([
    ['9', '10', -1],
    ['0.10', '0.1', 0],
    ['0.100000001', '0.1', 1],
    ['90071992547409931', '90071992547409930', 1],
  ])('%s against %s: %i', (first, second, order) => {
    expect(compareDecimals(first, second)).toBe(order)
  })

  test('is drawn with the best prices in the middle, within the width', () => {
    const book = new LiveBook()
    book.take(push('snapshot', 7, 0, { '101': '1', '102': '2' }, { '100': '4', '99': '5' }))
    const lines = bookText('SPOT BTCUSDT', book.shown(2), [0, 0], look).split('\n')
    expect(lines.slice(1, -1).map((line) => line.split(/ +/)[1] ?? '')).toEqual(['102', '101', '', '100', '99'])
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(look.width + 2)
  })

  test('each column has the decimals of the instrument, whatever its levels need', () => {
    const book = new LiveBook()
    book.take(push('snapshot', 7, 0, { '60001': '1.25' }, { '59999.5': '4' }))
    const lines = bookText('SPOT BTCUSDT', book.shown(2), [2, 3], look).split('\n')
    expect(lines.slice(1, -1).map((line) => line.split(/ +/).slice(1).join(' '))).toEqual([
      '60001.00 1.250',
      '',
      '59999.50 4.000',
    ])
  })
})

describe('progress', () => {
  function terminal(isTTY: boolean) {
    const written: string[] = []
    return { isTTY, columns: 60, written, write: (text: string) => written.push(text) }
  }

  test('is written on a terminal alone, at most ten times a second, and taken away in the end', () => {
    let now = 1_000
    const shown = terminal(true)
    const progress = openProgress('replaying', shown, () => now)
    progress.at(0.25, 'command 25 of 100')
    now += 50
    progress.at(0.3, 'too soon')
    now += 50
    progress.at(0.5, 'command 50 of 100')
    progress.end()
    expect(shown.written).toEqual([
      '\r\x1b[2Kreplaying [######..................]  25 %  command 25 of 1',
      '\r\x1b[2Kreplaying [############............]  50 %  command 50 of 1',
      '\r\x1b[2K',
    ])
    const piped = terminal(false)
    const silent = openProgress('replaying', piped, () => now)
    silent.at(0.5, 'half')
    silent.end()
    expect(piped.written).toEqual([])
  })
})

describe('what commands do', () => {
  /** Imperative, one style throughout. */
  const verbs =
    /^(accept|add|announce|append|begin|bring|cancel|carry|change|check|close|continue|delete|end|enter|explain|follow|freeze|go|grade|have|keep|let|list|make|measure|move|note|open|pay|place|play|print|record|refuse|replace|revoke|run|send|set|settle|show|stop|take|throw|wait|write)\b/

  function described(command: Command, path: string): [path: string, description: string][] {
    return command.commands.flatMap((made) => {
      const name = `${path} ${made.name()}`
      return [[name, made.description()] as [string, string], ...described(made, name)]
    })
  }

  test.each(described(buildProgram(), 'tidemark'))('%s: %s', (_, description) => {
    expect(description).toMatch(verbs)
  })
})

describe('how a venue is', () => {
  const status = { status: 'ok', reasons: [], version: '0.1.0', address: 'http://127.0.0.1:8080', now: 0 }

  test.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3_725, '1 h 2 min'],
    [86_460, '1 d'],
    [273_600, '3 d 4 h'],
  ])('up for %i seconds: %s', (upForS, text) => {
    const lines = statusText({ ...status, upForS }, look).split('\n')
    expect(lines.slice(0, 4)).toEqual([
      'status   ok',
      'address  http://127.0.0.1:8080',
      'version  0.1.0',
      `up       ${text}`,
    ])
  })

  test('what is wrong stands below its state', () => {
    const lines = statusText({ ...status, status: 'degraded', reasons: ['history is behind'], upForS: 1 }, look)
    expect(lines).toMatch(/^status +degraded\nreasons +history is behind\naddress /)
  })
})

describe('completion', () => {
  const bash = completionScript(buildProgram(), 'bash')

  /** What bash offers behind these words; the last one is being typed. */
  function offered(...words: string[]): string[] {
    const script = `${bash}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', 'tidemark', ...words], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.split('\n').filter((line) => line !== '')
  }

  test.each([
    [['acc'], ['accept-loss', 'accounts']],
    [
      ['accounts', ''],
      [
        'list',
        'show',
        'create',
        'mode',
        'broker',
        'copy-trader',
        'bind',
        'freeze',
        'unfreeze',
        'cancel-orders',
        'bills',
      ],
    ],
    [['accounts', 'list', '--l'], ['--limit']],
    [['accounts', 'list', '--limit', '5', '--p'], ['--parent']],
    [
      ['start', '--operator'],
      ['--operator-port', '--operator-host'],
    ],
    [['book', 'USDT'], ['USDT-FUTURES']],
    [['deposit', '1000000001', 'crossed'], ['crossed_margin']],
    [
      ['scenario', 's'],
      ['squeeze', 'stale-index'],
    ],
    [['accounts', 'nothing-like-it', 'x'], []],
  ])('%j: %j', (words, found) => {
    expect(offered(...words)).toEqual(found)
  })

  test('every command is in every shell’s script', () => {
    const names = buildProgram().commands.map((command) => command.name())
    for (const asked of [
      'start',
      'init',
      'status',
      'keys',
      'accounts',
      'deposit',
      'instruments',
      'book',
      'order',
      'verify',
    ]) {
      expect(names).toContain(asked)
    }
    for (const asked of ['explain', 'snapshot', 'bench', 'openapi', 'config']) expect(names).toContain(asked)
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const script = completionScript(buildProgram(), shell)
      for (const name of names) expect(script).toContain(`' ${name}'`)
    }
  })
})

describe('an order in the words of each version', () => {
  const order: OrderAsked = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'sell',
    quantity: '0.1',
    price: '61000',
    timeInForce: 'ioc',
    clientOid: 'a',
    reduceOnly: true,
    positionSide: undefined,
    marginMode: undefined,
    marginCoin: undefined,
  }

  test.each([
    // position   side    v2 says
    ['long', 'buy', { side: 'buy', tradeSide: 'open' }],
    ['long', 'sell', { side: 'buy', tradeSide: 'close' }],
    ['short', 'sell', { side: 'sell', tradeSide: 'open' }],
    ['short', 'buy', { side: 'sell', tradeSide: 'close' }],
  ] as const)('hedge mode, a %s position: %s', (positionSide, side, said) => {
    expect(v2Words.place({ ...order, side, positionSide })).toMatchObject(said)
    expect(v3Words.place({ ...order, side, positionSide })).toMatchObject({ side, posSide: positionSide })
  })

  test.each([
    ['USDT-FUTURES', 'BTCUSDT', 'USDT'],
    ['USDC-FUTURES', 'BTCPERP', 'USDC'],
    ['COIN-FUTURES', 'BTCUSD', 'BTC'],
  ] as const)('%s %s has margin in %s', (category, symbol, marginCoin) => {
    expect(v2Words.place({ ...order, category, symbol })).toMatchObject({ productType: category, marginCoin })
  })

  test('a limit order has its price and force, a market order of margin spends what it is given', () => {
    expect(v2Words.place(order)).toMatchObject({ orderType: 'limit', price: '61000', force: 'ioc', reduceOnly: 'YES' })
    expect(v3Words.place(order)).toMatchObject({
      orderType: 'limit',
      timeInForce: 'ioc',
      qty: '0.1',
      reduceOnly: 'yes',
    })
    const market = { ...order, category: 'MARGIN', price: undefined } as const
    expect(v2Words.place({ ...market, side: 'buy' })).toMatchObject({ orderType: 'market', quoteSize: '0.1' })
    expect(v2Words.place({ ...market, side: 'sell' })).toMatchObject({ orderType: 'market', baseSize: '0.1' })
  })
})
