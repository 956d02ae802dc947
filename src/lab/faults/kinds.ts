/**
 * All faults there are, by name. A further one is one more entry here.
 *
 * Source  lab.md §4.5
 */
import type { FaultKind } from './kind.ts'
import { answers } from './kinds/answers.ts'
import { connections } from './kinds/connections.ts'
import { late } from './kinds/late.ts'
import { lost } from './kinds/lost.ts'
import { maintenance } from './kinds/maintenance.ts'
import { market } from './kinds/market.ts'
import { partialBatch } from './kinds/partial-batch.ts'
import { refused } from './kinds/refused.ts'
import { skew } from './kinds/skew.ts'
import { sockets } from './kinds/sockets.ts'
import { stale } from './kinds/stale.ts'
import { unknown } from './kinds/unknown.ts'

const kinds: readonly FaultKind[] = [
  ...lost,
  ...late,
  ...unknown,
  ...partialBatch,
  ...refused,
  ...answers,
  ...connections,
  ...skew,
  ...stale,
  ...maintenance,
  ...sockets,
  ...market,
]

export const faultKinds: ReadonlyMap<string, FaultKind> = new Map(kinds.map((kind) => [kind.name, kind]))

/** For `GET /_lab/faults/kinds`. */
export function shownKinds() {
  return kinds.map(({ name, meaning, point, over, usual, with: fields }) => ({
    fault: name,
    meaning,
    point,
    over,
    on: usual,
    with: Object.fromEntries(
      Object.entries(fields.properties).map(([field, schema]) => [
        field,
        (schema as { readonly description?: string }).description ?? '',
      ]),
    ),
  }))
}
