/** The operator's calls: what each body becomes, and what is said of a wrong one. */
import { describe, expect, test } from 'vitest'
import { liveKeysMax } from '../../src/api/api.ts'
import { refused } from '../../src/engine/protocol/reply.ts'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { demoInstruments } from '../../src/operator/demo/catalog.ts'
import { fakeVenue } from './fake-core.ts'

type Venue = ReturnType<typeof fakeVenue>

async function call(venue: Venue, place: string, sent?: unknown): Promise<unknown> {
  const found = operatorCalls.find(
    (candidate) =>
      `${candidate.method} /operator/${place.split(' ')[1]}` === `${candidate.method} ${candidate.path}` &&
      candidate.method === place.split(' ')[0],
  )
  if (found === undefined) throw new Error(`no call ${place}`)
  return await found.run(sent, venue.ports)
}

/** A venue with BTCUSDT listed as USDT futures and on the spot market. */
async function listedVenue(change = {}): Promise<Venue> {
  const venue = fakeVenue(change)
  for (const record of demoInstruments) {
    if (record.symbol === 'BTCUSDT') await call(venue, 'POST instruments', record)
  }
  venue.core.commands.length = 0
  return venue
}

describe('a right body becomes one command', () => {
  test.each([
    [
      'POST accounts',
      { kind: 'sub', parentUid: '1001', mode: 'classic' },
      { kind: 'create-account', account: 'sub', parentUid: 1001, mode: 'classic', name: '' },
    ],
    [
      'POST accounts',
      { kind: 'main', parentUid: null, mode: 'hybrid', name: 'bob' },
      { kind: 'create-account', account: 'main', parentUid: undefined, mode: 'hybrid', name: 'bob' },
    ],
    ['POST accounts/mode', { uid: 1001, mode: 'unified' }, { kind: 'set-account-mode', uid: 1001, mode: 'unified' }],
    [
      'POST accounts/broker',
      { uid: '1001', channelCode: 'desk', rebateRate: '0.25' },
      { kind: 'set-broker', uid: 1001, channelCode: 'desk', rebateRate: 250_000_000_000n },
    ],
    [
      'POST accounts/copy-trader',
      { uid: '1001', symbols: ['btcusdt'] },
      { kind: 'set-copy-trader', uid: 1001, instruments: [1] },
    ],
    ['POST accounts/freeze', { uid: '1001', frozen: 'yes' }, { kind: 'freeze-account', uid: 1001, frozen: true }],
    [
      'POST deposits',
      { uid: '1001', wallet: 'UTA', coin: 'usdt', amount: '100.5' },
      { kind: 'deposit', uid: 1001, wallet: 'uta', coin: 1, amount: 10_050_000_000n },
    ],
    [
      'POST withdrawals',
      { uid: '1001', wallet: 'spot', coin: 'BTC', amount: 0.5 },
      { kind: 'withdraw', uid: 1001, wallet: 'spot', coin: 0, amount: 50_000_000n },
    ],
    [
      'POST prices',
      { prices: { BTC: '61000.5', USDT: 1 } },
      {
        kind: 'set-index-prices',
        prices: [
          [0, 6_100_050_000_000n],
          [1, 100_000_000n],
        ],
      },
    ],
    [
      'POST instruments/status',
      { category: 'usdt-futures', symbol: 'btcusdt', status: 'halted' },
      {
        kind: 'set-instrument',
        instrument: 1,
        status: 'halted',
        tiers: undefined,
        makerFeeRate: undefined,
        takerFeeRate: undefined,
        limitBand: undefined,
        marketBand: undefined,
      },
    ],
    [
      'POST instruments/fees',
      { category: 'SPOT', symbol: 'BTCUSDT', makerFeeRate: '-0.0001' },
      {
        kind: 'set-instrument',
        instrument: 0,
        status: undefined,
        tiers: undefined,
        makerFeeRate: -100_000_000n,
        takerFeeRate: undefined,
        limitBand: undefined,
        marketBand: undefined,
      },
    ],
    [
      'POST instruments/tiers',
      {
        category: 'USDT-FUTURES',
        symbol: 'BTCUSDT',
        tiers: [{ from: '0', to: '1000', maxLeverage: 10, maintenanceRate: '0.01' }],
      },
      {
        kind: 'set-instrument',
        instrument: 1,
        status: undefined,
        tiers: [{ from: 0n, to: 100_000_000_000n, leverageMax: 10, maintenanceRate: 10_000_000_000n }],
        makerFeeRate: undefined,
        takerFeeRate: undefined,
        limitBand: undefined,
        marketBand: undefined,
      },
    ],
    [
      'POST house-funds',
      { coin: 'USDT', amount: '1' },
      { kind: 'fund-house', account: 'insurance', coin: 1, amount: 100_000_000n },
    ],
    [
      'POST funding/settle',
      { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' },
      { kind: 'settle-funding', instrument: 1 },
    ],
  ])('%s %j', async (place, sent, command) => {
    const venue = await listedVenue()
    await call(venue, place, sent)
    expect(venue.core.commands).toEqual([command])
  })
})

describe('a wrong body names every field that is wrong, and does nothing', () => {
  test.each([
    ['POST accounts', {}, 'kind is required; mode is required'],
    ['POST accounts', [], 'the body must be a JSON object'],
    ['POST accounts', 'x', 'the body must be a JSON object'],
    ['POST accounts', { kind: 'sub', mode: 'classic' }, 'parentUid is required for a sub-account'],
    ['POST accounts', { kind: 'main', mode: 'classic', parentUid: '1' }, 'parentUid is for sub-accounts only'],
    ['POST accounts/binding', { uid: '1001', bindingTime: 0 }, 'uid must be a sub-account'],
    ['POST accounts', { kind: 'sub', mode: 'hybrid', parentUid: '1' }, 'mode must be one of unified, classic'],
    ['POST accounts', { kind: 'main', mode: 'classic', colour: 1 }, 'colour is not known'],
    ['POST accounts', { kind: 'main', mode: 'classic', ['__proto__x']: 1 }, '__proto__x is not known'],
    ['POST accounts/mode', { uid: '-1', mode: 'hybrid' }, 'uid must be an account number; mode must be one of unified'],
    ['POST accounts/mode', { uid: '1e3', mode: 'unified' }, 'uid must be an account number'],
    [
      'POST accounts/broker',
      { uid: '1', channelCode: 'x', rebateRate: '1.1' },
      'rebateRate must be a decimal from 0 to 1',
    ],
    ['POST prices', JSON.parse('{"prices":{"__proto__":"1"}}'), 'prices.__proto__ is not known'],
    ['POST prices', JSON.parse('{"prices":{"BTC":"1","constructor":"2"}}'), 'prices.constructor is not known'],
    ['POST prices', JSON.parse('{"__proto__":{"BTC":"1"}}'), 'prices is required; __proto__ is not known'],
    ['POST deposits', { uid: 1, wallet: 'uta', coin: 'BTC', amount: '0' }, 'amount must be a decimal above 0'],
    ['POST deposits', { uid: 1, wallet: 'uta', coin: 'BTC', amount: '1e3' }, 'amount must be a decimal above 0'],
    ['POST deposits', { uid: 1, wallet: 'uta', coin: 'BTC', amount: 1e21 }, 'amount must be a decimal above 0'],
    ['POST deposits', { uid: 1, wallet: 'uta', coin: 'BTC', amount: '-1' }, 'amount must be a decimal above 0'],
    [
      'POST deposits',
      { uid: 1, wallet: 'uta', coin: 'BTC', amount: '92233720368.54775808' },
      'up to 92233720368.54775807',
    ],
    ['POST deposits', { uid: 1, wallet: 'uta', coin: 'BTC', amount: '0.000000001' }, 'with at most 8 decimals'],
    ['POST deposits', { uid: 1, wallet: 'purse', coin: 'BTC', amount: '1' }, 'wallet must be one of spot, p2p'],
    ['POST deposits', { uid: 1, wallet: 'uta', coin: 'GOLD', amount: '1' }, 'coin: there is no coin GOLD'],
    ['POST accounts/freeze', { uid: '1001', frozen: true }, 'frozen must be one of yes, no'],
    ['POST accounts/cancel-orders', { uid: 9 }, 'uid: there is no account 9'],
    ['GET accounts/bills', { uid: '1001', wallet: 'uta', limit: 101 }, 'limit must be a whole number from 1 to 100'],
    ['POST prices', { prices: {} }, 'prices must be an object of coin to price'],
    ['POST prices', { prices: { BTC: '0' } }, 'prices.BTC must be a decimal above 0'],
    ['POST prices', { prices: { BTC: '100000000000' } }, 'up to 92233720368.54775807'],
    ['POST prices', { prices: { BTC: '1', GOLD: '2' } }, 'prices.GOLD: there is no coin GOLD'],
    ['POST keys', { uid: 1001, permissions: ['fly'] }, 'permissions must be a list out of read'],
    ['POST keys', { uid: 1001, permissions: [] }, 'permissions must be a list'],
    ['POST keys', { uid: 1001, ipList: ['300.0.0.1'] }, 'ipList must be a list of at most 30 addresses'],
    ['POST keys', { uid: 1001, passphrase: 'short' }, 'passphrase must be 8 to 32 letters and digits'],
    [
      'POST keys',
      { uid: 1001, publicKey: 'pem' },
      'publicKey must be an RSA or Ed25519 public key as PEM, RSA of at least 2048 bits, and no private key',
    ],
    ['POST keys', { uid: 9 }, 'uid: there is no account 9'],
    ['POST keys/revoke', { apiKey: 'tm_x' }, 'apiKey: there is no such key'],
    ['POST instruments/status', { category: 'SPOT', symbol: 'BTCUSDT', status: 'off' }, 'status must be one of online'],
    [
      'POST instruments/status',
      { category: 'SPOT', symbol: 'NOPE', status: 'halted' },
      'there is no instrument SPOT NOPE',
    ],
    ['POST instruments/fees', { category: 'SPOT', symbol: 'BTCUSDT' }, 'makerFeeRate or takerFeeRate is required'],
    ['POST instruments/fees', { category: 'SPOT', symbol: 'BTCUSDT', takerFeeRate: '0.2' }, 'from -0.1 to 0.1'],
    ['POST clock/advance', { ms: 0 }, 'ms must be a whole number from 1'],
    ['POST clock/advance', { ms: 1 }, 'start it with --clock manual'],
    ['POST snapshots', { now: true }, 'now is not known'],
    ['GET explain', {}, 'uid or symbol, orderId or liquidationId is required'],
    ['GET explain', { holdSide: 'long', uid: '1001' }, 'holdSide needs uid and symbol'],
    ['GET explain', { holdSide: 'both', uid: '1001', symbol: 'BTCUSDT' }, 'holdSide must be one of long, short'],
  ])('%s %j: %s', async (place, sent, message) => {
    const venue = await listedVenue()
    await expect(call(venue, place, sent)).rejects.toThrow(message)
    expect(venue.core.commands).toEqual([])
  })
})

test.each([
  ['POST accounts', { kind: 'sub', mode: 'classic', parentUid: 1002 }, 'parentUid: must be a main account'],
  ['POST accounts/broker', { uid: 1002, channelCode: 'x' }, 'uid: must be a main account'],
])('%s names the field that should be a main account', async (place, sent, message) => {
  const venue = fakeVenue()
  venue.core.reply = refused({ kind: 'parent-unsuitable' })
  await expect(call(venue, place, sent)).rejects.toThrow(message)
})

test('every wrong value is named, however many', async () => {
  const prices = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`COIN${index}`, '0']))
  const said = await call(fakeVenue(), 'POST prices', { prices }).catch((error: Error) => error.message)
  expect(String(said).split('; ')).toHaveLength(20)
})

describe('an instrument record', () => {
  const record = demoInstruments.find(
    (instrument) => instrument.category === 'USDT-FUTURES' && instrument.symbol === 'BTCUSDT',
  )!

  test('becomes ticks and lots', async () => {
    const venue = fakeVenue()
    await call(venue, 'POST instruments', {
      ...record,
      priceMultiplier: '0.5',
      sizeMultiplier: '0.0002',
      minOrderQty: '0.001',
    })
    expect(venue.core.commands).toMatchObject([
      {
        kind: 'list-instrument',
        instrument: {
          kind: 'linear',
          category: 'USDT-FUTURES',
          symbol: 'BTCUSDT',
          base: 0,
          quote: 1,
          settle: 1,
          priceDecimals: 1,
          priceStep: 5,
          quantityDecimals: 4,
          quantityStep: 2,
          quantityMin: 5,
          quantityMax: 0,
          notionalMin: 500_000_000n,
          takerFeeRate: 600_000_000n,
          leverageDefault: 20,
          fundingIntervalHours: 8,
        },
      },
    ])
  })

  test('of an inverse contract settles in its base coin', async () => {
    const venue = fakeVenue()
    await call(venue, 'POST instruments', {
      ...record,
      category: 'COIN-FUTURES',
      quoteCoin: 'USD',
      quantityPrecision: 0,
      minOrderQty: '1',
    })
    const instrument = { kind: 'inverse', base: 0, quote: -1, settle: 0, quantityMin: 1, sizeDecimals: 8 }
    expect(venue.core.commands).toMatchObject([{ instrument }])
  })

  test.each([
    [{ baseCoin: 'GOLD' }, 'baseCoin must be a listed coin; GOLD is not'],
    [{ minOrderQty: '0.00005' }, 'minOrderQty must be a multiple of sizeMultiplier'],
    [{ sizeMultiplier: '0.00001' }, 'sizeMultiplier must be above 0 with at most 4 decimals'],
    [{ priceMultiplier: '0' }, 'priceMultiplier must be above 0 with at most 1 decimals'],
    [{ pricePrecision: 9 }, 'pricePrecision must be a whole number from 0 to 8'],
    [{ tiers: [] }, 'tiers must be a list'],
    [{ tiers: [{ from: '0' }] }, 'tiers.0.to is required; tiers.0.maxLeverage is required'],
    [{ tiers: null }, 'tiers is required for futures'],
    [{ fundInterval: '3' }, 'fundInterval must be one of 1, 2, 4, 8'],
    [{ price: '1' }, 'price is not known'],
  ])('with %j: %s', async (change, message) => {
    await expect(call(fakeVenue(), 'POST instruments', { ...record, ...change })).rejects.toThrow(message)
  })
})

describe('keys', () => {
  test('are recorded in the journal, without their secrets', async () => {
    const venue = fakeVenue()
    const sent = { uid: '1001', permissions: ['read-only'], ipList: ['127.0.0.1'], label: 'bot' }
    const issued = (await call(venue, 'POST keys', sent)) as { apiKey: string; secret: string; passphrase: string }
    const { apiKey, secret, passphrase } = issued
    expect(venue.core.commands).toEqual([{ kind: 'record-key-change', uid: 1001, apiKey, change: 'created' }])
    expect(venue.keys.find(apiKey)).toMatchObject({ secret, passphrase, permissions: ['read'], ipList: ['127.0.0.1'] })

    await call(venue, 'POST keys/revoke', { apiKey })
    await call(venue, 'POST keys/revoke', { apiKey })
    expect(venue.core.commands.slice(1)).toEqual([{ kind: 'record-key-change', uid: 1001, apiKey, change: 'revoked' }])
  })

  test('work only once they are recorded', async () => {
    const venue = fakeVenue()
    venue.core.reply = refused({ kind: 'account-unknown' })
    await expect(call(venue, 'POST keys', { uid: 1001 })).rejects.toThrow('there is no such account')
    expect(venue.keys.live(1001)).toEqual([])
  })

  test('are at most ten for one account', async () => {
    const venue = fakeVenue()
    for (let count = 0; count < liveKeysMax; count++) await call(venue, 'POST keys', { uid: 1001 })
    await expect(call(venue, 'POST keys', { uid: 1001 })).rejects.toThrow('the account has 10 keys already')
    await call(venue, 'POST keys/revoke', { apiKey: venue.keys.live(1001)[0].apiKey })
    await call(venue, 'POST keys', { uid: 1001 })
  })
})

test("the engine's refusal is told with its facts", async () => {
  const venue = await listedVenue()
  venue.core.reply = refused({ kind: 'transferable-exceeded', transferable: 150_000_000n as never })
  const sent = { uid: 1001, wallet: 'spot', coin: 'BTC', amount: '2' }
  await expect(call(venue, 'POST withdrawals', sent)).rejects.toMatchObject({
    status: 409,
    code: 'transferable-exceeded',
    message: 'amount: at most 1.5 may leave',
  })
})

test('the manual clock is moved by whole milliseconds', async () => {
  const moves: number[] = []
  const venue = fakeVenue({ advanceClock: async (ms) => void moves.push(ms) })
  expect(await call(venue, 'POST clock/advance', { ms: '3600000' })).toEqual({ now: 1_700_000_000_000 })
  expect(moves).toEqual([3_600_000])
})

test('half a surrogate pair is no text: it could not be recorded', async () => {
  const sent = { kind: 'main', mode: 'classic', name: 'a\ud800' }
  await expect(call(fakeVenue(), 'POST accounts', sent)).rejects.toMatchObject({ status: 400 })
})
