/** Positions that close, on a clock that stands still: each is pushed, also when it reads like the one before. */
import { expect, test } from 'vitest'
import { stage } from '../conformance/conformance.ts'
import { Socket } from '../support/socket.ts'
import { btcPerpetual, placeBatch, takenInBatch } from '../support/trading.ts'

const scene = stage({ clock: 'manual' })

test('v3 pushes a position as ended each time one has closed', async () => {
  const alice = await scene.person('Alice', { funds: { uta: { USDT: '100000' } } })
  const bob = await scene.person('Bob', { funds: { uta: { USDT: '100000' } } })
  await takenInBatch(bob, 'buy 1 @ 60000', btcPerpetual)
  const socket = await Socket.of(alice, '/v3/ws/private')
  await socket.subscribe({ instType: 'UTA', topic: 'position' })
  await socket.push('position')
  const openAndClose = async () => {
    await takenInBatch(bob, 'sell 0.1 @ 60010', btcPerpetual)
    await placeBatch(alice, ['buy 0.1 @ 60010', 'sell 0.1 @ 60000'], btcPerpetual)
    return socket.push('position', (row) => row['positionStatus'] === 'ended')
  }
  const first = await openAndClose()
  const second = await openAndClose()
  expect(second.data).toEqual(first.data)
  socket.close()
})
