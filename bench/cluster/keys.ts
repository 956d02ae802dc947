/**
 * Keys are revoked at one gateway while somebody uses them at each without a pause: how long after the call was sent a gateway has still
 * taken the key, and how many have after the call was answered, which must be none.
 */
import { speakingTo } from '../../test/gateway/processes.ts'
import { type ClusterAsked, openCluster, openPostgres, spread, tell } from './parts.ts'

const gateways = 2
const passphrase = 'passphrase1'

export async function benchKeys(asked: ClusterAsked): Promise<void> {
  const postgres = await openPostgres()
  if (postgres === undefined) return
  await using opened = new AsyncDisposableStack()
  opened.use(postgres)
  const { venue } = opened.use(await openCluster(asked, { gateways, postgres: await postgres.database() }))
  const [main, sub] = await Promise.all([venue.person(0), venue.person(0, 'unified-sub')])
  const permissions = { type: 'read_write', permissions: ['uta_mgt', 'uta_trade'], ips: [] }
  const takenMs: number[][] = Array.from({ length: gateways }, () => [])
  const answeredMs: number[] = []
  let late = 0
  const times = asked.quick ? 5 : 30
  for (let count = 0; count < times; count++) {
    const made = await main.post('/api/v3/user/create-sub-api', {
      subUid: sub.uid,
      note: 'bench',
      passphrase,
      ...permissions,
    })
    if (made.code !== '00000') throw new Error(made.text)
    const key = { apiKey: made.fields['apiKey'], secret: made.fields['secret'], passphrase }
    let sentMs = Number.POSITIVE_INFINITY
    let doneMs = Number.POSITIVE_INFINITY
    /** Until it is refused: when it was taken last. */
    const users = venue.gatewayUrls.map(async (at) => {
      const person = speakingTo(at, key)
      let lastMs = 0
      for (;;) {
        const askedMs = performance.now()
        const { code } = await person.get('/api/v3/account/assets')
        if (code !== '00000') return { code, lastMs }
        lastMs = performance.now()
        if (askedMs > doneMs) late += 1
      }
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    sentMs = performance.now()
    const answer = await main.post('/api/v3/user/delete-sub-api', { apiKey: key.apiKey })
    if (answer.code !== '00000') throw new Error(answer.text)
    doneMs = performance.now()
    answeredMs.push(doneMs - sentMs)
    for (const [place, { code, lastMs }] of (await Promise.all(users)).entries()) {
      if (code !== '40037') throw new Error(`the key was refused with ${code}`)
      takenMs[place].push(Math.max(0, lastMs - sentMs))
    }
  }
  const taken = takenMs.flatMap((ms, place) => Object.entries(spread(`gateway${place}`, ms)))
  tell('a key is revoked', times, {
    ...spread('answered', answeredMs),
    ...(Object.fromEntries(taken) as Record<string, number>),
    takenAfterAnswer: late,
  })
}
