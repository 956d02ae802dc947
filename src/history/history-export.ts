/** What the history in a file has beyond another one, a part at a time (row-export.ts), off the venue's thread. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Progress } from './row-export.ts'

export interface HistoryExport {
  /** What all parts together bring another one to. */
  readonly reached: Progress
  /** A `Chunk` as node:v8 writes it; undefined: that was all. One at a time. */
  next(): Promise<Uint8Array | undefined>
  end(): Promise<void>
}

export async function exportHistory(file: string, from: Progress): Promise<HistoryExport> {
  const thread = new Worker(new URL('./export-thread.ts', import.meta.url), {
    workerData: { file, from },
    name: 'history export',
  })
  const answer = async <Answer>(): Promise<Answer> => {
    const [value] = (await once(thread, 'message')) as [Answer]
    return value
  }
  const reached = await answer<Progress>()
  return {
    reached,
    next: () => {
      const answered = answer<Uint8Array | undefined>()
      thread.postMessage(undefined)
      return answered
    },
    end: async () => void (await thread.terminate()),
  }
}
