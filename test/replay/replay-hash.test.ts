/** The hashes that prove that nothing changed: the same for the same commands, others when one command is another. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import { admitRandomTraders, RandomTraders } from '../engine/support/random-traders.ts'
import { Exchange } from '../engine/support/exchange.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { CommandJournal } from './command-journal.ts'
import { recordDemoVenue } from './demo-journal.ts'
import { type Figures, plainText, replayJournal, replayTraders, replayVectors } from './replay-hash.ts'

function hashes({ heard, saved, answers }: Figures) {
  return { heard, saved, answers }
}

test('the same seeds give the same hashes, more commands give others', () => {
  const first = replayTraders({ seeds: 1, commands: 200 })
  expect(replayTraders({ seeds: 1, commands: 200 })).toEqual(first)
  const longer = replayTraders({ seeds: 1, commands: 201 })
  expect(longer.commands).toBe(first.commands + 1)
  expect(longer.heard).not.toBe(first.heard)
})

test('the vectors end in liquidations, and give the same hashes again', () => {
  const first = replayVectors()
  expect(first.eventKinds.get('liquidation')).toBeGreaterThanOrEqual(8)
  expect(first.eventKinds.get('funding-payment')).toBeGreaterThan(0)
  expect(hashes(replayVectors())).toEqual(hashes(first))
})

test('a journal gives the hashes of its commands; one command changed gives others, and the trace names it', async () => {
  const exchange = new Exchange()
  admitRandomTraders(exchange)
  const randomTraders = new RandomTraders(exchange, 3)
  for (let count = 0; count < 300; count++) exchange.apply(randomTraders.next())
  const commands = exchange.applied.map(({ command, at }) => ({ command, at }))
  const place = commands.findIndex(({ command }) => command.kind === 'deposit')
  const { command, at } = commands[place]
  const changed = commands.with(place, { command: { ...command, amount: 12_345n } as Command, at })

  const [first, again, other] = [await replayed(commands), await replayed(commands), await replayed(changed)]
  expect(first.figures.commands).toBe(commands.length)
  expect(again).toEqual(first)
  expect(first.trace.findIndex((line, index) => line !== other.trace[index])).toBe(place)
  expect(first.trace[place]).toMatch(`${place + 1} deposit `)
  expect(other.figures.heard).not.toBe(first.figures.heard)
  expect(other.figures.saved).not.toBe(first.figures.saved)
  expect(other.figures.answers).not.toBe(first.figures.answers)
})

async function replayed(commands: readonly { readonly command: Command; readonly at: number }[]) {
  const directory = join(temporaryDirectory('replay'), 'journal')
  const journal = await CommandJournal.create(directory)
  for (const { command, at } of commands) journal.add(command, at)
  await journal.close()
  const trace: string[] = []
  const before = filesOf(directory)
  const figures = await replayJournal(directory, { onTrace: (line) => trace.push(line) })
  expect(filesOf(directory)).toEqual(before)
  return { figures, trace }
}

function filesOf(directory: string) {
  return readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))])
}

test('a directory without a journal is refused, and stays empty', async () => {
  const directory = temporaryDirectory('no-journal')
  await expect(replayJournal(directory)).rejects.toThrow('opening')
  expect(filesOf(directory)).toEqual([])
})

test('a demo venue’s journal is the same for the same seed, and is not written over', async () => {
  const directory = temporaryDirectory('demo-journal')
  const record = async (name: string, seed: number) => {
    await recordDemoVenue({ directory: join(directory, name), commands: 1_000, seed })
    return filesOf(join(directory, name))
  }
  const first = await record('first', 1)
  expect(await record('again', 1)).toEqual(first)
  expect(await record('other', 2)).not.toEqual(first)
  await expect(record('first', 1)).rejects.toThrow('there is a journal')
  expect((await replayJournal(join(directory, 'first'))).commands).toBe(1_000)
})

test('values that JSON would take for one another are different texts', () => {
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [{ a: 1 }, { a: 1n }],
    [{ a: 1n }, { a: '1n' }],
    [{ a: 0 }, { a: -0 }],
    [{ a: undefined }, {}],
    [{ a: undefined }, { a: 'undefined' }],
    [[1, 2], [12]],
    [{ a: null }, { a: Number.NaN }],
    [new Map([[1, 2]]), [[1, 2]]],
  ]
  for (const [one, other] of pairs) expect(plainText(one)).not.toBe(plainText(other))
})

test('a renamed field can be hashed under its old name', () => {
  const words = new Map([['unified', 'union']])
  expect(plainText({ unified: ['unified', 'unified-main'] }, words)).toBe(
    plainText({ union: ['union', 'unified-main'] }),
  )
})
