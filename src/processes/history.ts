/** `tidemark history`: the process that writes the history into PostgreSQL, or stands by for the one that does. */
import { randomInt } from 'node:crypto'
import { Engine } from '../engine/engine.ts'
import { type HistoryProcess, openHistoryProcess } from '../gateway/gateway.ts'
import {
  CannotStart,
  type Configuration,
  EquitySampler,
  HistoryStatus,
  keepPruning,
  loadPostgres,
  type ProcessParts,
} from '../operator/operator.ts'
import { aboutProcess, placeOfCore, unlessStrange } from './core-place.ts'
import { openStatus } from './doors.ts'

/** `tidemark history`: resolves when it follows the core whose data directory it is told. */
export async function startHistory(configuration: Configuration, { log, onFatal }: ProcessParts) {
  const { postgres, clockLeapMsMax, leaderWait } = configuration
  if (postgres === '') throw new CannotStart('--postgres: tidemark history needs the database that it writes')
  const database = await loadPostgres()
  const place = placeOfCore(configuration)
  const onLost = (reason: string) => onFatal(new Error(`this process begins anew: ${reason}`))
  const opening = openHistoryProcess({
    place,
    postgres,
    database,
    engineClass: Engine,
    about: aboutProcess('history', configuration),
    sampled: new EquitySampler(log).sampled,
    session: randomInt(2 ** 47) + 1,
    clockLeapMsMax,
    leaderWaitMs: leaderWait,
    log,
    onLost,
    onOdd: onFatal,
    onUnfit: onFatal,
  })
  const opened = await unlessStrange(opening)
  const status = new HistoryStatus(configuration, log)
  const closing: (() => Promise<void> | void)[] = [() => status.stop()]
  const write = (process: HistoryProcess) => {
    const { runtime, history, stop: stopWriting } = process
    const pruning = keepPruning(history, () => runtime.now(), log)
    status.writes(process)
    closing.push(stopWriting, () => pruning.end())
  }
  if ('process' in opened) write(opened.process)
  else {
    log.info({}, 'another process writes the history: this one stands by')
    void unlessStrange(opened.taken).then((process) => {
      log.warn({}, 'who wrote the history is gone: this process has taken over')
      write(process)
    }, onFatal)
  }
  await openStatus(configuration, status.pages, (close) => closing.push(close))
  let stopped: Promise<void> | undefined
  const stop = async () => {
    for (const close of closing.toReversed()) await close()
  }
  return { place: database.placeOf(postgres), writes: 'process' in opened, stop: () => (stopped ??= stop()) }
}
