/** Places for keys that gateways hold at the core: one for each key, given back when it is kept, or after a minute. */
import { randomInt } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { issueKey } from '../../src/api/keys/key-issuance.ts'
import { liveKeysMax, type NewKey } from '../../src/api/keys/keys.ts'
import { AnswerLost } from '../../src/gateway/core-connection.ts'
import { keyAnswers, RemoteKeys } from '../../src/gateway/remote-keys.ts'
import { MemoryKeyStore } from '../../src/operator/keys/memory-key-store.ts'
import { CommandNotSequenced, OutcomeUnknown } from '../../src/runtime/core.ts'

const asked: NewKey = { uid: 1001, permissions: ['read'], ipList: [], label: 'bot' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function venue() {
  const keys = new MemoryKeyStore({ now: Date.now, random: (bound) => randomInt(bound) })
  const answers = keyAnswers(keys)
  const gateways = [0, 1].map(
    () => new RemoteKeys(async (_, what, ...args) => answers(String(what), ...(args as never[]))),
  )
  return { keys, gateways }
}

test('of twenty that are asked for at once at two gateways ten are made', async () => {
  const { keys, gateways } = venue()
  const record = () => Promise.resolve()
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, place) => issueKey({ keys: gateways[place % 2], record }, asked)),
  )
  expect(made.filter((draft) => draft !== undefined)).toHaveLength(liveKeysMax)
  expect(keys.live(asked.uid)).toHaveLength(liveKeysMax)
})

test('a key that is kept counts once, before its place is given back', async () => {
  const { gateways } = venue()
  const [here, there] = gateways
  for (let count = 0; count < liveKeysMax - 1; count++) {
    expect(await here.reserve(asked.uid)).toBe(true)
    await here.keep(await here.draft(asked))
  }
  expect([await there.reserve(asked.uid), await there.reserve(asked.uid)]).toEqual([true, false])
})

test('places of a gateway that died are free after a minute, and one that was given back is not given back again', async () => {
  const { gateways } = venue()
  const [here, there] = gateways
  for (let count = 0; count < liveKeysMax; count++) await here.reserve(asked.uid)
  const draft = await here.draft(asked)
  expect(await there.reserve(asked.uid)).toBe(false)
  here.release(asked.uid, draft.key.apiKey)
  here.release(asked.uid, draft.key.apiKey)
  expect([await there.reserve(asked.uid), await there.reserve(asked.uid)]).toEqual([true, false])
  vi.advanceTimersByTime(60_000)
  const free = []
  while (await there.reserve(asked.uid)) free.push(1)
  expect(free).toHaveLength(liveKeysMax)
})

test('a change whose answer was lost may have been made; one that no core was asked for was not', async () => {
  const lost = new RemoteKeys(() => Promise.reject(new AnswerLost('the core went away')))
  const change = { permissions: undefined, readOnly: true, ipList: undefined, label: undefined }
  await expect(lost.revoke('key')).rejects.toThrow(OutcomeUnknown)
  await expect(lost.change('key', change)).rejects.toThrow(OutcomeUnknown)
  const away = new RemoteKeys(() => Promise.reject(new CommandNotSequenced('the core is away')))
  await expect(away.revoke('key')).rejects.toThrow(CommandNotSequenced)
})
