/**
 * Rows of the core's history for who keeps a history elsewhere: how a database that is new, or was left behind, comes to where the
 * stream of commands goes on.
 *
 * At hand   all that the core had recorded when it was asked: nothing between these rows and the stream is missing
 * Pulled    a part at a time by who asked. Who stops asking for a minute is forgotten
 */
import { deserialize } from 'node:v8'
import { type Chunk, exportHistory, type History, type HistoryExport, type Progress } from '../history/history.ts'

const idleMsMax = 60_000

type Ask = (what: string, ...args: readonly unknown[]) => Promise<unknown>

interface Begun {
  readonly number: number
  readonly reached: Progress
}

/** What the core answers. `file` has its history. */
export function rowAnswers(history: History, file: string) {
  const under = new Map<number, { readonly rows: HistoryExport; readonly idle: NodeJS.Timeout }>()
  let last = 0
  const forget = async (number: number) => {
    const found = under.get(number)
    under.delete(number)
    clearTimeout(found?.idle)
    await found?.rows.end()
  }
  return {
    rowsBeyond: async (from: Progress): Promise<Begun> => {
      await history.flush()
      const rows = await exportHistory(file, from)
      const number = ++last
      under.set(number, { rows, idle: setTimeout(() => void forget(number), idleMsMax) })
      return { number, reached: rows.reached }
    },
    nextRows: async (number: number): Promise<Uint8Array | undefined> => {
      const found = under.get(number)
      if (found === undefined) throw new Error('nobody asked for these rows for a minute')
      found.idle.refresh()
      const bytes = await found.rows.next()
      if (bytes === undefined) await forget(number)
      return bytes
    },
  }
}

/** The same as who asks has them. */
export async function rowsOfCore(ask: Ask, from: Progress) {
  const { number, reached } = (await ask('rowsBeyond', from)) as Begun
  async function* chunks(): AsyncGenerator<Chunk> {
    for (;;) {
      const bytes = (await ask('nextRows', number)) as Uint8Array | undefined
      if (bytes === undefined) return
      yield deserialize(bytes) as Chunk
    }
  }
  return { ...reached, chunks: chunks() }
}
