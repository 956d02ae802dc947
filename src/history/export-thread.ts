/** A thread of its own for what is read out of a venue's history while that goes on: its way of an order waits for none of it. */
import { serialize } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { type Progress, RowExport } from './row-export.ts'

const door = parentPort
if (door === null) throw new Error('this file is a thread: exportHistory starts it')
const { file, from } = workerData as { readonly file: string; readonly from: Progress }
const rows = new RowExport(file, from)

door.on('message', () => {
  const chunk = rows.next()
  if (chunk === undefined) return door.postMessage(undefined)
  const bytes = new Uint8Array(serialize(chunk))
  door.postMessage(bytes, [bytes.buffer])
})
door.postMessage(rows.reached)
