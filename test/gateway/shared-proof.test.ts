/** The proof of reserves that a gateway shows: the core's, and what was shown last while the core is away. */
import { expect, test } from 'vitest'
import type { Proof } from '../../src/api/api.ts'
import { proofOfCore } from '../../src/gateway/gateway.ts'
import { proofAnswers } from '../../src/gateway/shared-proof.ts'

const proofOf = (root: string) => ({ merkleRootHash: root }) as Proof

/** A core that keeps proofs, and is away when a test says so. */
function core() {
  const state = { now: 0, isAway: false, dies: false }
  const answers: Readonly<Record<string, (made: never) => unknown>> = proofAnswers(() => state.now)
  const ask = async (what: string, ...[made]: readonly unknown[]) => {
    if (state.isAway) throw new Error('the core is away')
    const answer = answers[what](made as never)
    if (state.dies) state.isAway = true
    return answer
  }
  return { state, gateway: () => proofOfCore(ask) }
}

test('what was shown is shown on while the core is away, for ten minutes and beyond', async () => {
  const { state, gateway } = core()
  const proof = gateway()
  expect(await proof(() => proofOf('first'))).toEqual(proofOf('first'))
  state.isAway = true
  state.now = 700_000
  expect(await proof(() => proofOf('own'))).toEqual(proofOf('first'))
  state.isAway = false
  expect(await proof(() => proofOf('second'))).toEqual(proofOf('second'))
})

test('a gateway that has shown none makes its own while the core is away', async () => {
  const { state, gateway } = core()
  state.isAway = true
  expect(await gateway()(() => proofOf('own'))).toEqual(proofOf('own'))
})

test('the core goes away after it said that it has none, before it is given one', async () => {
  const { state, gateway } = core()
  const proof = gateway()
  state.dies = true
  expect(await proof(() => proofOf('own'))).toEqual(proofOf('own'))
  expect(await proof(() => proofOf('another'))).toEqual(proofOf('own'))
  Object.assign(state, { isAway: false, dies: false })
  expect(await gateway()(() => proofOf('of another gateway'))).toEqual(proofOf('of another gateway'))
})

test('of two that were made at once the first one counts, and who asks meanwhile is answered the same', async () => {
  const { gateway } = core()
  const [one, other] = [gateway(), gateway()]
  const shown = await Promise.all([one(() => proofOf('a')), one(() => proofOf('b')), other(() => proofOf('c'))])
  expect(shown).toEqual([proofOf('a'), proofOf('a'), proofOf('a')])
})
