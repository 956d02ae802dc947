/** Rules of risk as the operator sends and sees them: what each body becomes, and what is said of a wrong one. */
import { expect, test } from 'vitest'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { demoInstruments } from '../../src/operator/demo/catalog.ts'
import { fakeVenue } from './fake-core.ts'

async function listed() {
  const venue = fakeVenue()
  const call = async (place: string, body?: unknown) =>
    operatorCalls.find((candidate) => `${candidate.method} ${candidate.path}` === place)?.run(body, venue.ports)
  for (const record of demoInstruments) {
    if (record.symbol === 'BTCUSDT') await call('POST /operator/instruments', record)
  }
  venue.core.commands.length = 0
  return { call, commands: venue.core.commands }
}

const sameRisk = {
  kind: 'set-risk',
  adlStartShare: undefined,
  adlEndShare: undefined,
  orderMarginMarkup: undefined,
  orderFeeMarkup: undefined,
  profitAsMargin: undefined,
  reduceTiers: undefined,
}
const sameInstrument = {
  kind: 'set-instrument',
  instrument: 1,
  status: undefined,
  tiers: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  marketBand: undefined,
}
const btcusdt = { category: 'usdt-futures', symbol: 'btcusdt' }

test.each([
  ['risk', { adlStartShare: '0.6' }, { ...sameRisk, adlStartShare: 600_000_000_000n }],
  [
    'risk',
    { orderMarginMarkup: '0.05', orderFeeMarkup: 0.1 },
    { ...sameRisk, orderMarginMarkup: 50_000_000_000n, orderFeeMarkup: 100_000_000_000n },
  ],
  ['risk', { profitAsMargin: 'on', reduceTiers: '1' }, { ...sameRisk, profitAsMargin: true, reduceTiers: 1 }],
  ['risk', { profitAsMargin: 'off' }, { ...sameRisk, profitAsMargin: false }],
  ['instruments/bands', { ...btcusdt, limitPriceRatio: '0.1' }, { ...sameInstrument, limitBand: 100_000_000_000n }],
  [
    'instruments/bands',
    { ...btcusdt, limitPriceRatio: '0', marketPriceRatio: '0.02' },
    { ...sameInstrument, limitBand: 0n, marketBand: 20_000_000_000n },
  ],
  [
    'coins/collateral',
    { coin: 'btc', collateral: [{ to: '1000', ratio: '0.9' }] },
    {
      kind: 'set-collateral',
      coin: 0,
      collateral: [{ to: 100_000_000_000n, ratio: 900_000_000_000n }],
      debtInitialRate: undefined,
      debtMaintenanceRate: undefined,
    },
  ],
  [
    'coins/collateral',
    { coin: 'USDT', debtInitialRate: '0.2', debtMaintenanceRate: '0.05' },
    {
      kind: 'set-collateral',
      coin: 1,
      collateral: undefined,
      debtInitialRate: 200_000_000_000n,
      debtMaintenanceRate: 50_000_000_000n,
    },
  ],
] as const)('%s %j', async (path, sent, command) => {
  const { call, commands } = await listed()
  await call(`POST /operator/${path}`, sent)
  expect(commands).toEqual([command])
})

test.each([
  ['risk', {}, 'the body names nothing to change'],
  ['risk', { adlStartShare: '1.5' }, 'adlStartShare must be a decimal from 0 to 1'],
  ['risk', { orderFeeMarkup: '-0.1' }, 'orderFeeMarkup must be a decimal from 0 to 1'],
  ['risk', { profitAsMargin: 'yes' }, 'profitAsMargin must be one of on, off'],
  ['risk', { reduceTiers: 101 }, 'reduceTiers must be a whole number from 0 to 100'],
  ['risk', { speed: 1 }, 'speed is not known'],
  ['instruments/bands', btcusdt, 'limitPriceRatio or marketPriceRatio is required'],
  ['instruments/bands', { ...btcusdt, limitPriceRatio: '2' }, 'limitPriceRatio must be a decimal from 0 to 1'],
  ['instruments/bands', { ...btcusdt, symbol: 'NOSUCH', limitPriceRatio: '0' }, 'symbol: there is no instrument'],
  ['coins/collateral', { coin: 'BTC' }, 'the body names nothing to change'],
  ['coins/collateral', { coin: 'NOSUCH', debtInitialRate: '0' }, 'coin: there is no coin NOSUCH'],
  ['coins/collateral', { coin: 'BTC', collateral: [] }, 'collateral'],
  [
    'coins/collateral',
    { coin: 'BTC', collateral: [{ to: '0', ratio: '1' }] },
    'collateral.0.to must be a decimal above 0',
  ],
  ['coins/collateral', { coin: 'BTC', debtInitialRate: '1.2' }, 'debtInitialRate must be a decimal from 0 to 1'],
] as const)('%s %j is refused: %s', async (path, sent, sentence) => {
  const { call } = await listed()
  await expect(call(`POST /operator/${path}`, sent)).rejects.toThrow(sentence)
})

test('what is in force is shown in the words of the bodies', async () => {
  const { call } = await listed()
  expect(await call('GET /operator/risk')).toEqual({
    adlStartShare: '0.7',
    adlEndShare: '0.9',
    orderMarginMarkup: '0',
    orderFeeMarkup: '0',
    profitAsMargin: 'off',
    reduceTiers: '2',
  })
  expect(await call('GET /operator/pricing')).toEqual({
    jumpFactor: '4',
    fundingShortfall: 'full',
    premiumMean: 'weighted',
    fundingInterestRate: '0.0001',
    fundingClamp: '0.0005',
    indexAgeMsMax: { BTC: 0, USDT: 0 },
  })
  expect(await call('GET /operator/coins')).toMatchObject([
    {
      coin: 'BTC',
      borrowable: 'no',
      maxLeverage: 3,
      collateral: [{ to: '10000000000', ratio: '1' }],
      debtInitialRate: '0.1',
      debtMaintenanceRate: '0.04',
    },
    { coin: 'USDT' },
  ])
  const record = demoInstruments.find(({ symbol, category }) => symbol === 'BTCUSDT' && category === 'USDT-FUTURES')
  const shown = (await call('GET /operator/instruments')) as Record<string, unknown>[]
  expect(shown.map(({ category }) => category)).toEqual(['SPOT', 'USDT-FUTURES'])
  // As it was listed, word for word.
  expect(shown[1]).toMatchObject({ ...record })
})
