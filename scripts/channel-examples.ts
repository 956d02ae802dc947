/**
 * `npm run channels:page`: writes the example pushes of the reference, as a demo venue pushed them (src/stream/reference/examples.ts).
 *
 * Shown   of a book and of candles two levels and two rows; else the push that has the most fields, whole
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { channelEntries } from '../src/stream/stream.ts'
import { EveryChannel } from '../test/stream/every-channel.ts'
import type { Message } from '../test/support/socket.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const target = `${checkout}src/stream/reference/examples.ts`
const rowsShown = 2
const settleMs = 3_000
/** A filled list says more than any other field. */
const filledWeight = 10
const filledMax = 2

const every = await EveryChannel.open(channelEntries)
await every.play()
await new Promise((resolve) => setTimeout(resolve, settleMs))
const examples = [...every.pushed].flatMap(([entry, messages]) => {
  const [first] = entry.names
  const own = messages.filter(({ arg }) => (arg?.['channel'] ?? arg?.['topic']) === first)
  const push = own.toSorted((one, other) => fieldsOf(other) - fieldsOf(one))[0]
  return push === undefined ? [] : [[entry.id, shortened(push)] as const]
})
await every.close()
const text = [
  '/** Pushes of a demo venue, one of each channel: `npm run channels:page` writes them. */',
  'export const pushExamples: Readonly<Record<string, object>> = ',
  JSON.stringify(Object.fromEntries(examples)),
  '',
].join('\n')
writeFileSync(target, text)
spawnSync('node_modules/.bin/biome', ['format', '--write', target], { cwd: checkout, stdio: 'inherit' })

/** How much a push shows: fields of its first row, filled lists before empty ones. */
function fieldsOf({ data = [] }: Message): number {
  const [row = {}] = data
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? Math.min(value.length, filledMax) * filledWeight : 1),
    0,
  )
}

function shortened({ action, arg, data = [], ts }: Message) {
  const rows = data.slice(0, rowsShown).map((row) => {
    if (Array.isArray(row)) return row as unknown
    const short = Object.entries(row).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, rowsShown) : value,
    ])
    return Object.fromEntries(short) as object
  })
  return { action, arg, data: rows, ts }
}
