/** Whoever watches a run: what it cannot read is told at the end, and a run that is given up is watched no longer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LabError, type Venue } from '../../src/grade/laboratory.ts'
import { Witness } from '../../src/grade/witness.ts'

/** A fork that answers nothing new, until something else listens at its address. */
function fork() {
  let asked = 0
  let isOther = false
  const call = async (_method: string, path: string): Promise<unknown> => {
    asked += 1
    if (isOther) throw new LabError(400, { code: 'answer-wrong', message: 'another venue' })
    return path === '' ? { now: Date.now(), sequence: 0 } : []
  }
  const venue = { keys: { 'unified-main': { uid: '1' } }, call } as unknown as Venue
  return { venue, asked: () => asked, becomeAnother: () => (isOther = true) }
}

test('a run that is given up is watched no longer', async () => {
  const { venue, asked, becomeAnother } = fork()
  const witness = new Witness(venue, { role: 'unified-main', steps: {} })
  await witness.begin()
  await sleep(250)
  becomeAnother()
  await witness.close()
  const until = asked()
  await sleep(300)
  expect(asked()).toBe(until)
})

test('what it could not read while the run went on is told at its end', async () => {
  const { venue, becomeAnother } = fork()
  const witness = new Witness(venue, { role: 'unified-main', steps: {} })
  await witness.begin()
  becomeAnother()
  // Longer than it waits between two looks: an error that nobody takes would end the process.
  await sleep(300)
  await expect(witness.end()).rejects.toThrow('another venue')
})
