/** `POST /operator/pricing`: what its body becomes, and what is said of a wrong one. */
import { expect, test } from 'vitest'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { demoInstruments } from '../../src/operator/demo/catalog.ts'
import { fakeVenue } from './fake-core.ts'

async function send(sent: unknown) {
  const venue = fakeVenue()
  const call = (path: string, body: unknown) =>
    operatorCalls.find((candidate) => candidate.method === 'POST' && candidate.path === path)?.run(body, venue.ports)
  for (const record of demoInstruments) if (record.symbol === 'BTCUSDT') await call('/operator/instruments', record)
  venue.core.commands.length = 0
  const answer = await call('/operator/pricing', sent)
  return { answer, commands: venue.core.commands }
}

const unchanged = {
  kind: 'configure-pricing',
  jumpFactor: undefined,
  fundingShortfall: undefined,
  premiumMean: undefined,
  fundingInterestRate: undefined,
  fundingClamp: undefined,
  coins: [],
  instruments: [],
}

test.each([
  [{ jumpFactor: '2.5' }, { ...unchanged, jumpFactor: 2_500_000_000_000n }],
  [
    { fundingShortfall: 'cap', premiumMean: 'plain' },
    { ...unchanged, fundingShortfall: 'cap', premiumMean: 'plain' },
  ],
  [
    { fundingInterestRate: '0.0002', fundingClamp: '0.001' },
    { ...unchanged, fundingInterestRate: 200_000_000n, fundingClamp: 1_000_000_000n },
  ],
  [{ indexAgeMsMax: { btc: '30000' } }, { ...unchanged, coins: [{ coin: 0, indexAgeMsMax: 30_000 }] }],
  [
    { contracts: [{ productType: 'usdt-futures', symbol: 'btcusdt', impactNotional: '5000', fundInterval: '4' }] },
    {
      ...unchanged,
      instruments: [
        { instrument: 1, impactNotional: 500_000_000_000n, fundingRateCap: undefined, fundingIntervalHours: 4 },
      ],
    },
  ],
] as const)('%j', async (sent, command) => {
  expect((await send(sent)).commands).toEqual([command])
})

test.each([
  [{}, 'the body names nothing to change'],
  [{ jumpFactor: '0.9' }, 'jumpFactor must be a decimal from 1 to 1000000'],
  [{ jumpFactor: 'four' }, 'jumpFactor must be a decimal'],
  [{ indexAgeMsMax: { BTC: -1 } }, 'indexAgeMsMax.BTC must be a whole number'],
  [{ indexAgeMsMax: { NOSUCH: 1 } }, 'indexAgeMsMax.NOSUCH: there is no coin NOSUCH'],
  [{ fundingClamp: '1.1' }, 'fundingClamp must be a decimal from 0 to 1'],
  [{ fundingShortfall: 'half' }, 'fundingShortfall must be one of full, cap'],
  [{ contracts: [{ productType: 'USDT-FUTURES' }] }, 'contracts.0.symbol is required'],
  [{ contracts: [{ productType: 'USDT-FUTURES', symbol: 'NOSUCH' }] }, 'contracts.0.symbol: there is no instrument'],
  [
    { contracts: [{ productType: 'USDT-FUTURES', symbol: 'BTCUSDT', fundInterval: '3' }] },
    'contracts.0.fundInterval must be one of 1, 2, 4, 8',
  ],
  [{ speed: 1 }, 'speed is not known'],
] as const)('%j is refused: %s', async (sent, sentence) => {
  await expect(send(sent)).rejects.toThrow(sentence)
})
