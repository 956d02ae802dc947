/**
 * A test of a recording: what one key asked to be done, with the same time between, and the code of each answer.
 *
 * Played    first, since a recording has answers by their digest alone
 * Begins    with the recording's own file: `from` takes it
 * Not here  what others did meanwhile: where that decides an answer, the test says so by failing
 * Source    lab.md §4.8
 */
import { relative } from 'node:path'
import { roleOfKey } from '../../operator/operator.ts'
import { LabRefusal } from '../refusals.ts'
import type { Difference } from './differences.ts'
import { Player } from './player.ts'
import { type OpenLab, openRecorded } from './replay.ts'
import type { RequestRow } from './rows.ts'
import type { Tide } from './tide-file.ts'

interface Asked {
  /** The path of the file. */
  readonly recording: string
  readonly key: string | undefined
}

interface Written {
  readonly difference: Difference | undefined
  readonly text: string
  readonly calls: number
}

/** Throws LabRefusal when there is nothing to make a test of. */
export async function testOf(tide: Tide, open: OpenLab, { recording, key }: Asked): Promise<Written> {
  const signed = tide.rows.filter((row): row is RequestRow => row.kind === 'request' && row.signed !== undefined)
  const apiKey = key ?? signed[0]?.signed?.apiKey
  const wanted = signed.filter((row) => row.method === 'POST' && row.signed?.apiKey === apiKey)
  const label = tide.base.keys.find((one) => one.apiKey === apiKey)?.label
  const role = label === undefined ? undefined : roleOfKey(label)
  if (role === undefined || wanted.length === 0) {
    const message = `--key ${apiKey ?? '""'}: no demo account asked for anything by it; there are ${tide.head.keys.join(', ')}`
    throw new LabRefusal(404, 'unknown-key', message, { field: 'key' })
  }
  const answers = new Map<RequestRow, string>()
  const player = new Player(tide, (row, answer) => answers.set(row, answer.body.toString()))
  const lab = await openRecorded(tide, open, { frozen: true, player })
  try {
    const difference = await player.play(lab.find('main'))
    const lines = wanted.map((row) => lineOf(row, role, answers.get(row)))
    return { difference, text: textOf(recording, role, lines), calls: wanted.length }
  } finally {
    await lab.close()
  }
}

function lineOf({ at, target, body }: RequestRow, role: string, answer: string | undefined): string {
  const code = /^\{"code":"(\w+)"/.exec(answer ?? '')?.[1] ?? 'no answer'
  const call = `venue.request('${role}', 'POST', '${target}', ${body ?? '{}'})`
  return `  await venue.clock.to(${Math.floor(at)})\n  expect(await codeOf(${call})).toBe('${code}')`
}

function textOf(recording: string, role: string, lines: readonly string[]): string {
  const file = relative(process.cwd(), recording)
  return `/** What ${role} asked for in ${file}, and how it was answered. */
import { expect, venueTest } from 'tidemark/vitest'

const test = venueTest({ deterministic: true, from: './${file}' })

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => '00000',
    (error: { code: string }) => error.code,
  )

test('${role} is answered as it was recorded', async ({ venue }) => {
${lines.join('\n')}
})
`
}
