/** What every shared log does, whatever keeps it: the rows of the port `Log`. */
import { expect, test } from 'vitest'
import { Fenced, type Log } from '../../src/replication/replication.ts'

/** A log that is empty, as several processes reach it; `run` waits for what it does. */
interface Opened {
  readonly logs: readonly [Log, Log]
  readonly run: <T>(doing: Promise<T>) => Promise<T>
}

const bytes = (text: string) => Buffer.from(text)

export function testLog(open: () => Promise<Opened>): void {
  test('positions are 1, 2, 3, and each has what was appended there', async () => {
    const { logs, run } = await open()
    const [log] = logs
    for (const [index, text] of ['a', 'b', 'c'].entries()) {
      expect(await run(log.append(index, bytes(text)))).toBe(index + 1)
    }
    for (const [index, text] of ['a', 'b', 'c'].entries()) {
      expect(Buffer.from((await run(log.at(index + 1)))!).toString()).toBe(text)
    }
  })

  test('nothing stands behind the end', async () => {
    const { logs, run } = await open()
    expect(await run(logs[0].at(1))).toBeUndefined()
    await run(logs[0].append(0, bytes('a')))
    expect(await run(logs[0].at(2))).toBeUndefined()
  })

  test('an append behind another end than it expects is fenced, and stores nothing', async () => {
    const { logs, run } = await open()
    const [one, other] = logs
    await run(one.append(0, bytes('a')))
    await expect(run(other.append(0, bytes('b')))).rejects.toThrow(Fenced)
    await run(other.append(1, bytes('c')))
    await expect(run(one.append(1, bytes('d')))).rejects.toThrow(Fenced)
    expect(await run(one.at(3))).toBeUndefined()
  })

  test('of two who expect the same end one is stored', async () => {
    const { logs, run } = await open()
    for (let position = 1; position <= 20; position++) {
      const told = logs.map((log, index) => log.append(position - 1, bytes(`${index}`)))
      const outcomes = await run(Promise.allSettled(told))
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(outcomes[1 - winner]).toMatchObject({ status: 'rejected', reason: expect.any(Fenced) })
      expect(Buffer.from((await run(logs[0].at(position)))!).toString()).toBe(`${winner}`)
    }
  })

  test('who follows hears what is there and what comes, in order', async () => {
    const { logs, run } = await open()
    const [writer, reader] = logs
    await run(writer.append(0, bytes('0')))
    await run(writer.append(1, bytes('1')))
    const heard = reader.follow(2)
    const next = async () => {
      const { value } = await run(heard.next())
      return [value.position, Buffer.from(value.message).toString()]
    }
    expect(await next()).toEqual([2, '1'])
    const third = next()
    await run(writer.append(2, bytes('2')))
    expect(await third).toEqual([3, '2'])
    await run(writer.append(3, bytes('3')))
    expect(await next()).toEqual([4, '3'])
    await heard.return?.()
  })

  test('what is removed takes nothing from what stays', async () => {
    const { logs, run } = await open()
    for (let end = 0; end < 4; end++) await run(logs[0].append(end, bytes(`${end}`)))
    await run(logs[0].removeBefore(3))
    expect(Buffer.from((await run(logs[1].at(3)))!).toString()).toBe('2')
    expect(await run(logs[1].append(4, bytes('4')))).toBe(5)
  })

  test('what is removed is gone, and said to be', async () => {
    const { logs, run } = await open()
    for (let end = 0; end < 4; end++) await run(logs[0].append(end, bytes(`${end}`)))
    await run(logs[0].removeBefore(3))
    await expect(run(logs[1].at(2))).rejects.toThrow('position 2 of the log: it was removed')
    await run(logs[0].removeBefore(2))
    expect(Buffer.from((await run(logs[1].at(3)))!).toString()).toBe('2')
  })
}
