/** A process beside this one that is asked one thing at a time and answers it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pin } from './server.ts'

export class Generator<Question, Answer> implements AsyncDisposable {
  readonly #child
  readonly #ended: Promise<never>

  /** `file` lies beside this one. Without a core it runs where the system puts it. */
  constructor(file: string, core?: string) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), { serialization: 'advanced' })
    if (core !== undefined) pin(this.#child.pid, core)
    this.#ended = once(this.#child, 'exit').then((): never => {
      throw new Error(`${file} ended`)
    })
    this.#ended.catch(() => {})
  }

  async ask(question: Question): Promise<Answer> {
    const answered = once(this.#child, 'message') as Promise<[Answer]>
    this.#child.send(question as object)
    const [answer] = await Promise.race([answered, this.#ended])
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }
}
