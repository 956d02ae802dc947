/**
 * H36 to H43: what becomes of the bot's process, of the venue, and of the market.
 */
import { marketRoles } from '../market.ts'
import type { Scene } from '../scene.ts'
import { takeFreeBalance } from './balance.ts'
import { type Hazard, second } from './hazard.ts'

const group = 'venue and market'
const place = { endpoint: 'place' } as const
const gap = 0.05
const attemptsMax = 8

export const venueHazards: readonly Hazard[] = [
  {
    id: 'H36',
    group,
    name: 'bot killed between send and ack',
    says: 'The bot is killed after it has sent an order and before it is answered, and started again.',
    reached: 'the bot was killed while an answer was due',
    rules: ({ role }) => [{ fault: 'late-ack', on: { ...place, role }, when: { nth: 1 }, with: { ms: 3_000 } }],
    async follow(scene) {
      await scene.bot.kill()
      scene.note('kills the bot')
      await scene.wait(300)
      scene.bot.start()
      scene.note('starts it again')
      return true
    },
  },
  {
    id: 'H37',
    group,
    name: 'venue restarts',
    says: 'The venue goes down and comes back after ten seconds; nothing that was acknowledged is lost.',
    reached: 'the venue was down',
    rules: ({ ms }) => [{ fault: 'restart', with: { downMs: ms(10 * second) } }],
    lasts: 10 * second,
    isOutage: true,
  },
  {
    id: 'H38',
    group,
    name: 'maintenance 2 min',
    says: 'The venue is closed for maintenance for two minutes, and then open.',
    reached: 'a request was refused for maintenance',
    rules: ({ ms }) => [{ fault: 'maintenance', with: { for: ms(120 * second) } }],
    lasts: 120 * second,
    isOutage: true,
  },
  {
    id: 'H39',
    group,
    name: 'gap of 5 % through stops',
    says: 'The price falls by five percent at once, through stops and resting orders.',
    reached: 'the bot had a position or an order when the price fell',
    async act(scene) {
      const { symbol, category, market } = scene
      if ((await scene.resting(({ side }) => side === 'buy')) === undefined) return false
      scene.strike('lets the price fall by 5 %')
      await market.jump(symbol, -gap, (price) => scene.cheat({ price: { symbol, category, price } }))
      return true
    },
  },
  {
    id: 'H40',
    group,
    name: 'partial fill, then cancel',
    says: 'Half of an order is filled, and what is left is canceled.',
    reached: 'an order was filled in part',
    async act(scene) {
      const order = await scene.takes(0.5, () => scene.strike('fills half of an order'))
      if (order !== undefined) await scene.ends(order)
      return order !== undefined
    },
  },
  {
    id: 'H41',
    group,
    name: 'liquidated',
    says: 'The account is liquidated.',
    reached: 'the account was liquidated',
    act: liquidate,
  },
  {
    id: 'H42',
    group,
    name: 'deleveraged',
    says: 'Somebody on the other side goes bankrupt, and the position is taken away at that price.',
    reached: 'the position was deleveraged',
    act: deleverage,
  },
  {
    id: 'H43',
    group,
    name: 'halted over a funding',
    says: 'The instrument is halted while the bot holds a position, and funding is settled meanwhile.',
    reached: 'the bot held a position when funding was settled',
    async act(scene) {
      if ((await scene.position()) === undefined) return false
      const { symbol, category, ms } = scene
      scene.strike('halts the instrument')
      await scene.cheat({ halt: { symbol, category, status: 'halted' } })
      await scene.wait(ms(15 * second))
      await scene.cheat({ funding: { symbol, category, rate: '0.001' } })
      scene.note('settles funding')
      await scene.wait(ms(15 * second))
      await scene.cheat({ halt: { symbol, category, status: 'online' } })
      scene.note('opens the instrument')
      return true
    },
  },
]

/** What is free is taken away first, so that a small move is enough; price and money come back afterwards. */
async function liquidate(scene: Scene): Promise<boolean> {
  if ((await scene.position()) === undefined) return false
  const { role: uid, symbol, category, market } = scene
  const price = market.priceOf(symbol)
  let isDone = false
  await market.around(symbol, async () => {
    scene.strike('liquidates the account')
    const giveBack = await takeFreeBalance(scene)
    isDone = await scene.tried({ liquidate: { uid, symbol, category } })
    await scene.cheat({ price: { symbol, category, price: priceText(price) } })
    await giveBack()
    return price
  })
  scene.note('price and balance are back')
  return isDone
}

/** Nobody of the market ranks before the bot: they hold nothing. */
async function deleverage(scene: Scene): Promise<boolean> {
  const { role: uid, symbol, category, market } = scene
  const price = market.priceOf(symbol)
  let isDone = false
  await market.around(symbol, async () => {
    for (const other of marketRoles) {
      for (const held of await scene.venue.positions(other, { symbol })) {
        const side = held['posSide'] === 'short' ? 'short' : 'long'
        await scene.tried({ position: { uid: other, symbol, category, side, size: '0' } })
      }
    }
    for (let attempt = 0; attempt < attemptsMax && !isDone; attempt += 1) {
      // What the bot has in the book is in the way of the price.
      if (!(await scene.holdsOnly())) return undefined
      scene.strike('deleverages the position')
      isDone = await scene.tried({ adl: { uid, symbol, category } })
    }
    if (isDone) await scene.cheat({ price: { symbol, category, price: priceText(price) } })
    return price
  })
  return isDone
}

/** Floating point leaves a tail. */
function priceText(price: number): string {
  return String(Number(price.toFixed(8)))
}
