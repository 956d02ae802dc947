/** Which core's state is taken for right, and who ends: as cores tell their hashes one after the other. */
import { describe, expect, test } from 'vitest'
import { FollowedHashes, HashComparison } from '../../src/replication/replication.ts'

/** `a` is this core. `a*=x`: it leads, and has the hash x. `wait`: ten seconds pass. */
function compare(cores: number, ...told: readonly string[]) {
  const alarms: (() => void)[] = []
  const settled: string[] = []
  const odd: string[] = []
  const comparison = new HashComparison({
    name: 'a',
    cores,
    timers: {
      now: () => 0,
      after: (_ms, call) => {
        alarms.push(call)
        return () => {}
      },
    },
    onOdd: ({ message }) => odd.push(message),
    onSettled: (_sequence, hash) => settled.push(hash),
  })
  for (const one of told) {
    if (one === 'wait') {
      for (const alarm of alarms.splice(0)) alarm()
      continue
    }
    const [, core, leads, hash] = /^(\w)(\*?)=(\w)$/.exec(one)!
    comparison.vote({ core, leads: leads === '*', sequence: 100, hash })
  }
  return { settled: settled.join(), isOdd: odd.length > 0, differed: [...comparison.differed.keys()].join() }
}

const sound = { isOdd: false, differed: '' }

describe('scale.md §4.8: the odd one exits', () => {
  test.each([
    // cores, what is told one after the other, the hash that is right, this core, others
    [3, ['a=x'], { settled: '', ...sound }],
    [3, ['a=x', 'b=x'], { settled: 'x', ...sound }],
    [3, ['b=x', 'c*=x'], { settled: 'x', ...sound }],
    [3, ['a=y', 'b*=x'], { settled: '', ...sound }],
    [3, ['a=y', 'b*=x', 'c=x'], { settled: 'x', isOdd: true, differed: '' }],
    [3, ['b*=x', 'c=x', 'a=y'], { settled: 'x', isOdd: true, differed: '' }],
    // Who leads is not right for that.
    [3, ['a=x', 'b*=y', 'c=x'], { settled: 'x', isOdd: false, differed: 'b' }],
    [3, ['a*=y', 'b=x', 'c=x'], { settled: 'x', isOdd: true, differed: '' }],
    [3, ['a=x', 'c=x', 'b*=y'], { settled: 'x', isOdd: false, differed: 'b' }],
    // Nobody has most.
    [3, ['a=x', 'b*=y', 'c=z'], { settled: 'y', isOdd: true, differed: 'c' }],
    [3, ['a=x', 'b*=y', 'wait'], { settled: 'y', isOdd: true, differed: '' }],
    [3, ['a*=x', 'b=y', 'wait'], { settled: 'x', isOdd: false, differed: 'b' }],
    [3, ['a=x', 'b=y', 'wait'], { settled: '', ...sound }],
    [3, ['a=x', 'b=y', 'wait', 'c*=y'], { settled: 'y', isOdd: true, differed: '' }],
    [3, ['a*=x', 'wait'], { settled: 'x', ...sound }],
    [2, ['a=x', 'b*=y'], { settled: 'y', isOdd: true, differed: '' }],
    [2, ['a*=x', 'b=y'], { settled: 'x', isOdd: false, differed: 'b' }],
    [1, ['a*=x'], { settled: 'x', ...sound }],
  ])('%d cores, %j', (cores, told, expected) => {
    expect(compare(cores, ...told)).toEqual(expected)
  })
})

test('a core that has the same again is spoken of no more', () => {
  const comparison = new HashComparison({
    name: 'a',
    cores: 3,
    timers: { now: () => 0, after: () => () => {} },
    onOdd: () => {},
    onSettled: () => {},
  })
  const vote = (core: string, sequence: number, hash: string) => comparison.vote({ core, leads: false, sequence, hash })
  for (const [core, hash] of Object.entries({ a: 'x', b: 'y', c: 'x' })) vote(core, 100, hash)
  expect([...comparison.differed]).toEqual([['b', 100]])
  expect(comparison.agreed).toBe(100)
  for (const core of ['a', 'b', 'c']) vote(core, 200, 'z')
  expect([...comparison.differed]).toEqual([])
  expect(comparison.agreed).toBe(200)
})

test('who follows compares in whichever order both come', () => {
  const odd: number[] = []
  const hashes = new FollowedHashes(({ sequence }) => odd.push(sequence))
  hashes.own(100, 'x')
  hashes.told(100, 'x')
  hashes.told(200, 'y')
  expect([hashes.agreed, odd]).toEqual([100, []])
  hashes.own(200, 'y')
  // What nobody was told of is not compared.
  hashes.own(250, 'x')
  hashes.own(300, 'x')
  hashes.told(300, 'z')
  expect([hashes.agreed, odd]).toEqual([200, [300]])
  for (let sequence = 400; sequence < 500; sequence++) hashes.own(sequence, 'x')
  // It is long gone.
  hashes.told(400, 'z')
  expect(odd).toEqual([300])
})
