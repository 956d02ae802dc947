/** Which market each pane shows, out of what is kept: `USDT-FUTURES/BTCUSDT@1m SPOT/ETHUSDT@1H`. */
import type { Instrument } from '../venue/instruments.ts'
import { type Interval, intervals } from '../venue/intervals.ts'

/** What is kept of a pane; it may name what there is no more. */
interface Wanted {
  readonly key: string
  readonly interval: Interval
}

export function wantedOf(text: string): readonly Wanted[] {
  return text.split(' ').map((part) => {
    const [key = '', span = ''] = part.split('@')
    return { key, interval: intervals.find((known) => known === span) ?? '1m' }
  })
}

export function textOf(wanted: readonly Wanted[]): string {
  return wanted.map(({ key, interval: span }) => `${key}@${span}`).join(' ')
}

/** Of every pane that is shown, its market: the one in view, the one that is kept, or the first that none shows. */
export function marketsOf(
  wanted: readonly Wanted[],
  all: readonly Instrument[],
  view: { readonly count: number; readonly chosen: number; readonly current: Instrument | undefined },
): readonly (Instrument | undefined)[] {
  const found = Array.from({ length: view.count }, (_, index) =>
    index === view.chosen ? view.current : all.find(({ key }) => key === wanted[index]?.key),
  )
  const isSame = (one: Instrument) => Number(one.category === view.current?.category)
  const others = all.filter((one) => !found.includes(one)).toSorted((a, b) => isSame(b) - isSame(a))
  return found.map((one) => one ?? others.shift())
}
