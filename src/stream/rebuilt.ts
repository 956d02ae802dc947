/** A command that broke the engine makes it unable to answer for a moment: what has to ask waits for that. */
import type { Core } from '../runtime/core.ts'

/** Runs at once, or when the engine is there again. */
export function onceAnswering(core: Pick<Core, 'rebuilt'>, run: () => void): void {
  if (core.rebuilt === undefined) run()
  else void core.rebuilt.then(() => onceAnswering(core, run))
}
