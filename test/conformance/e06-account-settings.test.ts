/**
 * E6: the settings of the account, as they stand after they were set.
 *
 * Source  interface.md E6, "Account settings"; design §3, §4.28; wire/auth.md "Account-mode detection"
 */
import { expect } from 'vitest'
import {
  type Market,
  btcPerpetual,
  btcSpot,
  ethPerpetual,
  paths,
  setHoldMode,
  setLeverage,
  setMarginMode,
  takenInBatch,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

row('Account settings fields', 'a fresh unified account', async () => {
  const alice = await at.person('Alice')
  expect(succeeds(await alice.get(paths.settings)).data).toMatchObject({
    uid: alice.uid,
    accountMode: 'unified',
    assetMode: 'multi_assets',
    holdMode: 'one_way_mode',
    stpMode: 'none',
    symbolConfigList: expect.any(Array),
    coinConfigList: expect.any(Array),
  })
})

table(
  {
    rule: 'E6 accountMode',
    decision: 'a classic account gets 40084: clients use it to find out which version to speak (design §3)',
  },
  [
    ['unified', 'unified', 'unified'],
    ['hybrid', 'hybrid', 'hybrid'],
  ],
  async (mode, shown) => {
    const alice = await at.person('Alice', { mode })
    expect(succeeds(await alice.get(paths.settings)).data).toMatchObject({
      accountMode: shown,
      assetMode: 'multi_assets',
    })
  },
)

row(
  { rule: 'E6 accountMode', decision: 'a classic account gets 40084 (design §3)' },
  'classic is refused',
  async () => {
    const alice = await at.person('Alice', { mode: 'classic' })
    refuses(await alice.get(paths.settings), '40084')
  },
)

row('E6', 'a sub-account sees its own', async () => {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main })
  expect(succeeds(await sub.get(paths.settings)).data).toMatchObject({ uid: sub.uid, accountMode: 'unified' })
})

row('E6', 'parameters are ignored', async () => {
  const alice = await at.person('Alice')
  succeeds(await alice.get(paths.settings, { category: 'SPOT', symbol: 'BTCUSDT' }))
})

interface Settings {
  readonly holdMode: string
  readonly stpMode: string
  readonly symbolConfigList: readonly {
    readonly category: string
    readonly symbol: string
    readonly marginMode: string
    readonly leverage: string | readonly string[]
  }[]
  readonly coinConfigList: readonly { readonly coin: string; readonly leverage: string }[]
}

type Configured = Awaited<ReturnType<ReturnType<typeof stage>['person']>>

async function settings(person: Configured): Promise<Settings> {
  return succeeds(await person.get(paths.settings)).data as Settings
}

async function symbolConfig(person: Configured, market: Market) {
  const { symbolConfigList } = await settings(person)
  return symbolConfigList.find((config) => config.symbol === market.symbol && config.category === market.category)
}

row('E6 symbolConfigList', 'every entry names category, symbol, marginMode and leverage', async () => {
  const alice = await at.person('Alice')
  const { symbolConfigList } = await settings(alice)
  expect(symbolConfigList.length).toBeGreaterThan(0)
  for (const entry of symbolConfigList) {
    expect(entry).toMatchObject({
      category: expect.stringMatching(/^(USDT|COIN|USDC)-FUTURES$/),
      symbol: expect.any(String),
    })
    expect(['crossed', 'isolated']).toContain(entry.marginMode)
    expect(entry.leverage).toMatch(/^\d+(\.\d+)?$/)
  }
})

row('E6 symbolConfigList', 'a leverage that was set is shown, and no other symbol changes', async () => {
  const alice = await at.person('Alice')
  const before = await symbolConfig(alice, ethPerpetual)
  await setLeverage(alice, 17)
  expect(await symbolConfig(alice, btcPerpetual)).toMatchObject({ leverage: '17' })
  expect(await symbolConfig(alice, ethPerpetual)).toEqual(before)
})

interface Steps {
  readonly marginMode: string
  readonly holdMode: string
  readonly set: readonly object[]
}

table(
  {
    rule: 'E6 symbolConfigList leverage',
    decision:
      'the leverage in force, a decimal text as in the sample; the declared array, long before short, where isolated ' +
      'hedge positions have two (design §4.37)',
  },
  [
    // what                            margin mode               hold mode                  leverages set                                  shown
    ['crossed, one-way mode', { marginMode: 'crossed', holdMode: 'one_way_mode', set: [{ leverage: '17' }] }, '17'],
    ['isolated, one-way mode', { marginMode: 'isolated', holdMode: 'one_way_mode', set: [{ leverage: '17' }] }, '17'],
    ['crossed, hedge mode', { marginMode: 'crossed', holdMode: 'hedge_mode', set: [{ leverage: '17' }] }, '17'],
    [
      'isolated, hedge mode, both alike',
      { marginMode: 'isolated', holdMode: 'hedge_mode', set: [{ leverage: '17' }] },
      '17',
    ],
    [
      'isolated, hedge mode, one set after the other',
      {
        marginMode: 'isolated',
        holdMode: 'hedge_mode',
        set: [
          { leverage: '17', posSide: 'long' },
          { leverage: '17', posSide: 'short' },
        ],
      },
      '17',
    ],
    [
      'isolated, hedge mode, two',
      { marginMode: 'isolated', holdMode: 'hedge_mode', set: [{ longLeverage: '17', shortLeverage: '9' }] },
      ['17', '9'],
    ],
  ] satisfies readonly (readonly [string, Steps, string | readonly string[]])[],
  async ({ marginMode, holdMode, set }, shown) => {
    const alice = await at.person('Alice')
    await setHoldMode(alice, holdMode)
    await setMarginMode(alice, marginMode)
    for (const change of set) {
      const body = { category: btcPerpetual.category, symbol: btcPerpetual.symbol, ...change }
      succeeds(await alice.post('/api/v3/account/set-leverage', body))
    }
    expect(await symbolConfig(alice, btcPerpetual)).toMatchObject({ marginMode, leverage: shown })
  },
)

row('E6 symbolConfigList', 'a margin mode that was set is shown', async () => {
  const alice = await at.person('Alice')
  expect(await symbolConfig(alice, btcPerpetual)).toMatchObject({ marginMode: 'crossed' })
  await setMarginMode(alice, 'isolated')
  expect(await symbolConfig(alice, btcPerpetual)).toMatchObject({ marginMode: 'isolated' })
})

row('E6 coinConfigList', 'every entry names coin and leverage', async () => {
  const alice = await at.person('Alice')
  const { coinConfigList } = await settings(alice)
  for (const entry of coinConfigList)
    expect(entry).toMatchObject({ coin: expect.any(String), leverage: expect.any(String) })
})

row('E6 holdMode', 'set through v3', async () => {
  const alice = await at.person('Alice')
  succeeds(await alice.post('/api/v3/account/set-hold-mode', { holdMode: 'hedge_mode' }))
  expect(await settings(alice)).toMatchObject({ holdMode: 'hedge_mode' })
  succeeds(await alice.post('/api/v3/account/set-hold-mode', { holdMode: 'one_way_mode' }))
  expect(await settings(alice)).toMatchObject({ holdMode: 'one_way_mode' })
})

row('E6 holdMode', 'set through v2', async () => {
  const alice = await at.person('Alice')
  await setHoldMode(alice, 'hedge_mode')
  expect(await settings(alice)).toMatchObject({ holdMode: 'hedge_mode' })
})

row('design §4.35', 'the account’s own stpMode can be set, and orders that name none follow it', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '100000', BTC: '2' } } })
  succeeds(await alice.post('/api/v3/account/set-stp-mode', { stpMode: 'cancel_taker' }))
  expect((await alice.get(paths.settings)).fields['stpMode']).toBe('cancel_taker')
  await takenInBatch(alice, 'sell 0.01 @ 60000', btcSpot)
  const taker = await takenInBatch(alice, 'buy 0.01 @ 60000', btcSpot)
  const record = await alice.get('/api/v3/trade/order-info', { orderId: taker['orderId'] })
  expect(record.fields).toMatchObject({ orderStatus: 'cancelled', stpMode: 'cancel_taker', cumExecQty: '0' })
})
