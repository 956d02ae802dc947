/**
 * The kinds of sessions that have to replay: each has something of the laboratory in its way while bots trade.
 *
 * Source  lab.md §4.5 to §4.8, §5 ("sessions of simulator + 5 bots, 20 seeds")
 */
import { packed } from '../../../src/lab/recording/calls.ts'
import { type Tide, unpackRecording } from '../../../src/lab/recording/tide-file.ts'
import { type Session, trade } from './session.ts'

export interface Kind {
  readonly name: string
  /** Rules of faults fire. */
  readonly told?: true
  /** The venue has gone back to its beginning. Ends with nothing of the laboratory left in the way. */
  play(session: Session, seed: number, calls: number): Promise<void>
}

export const kinds: readonly Kind[] = [
  {
    name: 'nothing in the way',
    play: (session, seed, calls) => trade(session, seed, calls, session.lives ? 0 : 9_000),
  },
  {
    name: 'faults',
    told: true,
    async play(session, seed, calls) {
      for (const [fault, nth] of [
        ['lost-ack', 2],
        ['lost-request', 5],
        ['unknown', 3],
      ] as const) {
        const how = fault === 'unknown' ? { code: '40010', order: 'filled' } : { how: 'rst' }
        await session.venue.post('/faults', { fault, with: how, when: { nth: [nth, nth + 6] }, times: 2 })
      }
      await trade(session, seed, calls)
    },
  },
  {
    name: 'latency',
    async play(session, seed, calls) {
      const rules = ['entry', 'ack', 'read'].map((leg) => ({ leg, uniform: { min: 1, max: 20 }, seed }))
      await session.venue.post('/latency', { rules })
      const tick = session.lives ? undefined : setInterval(() => void session.venue.post('/clock', { step: 7 }), 20)
      await trade(session, seed, calls).finally(() => clearInterval(tick))
      await session.venue.call('DELETE', '/latency')
    },
  },
  {
    name: 'held commands',
    async play(session, seed, calls) {
      await session.venue.post('/hold', { on: { endpoint: 'place' } })
      const release = () => session.venue.post('/release', { order: 'reverse' })
      const tick = setInterval(() => void release(), 15)
      await trade(session, seed, calls).finally(() => clearInterval(tick))
      await session.venue.call('DELETE', '/hold')
      await release()
    },
  },
  {
    name: 'socket faults',
    told: true,
    async play(session, seed, calls) {
      const on = { role: 'unified-sub' }
      await session.venue.post('/faults', { fault: 'ws-duplicate', on, times: 3 })
      await session.venue.post('/faults', { fault: 'ws-drop', on, when: { nth: [2] }, times: 1 })
      await session.venue.post('/faults', { fault: 'ws-cut', on, when: { nth: [6] }, times: 1 })
      await trade(session, seed, calls)
    },
  },
  {
    name: 'a script',
    async play(session, seed, calls) {
      const text =
        'symbol: BTCUSDT\nsteps:\n  at 20ms: ask 60100×2\n  at 60ms: trade buy 1.5\n  at 200ms: bid 59800×3\n'
      await session.venue.post('/script', { text, file: 'a.yaml' })
      const tick = session.lives ? undefined : setInterval(() => void session.venue.post('/clock', { step: 9 }), 20)
      await trade(session, seed, calls).finally(() => clearInterval(tick))
    },
  },
]

/** What the recorder of this session has. */
export async function recorded({ main }: Session): Promise<Tide> {
  const { venue, lab } = main
  const { file } = await venue.inTurn(() => packed(venue, lab.options.version))
  return unpackRecording(file, 'the recording')
}
