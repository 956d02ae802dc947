/**
 * Dragging lines: which one lies under the pointer, and the price that it is taken to.
 *
 * Where   prices and pixels of the candle pane alone, asked of the chart at each step: panes below and a scale that moves
 *         meanwhile make no difference
 * Reach   a mouse within 5 pixels of a line, a finger within 14; of several lines the nearest
 * First   before the library: what takes a line neither scrolls nor draws
 * Escape  puts the line back
 */
import { tool } from '../store/drawings.ts'
import type { Chart } from './library.ts'

const reachOf = (pointerType: string) => (pointerType === 'touch' ? 14 : 5)
/** What moves less was a press. */
const slack = 3

interface Draggable {
  readonly name: string
  readonly price: number
}

interface Drags {
  readonly lines: () => readonly Draggable[]
  readonly onMove: (name: string, value: number) => void
  /** `kept`: false when it goes back. */
  readonly onEnd: (name: string, kept: boolean) => void
}

/** Answers how to end it. */
export function listenForDrags(chart: Chart, place: HTMLElement, { lines, onMove, onEnd }: Drags): () => void {
  let held: { readonly name: string; readonly pointer: number; readonly from: number; moves: boolean } | undefined

  const lineAt = ({ clientX, clientY, pointerType }: PointerEvent): string | undefined => {
    const pane = chart.getSize('candle_pane')
    const width = chart.getSize('candle_pane', 'main')?.width
    if (pane === null || width === undefined || tool.peek() !== undefined) return undefined
    const box = place.getBoundingClientRect()
    const [x, y] = [clientX - box.left, clientY - box.top]
    if (x < 0 || x > width || y < pane.top || y > pane.top + pane.height) return undefined
    let nearest: string | undefined
    let reach = reachOf(pointerType)
    for (const { name, price } of lines()) {
      const [at] = chart.convertToPixel([{ value: price }], { paneId: 'candle_pane', absolute: true }) as {
        y?: number
      }[]
      const distance = Math.abs((at?.y ?? Infinity) - y)
      if (distance > reach) continue
      nearest = name
      reach = distance
    }
    return nearest
  }

  const mark = (name: string | undefined) => {
    if (name === undefined) delete place.dataset['line']
    else place.dataset['line'] = name
  }

  const onPointerDown = (event: PointerEvent) => {
    if (!event.isPrimary || event.button !== 0) return
    const name = lineAt(event)
    mark(name)
    if (name !== undefined) held = { name, pointer: event.pointerId, from: event.clientY, moves: false }
  }
  const onPointerMove = (event: PointerEvent) => {
    if (held === undefined) {
      if (event.buttons === 0 && event.target instanceof Node && place.contains(event.target)) mark(lineAt(event))
      return
    }
    if (event.pointerId !== held.pointer) return
    held.moves ||= Math.abs(event.clientY - held.from) > slack
    if (!held.moves) return
    const pane = chart.getSize('candle_pane')
    if (pane === null) return
    const y = Math.min(Math.max(event.clientY - place.getBoundingClientRect().top, pane.top), pane.top + pane.height)
    const [at] = chart.convertFromPixel([{ y }], { paneId: 'candle_pane', absolute: true }) as { value?: number }[]
    if (at?.value !== undefined) onMove(held.name, at.value)
  }
  const end = (kept: boolean) => {
    if (held === undefined) return
    const { name, moves } = held
    held = undefined
    mark(undefined)
    if (moves) onEnd(name, kept)
  }
  const onPointerUp = (event: PointerEvent) => {
    if (event.pointerId === held?.pointer) end(true)
  }
  const onPointerCancel = () => end(false)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') end(false)
  }
  /** The library hears of mice and fingers by these. */
  const keepFromLibrary = (event: Event) => {
    if (held === undefined) return
    event.stopPropagation()
    if (event.type === 'touchstart') event.preventDefault() // nor does the page scroll
  }

  const listening = new AbortController()
  const { signal } = listening
  place.addEventListener('pointerdown', onPointerDown, { capture: true, signal })
  place.addEventListener('mousedown', keepFromLibrary, { capture: true, signal })
  place.addEventListener('touchstart', keepFromLibrary, { capture: true, passive: false, signal })
  addEventListener('pointermove', onPointerMove, { signal })
  addEventListener('pointerup', onPointerUp, { signal })
  addEventListener('pointercancel', onPointerCancel, { signal })
  addEventListener('keydown', onKeyDown, { signal })
  return () => {
    end(false)
    listening.abort()
  }
}
