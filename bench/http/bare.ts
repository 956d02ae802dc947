/** The bare server as a process of its own (bare-server.ts), and the key that it takes. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { spawnChild } from '../child.ts'
import type { LoadKey, LoadRequest, LoadTarget } from './requests.ts'

const key: LoadKey = { apiKey: 'bench', secret: 'of the bare server', passphrase: 'bench' }

export class BareServer implements LoadTarget, AsyncDisposable {
  readonly #process: ChildProcess
  readonly port: number
  readonly keys: readonly LoadKey[] = [key]

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.port = port
  }

  /** With a file it keeps there, on disk, what it was sent before it answers. */
  static async start(file?: string): Promise<BareServer> {
    const child = spawnChild([fileURLToPath(new URL('bare-server.ts', import.meta.url))], {
      environment: { BENCH_SECRET: key.secret, ...(file === undefined ? {} : { BENCH_FILE: file }) },
    })
    const [line] = (await once(createInterface({ input: child.stdout as Readable }), 'line')) as [string]
    return new BareServer(child, Number(new URL(line.replace('ready ', '')).port))
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** The same requests with its key. */
  asked(requests: readonly LoadRequest[]): LoadRequest[] {
    return requests.map((request) => ({ ...request, key: 0 }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM')
    await once(this.#process, 'exit')
  }
}
