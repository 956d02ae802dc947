/**
 * Facts about the wallets of v2: what may be moved between them, and what fees are paid in.
 *
 * Deduction  fees are paid in the coin of the trade: no coin of this venue pays them at a discount, so that it stays off
 * Source     fidelity §2
 */
import Type from 'typebox'
import { walletTypes } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { wrongParameter } from '../errors/errors.ts'
import { nothing, oneOf, texts } from '../parsing/fields.ts'
import { transferableCoins } from '../transferable-coins.ts'

const source = 'fidelity §2'
const read = { permission: 'spot_trade', level: 'read' } as const
const tenPerSecond = { perSecond: 10, per: 'uid' } as const

const transferCoinInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/wallet/transfer-coin-info',
  summary: 'Coins that may be moved from one wallet of the account to another',
  source,
  access: { permission: 'transfer', level: 'read' },
  limit: tenPerSecond,
  request: Type.Object({ fromType: oneOf(walletTypes), toType: oneOf(walletTypes) }),
  response: Type.Array(Type.String()),
  handle: (context, input) => transferableCoins(context, 'v2', input),
})

const deductInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/deduct-info',
  summary: 'Whether fees are paid in a coin that gets a discount: never',
  source,
  access: read,
  limit: tenPerSecond,
  request: nothing,
  response: texts('deduct'),
  handle: () => ({ deduct: 'off' }),
})

const switchDeduct = defineEndpoint({
  method: 'POST',
  path: '/api/v2/spot/account/switch-deduct',
  summary: 'Paying fees in a coin that gets a discount: the venue has none, so that it stays off',
  source,
  access: { permission: 'spot_trade', level: 'write' },
  limit: tenPerSecond,
  request: Type.Object({ deduct: oneOf(['on', 'off']) }),
  response: Type.Boolean(),
  handle: (_, { deduct }) => {
    if (deduct === 'off') return true
    throw wrongParameter('v2', 'deduct', 'should be off: no coin of this venue pays fees')
  },
})

export const walletFactEndpoints: readonly Endpoint[] = [transferCoinInfo, deductInfo, switchDeduct]
