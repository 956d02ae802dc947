/** The thread that hashes the chunks of a state as they are sent to it, and answers the hash when they end (state-hash.ts). */
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

const hash = createHash('sha256')

parentPort?.on('message', (message: Uint8Array | 'end') => {
  if (message === 'end') parentPort?.postMessage(hash.digest('hex'))
  else hash.update(message)
})
