/**
 * Lines at prices: what the account has there, and what is being written in the ticket. Dragged, they ask for another price.
 *
 * Steps   a dragged line keeps to the instrument's price steps
 * Held    while the venue is gone nothing can be dragged but what has not been sent
 * Asked   a line that was let go stays there until the venue has answered, and goes back where it refuses
 */
import { effect } from '@preact/signals'
import { divFloor, parseUnits, unitsText } from '../numbers/decimal.ts'
import { signed } from '../numbers/format.ts'
import { draftPrices } from '../store/draft-prices.ts'
import { isLive } from '../store/connection.ts'
import { markOf } from '../store/market.ts'
import { type OwnPrice, ownPrices } from '../store/own.ts'
import type { Pane } from '../store/panes.ts'
import { session } from '../store/session.ts'
import { theme } from '../store/theme.ts'
import { profitAt } from '../trading/profit.ts'
import type { Instrument } from '../venue/instruments.ts'
import { amend, canAmend } from './amend.ts'
import { listenForDrags } from './drag.ts'
import type { Chart, PriceLine } from './library.ts'
import { colourOf } from './looks.ts'

const group = 'own'

interface Line extends PriceLine {
  readonly name: string
  /** Undefined: it stays where it is. */
  readonly move: ((price: string) => Promise<boolean>) | undefined
}

const looks = {
  buy: ['--up', true],
  sell: ['--down', true],
  trigger: ['--accent', true],
  'take-profit': ['--up', true],
  'stop-loss': ['--down', true],
  entry: ['--accent', false],
  liquidation: ['--warn', true],
  draft: ['--quiet', true],
} as const

/** Answers how to end it. */
export function drawLines(chart: Chart, place: HTMLElement, pane: Pane): () => void {
  const shown = new Map<string, Line>()
  /** Where a line was dragged, until that is settled. */
  const moved = new Map<string, string>()

  const show = (line: Line) => {
    const price = moved.get(line.name) ?? line.price
    const { title, color, onColor, dashed } = line
    const create = {
      id: line.name,
      groupId: group,
      name: 'ownPrice',
      lock: true,
      points: [{ value: Number(price) }],
      extendData: { title, price, color, onColor, dashed },
    }
    if (shown.has(line.name)) chart.overrideOverlay(create)
    else chart.createOverlay(create)
    shown.set(line.name, line)
  }

  const onMove = (name: string, value: number) => {
    const instrument = pane.instrument.peek()
    const line = shown.get(name)
    if (instrument === undefined || line === undefined) return
    moved.set(name, onStep(value, instrument))
    show(line)
  }
  const onEnd = (name: string, kept: boolean) => {
    const line = shown.get(name)
    const price = moved.get(name)
    if (!kept || price === undefined || line?.move === undefined || price === line.price) settle(name)
    else void line.move(price).finally(() => settle(name))
  }
  const settle = (name: string) => {
    moved.delete(name)
    const line = shown.get(name)
    if (line !== undefined) show(line)
  }

  const end = effect(() => {
    void theme.value
    const instrument = pane.instrument.value
    const lines = instrument === undefined ? [] : linesOf(instrument, place, pane.isChosen.value)
    const wanted = new Set(lines.map(({ name }) => name))
    for (const name of shown.keys()) {
      if (wanted.has(name)) continue
      shown.delete(name)
      moved.delete(name)
      chart.removeOverlay({ id: name })
    }
    for (const line of lines) show(line)
  })
  const movable = () =>
    [...shown.values()]
      .filter(({ move }) => move !== undefined)
      .map(({ name, price }) => ({ name, price: Number(moved.get(name) ?? price) }))
  const endDrags = listenForDrags(chart, place, { lines: movable, onMove, onEnd })
  return () => {
    endDrags()
    end()
    chart.removeOverlay({ groupId: group })
  }
}

function linesOf(instrument: Instrument, place: HTMLElement, isChosen: boolean): Line[] {
  const onColor = colourOf(place, '--panel')
  const look = (kind: keyof typeof looks) => {
    const [color, dashed] = looks[kind]
    return { color: colourOf(place, color), onColor, dashed }
  }
  const mayAct = isLive.value && session.value !== undefined && !session.value.account.readOnly
  return [
    ...ownPrices(instrument).map((own) => ({
      ...look(own.kind),
      name: own.name,
      price: own.price,
      title: titleOf(own, instrument),
      // Margin is reckoned with the tiers of the market in view.
      move:
        mayAct && (isChosen || own.of.kind !== 'position') && canAmend(own.of)
          ? (price: string) => amend(own.of, price)
          : undefined,
    })),
    ...(isChosen ? draftPrices() : []).map(({ name, title, price, set }) => ({
      ...look('draft'),
      name,
      price,
      title,
      move: (next: string) => {
        set(next)
        return Promise.resolve(true)
      },
    })),
  ]
}

/** An entry tells its profit, too. */
function titleOf({ title, of }: OwnPrice, instrument: Instrument): string {
  if (of.kind !== 'position' || of.field !== 'entryPrice') return title
  const mark = markOf(instrument) ?? of.position.markPrice
  return `${title}  ${signed(profitAt(of.position, mark), of.position.marginCoin)}`
}

/** The nearest step. */
export function onStep(value: number, { priceStep, pricePrecision }: Instrument): string {
  const text = Math.max(0, value).toFixed(Math.min(8, pricePrecision + 2))
  const exact = parseUnits(text) ?? 0n
  const steps = divFloor(exact + priceStep / 2n, priceStep)
  return unitsText((steps < 1n ? 1n : steps) * priceStep)
}
