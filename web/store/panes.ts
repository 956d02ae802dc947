/**
 * Markets side by side: one, two or four panes, each with a market and an interval, kept in this browser with the layout.
 *
 * Chosen   one of them: its market is the one in view (`currentInstrument`), which ticket, book and lists follow, and its
 *          interval is the one that the tools above the charts change
 * Kept     as a text: `USDT-FUTURES/BTCUSDT@1m SPOT/ETHUSDT@1H`. A pane without a market that there is gets the first of the
 *          same category that no pane shows
 * Phone    the chosen pane alone; the others are there again on a wider screen
 */
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Instrument } from '../venue/instruments.ts'
import type { Interval } from '../venue/intervals.ts'
import { kept } from './kept.ts'
import { choose, currentInstrument, instruments } from './market.ts'
import { marketsOf, textOf, wantedOf } from './pane-markets.ts'
import { interval } from './preferences.ts'

export interface Pane {
  readonly index: number
  readonly instrument: ReadonlySignal<Instrument | undefined>
  readonly interval: ReadonlySignal<Interval>
  readonly isChosen: ReadonlySignal<boolean>
}

const paneCounts = ['1', '2', '4'] as const
type PaneCount = (typeof paneCounts)[number]
export const paneCount = kept<PaneCount>('layout.panes', '1', paneCounts)
const keptChosen = kept<string>('layout.chosenPane', '0', ['0', '1', '2', '3'])
const keptMarkets = kept<string>('layout.paneMarkets', '')

const count = computed(() => Number(paneCount.value))
export const chosenPane = computed(() => Math.min(Number(keptChosen.value), count.value - 1))

const markets = computed(() =>
  marketsOf(wantedOf(keptMarkets.value), instruments.value, {
    count: count.value,
    chosen: chosenPane.value,
    current: currentInstrument.value,
  }),
)

const panes: readonly Pane[] = [0, 1, 2, 3].map((index) => {
  const isChosen = computed(() => chosenPane.value === index)
  return {
    index,
    isChosen,
    instrument: computed(() => markets.value[index]),
    interval: computed(() =>
      isChosen.value ? interval.value : (wantedOf(keptMarkets.value)[index]?.interval ?? interval.value),
    ),
  }
})

const narrow = globalThis.matchMedia?.('(max-width: 900px)')
const isNarrow = signal(narrow?.matches ?? false)
narrow?.addEventListener('change', ({ matches }) => (isNarrow.value = matches))

/** Those that the page has room for. */
export const shownPanes = computed(() =>
  panes.filter(({ index, isChosen }) => (isNarrow.value ? isChosen.value : index < count.value)),
)

// What is in view is kept; so are the markets that panes got by themselves.
effect(() => {
  const found = markets.value
  if (found.includes(undefined)) return
  const before = wantedOf(keptMarkets.peek())
  const now = found.map((market, index) => ({ key: market?.key ?? '', interval: panes[index]?.interval.value ?? '1m' }))
  keptMarkets.value = textOf([...now, ...before.slice(now.length)].filter(({ key }) => key !== ''))
})

export function choosePane(index: number): void {
  const pane = panes[index]
  const market = pane?.instrument.peek()
  if (pane === undefined || market === undefined || index >= count.peek()) return
  const span = pane.interval.peek()
  batch(() => {
    keptChosen.value = String(index)
    interval.value = span
    choose(market)
  })
}

export function nextPane(): void {
  choosePane((chosenPane.peek() + 1) % count.peek())
}

/** The market in view stays in view: where its place goes, it takes the last that is left. */
export function showPanes(wanted: PaneCount): void {
  const places = [...wantedOf(keptMarkets.peek())]
  const chosen = chosenPane.peek()
  const last = Number(wanted) - 1
  const [mine, theirs] = [places[chosen], places[last]]
  batch(() => {
    if (chosen > last && mine !== undefined && theirs !== undefined) {
      places[chosen] = theirs
      places[last] = mine
      keptMarkets.value = textOf(places)
      keptChosen.value = String(last)
    }
    paneCount.value = wanted
  })
}

export function otherCount(): void {
  showPanes(paneCounts[(paneCounts.indexOf(paneCount.peek()) + 1) % paneCounts.length] ?? '1')
}

/** In the pane that has it already, or in the chosen one. */
export function showMarket(wanted: Instrument): void {
  const there = shownPanes.peek().find(({ instrument }) => instrument.peek() === wanted)
  if (there === undefined) choose(wanted)
  else choosePane(there.index)
}
