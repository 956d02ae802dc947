/**
 * What people draw: a tool that was chosen begins, and what was drawn is kept by instrument.
 *
 * Where      a tool draws in the chosen pane alone
 * Moving     by its line or its points
 * Removing   Delete, or the button above the chart, removes the one that was pressed last
 */
import { effect, untracked } from '@preact/signals'
import type { Overlay, OverlayEvent } from 'klinecharts'
import {
  chosenDrawing,
  type Drawing,
  drawingsOf,
  drawnAt,
  keepDrawing,
  removeDrawings,
  type Tool,
  tool,
} from '../store/drawings.ts'
import type { Pane } from '../store/panes.ts'
import type { Chart } from './library.ts'

const group = 'drawn'

/** Answers how to end it. */
export function drawDrawings(chart: Chart, pane: Pane): () => void {
  /** Whatever is taken away by us, not by a person. */
  let clearing = false
  const clear = () => {
    clearing = true
    chart.removeOverlay({ groupId: group })
    clearing = false
  }
  const key = () => pane.instrument.peek()?.key ?? ''
  const keep = ({ overlay }: OverlayEvent<unknown>) => keepDrawing(key(), drawingOf(overlay))
  const handlers = {
    onDrawEnd: (event: OverlayEvent<unknown>) => {
      keep(event)
      tool.value = undefined
    },
    onPressedMoveEnd: keep,
    onRightClick: (event: OverlayEvent<unknown>) => event.preventDefault?.(), // it would be removed
    onRemoved: ({ overlay }: OverlayEvent<unknown>) => {
      if (!clearing) removeDrawings(key(), overlay.id)
    },
    onSelected: ({ overlay }: OverlayEvent<unknown>) => {
      chosenDrawing.value = overlay.id
    },
    onDeselected: () => {
      chosenDrawing.value = undefined
    },
  }
  let shownKey = ''
  const endShowing = effect(() => {
    const instrument = pane.instrument.value
    if (instrument === undefined) return
    if (instrument.key !== shownKey) {
      clear()
      shownKey = instrument.key
      untracked(() => {
        for (const { id, tool: name, points } of drawingsOf(instrument.key)) {
          chart.createOverlay({ id, groupId: group, name, points: points.map((point) => ({ ...point })), ...handlers })
        }
      })
    }
  })
  const endDrawing = effect(() => {
    const name = tool.value
    const isChosen = pane.isChosen.value
    untracked(() => {
      if (!isChosen) removeBegun(chart)
      if (!isChosen || name === undefined) return
      chart.createOverlay({ id: newId(), groupId: group, name, ...handlers })
    })
  })
  const endLines = effect(() => {
    const at = drawnAt.value
    if (at === undefined || !pane.isChosen.peek()) return
    drawnAt.value = undefined
    const points = [{ value: Number(at.price) }]
    const drawing: Drawing = { id: newId(), tool: 'horizontalStraightLine', points }
    keepDrawing(at.key, drawing)
    chart.createOverlay({ id: drawing.id, groupId: group, name: drawing.tool, points: [...points], ...handlers })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null
    if (isTyping) return
    if (!pane.isChosen.peek()) return
    if (event.key === 'Escape' && tool.value !== undefined) {
      cancelTool(chart)
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && chosenDrawing.value !== undefined) {
      chart.removeOverlay({ id: chosenDrawing.value })
    }
  }
  addEventListener('keydown', onKeyDown)
  return () => {
    removeEventListener('keydown', onKeyDown)
    endShowing()
    endDrawing()
    endLines()
    clear()
    tool.value = undefined
    chosenDrawing.value = undefined
  }
}

function cancelTool(chart: Chart): void {
  removeBegun(chart)
  tool.value = undefined
}

function removeBegun(chart: Chart): void {
  for (const overlay of chart.getOverlays({ groupId: group })) {
    if (overlay.currentStep !== -1) chart.removeOverlay({ id: overlay.id })
  }
}

/** One, or all of the instrument. */
export function removeDrawn(chart: Chart, id?: string): void {
  chart.removeOverlay(id === undefined ? { groupId: group } : { id })
}

function newId(): string {
  return `drawn-${crypto.randomUUID()}`
}

function drawingOf({ id, name, points }: Overlay): Drawing {
  const plain = points.map(({ timestamp, value }) => ({
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(value === undefined ? {} : { value }),
  }))
  return { id, tool: name as Tool, points: plain }
}
