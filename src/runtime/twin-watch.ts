/**
 * A thread beside the twin's own that looks whether the venue still lives, and ends the process when it does not: an engine
 * that never comes back from a command would otherwise stay for ever.
 */
import { workerData } from 'node:worker_threads'

const lookEveryMs = 500

setInterval(() => {
  // Whose parent is gone has another one.
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)
