/**
 * A laboratory in this very process, for those who step through the venue and their bot in one debugger.
 *
 * Shared   one for each settings, as long as somebody holds it
 * Thread   of its own, which a debugger attaches to along with the process. Its globals are its own, too: timers that a test makes
 *          fake, before or after, are not the venue's
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Held, ProcessSettings } from './lab-process.ts'

interface Opened {
  readonly url: string
  close(): Promise<void>
}

const open = new Map<string, { readonly lab: Promise<Opened>; holders: number }>()

export async function holdHere(settings: ProcessSettings): Promise<Held> {
  const named = JSON.stringify([settings.deterministic, settings.rateLimits])
  const entry = open.get(named) ?? { lab: openHere(settings), holders: 0 }
  open.set(named, entry)
  entry.holders += 1
  const leave = async () => {
    entry.holders -= 1
    if (entry.holders > 0) return
    open.delete(named)
    await (await entry.lab).close()
  }
  try {
    return { url: (await entry.lab).url, leave }
  } catch (error) {
    open.delete(named)
    throw error
  }
}

async function openHere(settings: ProcessSettings): Promise<Opened> {
  // Flags of this process are for its own tests.
  const thread = new Worker(new URL('./lab-thread.ts', import.meta.url), { workerData: settings, execArgv: [] })
  const [url] = (await once(thread, 'message')) as [string]
  thread.unref()
  const close = async () => {
    const ended = once(thread, 'exit')
    thread.ref()
    thread.postMessage('close')
    await ended
  }
  return { url, close }
}
