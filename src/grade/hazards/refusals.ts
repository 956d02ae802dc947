/**
 * H11 to H22: the venue refuses, or the way to it is bad.
 */
import type { Scene } from '../scene.ts'
import { takeFreeBalance } from './balance.ts'
import { type Hazard, second } from './hazard.ts'

const group = 'refusals'
const connection = 'connection'
const place = { endpoint: 'place' } as const
const minimumTimes = 200

export const refusalHazards: readonly Hazard[] = [
  {
    id: 'H11',
    group,
    name: '429 for 10 s',
    says: 'Every request is answered 429.',
    reached: 'a request was answered 429',
    rules: ({ role, ms }) => [{ fault: 'rate-limit', on: { endpoint: 'any', role }, with: { for: ms(10 * second) } }],
    lasts: 10 * second,
  },
  {
    id: 'H12',
    group,
    name: '503 as HTML',
    says: 'Three orders in a row are answered 503 with a page of HTML, and do not exist.',
    reached: 'an order was answered 503',
    rules: ({ role }) => [
      {
        fault: 'http',
        on: { ...place, role },
        when: { first: 3 },
        times: 3,
        with: { status: 503, body: 'html', point: 'before' },
      },
    ],
    lasts: 2 * second,
  },
  {
    id: 'H13',
    group,
    name: '502 after commit',
    says: 'An order is carried out and answered 502.',
    reached: 'an order was answered 502',
    rules: ({ role }) => [
      { fault: 'http', on: { ...place, role }, when: { nth: 1 }, with: { status: 502, body: 'html', point: 'after' } },
    ],
  },
  {
    id: 'H14',
    group,
    name: 'cut-off JSON',
    says: 'An order is carried out, and its answer is half of a JSON text.',
    reached: 'the answer to an order was cut off',
    rules: ({ role }) => [{ fault: 'garbled', on: { ...place, role }, when: { nth: 1 }, with: { how: 'truncated' } }],
  },
  {
    id: 'H15',
    group,
    name: 'balance short after a fill',
    says: 'The free balance is gone after a fill: orders that open are refused, until it is back.',
    reached: 'an order was placed or refused while the balance was short',
    act: shortOfBalance,
  },
  {
    id: 'H16',
    group,
    name: 'reduce-only, position gone',
    says: 'The position is closed behind the back of the bot: what would reduce it is refused.',
    reached: 'the bot held a position, and it was closed',
    async act(scene) {
      const position = await scene.position()
      if (position === undefined) return false
      const { role: uid, symbol, category, market } = scene
      const side = position > 0 ? 'long' : 'short'
      await market.around(symbol, async () => {
        scene.strike('closes the position')
        await scene.cheat({ position: { uid, symbol, category, side, size: '0' } })
        return undefined
      })
      return true
    },
  },
  {
    id: 'H17',
    group,
    name: 'minimum raised',
    says: 'The smallest order of the instrument is two hundred times as large as before, for half a minute.',
    reached: 'an order came in while the minimum was raised',
    async act(scene) {
      const { symbol, category, ms } = scene
      scene.strike('raises the smallest order')
      const size = String(minimumTimes)
      await scene.cheat({ market: { fault: 'min-size-up', symbol, category, size, for: ms(30 * second) } })
      return scene.sees('order', ms(30 * second))
    },
  },
  {
    id: 'H18',
    group: connection,
    name: 'refused 30 s',
    says: 'Connections are refused, and those that there were are closed.',
    reached: 'a connection was refused',
    rules: ({ ms }) => [{ fault: 'refuse-connections', with: { for: ms(30 * second) } }],
    lasts: 30 * second,
    isOutage: true,
  },
  {
    id: 'H19',
    group: connection,
    name: 'keep-alive closed under the request',
    says: 'The venue closes an idle connection at the moment at which an order is sent over it.',
    reached: 'a connection was closed under an order',
    rules: ({ role }) => [{ fault: 'idle-close', on: { ...place, role }, when: { nth: 1 } }],
  },
  {
    id: 'H20',
    group: connection,
    name: 'body slower than the time-out',
    says: 'The answer to an order dribbles in for half a minute.',
    reached: 'the answer to an order was slow',
    rules: ({ role, ms }) => [
      { fault: 'slow-body', on: { ...place, role }, when: { nth: 1 }, with: { chunks: 10, ms: ms(3 * second) } },
    ],
    lasts: 30 * second,
  },
  {
    id: 'H21',
    group: connection,
    name: 'clock 40 s off',
    says: 'The clocks of the venue and the bot are 40 seconds apart: what is signed by the wrong one is refused.',
    reached: 'a signed request came in meanwhile',
    rules: ({ ms }) => [{ fault: 'clock-skew', with: { ms: 40 * second, for: ms(60 * second) } }],
    lasts: 60 * second,
  },
  {
    id: 'H22',
    group: connection,
    name: 'key refused 60 s',
    says: 'The key is refused, and after a minute it is good again.',
    reached: 'a signed request was refused',
    rules: ({ role, ms }) => [{ fault: 'key-refused', on: { endpoint: 'any', role }, with: { for: ms(60 * second) } }],
    lasts: 60 * second,
  },
]

/** All that is free goes, but for a little; then it comes back. */
async function shortOfBalance(scene: Scene): Promise<boolean> {
  if (!(await scene.filledMore(1))) return false
  scene.strike('takes the free balance away')
  const giveBack = await takeFreeBalance(scene)
  const isMet = await scene.sees('order', scene.ms(30 * second))
  await giveBack()
  scene.note('gives the balance back')
  return isMet
}
