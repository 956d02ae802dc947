/** Looking after the log: it is checked against cores' files, its end is put back, and it is made anew from one. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { initCluster, logStatus, rebuildLog, repairLog, verifyLog } from '../../src/cluster/cluster.ts'
import { openFileJournal } from '../../src/journal/journal.ts'
import { DataDirectory } from '../../src/operator/operator.ts'
import { type LogEnd, logStart, LogWriter, readNext, systemTimers } from '../../src/replication/replication.ts'
import { Engine } from '../../src/engine/engine.ts'
import { encodedCommand } from '../../src/runtime/runtime.ts'
import { alice, deposit } from '../runtime/small-engine.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const timeout = 180_000
const nats = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => nats?.stop())

/** In its first batch. */
function flipBit(file: string): void {
  const bytes = readFileSync(file)
  bytes[100] ^= 1
  writeFileSync(file, bytes)
}

const recordOf = (amount: number) => encodedCommand(deposit(alice, BigInt(amount)), 1_000 + amount)

describe.skipIf(nats === undefined)('the log of several cores', { timeout }, () => {
  const addressOf = (venue: string) => ({ urls: nats!.urls, venue, monitors: nats!.monitors })

  /** A log with these commands, two in a message. */
  async function logWith(amounts: readonly number[]): Promise<string> {
    const venue = await nats!.venue()
    const log = await nats!.open(venue)
    const ports = {
      log,
      timers: systemTimers,
      stateVersion: () => Engine.rules,
      appliedThrough: () => 0,
      onStored: () => {},
    }
    const writer = new LogWriter(logStart, ports)
    await writer.claim(Buffer.from('a core'))
    for (let at = 0; at < amounts.length; at += 2) {
      const given = amounts.slice(at, at + 2)
      await writer.append({ kind: 'batch', records: given.map(recordOf), at: 1_000 + given.at(-1)! })
    }
    await log.close()
    return venue
  }

  /** Where a log ends. */
  async function endOf(log: Awaited<ReturnType<NatsCluster['open']>>): Promise<LogEnd> {
    let end = logStart
    for (let found = await log.at(1); found !== undefined; found = await log.at(end.position + 1)) {
      ;({ end } = readNext(end, end.position + 1, found))
    }
    return end
  }

  /** The directory of a core of that venue, whose file has these commands. */
  async function coreWith(venue: string, amounts: readonly number[]): Promise<string> {
    const path = temporaryDirectory('core')
    const directory = DataDirectory.open(path)
    directory.remember({ kind: 'empty', log: venue })
    directory.close()
    const { journal } = await openFileJournal(join(path, 'journal'))
    await journal.append(1, amounts.map(recordOf))
    await journal.close()
    return path
  }

  test('is checked against the files of cores', async () => {
    const venue = await logWith([1, 2, 3, 4])
    const [same, short, other, more] = [
      await coreWith(venue, [1, 2, 3, 4]),
      await coreWith(venue, [1, 2]),
      await coreWith(venue, [1, 2, 9, 4]),
      await coreWith(venue, [1, 2, 3, 4, 5, 6]),
    ]
    const sound = await verifyLog(addressOf(venue), [same, short], true)
    expect(sound).toMatchObject({ first: 1, last: 3, epoch: 1, from: 1, through: 4, damaged: [], faults: [] })
    const damaged = await coreWith(venue, [1, 2, 3, 4])
    const [segment] = readdirSync(join(damaged, 'journal')).filter((name) => name.endsWith('.journal'))
    flipBit(join(damaged, 'journal', segment))
    const { faults } = await verifyLog(addressOf(venue), [other, more, '/nowhere', damaged], false)
    expect(faults).toEqual([
      `${other}: command 3 is another one than the log's`,
      `${more}: commands 5 to 6 are not in the log`,
      '/nowhere: there is no journal',
      expect.stringMatching(`^${damaged}: journal damaged: ${join(damaged, 'journal', segment)} `),
    ])
  })

  test('is checked against the file of a core that goes on writing meanwhile', async () => {
    const venue = await logWith([1, 2])
    const core = await coreWith(venue, [1, 2])
    const log = await nats!.open(venue)
    onTestFinished(() => log.close())
    let isOver = false
    const verifying = verifyLog(addressOf(venue), [core], true).finally(() => (isOver = true))
    const { journal } = await openFileJournal(join(core, 'journal'))
    const writer = new LogWriter(await endOf(log), {
      log,
      timers: systemTimers,
      stateVersion: () => Engine.rules,
      appliedThrough: () => 0,
      onStored: () => {},
    })
    for (let amount = 3; !isOver; amount++) {
      await writer.append({ kind: 'batch', records: [recordOf(amount)], at: 1_000 + amount })
      await journal.append(amount, [recordOf(amount)])
    }
    await journal.close()
    expect(await verifying).toMatchObject({ faults: [] })
  })

  test('gets back what it has lost at its end, when somebody says so', async () => {
    const venue = await logWith([1, 2])
    const core = await coreWith(venue, [1, 2, 3, 4, 5])
    expect(await repairLog(addressOf(venue), core, false)).toEqual({ from: 3, through: 5, done: false })
    expect(await verifyLog(addressOf(venue), [], false)).toMatchObject({ through: 2, epoch: 1 })
    expect(await repairLog(addressOf(venue), core, true)).toEqual({ from: 3, through: 5, done: true })
    expect(await verifyLog(addressOf(venue), [core], false)).toMatchObject({ through: 5, epoch: 2, faults: [] })
    expect(await repairLog(addressOf(venue), core, true)).toEqual({ from: 6, through: 5, done: false })
  })

  test('gets nothing from a file that is another one', async () => {
    const venue = await logWith([1, 2])
    const core = await coreWith(venue, [1, 9, 3])
    await expect(repairLog(addressOf(venue), core, true)).rejects.toThrow(`command 2 of ${core} is another one`)
    const stranger = await coreWith('another', [1, 2, 3])
    await expect(repairLog(addressOf(venue), stranger, true)).rejects.toThrow(
      `${stranger} is no core of the venue ${venue}`,
    )
  })

  test('gets nothing while a core writes', async () => {
    const venue = await logWith([1, 2])
    const core = await coreWith(venue, [1, 2, 3])
    const log = await nats!.open(venue)
    onTestFinished(() => log.close())
    let isOver = false
    const repairing = Promise.allSettled([repairLog(addressOf(venue), core, true)]).finally(() => (isOver = true))
    // As a core that leads does, four times a second.
    for (let end = (await log.bounds()).last; !isOver; end++) {
      await log.append(end, Buffer.from('a heartbeat'))
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    const reason = expect.objectContaining({ message: 'a core writes to the log: stop all cores before' }) as Error
    expect(await repairing).toEqual([{ status: 'rejected', reason }])
  })

  test('is made anew from a file', async () => {
    const core = await coreWith(await logWith([1, 2]), [1, 2, 3])
    expect(await rebuildLog(addressOf('anew'), core)).toEqual({ from: 1, through: 3 })
    expect(await verifyLog(addressOf('anew'), [core], false)).toMatchObject({ through: 3, faults: [] })
    expect(await repairLog(addressOf('anew'), core, false)).toMatchObject({ done: false })
  })

  test('whose beginning was removed is checked from there on, and mended at its end', async () => {
    const venue = await logWith([1, 2, 3, 4, 5, 6])
    const log = await nats!.open(venue)
    onTestFinished(() => log.close())
    await log.removeBefore(3)
    const [short, met, more] = [
      await coreWith(venue, [1]),
      await coreWith(venue, [1, 2]),
      await coreWith(venue, [1, 2, 3, 4, 5, 6, 7]),
    ]
    const found = await verifyLog(addressOf(venue), [short, met, more], false)
    expect(found).toMatchObject({ first: 3, last: 4, from: 3, through: 6 })
    const apart = 'it ends with command 1, and the log begins with command 3: what is between was removed'
    expect(found.faults).toEqual([`${short}: ${apart}`, `${more}: commands 7 to 7 are not in the log`])
    await expect(repairLog(addressOf(venue), short, true)).rejects.toThrow(`${short}: ${apart}`)
    expect(await repairLog(addressOf(venue), more, true)).toEqual({ from: 7, through: 7, done: true })
    expect(await verifyLog(addressOf(venue), [more], false)).toMatchObject({
      first: 3,
      from: 3,
      through: 7,
      faults: [],
    })
  })

  test('is made once', async () => {
    expect(await initCluster(addressOf('made'))).toMatchObject({ stream: 'TIDEMARK_made', servers: 3 })
    expect(await logStatus(addressOf('made'))).toMatchObject({ first: 1, last: 0 })
    await expect(initCluster(addressOf('made'))).rejects.toThrow('there is a stream TIDEMARK_made already')
  })
})
