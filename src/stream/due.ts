/**
 * A push that is asked for now and then, and made at most so often: at once, or when its pace allows the next.
 *
 * Clock  real time, also on a venue whose own clock is moved by hand
 */
import type { Core } from '../runtime/core.ts'
import { onceAnswering } from './rebuilt.ts'

type OnTrouble = (trouble: unknown) => void

export class Due {
  readonly #core: Pick<Core, 'rebuilt'>
  readonly #paceMs: number
  readonly #push: () => void
  /** On the monotonic clock. */
  #pushedMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(core: Pick<Core, 'rebuilt'>, paceMs: number, push: () => void) {
    this.#core = core
    this.#paceMs = paceMs
    this.#push = push
  }

  /** `onTrouble`: what is due later could not be pushed; what fails at once is thrown. */
  ask(onTrouble: OnTrouble): void {
    if (this.#timer !== undefined) return
    const waitMs = this.#pushedMs + this.#paceMs - performance.now()
    if (waitMs <= 0) return this.#make()
    this.#timer = setTimeout(() => onceAnswering(this.#core, () => this.now(onTrouble)), waitMs).unref()
  }

  /** At once, if it waits. */
  now(onTrouble: OnTrouble): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      this.#make()
    } catch (trouble) {
      onTrouble(trouble)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #make(): void {
    this.#pushedMs = performance.now()
    this.#push()
  }
}
