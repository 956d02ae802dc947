/** Commands of a venue of several cores that are asked for wrongly: one line that names the field and its rule, and nothing is made. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { logTrouble, untilAnswered } from '../../src/cluster/log-address.ts'
import { JournalFenced } from '../../src/journal/journal.ts'
import { CannotStart } from '../../src/operator/operator.ts'
import { LogBroken, LogDown } from '../../src/replication/replication.ts'
import { freePorts } from '../support/ports.ts'
import { sooner } from '../support/sooner.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
const nats = '--nats nats://127.0.0.1:4222 --nats-monitor http://127.0.0.1:8222'
let home: string
beforeEach(() => {
  home = temporaryDirectory('asked')
  vi.stubEnv('TIDEMARK_CLUSTER_TOKEN', 'x'.repeat(32))
})
afterEach(() => vi.unstubAllEnvs())

async function asked(line: string) {
  const said = { out: '', err: '' }
  const note = (where: 'out' | 'err') => (text: unknown) => ((said[where] += String(text)), true)
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(note('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(note('err')),
  ]
  try {
    return { code: await run(line.replaceAll('HOME', home).split(' ')), ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test.each([
  ['--nats foo', '--nats "foo": must be nats://HOST:PORT'],
  ['--nats nats://127.0.0.1:99999', '--nats "nats://127.0.0.1:99999": must be nats://HOST:PORT'],
  ['--nats nats://me:secret@h:0', '--nats "nats://me:…@h:0": must be nats://HOST:PORT'],
  ['--nats nats://a:1,nats://a:1', '--nats: nats://a:1 is named twice'],
  ['--nats nats://a:1', '--nats-monitor: must name the monitor port of each server, or say --log-sync unchecked'],
  ['--nats nats://a:1 --nats-monitor a:2', '--nats-monitor "a:2": must be http://HOST:PORT'],
  ['--nats nats://a:1 --log-sync no', '--log-sync "no": must be one of checked, unchecked'],
  [`${nats} --cores 127.0.0.1:99999`, '--cores "127.0.0.1:99999": must be HOST:PORT'],
  [`${nats} --cores c1:1,c2:1,c1:1`, '--cores: c1:1 is named twice'],
  [
    `${nats} --postgres mysql://h/d`,
    '--postgres "mysql://h/d": must be an address such as postgres://user@host:5432/database',
  ],
  [`${nats} --postgres postgres://h:65536/d`, '--postgres "postgres://h:65536/d": must be an address such as'],
  [`${nats} --venue-id main`, '--venue-id "main": must be an id such as tidemark cluster init gives'],
  [`${nats} --venue a.b`, '--venue "a.b": must be letters, digits, - and _, at most 64'],
  [
    `${nats} --cluster-ca ca.pem`,
    '--cluster-cert: is missing, as --cluster-ca, --cluster-cert and --cluster-key go together',
  ],
])('tidemark cluster init %s', async (options, line) => {
  const { code, out, err } = await asked(`cluster init --cluster HOME/cluster.json ${options}`)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(/^tidemark: [^\n]*\n$/)
  expect(err).toContain(line)
  expect(existsSync(join(home, 'cluster.json'))).toBe(false)
})

test('what the file of the cluster or a variable says is named as it is said there', async () => {
  const fields = { venue: 'one', venueId: '00000000-0000-4000-8000-000000000000', nats: ['nats://a:1'], cores: ['c1'] }
  writeFileSync(join(home, 'cluster.json'), JSON.stringify(fields))
  const inFile = await asked('cluster resign --cluster HOME/cluster.json')
  expect(inFile).toEqual({ code: 2, out: '', err: 'tidemark: cores in cluster.json "c1": must be HOST:PORT\n' })
  vi.stubEnv('TIDEMARK_CORES', 'c2')
  const inVariable = await asked('cluster resign --cluster HOME/cluster.json')
  expect(inVariable.err).toBe('tidemark: TIDEMARK_CORES "c2": must be HOST:PORT\n')
})

test.each(['log repair --from', 'log rebuild --venue other --from', 'cluster import --data'])(
  'tidemark %s: what is no directory of a venue is neither made nor touched',
  async (command) => {
    const [, option] = / (--(?:from|data))$/.exec(command)!
    const absent = await asked(`${command} HOME/none ${nats}`)
    expect(absent).toEqual({ code: 1, out: '', err: `tidemark: ${option} ${home}/none: there is no such directory\n` })
    const strange = await asked(`${command} HOME ${nats}`)
    expect(strange).toEqual({ code: 1, out: '', err: `tidemark: ${option} ${home}: there is no venue\n` })
    expect(['none', 'lock.sqlite'].filter((name) => existsSync(join(home, name)))).toEqual([])
  },
)

test.each([
  ['', '--cores: must name where the cores listen, as HOST:PORT'],
  ['--cores c1', '--cores "c1": must be HOST:PORT'],
  ['--cluster HOME/none.json', 'cluster file HOME/none.json: there is no such file'],
  ['now', 'too many arguments'],
  ['--now', "unknown option '--now'"],
])('tidemark core resign %s: as cluster resign has it', async (options, line) => {
  const [core, cluster] = [
    await asked(`core resign ${options}`.trim()),
    await asked(`cluster resign ${options}`.trim()),
  ]
  expect(core.code).toBe(2)
  expect(core.err.split('\n')[0]).toContain(line.replace('HOME', home))
  expect(core.err.replace('core resign', 'cluster resign').replace("'core'", "'cluster'")).toBe(cluster.err)
})

test.each(['book SPOT BTCUSDT --once', 'order list SPOT --api-key k --secret s --passphrase p'])(
  'tidemark %s: the directory of a core is no address for clients',
  async (command) => {
    writeFileSync(join(home, 'server.json'), JSON.stringify({ url: 'core://127.0.0.1:7401', operatorUrl: 'http://h' }))
    const { code, out, err } = await asked(`${command} --data HOME`)
    const line = `tidemark: data directory ${home}: a core runs there, which no client speaks to: name a gateway by --url\n`
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: line })
  },
)

test('a core that never came to its log leaves a directory that any venue may have', {
  timeout: 120_000,
}, async () => {
  const core = 'core --data HOME/d --listen 127.0.0.1:7401 --operator-port 0 --log-level error --log-sync unchecked'
  for (const venue of ['one', 'other']) {
    const words = `${core} --nats nats://127.0.0.1:1 --venue ${venue}`.replace('HOME', home).split(' ')
    const started = spawn(process.execPath, [...sooner, cli, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
    onTestFinished(() => void started.kill('SIGKILL'))
    const ended = once(started, 'exit')
    let said = ''
    for await (const text of started.stderr.setEncoding('utf8')) said += String(text)
    expect(said).toMatch(/^tidemark: the log cannot be used: no NATS server answers at 127\.0\.0\.1:1: [^\n]*\n$/)
    expect((await ended)[0]).toBe(1)
  }
})

test('a status without an answer of the log shows what the cores say all the same', async () => {
  const [core] = await freePorts(1)
  const where = `--nats nats://127.0.0.1:1 --log-sync unchecked --cores 127.0.0.1:${core}`
  const { out, err } = await asked(`cluster status --json ${where}`)
  expect(process.exitCode).toBe(1)
  process.exitCode = 0
  expect(JSON.parse(out)).toEqual({
    log: null,
    cores: [{ core: `127.0.0.1:${core}`, role: 'away' }],
    followers: [],
  })
  expect(err).toMatch(/^tidemark: the log: no NATS server answers at 127\.0\.0\.1:1: [^\n]*\n$/)
})

test('who answers and is no core of the venue is named', async () => {
  const other = createServer((socket) => socket.end(Buffer.alloc(32))).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const place = `127.0.0.1:${(other.address() as { readonly port: number }).port}`
  const { code, err } = await asked(`cluster resign --cores ${place}`)
  const lines = [
    `tidemark: --cores: ${place} has another TIDEMARK_CLUSTER_TOKEN, or is no core`,
    `tidemark: none of ${place} leads`,
  ]
  expect({ code, err }).toEqual({ code: 2, err: `${lines.join('\n')}\n` })
})

test('a gateway that hears no core where it was told that one is says that it waits', {
  timeout: 120_000,
}, async () => {
  const [port] = await freePorts(1)
  const words = ['gateway', '--data', home, '--port', String(port), '--operator-port', '0', '--cores', '127.0.0.1:1']
  const gateway = spawn(process.execPath, [...sooner, cli, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void gateway.kill('SIGKILL'))
  let said = ''
  for await (const text of gateway.stderr.setEncoding('utf8')) {
    said += String(text)
    if (said.includes('no core that leads is heard: this process waits for one')) return
  }
  expect.unreachable(said)
})

test('an answer of the log that is late is asked for again', async () => {
  const answers = [new LogDown('a position had no answer'), new LogDown('the stream had no answer'), 7]
  const ask = () => {
    const next = answers.shift()
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
  }
  expect(await untilAnswered(ask)).toBe(7)
  const broken = untilAnswered(() => Promise.reject(new LogBroken(3, 'nothing stands there')))
  await expect(broken).rejects.toThrow(LogBroken)
})

test.each([
  [new LogDown('the stream had no answer'), 'the log does not answer: the stream had no answer'],
  [new LogBroken(3, 'nothing stands there'), /3.*nothing stands there/],
  [new JournalFenced(), 'somebody else writes to the log: stop all cores before'],
])('what is wrong with the log is one line: %s', (cause, line) => {
  const trouble = logTrouble(cause)
  expect(trouble).toBeInstanceOf(CannotStart)
  expect((trouble as Error).message).toMatch(line)
})
