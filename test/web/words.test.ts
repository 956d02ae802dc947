/**
 * The words of the terminal, of the desk, and around the documents: every language has every message, every message is said somewhere, and nothing is said in
 * a component that no language file has.
 *
 * Keys      a path into the English messages; what a table holds is said by whatever reads the table
 * Outside   texts in the source that look like words
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { duration, short } from '../../web/numbers/format.ts'
import { amountFault } from '../../web/numbers/faults.ts'
import { billTold, moveOf } from '../../web/venue/bills.ts'
import { meaningOf } from '../../web/venue/refusals.ts'
import { Caller, publicGet, toldOf, VenueError } from '../../web/venue/rest.ts'
import { en } from '../../web/words/messages/en.ts'
import { en as docsEn } from '../../web/words/messages/docs.en.ts'
import { zh as docsZh } from '../../web/words/messages/docs.zh.ts'
import { en as deskEn } from '../../web/words/messages/desk.en.ts'
import { zh as deskZh } from '../../web/words/messages/desk.zh.ts'
import { zh } from '../../web/words/messages/zh.ts'
import { desk } from '../../web/words/desk.ts'
import { languages } from '../../web/words/languages.ts'
import { choices, named, speak, t } from '../../web/words/words.ts'

/** Each book in English, by the name that sources call it. */
const books = { t: en, desk: deskEn, docs: docsEn } as const
const translated = [
  ['zh', 't', zh],
  ['zh', 'desk', deskZh],
  ['zh', 'docs', docsZh],
] as const

test('every language has each of the books', () => {
  const found = translated.map(([language, name]) => `${language} ${name}`)
  const others = Object.keys(languages).filter((language) => language !== 'en')
  expect(found).toEqual(others.flatMap((language) => Object.keys(books).map((name) => `${language} ${name}`)))
})

/** Every leaf under its path. A message with figures is called with what shows where they stand. */
function leavesOf(value: unknown, path = ''): (readonly [path: string, leaf: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === '' ? key : `${path}.${key}`))
}

/** What one has and the other lacks, or has as something else: a sentence with figures where the other has none. */
function differences(one: object, other: object): string[] {
  const kinds = new Map(leavesOf(other).map(([path, leaf]) => [path, typeof leaf]))
  return leavesOf(one).flatMap(([path, leaf]) => {
    const kind = kinds.get(path)
    return kind === typeof leaf
      ? []
      : [`${path}: ${kind === undefined ? 'missing' : `a ${kind}, not a ${typeof leaf}`}`]
  })
}

/** Those whose lines may be of any number: a language has as many sentences and scales as it needs. */
const ofAnyLength = /^(numbers\.scales|causes\.[\w-]+\.lines)\./

describe.each(translated)('%s, %s', (_, name, messages) => {
  const english: object = books[name]

  test('has every message of English, and no other', () => {
    const found = [...differences(english, messages), ...differences(messages, english)]
    expect(found.filter((line) => !ofAnyLength.test(line))).toEqual([])
  })

  test('says each in its own letters', () => {
    const same = leavesOf(messages).filter(([path, leaf]) => {
      const text = saidBy(leaf)
      return text !== undefined && !/\p{Script=Han}/u.test(text) && !sameEverywhere.test(path)
    })
    expect(same.map(([path]) => path)).toEqual([])
  })

  test('says every figure that it is given', () => {
    const silent = leavesOf(messages).flatMap(([path, leaf]) => {
      if (typeof leaf !== 'function') return []
      const theirs = figuresIn(leafAt(english, path))
      return theirs.filter((figure) => !figuresIn(leaf).includes(figure)).map((figure) => `${path} ${figure}`)
    })
    expect(silent).toEqual([])
  })

  test('writes its punctuation in full width beside its letters', () => {
    const narrow = leavesOf(messages).filter(([, leaf]) =>
      /\p{Script=Han}[,;?!]|[,;?!]\p{Script=Han}/u.test(saidBy(leaf) ?? ''),
    )
    expect(narrow.map(([path]) => path)).toEqual([])
  })
})

/** Names, units and figures alone. */
const sameEverywhere =
  /^(locale|common\.sentence|numbers\.scales\.\d\.0|walletsShort\.p2p|badges\.USD[TC]-FUTURES|forces\.(gtc|ioc|fok)|settings\.utc|ticket\.(countedIn|send)|ticker\.fundingIn|told\.(order|forced)|chart\.(at|forced)|money\.place|told\.perhaps|instruments\.fundingIn|listing\.nth)$/

/** Words for sides and the like are looked up, so these are given as they are; everything else shows its place. */
const known: Readonly<Record<string, readonly unknown[]>> = {
  sideOf: ['buy', 'long'],
  filledSide: ['buy', 'open'],
  'positions.reverses': ['<0>', 'long'],
  'orders.editOrder': ['buy', '<1>'],
  'alerts.row': ['<0>', 'above', '<2>'],
  'alerts.come': ['<0>', 'above', '<2>'],
  'chart.triggerOf': ['buy'],
  'told.terms': ['<0>', 'crossed', '<2>'],
  'performance.curve': [{ from: '<0>', to: '<1>', low: '<2>', high: '<3>' }],
}

function saidBy(leaf: unknown, path = ''): string | undefined {
  if (typeof leaf === 'string') return leaf
  if (typeof leaf !== 'function') return undefined
  const figures = known[path] ?? known[pathOf(leaf)] ?? ['<0>', '<1>', '<2>', '<3>']
  return String((leaf as (...figures: unknown[]) => string)(...figures))
}

const paths = new Map(
  [...Object.values(books), ...translated.map(([, , messages]) => messages)].flatMap((messages) =>
    leavesOf(messages).map(([path, leaf]) => [leaf, path] as const),
  ),
)

function pathOf(leaf: unknown): string {
  return paths.get(leaf) ?? ''
}

function leafAt(messages: object, path: string): unknown {
  return leavesOf(messages).find(([found]) => found === path)?.[1]
}

function figuresIn(leaf: unknown): string[] {
  return [...new Set(saidBy(leaf)?.match(/<\d>/g) ?? [])]
}

test('a message that is missing, too many or of another kind is found', () => {
  const one = { a: 'x', table: { b: 'x', c: (count: number) => `${count}` } }
  expect(differences(one, { a: 'y', table: { c: 'y' } })).toEqual([
    'table.b: missing',
    'table.c: a string, not a function',
  ])
})

const web = fileURLToPath(new URL('../../web', import.meta.url))
/** The messages themselves, and what says nothing. */
const besides = /^(words\/messages|styles)\//

const sources = new Map(
  readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(web, join(entry.parentPath, entry.name)))
    .filter((path) => !besides.test(path) && path !== 'vite.config.ts')
    .sort()
    .map((path) => [path, readFileSync(join(web, path), 'utf8')] as const),
)

/** Messages of a book that no source says: neither by name, nor by reading the table that they are in. */
function unsaid(name: string, messages: object, files: Iterable<string>): string[] {
  const said = new Set<string>()
  const reads = new RegExp(`(?<![\\w./])${name}((?:\\.\\w+)+)([^\\w])`, 'g')
  for (const text of files) {
    for (const [, path = '', after = ''] of text.matchAll(reads)) {
      said.add((after === '[' ? `${path}[` : path).slice(1).replace(/\.(find|map)$/, ''))
    }
  }
  return leavesOf(messages)
    .map(([path]) => path)
    .filter((path) => {
      const parts = path.split('.')
      return !parts.some((_, at) => {
        const part = parts.slice(0, at + 1).join('.')
        return said.has(part) || said.has(`${part}[`)
      })
    })
}

test.each(Object.entries(books))('every message is said somewhere: %s', (name, messages) => {
  expect(unsaid(name, messages, sources.values())).toEqual([])
})

test('the terminal does not load what other pages alone say', () => {
  const others = /^(desk|reference|guide)\//
  const loads = [...sources].filter(([path, text]) => !others.test(path) && /words\/(desk|docs)\.ts'/.test(text))
  expect(loads.map(([path]) => path)).toEqual([])
})

test('a message that nobody says is found', () => {
  const messages = { a: 'x', b: 'x', table: { c: 'x' }, other: { d: 'x' } }
  expect(unsaid('t', messages, ['f(t.a, t.table[name]) + cat.b'])).toEqual(['b', 'other.d'])
})

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** Attributes of elements that people never hear or see. */
const silentAttributes =
  /^(class|key|src|cause|side|scope|id|testid|page|lang|type|name|role|href|rel|target|method|inputMode|autoComplete|data-[\w-]+|aria-(?!label|valuetext|description)[\w-]+|d|points|viewBox|preserveAspectRatio)$/

/** Words, not names of the code: with a space between them, or beginning like a sentence. */
const likeWords = /^[A-Z][a-z]{2,}|[a-z]{2,} [a-z]{2,}|\p{Script=Han}/u
const selector = /^(?:[.#][a-z]|header )/

/** Texts of a source that look like words for people, as `line text`. */
function wordsIn(path: string, text: string): string[] {
  const { program } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
  const found: string[] = []
  const note = (at: number, said: string) =>
    found.push(`${text.slice(0, at).split('\n').length} ${said.trim().replaceAll(/\s+/g, ' ')}`)
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk)
    if (typeof node !== 'object' || node === null || !('type' in node)) return undefined
    const one = node as Node
    if (
      /^(Import|TS(?!NonNull|As|Satisfies)|Export(All|Named))/.test(one.type) &&
      (one['declaration'] ?? null) === null
    )
      return undefined
    if (one.type === 'JSXAttribute' && silentAttributes.test(String((one['name'] as { name?: unknown }).name)))
      return undefined
    if (one.type === 'JSXText' && /\p{L}{2}/u.test(String(one['value']))) note(one.start, String(one['value']))
    if (
      one.type === 'Literal' &&
      typeof one['value'] === 'string' &&
      likeWords.test(one['value']) &&
      !selector.test(one['value'])
    )
      note(one.start, one['value'])
    if (one.type === 'TemplateLiteral') {
      const parts = (one['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
      if (likeWords.test(parts.join('…').trim()) && !selector.test(parts[0] ?? '')) note(one.start, parts.join('…'))
    }
    if (one.type === 'JSXAttribute') {
      const value = one['value'] as { type?: string; value?: unknown; start?: number } | null
      if (value?.type === 'Literal' && /\p{L}{2}/u.test(String(value.value)) && !likeWords.test(String(value.value))) {
        note(value.start ?? 0, String(value.value))
      }
    }
    for (const [name, inner] of Object.entries(one)) if (name !== 'type') walk(inner)
  }
  walk(program)
  return found
}

/** Names, keys of the keyboard, and words that go to the venue or a program, not to people. */
const names: readonly (readonly [file: RegExp, texts: RegExp])[] = [
  [/./, /^(Tidemark|USD|ms|Escape|Enter|Delete|Backspace|Arrow(Up|Down|Left|Right)|Content-Type|Bearer …)$/],
  [/^chart\/library\.ts$/, /^Stoch$/],
  [/^panels\/about\.tsx$/, /^(KLineChart|TradingView Lightweight Charts|Copyright \(c\) .*|https:.*)$/],
  [/^panels\/share-position\.tsx$/, /system-ui, sans-serif$/],
  // Chapters of the documents, which are English.
  [/^store\/explanations\.ts$/, /./],
  // Where the token is from, in code.
  [/^desk\/sign-in\.tsx$/, /^(--lab-token|operator-token)$/],
  [/^reference\/main\.ts$/, /^BaseLayout$/],
  // What is searched is English.
  [/^guide\/found\.ts$/, /^a already an and /],
  [/^guide\/search\.ts$/, /^(Call over HTTP|Channel over WebSocket)$/],
  // Only who changes the page can see it.
  [/^parts\/say\.ts$/, /^the page has no …$/],
  [/^words\/languages\.ts$/, /^(English|中文)$/],
]

test('nothing is said outside the messages', () => {
  const found = [...sources].flatMap(([path, text]) =>
    wordsIn(path, text)
      .filter((line) => !names.some(([file, texts]) => file.test(path) && texts.test(line.replace(/^\d+ /, ''))))
      .map((line) => `${path}:${line}`),
  )
  expect(found).toEqual([])
})

test.each([
  // a line of a component                                what is found
  ['<p>Hello there</p>', '1 Hello there'],
  ['<Dialog title="Close" onClose={close} />', '1 Close'],
  ['<p aria-label="off">{t.a}</p>', '1 off'],
  ["<p>{isGone ? 'Gone' : t.here}</p>", '1 Gone'],
  ['<p>{`${count} orders were canceled`}</p>', '1 … orders were canceled'],
  ["notify('bad', `${symbol} is above it`)", '1 … is above it'],
])('%s: a word outside is found', (line, found) => {
  expect(wordsIn('a.tsx', line)).toEqual([found])
})

test.each([
  '<p class="quiet wide" data-testid="send" aria-live="polite">{t.a} {count} × {price}%</p>',
  "document.querySelector('.ticket form')",
  "import { a } from '../one two.ts'",
  "type Side = 'Buy it' | 'Sell it'",
  "if (side === 'buy') dialog.value = 'sign-in'",
])('%s: nothing to find', (line) => {
  expect(wordsIn('a.tsx', line)).toEqual([])
})

describe('spoken in Chinese', () => {
  afterEach(async () => {
    await speak('en')
  })

  test('whoever reads a message gets it in the language that was asked for last', async () => {
    expect(t.sides.buy).toBe('Buy')
    const first = speak('zh')
    await speak('en')
    await first
    expect(t.sides.buy).toBe('Buy')
    await speak('zh')
    expect(t.sides.buy).toBe('买入')
    expect(desk.views.overview).toBe('概览')
    expect(choices(t.marginModes)).toEqual([
      ['crossed', '全仓'],
      ['isolated', '逐仓'],
    ])
    expect(named(t.roles, 'maker')).toBe('挂单方')
    expect(named(t.roles, 'other')).toBe('other')
  })

  test.each([
    // of an order                        of a fill
    ['buy', 'long', '开多', 'open', '开多'],
    ['sell', 'long', '平多', 'close', '平多'],
    ['sell', 'short', '开空', 'open', '开空'],
    ['buy', 'short', '平空', 'close', '平空'],
    ['buy', '', '买入', '', '买入'],
    ['sell', '', '卖出', '', '卖出'],
  ] as const)('%s %s', async (side, posSide, ofOrder, tradeSide, ofFill) => {
    await speak('zh')
    expect(t.sideOf(side, posSide)).toBe(ofOrder)
    expect(t.filledSide(side, tradeSide)).toBe(ofFill)
  })

  test('figures: large numbers by ten thousands, what is left of a time', async () => {
    await speak('zh')
    expect([short(1_234), short(12_340), short(123_400_000), short(-2e12)]).toEqual([
      '1,234',
      '1.23万',
      '1.23亿',
      '-2.00万亿',
    ])
    expect(duration(3_725)).toBe('1\u202f小时 2\u202f分')
  })

  test('faults, bills and refusals are told in it; what a bill does stays the same', async () => {
    expect(moveOf('deposit')).toBe('flow')
    await speak('zh')
    expect(amountFault('11', '10')).toBe('超出可用：最多 10')
    expect(billTold('open_long').text).toBe('开仓')
    expect(['deposit', 'borrow', 'contract_settle_fee', 'buy'].map(moveOf)).toEqual([
      'flow',
      'inside',
      'funding',
      'trading',
    ])
    expect(meaningOf('40762')).toBe('保证金不足。请减小数量、提高杠杆或划转资金。')
    expect(toldOf(new VenueError('49999', '参数错误。'))).toEqual({ text: '参数错误。', code: '49999' })
  })

  test('the venue is asked to answer in it', async () => {
    const asked: unknown[] = []
    vi.stubGlobal('fetch', async (_: string, { headers }: { headers: Record<string, string> }) => {
      asked.push(headers['locale'])
      return Response.json({ code: '00000', requestTime: Date.now(), data: 'done' })
    })
    const caller = await Caller.open({ apiKey: 'key', secret: 'secret', passphrase: 'pass' })
    await publicGet('/api/v3/any')
    await speak('zh')
    await publicGet('/api/v3/any')
    await caller.get('/api/v2/any')
    await caller.post('/api/v2/any', {})
    vi.unstubAllGlobals()
    expect(asked).toEqual(['en-US', 'zh-CN', 'zh-CN', 'zh-CN'])
  })

  test('what perhaps was not done is told as that', async () => {
    expect(t.told.perhaps(t.told.notClosed('BTCUSDT'))).toBe('BTCUSDT: perhaps not closed')
    expect(t.told.perhaps(t.told.notEveryPlaced)).toBe('Perhaps not every order was placed')
    await speak('zh')
    for (const failed of leavesOf(t.told).filter(([path]) => /^not|Not/.test(path))) {
      expect(t.told.perhaps(saidBy(failed[1]) ?? '')).toContain('可能未')
    }
  })
})
