/** The core that leads is asked to hand over, under the orders of four lanes: until another one leads, and how long orders waited. */
import { pause, Traders } from '../../test/cluster/processes.ts'
import { type ClusterAsked, openCluster, spread, tell } from './parts.ts'

export async function benchResign(asked: ClusterAsked): Promise<void> {
  const times = asked.quick ? 5 : 20
  await using home = await openCluster(asked)
  const { venue } = home
  const traders = new Traders([await venue.person(0)], 4, { restMs: 4 })
  await traders.until(100)
  const leadsMs: number[] = []
  const silenceMs: number[] = []
  const usualMs: number[] = []
  for (let count = 0; count < times; count++) {
    const leader = await venue.leader()
    const quietMs = performance.now()
    await pause(500)
    usualMs.push(traders.silenceMs(quietMs, performance.now()))
    const askedMs = performance.now()
    await venue.ask(leader, 'resign')
    await venue.leader()
    leadsMs.push(performance.now() - askedMs)
    await traders.until(traders.answered + 20)
    silenceMs.push(traders.silenceMs(askedMs, performance.now()))
  }
  await traders.stop()
  const faults = await traders.faults()
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const refused = traders.refused
  tell('the core that leads resigns', times, {
    ...spread('leads', leadsMs),
    ...spread('silence', silenceMs),
    ...spread('silenceBefore', usualMs),
    refused,
  })
}
