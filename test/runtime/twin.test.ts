/** Snapshots of a venue that goes on meanwhile (src/runtime/twin.ts). */
import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { alice, deposit, poison, SmallEngine, SmallHistory, smallEngineModule } from './small-engine.ts'
import { balanceOf, newDirectory, openVenue } from './venue.ts'

const clock = { kind: 'system', now: () => 1_000 } as const
const twin = { engineModule: smallEngineModule, snapshotEvery: 0, clock } as const
const many = (count: number) => Array.from({ length: count }, () => deposit(alice, 1n))

describe('a twin', () => {
  test('saves the state that the venue had, and the venue did not stop for it', async () => {
    const dataDirectory = await newDirectory()
    const save = vi.spyOn(SmallEngine.prototype, 'save')
    const venue = await openVenue({ ...twin, dataDirectory, snapshotAtStop: false })
    await venue.submitAll(many(100))
    const stateHash = await venue.stateHash()
    save.mockClear()
    const [taken] = await Promise.all([venue.snapshot(), venue.submitAll(many(1_000))])
    expect(save).not.toHaveBeenCalled()
    expect(taken).toMatchObject({ sequence: 100, stateHash, pauseMs: 0 })
    save.mockRestore()
  })

  test('goes on from the snapshot before, over several segments, and past what was poisoned', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...twin, dataDirectory, segmentBytesMax: 500, snapshotAtStop: false })
    await venue.submitAll(many(50))
    await venue.snapshot()
    for (let round = 0; round < 10; round++) await venue.submitAll(many(10))
    await venue.submitAll([poison(), deposit(alice, 7n)])
    const taken = await venue.snapshot()
    expect(taken).toMatchObject({ sequence: 152, stateHash: await venue.stateHash() })

    await venue.stop()
    const restarted = await openVenue({ ...twin, dataDirectory })
    expect(restarted.stats().snapshotSequence).toBe(152)
    expect(balanceOf(restarted, alice)).toBe(157n)
  })

  test('loads the engine before its first snapshot, stays for the next without the state, and ends with the venue', async () => {
    const dataDirectory = await newDirectory()
    const engineModule = join(dataDirectory, 'noting-engine.ts')
    const pidsFile = join(dataDirectory, 'pids')
    const loadsFile = join(dataDirectory, 'loads')
    await writeFile(
      engineModule,
      `import { appendFileSync } from 'node:fs'
       import { isMainThread } from 'node:worker_threads'
       import { SmallEngine } from ${JSON.stringify(pathToFileURL(smallEngineModule).href)}
       let saved = 0
       let earlier
       appendFileSync(${JSON.stringify(loadsFile)}, process.pid + ' ')
       export class Engine extends SmallEngine {
         override save() {
           const isKept = earlier?.deref() !== undefined
           earlier = new WeakRef(this)
           appendFileSync(${JSON.stringify(pidsFile)}, [process.pid, isMainThread, saved++, isKept].join() + ' ')
           return super.save()
         }
       }`,
    )
    const venue = await openVenue({ ...twin, engineModule, dataDirectory, snapshotEvery: 1_000, snapshotAtStop: false })
    await venue.submitAll(many(10))
    const loads = await vi.waitFor(() => readFile(loadsFile, 'utf8'), { timeout: 30_000 })
    for (const sequence of [20, 30]) {
      await venue.submitAll(many(10))
      expect(await venue.snapshot()).toMatchObject({ sequence, stateHash: await venue.stateHash() })
    }
    expect(await readFile(loadsFile, 'utf8')).toBe(loads)
    const [first, second] = (await readFile(pidsFile, 'utf8')).trim().split(' ')
    const pid = Number(first.split(',')[0])
    expect(loads).toBe(`${pid} `)
    expect([first, second]).toEqual([`${pid},false,0,false`, `${pid},false,1,false`])
    expect(pid).not.toBe(process.pid)
    await venue.stop()
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
  })

  test('that is at work when the venue stops leaves nothing behind, and the last state is saved', async () => {
    const dataDirectory = await newDirectory()
    const venue = await openVenue({ ...twin, dataDirectory })
    await venue.submitAll(many(10))
    const taking = venue.snapshot().catch((error: Error) => error.message)
    await venue.submitAll(many(5))
    await venue.stop()
    expect(await taking).toBe('the twin ended with SIGKILL')
    expect(await readdir(join(dataDirectory, 'snapshots'))).toEqual(['00000000000000000015.snapshot'])
  })

  test('that fails says why, the venue goes on, and the next snapshot is free to succeed', async () => {
    const dataDirectory = await newDirectory()
    const engineModule = join(dataDirectory, 'engine.ts')
    await writeFile(engineModule, `throw new Error('no engine')`)
    const venue = await openVenue({ ...twin, engineModule, dataDirectory })
    await venue.submitAll(many(10))
    for (const failed of [1, 2]) {
      await expect(venue.snapshot()).rejects.toThrow(/^the twin failed: no engine$/)
      expect(venue.stats()).toMatchObject({ snapshots: 0, snapshotsFailed: failed })
    }
    await venue.submitAll(many(10))
    expect(balanceOf(venue, alice)).toBe(20n)
    await writeFile(engineModule, `export { Engine } from ${JSON.stringify(pathToFileURL(smallEngineModule).href)}`)
    expect(await venue.snapshot()).toMatchObject({ sequence: 20 })
  })

  test('that is killed says so, and what it left is in no way', async () => {
    const dataDirectory = await newDirectory()
    const { engineModule, pid } = await stubborn(dataDirectory)
    const venue = await openVenue({ ...twin, engineModule, dataDirectory, snapshotAtStop: false })
    await venue.submitAll(many(10))
    const taking = venue.snapshot().catch((error: Error) => error.message)
    process.kill(await pid(), 'SIGKILL')
    expect(await taking).toBe('the twin ended with SIGKILL')
    await writeFile(join(dataDirectory, 'snapshots', '00000000000000000010.snapshot.unfinished'), 'half of it')
    await venue.stop()
    const next = await openVenue({ ...twin, dataDirectory })
    expect(await next.snapshot()).toMatchObject({ sequence: 10 })
    expect(await readdir(join(dataDirectory, 'snapshots'))).toEqual(['00000000000000000010.snapshot'])
  })

  test('that hangs is ended, and the next one is free to succeed', async () => {
    const dataDirectory = await newDirectory()
    const { engineModule, pid, relent } = await stubborn(dataDirectory)
    const venue = await openVenue({ ...twin, engineModule, dataDirectory, twinMsMax: 3_000 })
    await venue.submitAll(many(10))
    await expect(venue.snapshot()).rejects.toThrow('the twin was not done after 3000 ms')
    await vi.waitFor(async () => expect(isAlive(await pid())).toBe(false))
    await relent()
    expect(await venue.snapshot()).toMatchObject({ sequence: 10 })
  })

  test('that hangs keeps nobody waiting for an engine that broke, nor for the stop', async () => {
    const dataDirectory = await newDirectory()
    const { engineModule, pid } = await stubborn(dataDirectory)
    const venue = await openVenue({ ...twin, engineModule, dataDirectory })
    await venue.submitAll(many(10))
    const first = venue.snapshot().catch((error: Error) => error.message)
    const firstPid = await pid()
    expect(await venue.submitAll([poison(), deposit(alice, 7n)])).toHaveLength(2)
    expect(await first).toBe('the twin ended with SIGKILL')
    const second = venue.snapshot().catch((error: Error) => error.message)
    await pid(firstPid)
    await venue.stop()
    expect(await second).toBe('the twin ended with SIGKILL')
  })

  test.runIf(process.platform === 'linux')(
    'begins long before its first snapshot, with what of the environment is for the process itself',
    async () => {
      vi.stubEnv('TIDEMARK_SECRET', 'a secret')
      const compiled = await newDirectory()
      vi.stubEnv('NODE_COMPILE_CACHE', compiled)
      vi.stubEnv('GLIBC_TUNABLES', 'glibc.malloc.hugetlb=1')
      onTestFinished(() => void vi.unstubAllEnvs())
      const before = new Set(await children())
      const begun = async () => (await children()).filter((pid) => !before.has(pid))
      const venue = await openVenue({ ...twin, dataDirectory: await newDirectory(), snapshotEvery: 1_000 })
      await venue.submitAll(many(9))
      expect(await begun()).toEqual([])
      await venue.submitAll(many(1))
      const pids = await begun()
      expect(pids.map((pid) => getPriority(Number(pid)))).toEqual([10])
      const environment = await readFile(`/proc/${pids[0]}/environ`, 'utf8')
      expect(environment.split('\0').filter((line) => !line.startsWith('NODE_CHANNEL_'))).toEqual([
        `NODE_COMPILE_CACHE=${compiled}`,
        'GLIBC_TUNABLES=glibc.malloc.hugetlb=1',
        '',
      ])
      await venue.snapshot()
      expect(await begun()).toEqual(pids)
      await venue.stop()
      await vi.waitFor(async () => expect(await begun()).toEqual([]))
    },
  )

  test.runIf(process.platform === 'linux')('gives way to the venue with all its threads', async () => {
    const dataDirectory = await newDirectory()
    const { engineModule, pid } = await stubborn(dataDirectory)
    const venue = await openVenue({ ...twin, engineModule, dataDirectory, snapshotAtStop: false })
    await venue.submitAll(many(10))
    const taking = venue.snapshot().catch((error: Error) => error.message)
    const threads = await readdir(`/proc/${await pid()}/task`)
    expect(threads.length).toBeGreaterThan(1)
    expect(new Set(threads.map((thread) => getPriority(Number(thread))))).toEqual(new Set([10]))
    await venue.stop()
    expect(await taking).toBe('the twin ended with SIGKILL')
  })

  test('that has not begun when the venue stops does not begin', async () => {
    const dataDirectory = await newDirectory()
    const { engineModule } = await stubborn(dataDirectory)
    const flushed = Promise.withResolvers<number>()
    const history = Object.assign(new SmallHistory(), { flushDurably: () => flushed.promise })
    const venue = await openVenue({ ...twin, engineModule, dataDirectory, history, snapshotAtStop: false })
    await venue.submitAll(many(10))
    const taking = venue.snapshot().catch((error: Error) => error.message)
    const stopped = venue.stop()
    await nextTurn()
    flushed.resolve(10)
    await stopped
    expect(await taking).toBe('the snapshot was given up')
    // The venue had something more urgent to do, which is no trouble with snapshots.
    expect(venue.stats()).toMatchObject({ snapshotsFailed: 1, snapshotsFailing: undefined })
  })

  test('does not outlive its venue, though it hangs', async () => {
    const dataDirectory = await newDirectory()
    const { engineModule, pid } = await stubborn(dataDirectory)
    const venue = spawn(process.execPath, ['--input-type=module', '-e', venueProgram(dataDirectory, engineModule)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const twinPid = await pid()
    venue.kill('SIGKILL')
    await vi.waitFor(() => expect(isAlive(twinPid)).toBe(false), { timeout: 30_000 })
    const next = await openVenue({ ...twin, dataDirectory })
    expect(balanceOf(next, alice)).toBe(1n)
    expect(await next.snapshot()).toMatchObject({ sequence: 1 })
  })
})

/** Processes that this one has begun, of whichever thread. */
async function children(): Promise<string[]> {
  const threads = await readdir('/proc/self/task')
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, 'utf8')))
  return lists.flatMap((list) => list.split(' ').filter((pid) => pid !== ''))
}

/** A module for twins whose engine never comes back from a command, after it has written down its process. */
async function stubborn(dataDirectory: string) {
  const engineModule = join(dataDirectory, 'stubborn-engine.ts')
  const pidFile = join(dataDirectory, 'twin.pid')
  await writeFile(
    engineModule,
    `import { writeFileSync, renameSync } from 'node:fs'
     import { SmallEngine } from ${JSON.stringify(pathToFileURL(smallEngineModule).href)}
     export class Engine extends SmallEngine {
       override apply(): never {
         writeFileSync(${JSON.stringify(`${pidFile}.new`)}, String(process.pid))
         renameSync(${JSON.stringify(`${pidFile}.new`)}, ${JSON.stringify(pidFile)})
         for (;;);
       }
     }`,
  )
  const pid = (notThis?: number) =>
    vi.waitFor(
      async () => {
        const found = Number(await readFile(pidFile, 'utf8'))
        if (found === notThis) throw new Error('the next twin has not begun')
        return found
      },
      { timeout: 30_000 },
    )
  const relent = () =>
    writeFile(engineModule, `export { Engine } from ${JSON.stringify(pathToFileURL(smallEngineModule).href)}`)
  return { engineModule, pid, relent }
}

function venueProgram(dataDirectory: string, engineModule: string): string {
  const runtime = new URL('../../src/runtime/runtime.ts', import.meta.url).href
  return `
    const { openRuntime } = await import(${JSON.stringify(runtime)})
    const { SmallEngine, deposit, alice } = await import(${JSON.stringify(pathToFileURL(smallEngineModule).href)})
    const options = ${JSON.stringify({ dataDirectory, engineModule, snapshotEvery: 0 })}
    const venue = await openRuntime({ ...options, engineClass: SmallEngine })
    await venue.submit(deposit(alice, 1n))
    await venue.snapshot()`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
