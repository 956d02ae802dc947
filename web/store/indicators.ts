/**
 * The indicators that are chosen, with their lengths. They are kept as a text: `MA:7,25,99 VOL:20`.
 *
 * Bounds   one to four lengths from 1 to 500; an indicator has as many as it began with where they have meanings of their own
 */
import { computed } from '@preact/signals'
import { kept } from './kept.ts'
import type { Messages } from '../words/words.ts'

export type IndicatorName = keyof Messages['indicators']

interface Offer {
  /** On the candles, or in a pane of its own below them. */
  readonly place: 'price' | 'pane'
  readonly lengths: readonly number[]
  /** Of a moving average there may be any number of lengths. */
  readonly free?: boolean
}

export const offers: Readonly<Record<IndicatorName, Offer>> = {
  MA: { place: 'price', lengths: [7, 25, 99], free: true },
  EMA: { place: 'price', lengths: [12, 26], free: true },
  BOLL: { place: 'price', lengths: [20, 2] },
  VWAP: { place: 'price', lengths: [] },
  SAR: { place: 'price', lengths: [2, 2, 20] },
  VOL: { place: 'pane', lengths: [20], free: true },
  MACD: { place: 'pane', lengths: [12, 26, 9] },
  RSI: { place: 'pane', lengths: [14] },
  STOCH: { place: 'pane', lengths: [14, 3, 3] },
  ATR: { place: 'pane', lengths: [14] },
  CCI: { place: 'pane', lengths: [20] },
  OBV: { place: 'pane', lengths: [30] },
  DMI: { place: 'pane', lengths: [14, 6] },
  ROC: { place: 'pane', lengths: [12, 6] },
  WR: { place: 'pane', lengths: [14], free: true },
}

const names = Object.keys(offers) as readonly IndicatorName[]

export type Chosen = ReadonlyMap<IndicatorName, readonly number[]>

export function chosenOf(text: string): Chosen {
  const chosen = new Map<IndicatorName, readonly number[]>()
  for (const part of text.split(' ')) {
    const [name = '', lengths = ''] = part.split(':')
    const known = names.find((offered) => offered === name)
    if (known !== undefined) chosen.set(known, lengthsOf(known, lengths) ?? offers[known].lengths)
  }
  return chosen
}

export function textOf(chosen: Chosen): string {
  return [...chosen].map(([name, lengths]) => `${name}:${lengths.join(',')}`).join(' ')
}

/** Undefined: these are no lengths of it. */
export function lengthsOf(name: IndicatorName, text: string): readonly number[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const { lengths, free = false } = offers[name]
  const fits = free ? parts.length >= 1 && parts.length <= 4 : parts.length === lengths.length
  const values = parts.map(Number)
  return fits && values.every((value) => Number.isInteger(value) && value >= 1 && value <= 500) ? values : undefined
}

const keptText = kept<string>('indicators', 'VOL:20')
export const indicators = computed<Chosen>(() => chosenOf(keptText.value))

export function setIndicator(name: IndicatorName, lengths: readonly number[] | undefined): void {
  const next = new Map(indicators.value)
  if (lengths === undefined) next.delete(name)
  else next.set(name, lengths)
  keptText.value = textOf(next)
}

/** Prices that are drawn beside the candles. */
export const comparesMark = kept<boolean>('comparesMark', false)
export const comparesIndex = kept<boolean>('comparesIndex', false)
