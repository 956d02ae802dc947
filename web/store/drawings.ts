/**
 * What somebody has drawn on the charts, by instrument; kept in this browser.
 *
 * Bounds   a hundred on an instrument; of fifty instruments, the one drawn on longest ago goes first
 */
import { signal } from '@preact/signals'
import { kept } from './kept.ts'
import { type Messages, t } from '../words/words.ts'

export type Tool = keyof Messages['tools']

export interface Drawing {
  readonly id: string
  readonly tool: Tool
  /** Times in milliseconds. */
  readonly points: readonly { readonly timestamp?: number; readonly value?: number }[]
}

const drawingsMax = 100
const instrumentsMax = 50

const keptText = kept<string>('drawings', '[]')

/** What is being drawn now. */
export const tool = signal<Tool | undefined>(undefined)
/** The drawing that is chosen. */
export const chosenDrawing = signal<string | undefined>(undefined)

type Drawn = readonly [key: string, drawings: readonly Drawing[]][]

function all(): Drawn {
  try {
    const read: unknown = JSON.parse(keptText.value)
    return Array.isArray(read) ? (read as Drawn) : []
  } catch {
    return []
  }
}

export function drawingsOf(key: string): readonly Drawing[] {
  return (all().find(([of]) => of === key)?.[1] ?? []).filter((drawing) => drawing.tool in t.tools)
}

function keep(key: string, drawings: readonly Drawing[]): void {
  const others = all().filter(([of]) => of !== key)
  const mine: Drawn = drawings.length === 0 ? [] : [[key, drawings.slice(-drawingsMax)]]
  keptText.value = JSON.stringify([...mine, ...others].slice(0, instrumentsMax))
}

/** New, or moved. */
export function keepDrawing(key: string, drawing: Drawing): void {
  const before = drawingsOf(key)
  const isThere = before.some(({ id }) => id === drawing.id)
  keep(key, isThere ? before.map((known) => (known.id === drawing.id ? drawing : known)) : [...before, drawing])
}

/** Charts that are open show it, too. */
export const drawnAt = signal<{ readonly key: string; readonly price: string } | undefined>(undefined)

/** A line at a price. */
export function drawAt(key: string, price: string): void {
  drawnAt.value = { key, price }
}

/** All of the instrument without an id. */
export function removeDrawings(key: string, id?: string): void {
  keep(
    key,
    drawingsOf(key).filter((drawing) => id !== undefined && drawing.id !== id),
  )
  chosenDrawing.value = undefined
}
