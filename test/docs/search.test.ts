/** What newcomers type into the search of the guide, and the place that is to be among the first three found. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { renderGuide } from '../../scripts/guide/pages.ts'
import { searchOver } from '../../web/guide/found.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const { pages } = renderGuide(docs, ['README.md', 'CHANGELOG.md'])
const find = searchOver(
  pages.flatMap(({ sections }) => sections.map((section) => ({ kind: 'page' as const, ...section }))),
)

test.each([
  ['how to place an order', 'readme#a-first-order'],
  ['get started', 'readme#get-started'],
  ['install', 'operations#as-a-package'],
  ['uninstall', 'readme#get-started'],
  ['docker', 'operations#in-a-container'],
  ['testnet', 'readme'],
  ['sandbox', 'readme'],
  ['paper trading', 'market'],
  ['license', 'readme#license'],
  ['make an api key', 'operations'],
  ['sign a request', 'clients#signing-a-request-curl'],
  ['websocket login', 'streams#login-and-orders'],
  ['what is the funding rate', 'risk#funding'],
  ['stop loss', 'risk#take-profit-stop-loss-plans'],
  ['fees', 'risk#fills-and-fees'],
  ['rate limit', 'interface#rate-limits'],
  ['error 40010', 'clients#when-no-answer-comes'],
  ['was my order placed', 'unknown-outcomes'],
  ['how do I reset the venue between tests', 'testing'],
  ['backup', 'operations#backup-and-restore'],
  ['change the port', 'readme#running-it'],
  ['prometheus', 'operations#metrics'],
  ['how much memory', 'reliability#memory'],
  ['backtest', 'backtests'],
  ['hedge mode', 'risk#hedge-mode'],
  ['throughput', 'performance'],
])('%s', (words, place) => {
  const found = find(words)
    .slice(0, 3)
    .map(({ address }) => address.replace('/docs/guide/', ''))
  // A page stands for all of its sections.
  expect(place.includes('#') ? found : found.map((address) => address.split('#')[0])).toContain(place)
})

/** What comes first is the answer. */
test.each([
  ['leverage', 'risk#leverage-and-tiers'],
  ['funding', 'risk#funding'],
  ['liquidation price', 'risk'],
  ['hedge mode', 'risk#hedge-mode'],
  ['ADL', 'risk#auto-deleveraging'],
  ['rate limit', 'interface#rate-limits'],
  ['kill -9', 'operations#starting-stopping-exit-codes'],
  ['backup', 'operations#backup-and-restore'],
  ['upgrade', 'operations#upgrading'],
  ['windows', 'operations#on-macos-and-windows'],
  ['duplicate clientOid', 'unknown-outcomes#what-an-answer-means'],
  ['heartbeat', 'streams'],
  ['checksum', 'streams#what-holds-sequence-and-checksum'],
  ['grade', 'grading'],
  ['historical data', 'recorded-markets'],
  ['slippage', 'recorded-markets#in-the-book'],
  ['benchmark', 'performance'],
  // One letter is missing.
  ['levrage', 'risk#leverage-and-tiers'],
])('first of all: %s', (words, place) => {
  const address = find(words)[0]?.address.replace('/docs/guide/', '')
  expect(place.includes('#') ? address : address?.split('#')[0]).toBe(place)
})

test('words that stand nowhere find nothing', () => {
  expect(find('qqqqxxxx')).toEqual([])
})
