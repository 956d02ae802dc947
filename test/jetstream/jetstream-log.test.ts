/** The log in JetStream, on three servers: what every log does, and what becomes of it when servers are wrong, stopped, killed or damaged. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { JetStreamApiError } from '@nats-io/jetstream'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { ClusterWrong, JetStreamLog, NatsLink, streamOf } from '../../src/jetstream/jetstream.ts'
import {
  Fenced,
  LogBroken,
  LogDown,
  logStart,
  LogWriter,
  readNext,
  systemTimers,
} from '../../src/replication/replication.ts'
import { testLog } from '../replication/log-contract.ts'
import { NatsCluster, natsServer } from '../support/nats.ts'

const timeout = 180_000
const cluster = natsServer === undefined ? undefined : await NatsCluster.start()
afterAll(() => cluster?.stop())

const bytes = (text: string) => Buffer.from(text)

describe.skipIf(cluster === undefined)('a log in JetStream', { timeout }, () => {
  const servers = cluster!

  async function opened(venue: string): Promise<JetStreamLog> {
    const log = await servers.open(venue)
    onTestFinished(() => log.close())
    return log
  }

  /** A writer of its own epoch, which starts behind all that stands. */
  async function writerOf(log: JetStreamLog, name: string): Promise<LogWriter> {
    let end = logStart
    for (let found = await log.at(1); found !== undefined; found = await log.at(end.position + 1)) {
      ;({ end } = readNext(end, end.position + 1, found))
    }
    const writer = new LogWriter(end, {
      log,
      timers: systemTimers,
      stateVersion: () => 1,
      appliedThrough: () => 0,
      onStored: () => {},
    })
    await writer.claim(bytes(name))
    return writer
  }

  const append = (writer: LogWriter, name: string) => writer.append({ kind: 'batch', records: [bytes(name)], at: 1 })

  /** Everything that stands in the log, checked as each reader checks it. */
  async function read(log: JetStreamLog): Promise<string[]> {
    const found: string[] = []
    const { last } = await log.bounds()
    let end = logStart
    for (let position = 1; position <= last; position++) {
      const next = readNext(end, position, (await log.at(position))!)
      ;({ end } = next)
      found.push(...next.message.records.map((record) => Buffer.from(record).toString()))
    }
    return found
  }

  describe('does what every log does', () => {
    testLog(async () => {
      const venue = await servers.venue()
      const logs = [await opened(venue), await opened(venue)] as const
      return { logs, run: (doing) => doing }
    })
  })

  describe('rule 1: the stream', () => {
    const wrong = [
      ['num_replicas', { num_replicas: 1 }],
      ['subjects', { subjects: ['some.other'] }],
      ['max_age', { max_age: 3_600_000_000_000, duplicate_window: 1_000_000_000 }],
      ['max_msgs', { max_msgs: 1000 }],
      ['max_bytes', { max_bytes: 1_000_000 }],
      ['max_msg_size', { max_msg_size: 1000 }],
      ['max_msgs_per_subject', { max_msgs_per_subject: 5 }],
      ['discard', { discard: 'old' }],
      ['allow_direct', { allow_direct: true }],
      ['allow_rollup_hdrs', { allow_rollup_hdrs: true }],
    ] as const

    test.each(wrong)('a core refuses one with another %s, by its name', async (setting, change) => {
      const venue = await servers.venue()
      const link = await NatsLink.open(servers.urls, 'tests')
      onTestFinished(() => link.close())
      await link.manager.streams.update(streamOf(venue), change as object)
      const refused = servers.open(venue)
      await expect(refused).rejects.toThrow(ClusterWrong)
      await expect(refused).rejects.toThrow(new RegExp(`^stream TIDEMARK_${venue}: ${setting} is [^;]*$`))
    })

    test('what cannot be changed later is refused where it was made so', async () => {
      const link = await NatsLink.open(servers.urls, 'tests')
      onTestFinished(() => link.close())
      const subjects = ['tidemark.made.log']
      await link.manager.streams.add({ name: 'TIDEMARK_made', subjects, storage: 'memory', retention: 'interest' })
      await expect(servers.open('made')).rejects.toThrow(
        /storage is "memory", .* retention is "interest", .*deny_delete/,
      )
    })

    test('a core never makes one', async () => {
      await expect(servers.open('nobody')).rejects.toThrow('there is no stream TIDEMARK_nobody: tidemark cluster init')
    })

    test('a single message cannot be deleted', async () => {
      const venue = await servers.venue()
      const link = await NatsLink.open(servers.urls, 'tests')
      onTestFinished(() => link.close())
      await (await opened(venue)).append(0, bytes('a'))
      await expect(link.manager.streams.deleteMessage(streamOf(venue), 1)).rejects.toThrow(JetStreamApiError)
    })
  })

  describe('rule 2: the servers', () => {
    test('one that does not sync before it acknowledges is refused by the name of the setting', async () => {
      const lazy = await NatsCluster.start({ servers: 1, sync: 'default' })
      onTestFinished(() => lazy.stop())
      const venue = await servers.venue()
      const monitors = [...servers.monitors, ...lazy.monitors]
      const refused = JetStreamLog.open({ urls: servers.urls, venue, name: 'tests', monitors })
      await expect(refused).rejects.toThrow(/^sync_interval of the NATS server n0 must be "always"$/)
    })

    test('each server of the stream has to be looked at', async () => {
      const venue = await servers.venue()
      const monitors = servers.monitors.slice(0, 2)
      const refused = JetStreamLog.open({ urls: servers.urls, venue, name: 'tests', monitors })
      await expect(refused).rejects.toThrow(/^--nats-monitor names no monitor port of the NATS server n2$/)
      const log = await JetStreamLog.open({ urls: servers.urls, venue, name: 'tests', monitors: undefined })
      await log.close()
    })

    test('one that is away keeps nobody from beginning, as long as most are there, and is named once', async () => {
      const venue = await servers.venue()
      const place = 1
      await servers.end(place, 'SIGKILL')
      onTestFinished(async () => {
        servers.startServer(place)
        await servers.isHealthy(place)
      })
      const log = await opened(venue)
      const host = new URL(servers.monitors[place]).host
      expect(await log.serverFaults()).toEqual([expect.stringMatching(`^the monitor port ${host} does not answer: `)])
    })

    test('monitor ports of which most do not answer are refused, each with its reason', async () => {
      const venue = await servers.venue()
      const [one] = servers.monitors
      const monitors = [one, 'http://127.0.0.1:1', 'http://127.0.0.1:2']
      const refused = JetStreamLog.open({ urls: servers.urls, venue, name: 'tests', monitors })
      await expect(refused).rejects.toThrow(
        /^the monitor port 127.0.0.1:1 does not answer: .*; the monitor port 127.0.0.1:2 does not answer: [^;]*$/,
      )
    })
  })

  test('rules 4 and 5: nothing acknowledged is lost or stored twice when the server that leads is killed', async () => {
    const venue = await servers.venue()
    const log = await opened(venue)
    const writer = await writerOf(log, 'one')
    const acknowledged: string[] = []
    const write = async (count: number) => {
      for (const end = acknowledged.length + count; acknowledged.length < end; ) {
        const name = `record ${acknowledged.length}`
        await append(writer, name)
        acknowledged.push(name)
      }
    }
    await write(50)
    const place = servers.placeOf(await log.leader())
    const writing = write(50)
    await servers.end(place, 'SIGKILL')
    await writing
    servers.startServer(place)
    await servers.isHealthy(place)
    expect(await read(log)).toEqual(acknowledged)
  })

  test('a claim fences whoever led before, for good', async () => {
    const venue = await servers.venue()
    const [one, other] = [await opened(venue), await opened(venue)]
    const before = await writerOf(one, 'one')
    await append(before, 'a')
    const after = await writerOf(other, 'other')
    await expect(append(before, 'b')).rejects.toThrow('another core leads')
    await append(after, 'c')
    expect(await read(one)).toEqual(['a', 'c'])
    await expect(one.append(1, bytes('d'))).rejects.toThrow(Fenced)
  })

  test('rule 8: what was removed is gone, and says so', async () => {
    const log = await opened(await servers.venue())
    for (let end = 0; end < 5; end++) await log.append(end, bytes(`${end}`))
    await log.removeBefore(4)
    expect(await log.bounds()).toMatchObject({ first: 4, last: 5 })
    await expect(log.at(3)).rejects.toThrow('position 3 of the log: it was removed; the log begins with 4')
  })

  test('rule 10: a server that stops answering is left for another one', async () => {
    const log = await opened(await servers.venue())
    const link = await NatsLink.open(servers.urls, 'tests')
    onTestFinished(() => link.close())
    const place = servers.placeOf(link.server)
    servers.signal(place, 'SIGSTOP')
    onTestFinished(() => servers.signal(place, 'SIGCONT'))
    while (!link.isThere || link.server === `n${place}`) await new Promise((resolve) => setTimeout(resolve, 50))
    servers.signal(place, 'SIGCONT')
    await servers.isHealthy(place)
    const writer = await writerOf(log, 'one')
    await append(writer, 'a')
    expect(await read(log)).toEqual(['a'])
  })

  test('rule 7: an end before what was seen is a loss', async () => {
    const log = await servers.open(await servers.venue(), { shortMsMax: 500 })
    onTestFinished(() => log.close())
    await log.append(0, bytes('a'))
    log.noteSeen(5)
    const untilBroken = async () => {
      for (;;) {
        try {
          await log.at(6)
        } catch (error) {
          if (error instanceof LogBroken) throw error
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
    }
    await expect(untilBroken()).rejects.toThrow('records were lost: 5 stood in the log, and it ends with 1')
  })

  test('rule 7: an end that was short is forgotten once all that was seen is there', async () => {
    const log = await servers.open(await servers.venue(), { shortMsMax: 500 })
    onTestFinished(() => log.close())
    await log.append(0, bytes('a'))
    // As when a server that was cut off answers.
    const beShort = async (seen: number) => {
      log.noteSeen(seen)
      await expect(log.at(seen + 1)).rejects.toThrow(LogDown)
    }
    await beShort(2)
    await log.append(1, bytes('b'))
    await new Promise((resolve) => setTimeout(resolve, 600))
    await beShort(3)
  })

  test('rule 7: a server whose file was damaged is named, and the others have everything', async () => {
    const venue = await servers.venue()
    const log = await opened(venue)
    const messages = 400
    for (let end = 0; end < messages; end++) await log.append(end, Buffer.alloc(6000, `${end} `))
    const victim = (servers.placeOf(await log.leader()) + 1) % 3
    await servers.end(victim, 'SIGTERM')
    const directory = servers.messagesOf(victim, venue)
    const [block] = readdirSync(directory).filter((file) => file.endsWith('.blk'))
    const content = readFileSync(join(directory, block))
    content[content.length >> 1] ^= 4
    writeFileSync(join(directory, block), content)
    servers.startServer(victim)
    await servers.isHealthy(victim)
    // It is made to lead, so that its hole shows.
    const stepDown = `$JS.API.STREAM.LEADER.STEPDOWN.${streamOf(venue)}`
    const link = await NatsLink.open(servers.urls, 'tests')
    onTestFinished(() => link.close())
    while ((await log.leader().catch(() => undefined)) !== `n${victim}`) {
      await link.nats.request(stepDown, '', { timeout: 2_000 }).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    for (let position = 1; position <= messages; position++) {
      const found = await log.at(position).catch(() => log.at(position))
      expect(Buffer.from(found!)).toEqual(Buffer.alloc(6000, `${position - 1} `))
    }
    expect(log.damaged).toMatchObject([{ server: `n${victim}` }])
  })
})
