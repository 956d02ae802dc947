/**
 * The results as one page that needs nothing else: what each account was worth, how far below its highest, and its fills on the prices.
 *
 * Looks     by the reader's light or dark, from 390 pixels on
 * Points    at most so many in a line: of more every n-th, with the last one
 * Source    lab.md §4.14
 */
import type { Report } from './report.ts'

const width = 900
const height = 180
const margin = 8
const pointsMax = 1_500
const marksMax = 3_000
const rowsMax = 200

type Point = readonly [at: number, value: number]
interface Mark {
  readonly at: number
  readonly value: number
  readonly side: 'buy' | 'sell'
  readonly said: string
}

export function pageOf(report: Report): string {
  const { accounts, from, to, deterministic } = report
  const exact = deterministic
    ? ''
    : '<p class="alarm">Not deterministic: clients were taken as idle by the real time that they said nothing.</p>'
  const none = accounts.length === 0 ? '<p class="soft">No account has placed an order.</p>' : ''
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Results of a run</title><style>${style}</style></head>
<body><header><h1>Results of a run</h1><p class="soft">${moment(from)} to ${moment(to)} UTC, ${spanOf(to - from)}</p></header>${exact}${none}
<main>${accounts.map((account) => accountPart(account, report)).join('')}</main></body></html>
`
}

function accountPart(account: Report['accounts'][number], report: Report): string {
  const { uid, role } = account
  const equity = report.equity
    .filter((row) => row.uid === uid)
    .map(({ at, equity: value }): Point => [at, Number(value)])
  const line: readonly Point[] = [[report.from, Number(account.begin)], ...equity]
  const fills = report.fills.filter((row) => row.uid === uid)
  const symbols = [...new Set(fills.map(({ symbol, category }) => `${category} ${symbol}`))]
  const facts: readonly (readonly [string, string])[] = [
    ['Profit', `${signed(account.profit)} USDT`],
    ['Begin and end', `${rounded(account.begin)} to ${rounded(account.end)} USDT`],
    ['Deepest drawdown', `${rounded(account.drawdown)} USDT, ${percent(account.drawdownShare)}`],
    ['Orders, fills', `${account.orders}, ${account.fills}`],
    ['Filled as maker', account.makerShare === null ? 'nothing was filled' : percent(account.makerShare)],
    ['Fees', money(account.fees)],
    ['Funding', money(account.funding)],
    [
      'Orders that rested',
      `${account.queue.rested}, of which ${account.queue.filled} were filled${account.queue.waitedMs === null ? '' : `, half of them within ${spanOf(account.queue.waitedMs)}`}`,
    ],
  ]
  const shown = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join('')
  return `<section><h2>${escaped(role ?? `account ${uid}`)}</h2><dl>${shown}</dl>
${drawing('Equity, USDT', line, { kind: 'line' })}
${drawing('Below the highest, USDT', drawdown(line), { kind: 'area' })}
${symbols.map((symbol) => priceDrawing(symbol, fills, report)).join('')}
${fillTable(fills)}</section>`
}

function priceDrawing(named: string, fills: Report['fills'], report: Report): string {
  const is = (row: { readonly category: string; readonly symbol: string }) => {
    return row.symbol === named.split(' ')[1] && (row.category === named.split(' ')[0] || named.startsWith('MARGIN'))
  }
  const prices = report.prices.filter(is).map(({ at, price }): Point => [at, Number(price)])
  const marks = thinned(fills.filter(is), marksMax).map(
    ({ at, price, side, size, scope }): Mark => ({
      at,
      value: Number(price),
      side,
      said: `${side} ${size} at ${price}, ${scope}, ${moment(at)}`,
    }),
  )
  const line = prices.length > 0 ? prices : marks.map(({ at, value }): Point => [at, value])
  return drawing(`${named}, last price and fills`, line, { kind: 'line', marks })
}

function drawing(
  title: string,
  points: readonly Point[],
  { kind, marks = [] }: { readonly kind: 'line' | 'area'; readonly marks?: readonly Mark[] },
): string {
  if (points.length === 0) return ''
  const times = [...points.map(([at]) => at), ...marks.map(({ at }) => at)]
  const values = [...points.map(([, value]) => value), ...marks.map(({ value }) => value)]
  const [first, last] = [least(times), most(times)]
  const [low, high] = [least(values), most(values)]
  const x = (at: number) => (((at - first) / (last - first || 1)) * width).toFixed(1)
  const y = (value: number) => (margin + (1 - (value - low) / (high - low || 1)) * (height - 2 * margin)).toFixed(1)
  const drawn = thinned(points, pointsMax).map(([at, value]) => `${x(at)},${y(value)}`)
  const shape =
    kind === 'line'
      ? `<polyline points="${drawn.join(' ')}"/>`
      : `<polygon points="0,${y(0)} ${drawn.join(' ')} ${width},${y(0)}"/>`
  const dots = marks.map(({ at, value, side, said }) => {
    const [cx, cy] = [Number(x(at)), Number(y(value))]
    const d = side === 'buy' ? `M${cx} ${cy}l-5 9h10z` : `M${cx} ${cy}l-5 -9h10z`
    return `<path class="${side}" d="${d}"><title>${escaped(said)}</title></path>`
  })
  const key = marks.length === 0 ? '' : ' <span class="buy">▲ bought</span> <span class="sell">▼ sold</span>'
  const range = `${rounded(String(low))} to ${rounded(String(high))}`
  return `<figure><figcaption><b>${escaped(title)}</b> ${range}${key}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${title}: ${range}`)}">${shape}${dots.join('')}</svg></figure>`
}

function drawdown(line: readonly Point[]): readonly Point[] {
  let highest = line[0][1]
  return line.map(([at, value]): Point => {
    highest = Math.max(highest, value)
    return [at, value - highest]
  })
}

function fillTable(fills: Report['fills']): string {
  if (fills.length === 0) return ''
  const rows = fills
    .slice(-rowsMax)
    .toReversed()
    .map(
      (fill) =>
        `<tr><td>${moment(fill.at)}</td><td>${escaped(fill.symbol)}</td><td class="${fill.side}">${fill.side === 'buy' ? 'bought' : 'sold'}</td><td>${fill.size}</td><td>${fill.price}</td><td>${fill.scope}</td><td>${fill.profit}</td></tr>`,
    )
  const which = fills.length > rowsMax ? `the newest ${rowsMax} of ${fills.length}` : String(fills.length)
  return `<details><summary>Fills: ${which}</summary><div class="wide"><table><tr><th>Time, UTC</th><th>Symbol</th><th>Side</th><th>Size</th><th>Price</th><th>As</th><th>Profit</th></tr>${rows.join('')}</table></div></details>`
}

/** Every n-th of them, and the last. */
function thinned<T>(list: readonly T[], most_: number): readonly T[] {
  if (list.length <= most_) return list
  const every = Math.ceil(list.length / most_)
  return list.filter((_, index) => index % every === 0 || index === list.length - 1)
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b))
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b))

function moment(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

function spanOf(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const
  const [name, size] = units.find(([, unit]) => ms >= unit) ?? ['ms', 1]
  return `${Number((ms / size).toFixed(1))} ${name}`
}

/** For the eye: two decimals of large ones. */
function rounded(text: string): string {
  const value = Number(text)
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) >= 100 ? 2 : 6 })
}

function signed(text: string): string {
  return text.startsWith('-') ? rounded(text) : `+${rounded(text)}`
}

function percent(share: string): string {
  return `${Number((Number(share) * 100).toFixed(2))} %`
}

function money(sums: Readonly<Record<string, string>>): string {
  const parts = Object.entries(sums).map(([coin, amount]) => `${rounded(amount)} ${coin}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const style = `
:root{color-scheme:light dark;--paper:#fbfbf9;--ink:#1d2328;--soft:#5d6770;--line:#dfe2e1;--card:#fff;--good:#1d7a4f;--bad:#b3261e;--mark:#1f6fb2;--shade:#b3261e33}
@media (prefers-color-scheme:dark){:root{--paper:#14181b;--ink:#e6e9ea;--soft:#98a3ab;--line:#2b3338;--card:#1b2125;--good:#5fc795;--bad:#ff8a80;--mark:#84bdf0;--shade:#ff8a8040}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.25rem 1rem 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}
.soft,figcaption{color:var(--soft)}.alarm{border:1px solid var(--bad);border-radius:.5rem;padding:.5rem 1rem}
dl{margin:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.5rem}
dl div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem}
dt{font-size:.8rem;color:var(--soft)}dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
figure{margin:1rem 0}figcaption{font-size:.85rem;margin-bottom:.25rem}figcaption b{color:var(--ink)}
svg{width:100%;display:block;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
polyline{fill:none;stroke:var(--mark);stroke-width:1.5}polygon{fill:var(--shade);stroke:var(--bad)}
.buy{color:var(--good);fill:var(--good)}.sell{color:var(--bad);fill:var(--bad)}
summary{cursor:pointer;padding:.5rem 0}.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:.2rem .5rem;border-top:1px solid var(--line);white-space:nowrap}th:first-child,td:first-child{text-align:left}
th{color:var(--soft);font-weight:600}
`
