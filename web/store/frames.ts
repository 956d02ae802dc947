/**
 * One turn of drawing for everything that arrived since the last one: streams note what they brought, and the signals
 * change once per animation frame, whatever the pace of the venue.
 */
import { batch } from '@preact/signals'

const waiting = new Map<string, () => void>()
let asked = false

/** Of several tasks with one name before the next frame the newest runs. */
export function atNextFrame(name: string, task: () => void): void {
  waiting.set(name, task)
  if (asked) return
  asked = true
  requestAnimationFrame(run)
}

function run(): void {
  asked = false
  const tasks = [...waiting.values()]
  waiting.clear()
  batch(() => {
    for (const task of tasks) task()
  })
}
