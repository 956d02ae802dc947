/** One core and two gateways: the one whose state was damaged ends with a line and a code of its own, the other serves on. */
import { expect, test } from 'vitest'
import { damage, damageable, ended } from '../support/damaged.ts'
import { Scraped } from '../support/scraped.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { bid, freePorts, personAt, start } from './processes.ts'

const timeout = 120_000

test.skipIf(process.platform !== 'linux')('a gateway that is damaged ends', { timeout }, async () => {
  const data = temporaryDirectory('gateway-hashes')
  const [port, ...status] = await freePorts(3)
  const at = ['--port', String(port), '--past', '0', '--hash-every', '20', '--no-rate-limits']
  await start('core', data, ...at)
  const [sound, odd] = await damageable(() =>
    Promise.all(status.map((place) => start('gateway', data, ...at, '--status', `127.0.0.1:${place}`))),
  )
  const comparedAt = async (place: number) =>
    (await Scraped.from(`http://127.0.0.1:${status[place]}`)).value('tidemark_state_hash_sequence')!
  const person = personAt(String(sound.ready['url']), data, 'unified-main')
  let placed = 0
  /** Two commands: connections go to either gateway, and one of them may just end. */
  const trade = async () => {
    const answer = await person
      .post('/api/v3/trade/place-order', bid('1000', `order-${placed++}`))
      .catch(() => undefined)
    const orderId = answer?.fields['orderId']
    if (orderId === undefined) return
    await person
      .post('/api/v3/trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId })
      .catch(() => undefined)
  }
  while ((await comparedAt(0)) === 0 || (await comparedAt(1)) === 0) await trade()
  damage(odd.process)
  while (odd.process.exitCode === null) await trade()
  expect(await ended(odd.process)).toBe(3)
  expect(odd.said()).toMatch(/the state here differs from that of the others at command \d+: its hash is/)
  const before = await comparedAt(0)
  while ((await comparedAt(0)) === before) await trade()
  expect(sound.process.exitCode).toBeNull()
})
