/** Which NATS servers are named for their copies of the log. */
import { expect, test } from 'vitest'
import { CopiesWatch } from '../../src/cluster/copies-watch.ts'

const copy = (server: string, lag: number, isAway = false) => ({
  server,
  leads: false,
  isAway,
  isCurrent: lag === 0,
  lag,
})

test.each([
  // the end of the log, and how far each is behind: at one look, and at the next     who is named then
  ['nobody: each has what stood there before', [100, [0, 0]], [108, [0, 8]], []],
  [
    'who lacks one message of before',
    [100, [0, 0]],
    [108, [0, 9]],
    ['the copy of the log at the NATS server n1 is behind by 9 messages'],
  ],
  ['nobody at the first look', undefined, [108, [0, 108]], []],
  ['nobody when it has caught up', [100, [0, 90]], [108, [0, 0]], []],
] as const)('%s', async (_, first, second, named) => {
  const looks = [...(first === undefined ? [] : [first]), second]
  const watch = new CopiesWatch(async () => {
    const [last, [n0, n1]] = looks.shift()!
    return { last, copies: [copy('n0', n0), copy('n1', n1)] }
  })
  while (looks.length > 0) await watch.look()
  watch.stop()
  expect(watch.found).toEqual(named)
})

test('who is away is named at once, and for as long as nobody answers', async () => {
  const looks = [[copy('n0', 0), copy('n1', 3, true)], undefined, [copy('n0', 0), copy('n1', 0)]]
  const watch = new CopiesWatch(async () => {
    const copies = looks.shift()
    if (copies === undefined) throw new Error('no answer')
    return { last: 7, copies }
  })
  const away = ['the NATS server n1 is away: its copy of the log is not current']
  await watch.look()
  expect(watch.found).toEqual(away)
  await watch.look()
  expect(watch.found).toEqual(away)
  await watch.look()
  expect(watch.found).toEqual([])
  watch.stop()
})
