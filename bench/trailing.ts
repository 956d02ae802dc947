/**
 * What 100,000 trailing orders cost a price update that reaches none of them.
 *
 * Updates  the mark of a contract walks by a few ticks; a rally makes every one a new best price
 * Beside   none that wait; as many ordinary trigger orders; as many trailing ones with a few rates, and with a thousand
 * Rounds   the cases take turns; the figure is the median of their rounds
 * Quoted   docs/decisions/0025-trailing-orders.md
 */
import type { Ticks } from '../src/engine/numbers/numbers.ts'
import { TrailingTable } from '../src/engine/state/trailing-table.ts'
import { TriggerTable } from '../src/engine/state/trigger-table.ts'
import { collectGarbage, median, nsPer, random, report, rounded } from './measure.ts'

const orders = 100_000
const updates = 200_000
const rounds = 5
const instrument = 0
const start = 600_000

interface Case {
  readonly name: string
  readonly triggers: TriggerTable
  readonly trailing: TrailingTable
}

function fixed(count: number): TriggerTable {
  const triggers = new TriggerTable()
  const draw = random(1)
  for (let id = 1; id <= count; id++) {
    const row = triggers.allocate()
    triggers.id.set(row, id)
    triggers.account.set(row, 1 + (id % 1_000))
    triggers.by.set(row, 1)
    triggers.rises.set(row, 0)
    triggers.price.set(row, start - 100_000 - Math.floor(draw() * 20_000))
    triggers.join(row)
  }
  return triggers
}

function trailing(count: number, rates: number): TrailingTable {
  const table = new TrailingTable()
  for (let id = 1; id <= count; id++) {
    const rate = 1_000 - (id % rates)
    const terms = { instrument, by: 'mark', sells: true, price: 0, rises: true } as const
    table.add(id, id, { ...terms, rate, takeProfitRate: 0, stopLossRate: 0 })
    // A hundred of them at each price, on the way down by less than a rate.
    if (id % 100 === 0) table.follow(instrument, { last: 0, mark: (start - id / 100) as Ticks })
  }
  return table
}

const nothing = () => ({ triggers: fixed(0), trailing: trailing(0, 1) })
const cases: readonly Case[] = [
  { name: 'none wait', ...nothing() },
  { name: '100,000 trigger orders', ...nothing(), triggers: fixed(orders) },
  { name: '100,000 trailing, 10 rates', ...nothing(), trailing: trailing(orders, 10) },
  { name: '100,000 trailing, 900 rates', ...nothing(), trailing: trailing(orders, 900) },
]

/** One price after another, as the engine asks at each: who follows, and who is due. */
function update({ triggers, trailing: table }: Case, step: (index: number) => number): number {
  let due = 0
  for (let index = 0; index < updates; index++) {
    const prices = { last: 0, mark: step(index) as Ticks } as const
    table.follow(instrument, prices)
    due += triggers.due(instrument, prices) + table.dueNow(instrument, prices)
  }
  return due
}

const draw = random(2)
const walk = Int32Array.from({ length: updates }, () => start - 500 + Math.floor(draw() * 200))
let rally = start
const walks = {
  'a price that walks': (index: number) => walk[index],
  'a new best price each': () => ++rally,
} as const

for (const [kind, step] of Object.entries(walks)) {
  const found = new Map<Case, number[]>(cases.map((entry) => [entry, []]))
  for (let round = 0; round < rounds; round++) {
    for (const entry of cases) {
      collectGarbage()
      const ns = nsPer(updates, () => {
        if (update(entry, step) !== 0) throw new Error(`${entry.name}: an order was due`)
      })
      found.get(entry)?.push(ns)
    }
  }
  for (const [{ name }, times] of found) {
    const figures = { nsPerUpdate: rounded(median(times)) }
    report({ bench: 'trailing', case: `${kind}, ${name}`, count: updates, figures })
  }
}
