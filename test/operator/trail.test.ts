/** The trail of operator actions: what is noted of a call, and what a file keeps of it. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { refused } from '../../src/engine/protocol/reply.ts'
import { type OperatorListener, openOperatorListener } from '../../src/operator/listener.ts'
import { type Action, openTrail, Trail } from '../../src/operator/trail.ts'
import { OutcomeUnknown } from '../../src/runtime/runtime.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { fakeVenue } from './fake-core.ts'

const log = pino({ level: 'silent' })

function action(change: Partial<Action> = {}): Omit<Action, 'id'> {
  const call = 'POST /operator/deposits'
  return { at: 1, who: 'Ann', from: '127.0.0.1', call, body: {}, outcome: 'done', code: null, commands: [], ...change }
}

describe('a call', () => {
  const token = 'ab'.repeat(32)
  const venue = fakeVenue()
  let listener: OperatorListener

  beforeAll(async () => {
    listener = await openOperatorListener(venue.ports, { port: 0, token, log })
  })

  afterAll(() => listener.close())

  async function send(method: string, path: string, body?: object, operator?: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, ...(operator !== undefined && { 'x-operator': operator }) }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return (await fetch(`${listener.url}/operator/${path}`, init)).status
  }
  const newest = () => venue.ports.trail.page({ limit: 1 }).actions[0]

  test('that changes something is noted with its commands and who did it', async () => {
    venue.core.accounts = [{ uid: 1001, kind: 'main', name: 'alice' }]
    expect(await send('POST', 'accounts/freeze', { uid: '1001', frozen: 'yes' }, 'J%C3%BCrgen')).toBe(200)
    expect(newest()).toEqual({
      id: 1,
      at: venue.core.now(),
      who: 'Jürgen',
      from: '127.0.0.1',
      call: 'POST /operator/accounts/freeze',
      body: { uid: '1001', frozen: 'yes' },
      outcome: 'done',
      code: null,
      commands: [{ kind: 'freeze-account', sequence: null }],
    })
  })

  test.each<[string, string, object, Partial<Action>]>([
    ['by its fields', 'accounts/freeze', { uid: '1001' }, { code: 'body-wrong', commands: [] }],
    ['by the engine', 'accounts/freeze', { uid: '77', frozen: 'yes' }, { code: 'account-unknown' }],
  ])('that is refused %s is noted as refused', async (_, path, body, expected) => {
    venue.core.reply = refused({ kind: 'account-unknown' })
    await send('POST', path, body)
    expect(newest()).toMatchObject({ outcome: 'refused', who: null, ...expected })
  })

  test('whose outcome is unknown is noted as that', async () => {
    vi.spyOn(venue.core, 'submit').mockRejectedValueOnce(new OutcomeUnknown('timed-out'))
    await send('POST', 'accounts/freeze', { uid: '1001', frozen: 'yes' }, 'Ann')
    expect(newest()).toMatchObject({ outcome: 'unknown', code: 'outcome-unknown' })
  })

  test('that only reads is not noted', async () => {
    const before = newest()?.id
    expect(await send('GET', 'coins', undefined, 'Ann')).toBe(200)
    expect(newest()?.id).toBe(before)
  })

  test.each<[string, object]>([
    ['a passphrase', { uid: '1001', passphrase: 'hunter2hunter2' }],
    ['what was sent in place of a public key', { uid: '1001', publicKey: 'hunter2hunter2' }],
    ['a field that is not known', { uid: '1001', secret: 'hunter2hunter2' }],
  ])('leaves %s out', async (_, body) => {
    await send('POST', 'keys', body)
    expect(newest()).toMatchObject({ call: 'POST /operator/keys', body: { uid: '1001' } })
    expect(JSON.stringify(newest())).not.toContain('hunter2')
  })

  test('a long value is cut', async () => {
    await send('POST', 'accounts', { kind: 'main', mode: 'unified', name: 'n'.repeat(10_000) })
    expect(String(newest()?.body['name'])).toHaveLength(501)
  })

  test.each([
    ['too long', 'n'.repeat(65)],
    ['with a control character', 'a%07'],
  ])('by a name that is %s is refused', async (_, name) => {
    const before = newest()?.id
    expect(await send('POST', 'accounts/freeze', { uid: '1001', frozen: 'yes' }, name)).toBe(400)
    expect(newest()?.id).toBe(before)
  })
})

describe('pages', () => {
  const trail = new Trail()
  for (const who of ['Ann', 'Ben', 'Ann', null]) trail.note(action({ who }))
  const ids = (asked: Parameters<Trail['page']>[0]) => {
    const { actions, next } = trail.page(asked)
    return [actions.map(({ id }) => id), next]
  }

  test.each([
    [{ limit: 10 }, [4, 3, 2, 1], null],
    [{ limit: 2 }, [4, 3], 3],
    [{ limit: 2, before: 3 }, [2, 1], null],
    [{ limit: 1, who: 'Ann' }, [3], 3],
    [{ limit: 1, who: 'Ann', before: 3 }, [1], null],
    [{ limit: 5, who: 'Zoe' }, [], null],
  ])('%j: %j, then %s', (asked, found, next) => {
    expect(ids(asked)).toEqual([found, next])
  })
})

describe('a file', () => {
  const path = join(temporaryDirectory('trail'), 'operator-trail.jsonl')
  const open = () => openTrail(path, log)
  const whos = (trail: Trail, limit = 10) => trail.page({ limit }).actions.map(({ who }) => who)

  test('has every action at once, and numbers go on', () => {
    open().note(action({ who: 'Ann' }))
    const again = open()
    again.note(action({ who: 'Ben' }))
    again.note(action({ who: 'Eve' }))
    expect(whos(open())).toEqual(['Eve', 'Ben', 'Ann'])
    expect(
      open()
        .page({ limit: 10 })
        .actions.map(({ id }) => id),
    ).toEqual([3, 2, 1])
  })

  test('with half a line at its end is read without it, and goes on', () => {
    appendFileSync(path, '{"id": 4, "call": "POST /oper')
    const found = open()
    expect(whos(found)).toEqual(['Eve', 'Ben', 'Ann'])
    found.note(action({ who: 'Zoe' }))
    expect(whos(open())).toEqual(['Zoe', 'Eve', 'Ben', 'Ann'])
  })

  test('keeps the newest ten thousand', () => {
    const line = (id: number) => `${JSON.stringify({ ...action(), id })}\n`
    writeFileSync(path, Array.from({ length: 20_000 }, (_, index) => line(index + 1)).join(''))
    const found = open()
    found.note(action({ who: 'Zoe' }))
    expect(found.page({ limit: 1 }).actions).toMatchObject([{ id: 20_001, who: 'Zoe' }])
    expect(found.page({ limit: 1_000, before: 10_100 }).actions).toHaveLength(98)
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(10_010)
  })

  test('that cannot be written is told once, and the trail goes on', () => {
    const told: unknown[] = []
    const nowhere = join(temporaryDirectory('trail'), 'gone', 'operator-trail.jsonl')
    const trail = openTrail(nowhere, { warn: (...line: unknown[]) => void told.push(line) })
    trail.note(action())
    trail.note(action())
    expect(trail.page({ limit: 10 }).actions).toHaveLength(2)
    expect(told).toHaveLength(1)
    expect(existsSync(nowhere)).toBe(false)
    rmSync(path)
  })
})
