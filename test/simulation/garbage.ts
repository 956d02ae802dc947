/**
 * Commands that nobody in their right mind sends, and that the edge would still let through: they are refused, or harmless.
 */
import { amount, amountMax, type Lots, priceTicksMax, type Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../src/engine/protocol/command.ts'
import type { Floor } from './floor.ts'

const nobody = 1_999_999_999

export function garbage({ random, catalog }: Floor, order: PlaceOrder): Command {
  const coin = random.below(catalog.coins.length)
  const huge = amount(random.pick([amountMax, amountMax / 2n, amountMax / 1000n, 10n ** 15n]))
  const { uid } = order
  const none = { category: undefined, instrument: undefined }
  switch (random.below(12)) {
    case 0:
      return { ...order, uid: nobody }
    case 1:
      return { ...order, price: order.price === 0 ? 0 : (priceTicksMax as Ticks), clientOid: '' }
    case 2:
      return { ...order, price: order.price === 0 ? 0 : (1 as Ticks), clientOid: '' }
    case 3:
      return { ...order, quantity: { unit: 'lots', lots: (2 ** random.pick([31, 40, 52]) - 1) as Lots } }
    case 4:
      return { ...order, quantity: { unit: 'lots', lots: 0 as Lots } }
    case 5:
      return { kind: random.pick(['deposit', 'withdraw'] as const), uid, wallet: 'spot', coin, amount: huge }
    case 6:
      return { kind: random.pick(['borrow', 'repay'] as const), uid, coin, amount: huge }
    case 7:
      return { kind: 'withdraw', uid, wallet: 'spot', coin, amount: amount(random.pick([0n, -1n, -huge])) }
    case 8:
      return { kind: 'cancel-order', uid, order: { orderId: random.pick([0, 1, 2 ** 53 - 1]), clientOid: '' }, ...none }
    case 9:
      return {
        kind: 'set-margin-mode',
        uid: nobody,
        interface: 'v2',
        instrument: order.instrument,
        marginMode: 'cross',
      }
    case 10:
      return { kind: 'repay-debts', uid, debts: [], payments: [] }
    default:
      return { kind: 'set-coin-leverage', uid, coin, leverage: random.pick([0, -1, 1_000_000]) }
  }
}
