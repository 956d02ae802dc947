/** Money that comes and goes: of accounts, over a simulated network, and of the house. */
import { formatDecimal } from '../../engine/numbers/numbers.ts'
import { call, nothing, type OperatorCall, submit } from './call.ts'
import { chainDepositBody, chainDepositCommand } from './chain.ts'
import { body, coinName, positiveAmount, uid, wallet, wholeNumber } from './fields.ts'
import { conservationShown, insuranceFundsShown } from './house.ts'
import { coinNamed } from './named.ts'

export const moneyCalls = [
  moneyCall('POST /operator/deposits', 'deposit'),
  moneyCall('POST /operator/withdrawals', 'withdraw'),
  call('POST /operator/chain/deposits', chainDepositBody, async (sent, { core }) => {
    const command = chainDepositCommand(sent, coinNamed(core.query({ kind: 'catalog' }), sent.coin, 'coin'))
    const reply = await submit(core, command)
    const { network: chain, amount: units } = command
    const address = core.query({ kind: 'deposit-address', uid: sent.uid, coin: command.coin, network: chain })
    const id = reply.kind === 'deposit-sent' ? String(reply.id) : ''
    return {
      orderId: id,
      uid: String(sent.uid),
      coin: sent.coin,
      chain,
      amount: formatDecimal(units, 8),
      address: address?.address ?? '',
      tag: address?.tag ?? '',
    }
  }),
  call(
    'POST /operator/chain/withdrawals/reject',
    body({ orderId: wholeNumber(1, Number.MAX_SAFE_INTEGER) }),
    async ({ orderId }, { core }) => {
      await submit(core, { kind: 'reject-withdrawal', id: orderId })
      return { orderId: String(orderId), status: 'fail' }
    },
  ),
  call('GET /operator/house-funds', nothing, (_, { core }) => insuranceFundsShown(core)),
  call('POST /operator/house-funds', body({ coin: coinName, amount: positiveAmount }), async (sent, { core }) => {
    const { id } = coinNamed(core.query({ kind: 'catalog' }), sent.coin, 'coin')
    await submit(core, { kind: 'fund-house', account: 'insurance', coin: id, amount: sent.amount })
    return { fund: 'insurance', coin: sent.coin }
  }),
  call('GET /operator/conservation', nothing, (_, { core }) => conservationShown(core)),
]

function moneyCall(place: string, kind: 'deposit' | 'withdraw'): OperatorCall {
  const schema = body({ uid, wallet, coin: coinName, amount: positiveAmount })
  return call(place, schema, async ({ uid: of, wallet: to, coin: name, amount: units }, { core }) => {
    const { id } = coinNamed(core.query({ kind: 'catalog' }), name, 'coin')
    await submit(core, { kind, uid: of, wallet: to, coin: id, amount: units })
    return { uid: String(of), wallet: to, coin: name, amount: formatDecimal(units, 8) }
  })
}
