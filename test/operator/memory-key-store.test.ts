/** Keys of a venue in memory: as any other, and they go back. */
import { expect, test } from 'vitest'
import { MemoryKeyStore } from '../../src/operator/keys/memory-key-store.ts'

const alice = { uid: 7, permissions: ['read' as const], ipList: [], label: 'alice' }

/** Counts up, so that two of them agree. */
function counting(): (bound: number) => number {
  let drawn = 0
  return (bound) => drawn++ % bound
}

const store = () => new MemoryKeyStore({ now: () => 5, random: counting() })

test('what a key is made of comes from the given source alone', () => {
  expect(store().draft(alice)).toEqual(store().draft(alice))
})

test('a key that has a name gets that', () => {
  const issued = { apiKey: 'dev-alice', secret: 'tidemark', passphrase: 'tidemark' }
  const keys = new MemoryKeyStore({ now: () => 5, random: counting(), nameFor: () => issued })
  keys.keep(keys.draft(alice))
  expect(keys.find('dev-alice')).toMatchObject({ ...issued, uid: 7, kind: 'hmac', createdAt: 5 })
})

test('it goes back: keys since are gone, revoked ones are good again, and those who watch are told', () => {
  const keys = store()
  const first = keys.draft(alice)
  keys.keep(first)
  const saved = keys.save()
  const second = keys.draft({ ...alice, uid: 8 })
  keys.keep(second)
  keys.revoke(first.key.apiKey)
  const told: number[] = []
  keys.watch((uid) => told.push(uid))
  keys.goBackTo(saved)
  expect(keys.find(first.key.apiKey)?.revokedAt).toBeUndefined()
  expect(keys.find(second.key.apiKey)).toBeUndefined()
  expect(told.toSorted((a, b) => a - b)).toEqual([7, 8])
})

test('another store begins with what was saved and shares nothing', () => {
  const keys = store()
  keys.keep(keys.draft(alice))
  const fork = new MemoryKeyStore({ now: () => 5, random: counting() }, keys.save())
  const [key] = fork.all()
  fork.revoke(key.apiKey)
  expect(keys.find(key.apiKey)?.revokedAt).toBeUndefined()
  expect(fork.find(key.apiKey)?.revokedAt).toBe(5)
})
