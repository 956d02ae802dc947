/**
 * Of a start: what a core was asked that went away is asked of the one that leads next, as nothing of it was committed. It waits for as
 * long as there is none, as whoever begins does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandNotSequenced } from '../runtime/core.ts'

const againMs = 250

/** Rejects with whatever else `make` does. */
export async function whileCoresChange<Made>(make: () => Promise<Made>): Promise<Made> {
  for (;;) {
    try {
      return await make()
    } catch (error) {
      const isAsked = error instanceof CommandNotSequenced || (error as Error).cause instanceof CommandNotSequenced
      if (!isAsked) throw error
      await sleep(againMs)
    }
  }
}
