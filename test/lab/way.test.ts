/**
 * Layers stand around calls and messages in the order that way.ts states, and the agenda does what is due by time and then
 * by turn (lab.md §4.5, §4.7).
 */
import { expect, test } from 'vitest'
import type { AskedByRequest, Inside } from '../../src/api/api.ts'
import { Agenda, agendaMax } from '../../src/lab/way/agenda.ts'
import { type Layer, Way } from '../../src/lab/way/way.ts'
import type { FramedSocket } from '../../src/stream/stream.ts'

const asked = {} as AskedByRequest
const socket = {} as FramedSocket
const answer = { httpStatus: 200, headers: {}, body: '' }

interface Named extends Inside {
  readonly by: readonly string[]
}

function layer(name: string, seen: string[], isActive = true): Layer {
  return {
    name,
    isActive,
    async request(_asked, inside, serve) {
      seen.push(`${name} in`)
      const { by } = inside as Named
      const answered = await serve({ ...inside, by: [...by, name] } as Named)
      seen.push(`${name} out`)
      return answered
    },
    out: (_socket, message, send) => send(Buffer.from(`${message.toString()}${name}`)),
    in: (_socket, message, hear) => hear(Buffer.from(`${message.toString()}${name}`)),
  }
}

test('a request passes active layers from the first to the last, and its core from the last to the first', async () => {
  const seen: string[] = []
  const way = new Way()
  way.add(layer('a', seen))
  way.add(layer('off', seen, false))
  way.add(layer('b', seen))
  let by: readonly string[] = []
  const answered = await way.request(asked, { by: [] } as unknown as Named, async (inside) => {
    by = (inside as Named).by
    return answer
  })
  expect(answered).toBe(answer)
  expect(seen).toEqual(['a in', 'b in', 'b out', 'a out'])
  expect(by).toEqual(['a', 'b'])
})

test('messages go out through the last layer first, and come in through the first one first', () => {
  const way = new Way()
  for (const name of ['a', 'b']) way.add(layer(name, []))
  const texts: string[] = []
  way.out(socket, Buffer.from('x'), (message) => texts.push(message.toString()), 'push')
  way.in(socket, Buffer.from('x'), (message) => texts.push(message.toString()))
  expect(texts).toEqual(['xba', 'xab'])
})

test('a way without an active layer turns nothing aside', () => {
  const way = new Way()
  expect(way.isActive).toBe(false)
  way.add(layer('a', [], false))
  expect([way.isActive, way.mayOpen('/v2/ws/public'), way.pongs(socket)]).toEqual([false, true, true])
})

test('the agenda goes by time, then by the order in which things were put down', async () => {
  let now = 100
  const agenda = new Agenda({
    now: () => now,
    isFrozen: () => true,
    carriedOut: async () => {},
    inTurn: (work) => work(),
  })
  const done: string[] = []
  for (const [at, name] of [
    [30, 'd'],
    [10, 'a'],
    [20, 'c'],
    [10, 'b'],
    [101, 'later'],
  ] as const) {
    agenda.put(at, () => done.push(name))
  }
  await agenda.runDue()
  expect(done).toEqual(['a', 'b', 'c', 'd'])
  expect([agenda.size, agenda.nextAt]).toEqual([1, 101])
  now = 101
  agenda.put(101, () => done.push('last'))
  await agenda.runDue()
  expect(done.slice(4)).toEqual(['later', 'last'])
})

test('each thing is carried out before the next one is done, and it stops where somebody wants to', async () => {
  const done: string[] = []
  const agenda = new Agenda({
    now: () => 0,
    isFrozen: () => true,
    carriedOut: async () => void done.push('carried out'),
    inTurn: (work) => work(),
  })
  for (const name of ['a', 'b', 'c']) agenda.put(0, () => void done.push(name))
  await agenda.runDue(() => done.includes('b'))
  expect(done).toEqual(['a', 'carried out', 'b', 'carried out'])
  expect(agenda.size).toBe(1)
})

test('the agenda is bounded, and says so', () => {
  const agenda = new Agenda({
    now: () => 0,
    isFrozen: () => true,
    carriedOut: async () => {},
    inTurn: (work) => work(),
  })
  for (let n = 0; n < agendaMax; n += 1) agenda.put(agendaMax - n, () => {})
  expect(() => agenda.put(1, () => {})).toThrow('100000 things are waiting already')
  agenda.clear()
  expect(agenda.nextAt).toBeUndefined()
})

test('what is planned counts for what is next, acts behind the other things of its moment, and goes back', async () => {
  let now = 5
  const done: string[] = []
  const agenda = new Agenda({
    now: () => now,
    isFrozen: () => true,
    carriedOut: async () => {},
    inTurn: (work) => work(),
  })
  let at: number | undefined = 10
  agenda.add({
    name: 'script',
    nextAt: () => at,
    runDue: async () => {
      done.push('script')
      at = undefined
    },
    settled: async () => {},
    save: () => at,
    restore: (saved) => (at = saved as number | undefined),
  })
  agenda.put(10, () => done.push('message'))
  agenda.put(30, () => done.push('later'))
  const saved = agenda.save()
  expect(agenda.nextAt).toBe(10)
  await agenda.runDue()
  expect(done).toEqual([])
  now = 10
  await agenda.runDue()
  expect([done, agenda.nextAt]).toEqual([['message', 'script'], 30])
  agenda.restore(saved)
  expect(agenda.nextAt).toBe(10)
})
