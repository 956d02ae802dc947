/**
 * Settings of accounts: what is collateral, the level and the asset mode, and giving money to the main account.
 *
 * Source  wire/v3-endpoints.md §4; wire/client-endpoints.md §4; risk-engine.md §16
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import {
  btcPerpetual,
  onePosition,
  paths,
  place,
  position,
  setHoldMode,
  setLeverage,
  setMarginMode,
  singleOrder,
  taken,
  unifiedAsset,
} from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const account = '/api/v3/account'

// collateral

const choosing = {
  rule: 'v3 set-collateral-type',
  decision:
    'coins that are not chosen back nothing; mainstream are the coins that contracts are settled in; refused when what remains would not cover the initial margin (40812)',
} as const

function choose(person: Person, collateralType: string, collateralCoins?: string) {
  return person.post(`${account}/set-collateral-type`, { collateralType, collateralCoins })
}

async function chosen(person: Person): Promise<unknown> {
  return succeeds(await person.get(`${account}/collateral-type`)).data
}

row(choosing, 'what was chosen is told', async () => {
  const alice = await at.person('Alice')
  const all = 'BTC,ETH,SOL,XRP,DOGE,USDT,USDC'
  const sorted = (coins: string) => coins.split(',').toSorted((a, b) => a.localeCompare(b))
  const { collateralType, collateralCoins } = (await chosen(alice)) as Record<string, string>
  expect(collateralType).toBe('all')
  expect(sorted(collateralCoins ?? '')).toEqual(sorted(all))
  expect(succeeds(await choose(alice, 'mainstream')).data).toBe('success')
  const mainstream = (await chosen(alice)) as Record<string, string>
  expect(mainstream).toMatchObject({ collateralType: 'mainstream' })
  expect(sorted(mainstream['collateralCoins'] ?? '')).toEqual(['BTC', 'ETH', 'USDC', 'USDT'])
  succeeds(await choose(alice, 'CUSTOM', 'sol, usdt,SOL'))
  const custom = (await chosen(alice)) as Record<string, string>
  expect(custom).toMatchObject({ collateralType: 'custom' })
  expect(sorted(custom['collateralCoins'] ?? '')).toEqual(['SOL', 'USDT'])
  succeeds(await choose(alice, 'all'))
  expect(await chosen(alice)).toMatchObject({ collateralType: 'all' })
})

table(
  choosing,
  [
    ['without a type', undefined, undefined, 'a missing parameter'],
    ['an unknown type', 'none', undefined, 'a parameter'],
    ['custom without coins', 'custom', undefined, 'a missing parameter'],
    ['custom with an unknown coin', 'custom', 'USDT,NOPE', 'an unknown coin'],
    ['custom with a comma too many', 'custom', 'USDT,', 'an unknown coin'],
    ['all, with coins that do not count', 'all', 'NOPE', 'ok'],
  ],
  async (type, coins, expected) => {
    const alice = await at.person('Alice')
    const body = { collateralType: type, collateralCoins: coins }
    answers(await alice.post(`${account}/set-collateral-type`, body), expected)
  },
)

row(choosing, 'a coin that is not chosen opens nothing, and one that is does', async () => {
  const alice = await at.person('Alice', { funds: { uta: { SOL: '1000' } } })
  const order = 'buy 0.01 @ 59000'
  await taken(alice, order)
  succeeds(await alice.post('/api/v3/trade/cancel-symbol-order', { category: 'USDT-FUTURES' }))
  succeeds(await choose(alice, 'mainstream'))
  refuses(await place(alice, order), 'no balance')
  // It does not count, so that it may leave.
  expect(succeeds(await alice.get(`${account}/max-transferable`, { coin: 'SOL' })).data).toMatchObject({
    maxTransfer: '1000',
  })
  succeeds(await choose(alice, 'custom', 'SOL'))
  await taken(alice, order)
})

row(choosing, 'with a position open the rest has to cover its margin', async () => {
  const maker = await at.person('Maker', { funds: { uta: { USDT: '100000' } } })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '1000', BTC: '0.05', SOL: '60' } } })
  await setLeverage(alice, 5)
  await taken(maker, 'sell 0.5 @ 60000')
  await taken(alice, 'buy 0.5 @ 60000')
  expect(await position(alice)).toBe('long 0.5')
  // Six thousand of margin, and not four besides the SOL.
  refuses(await choose(alice, 'mainstream'), '40812')
  refuses(await choose(alice, 'custom', 'USDT,BTC'), '40812')
  expect(await chosen(alice)).toMatchObject({ collateralType: 'all' })
  const before = await onePosition(alice)
  succeeds(await choose(alice, 'custom', 'SOL,USDT'))
  // The BTC backs it no more: it is liquidated at a higher price, and the BTC may leave.
  const after = await onePosition(alice)
  expect(Number(after['liquidationPrice'])).toBeGreaterThan(Number(before['liquidationPrice']))
  expect(succeeds(await alice.get(`${account}/max-transferable`, { coin: 'BTC' })).data).toMatchObject({
    maxTransfer: '0.05',
  })
  const explained = await at.venue.operator<{ lines: { name: string; result: string }[] }>(`explain?uid=${alice.uid}`)
  expect(explained.lines).toContainEqual(expect.objectContaining({ name: 'collateral BTC', result: 'no' }))
  await at.venue.restart('kill')
  expect(await chosen(alice)).toMatchObject({ collateralType: 'custom' })
  expect(await onePosition(alice)).toMatchObject({ liquidationPrice: after['liquidationPrice'] })
  await taken(maker, 'buy 0.5 @ 60000')
  await taken(alice, 'sell 0.5 @ 60000', btcPerpetual)
})

row('v3 custom-collateral-coins', 'every coin may be chosen; no key is needed', async () => {
  const coins = succeeds(await at.venue.get(`${account}/custom-collateral-coins`)).list()
  expect(coins).toContainEqual({ collateralCoin: 'USDT' })
  expect(coins).toHaveLength(7)
})

// levels and modes

table(
  {
    rule: 'v3 adjust-account-mode',
    decision: 'every unified account is advanced: that is accepted, the other levels are refused (25009)',
  },
  [
    ['advanced', { mode: 'advanced' }, 'ok'],
    ['basic', { mode: 'basic' }, '25009'],
    ['delta', { mode: 'DELTA' }, '25009'],
    ['isolated', { mode: 'isolated' }, '25009'],
    ['an unknown level', { mode: 'pro' }, 'a parameter'],
    ['without a level', {}, 'a missing parameter'],
    ["nobody's account", { mode: 'advanced', targetUid: '99999999999' }, '40028'],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice')
    answers(await alice.post(`${account}/adjust-account-mode`, body), expected)
    expect(succeeds(await alice.get(`${account}/settings`)).data).toMatchObject({ accountLevel: 'advanced' })
  },
)

row('v3 adjust-account-mode', 'of a sub-account, by its main account', async () => {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main })
  const classic = await at.person('Classic', { parent: main, mode: 'classic' })
  const adjust = (targetUid: string, mode = 'advanced') =>
    main.post(`${account}/adjust-account-mode`, { mode, targetUid })
  succeeds(await adjust(sub.uid))
  refuses(await adjust(sub.uid, 'basic'), '25009')
  refuses(await adjust(classic.uid), '25009')
  refuses(await sub.post(`${account}/adjust-account-mode`, { mode: 'advanced', targetUid: main.uid }), '40028')
})

table(
  {
    rule: 'v2 set-asset-mode',
    decision: 'a classic account is single, a unified one union: what it has is accepted, the other refused (40812)',
  },
  [
    ['a classic account, single', 'classic', { assetMode: 'single' }, 'ok'],
    ['a classic account, union', 'classic', { assetMode: 'union' }, '40812'],
    ['a unified account, union', 'unified', { assetMode: 'UNION' }, 'ok'],
    ['a unified account, single', 'unified', { assetMode: 'single' }, '40812'],
    ['a hybrid account, single', 'hybrid', { assetMode: 'single' }, 'ok'],
    ['an unknown mode', 'classic', { assetMode: 'both' }, 'a parameter'],
    ['without a mode', 'classic', {}, 'a missing parameter'],
    ['without a product type', 'classic', { assetMode: 'single', productType: undefined }, 'a missing parameter'],
  ],
  async (mode, body, expected) => {
    const alice = await at.person('Alice', { mode })
    const asked = { productType: 'USDT-FUTURES', ...body }
    answers(await alice.post('/api/v2/mix/account/set-asset-mode', asked), expected)
  },
)

// giving to the main account

const giving = { rule: 'v3 sub-master-transfer', decision: 'by the key of the sub-account (43127 otherwise)' } as const

async function family() {
  const main = await at.person('Main')
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: '100' }, spot: { USDT: '10' } } })
  return { main, sub }
}

const gift = { fromType: 'uta', toType: 'uta', amount: '5', coin: 'USDT' }

row(giving, 'what leaves the sub-account arrives at its main account', async () => {
  const { main, sub } = await family()
  const answer = succeeds(await sub.post(`${account}/sub-master-transfer`, { ...gift, clientOid: 'gift' }))
  expect(answer.data).toEqual({ transferId: expect.stringMatching(/^\d+$/), clientOid: 'gift' })
  expect(await unifiedAsset(main, 'USDT')).toMatchObject({ available: '5' })
  expect(await unifiedAsset(sub, 'USDT')).toMatchObject({ available: '95' })
})

row(giving, 'the same again is the same transfer, other content under its name is refused', async () => {
  const { main, sub } = await family()
  const send = (more: object = {}) =>
    sub.post(`${account}/sub-master-transfer`, { ...gift, clientOid: 'twice', ...more })
  const [first, again] = [succeeds(await send()), succeeds(await send())]
  expect(again.data).toEqual(first.data)
  expect(await unifiedAsset(main, 'USDT')).toMatchObject({ available: '5' })
  refuses(await send({ amount: '6' }), 'a used transfer id')
  // The name is the sub-account's own.
  const same = { ...gift, fromUserId: sub.uid, toUserId: main.uid, clientOid: 'twice' }
  succeeds(await main.post(`${account}/sub-transfer`, same))
})

table(
  giving,
  [
    ['spot to spot, without a name', { fromType: 'spot', toType: 'spot' }, 'ok'],
    ['to p2p', { toType: 'P2P' }, 'ok'],
    ['all of it', { amount: '100' }, 'ok'],
    ['more than there is', { amount: '100.00000001' }, 'the transferable amount'],
    ['nothing', { amount: '0' }, 'a parameter'],
    ['below nothing', { amount: '-1' }, 'a parameter'],
    ['nine decimals', { amount: '1.123456789' }, 'a parameter'],
    ['without an amount', { amount: undefined }, 'a missing parameter'],
    ['out of p2p', { fromType: 'p2p' }, 'the account type'],
    ['into futures', { toType: 'usdt_futures' }, 'the account type'],
    ['an unknown coin', { coin: 'NOPE' }, 'an unknown coin'],
    ['a long name', { clientOid: 'x'.repeat(65) }, 'a parameter'],
  ],
  async (more, expected) => {
    const { sub } = await family()
    answers(await sub.post(`${account}/sub-master-transfer`, { ...gift, ...more }), expected)
  },
)

row(giving, 'a main account has nobody above it; a key has to be allowed to', async () => {
  const { main } = await family()
  refuses(await main.post(`${account}/sub-master-transfer`, gift), '43127')
  const trader = await at.person('Trader', { parent: main, permissions: ['uta_trade'] })
  refuses(await trader.post(`${account}/sub-master-transfer`, gift), '40014')
})

// margin of positions

const [v2Symbol, v3Symbol] = [
  { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', holdSide: 'long' },
  { category: 'USDT-FUTURES', symbol: 'BTCUSDT', posSide: 'long' },
]

table(
  'wire/errors: margin of a position that is not isolated',
  [
    // what                  path                                     body                                                 in cross mode
    ['auto margin on', '/api/v2/mix/account/set-auto-margin', { ...v2Symbol, autoMargin: 'on' }, '40874'],
    ['auto margin off', '/api/v2/mix/account/set-auto-margin', { ...v2Symbol, autoMargin: 'off' }, '40874'],
    ['more of it', '/api/v2/mix/account/set-margin', { ...v2Symbol, amount: '10' }, '40875'],
    ['more of it in v3', '/api/v3/account/set-margin', { ...v3Symbol, operation: 'add', amount: '10' }, '40875'],
  ],
  async (path, body, expected) => {
    const maker = await at.person('Maker', { funds: { uta: { USDT: '100000' } } })
    const alice = await at.person('Alice', { funds: { uta: { USDT: '100000' } } })
    await setMarginMode(alice, 'isolated')
    await taken(maker, 'sell 0.1 @ 60000')
    await taken(alice, 'buy 0.1 isolated @ 60000')
    succeeds(await alice.post(path, body))
    const bob = await at.person('Bob', { funds: { uta: { USDT: '100000' } } })
    await taken(maker, 'sell 0.1 @ 60000')
    await taken(bob, 'buy 0.1 @ 60000')
    refuses(await bob.post(path, body), expected)
  },
)

// a leverage for each side

interface Sides {
  readonly long: string
  readonly short: string
}

const bySides = {
  rule: 'set-leverage with longLeverage and shortLeverage',
  decision: 'both or neither: refused, each side keeps its own; what one gives back pays for the other',
} as const

const sent: Readonly<Record<'v2' | 'v3', (person: Person, sides: Sides) => ReturnType<Person['post']>>> = {
  v2: (person, { long, short }) =>
    person.post('/api/v2/mix/account/set-leverage', {
      productType: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      marginCoin: 'USDT',
      longLeverage: long,
      shortLeverage: short,
    }),
  v3: (person, { long, short }) =>
    person.post(`${account}/set-leverage`, {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      longLeverage: long,
      shortLeverage: short,
    }),
}

/** Long 0.1 and short 0.2 BTC at 60000, isolated at 20 times: 900 USDT apart, 89.2 of 1000 left. */
async function twoSided(): Promise<Person> {
  const [alice, bob] = [
    await at.person('Alice', { funds: { uta: { USDT: '1000' } } }),
    await at.person('Bob', { funds: { uta: { USDT: '100000' } } }),
  ]
  await setHoldMode(alice, 'hedge_mode')
  await setMarginMode(alice, 'isolated')
  for (const [his, hers] of [
    ['sell 0.1 @ 60000', 'buy 0.1 open @ 60000'],
    ['buy 0.2 @ 60000', 'sell 0.2 open @ 60000'],
  ] as const) {
    succeeds(await place(bob, his))
    succeeds(await alice.post(paths.placeOrder, { ...singleOrder(hers), marginMode: 'isolated' }))
  }
  return alice
}

async function sidesOf(person: Person): Promise<Sides> {
  const asked = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }
  const answer = succeeds(await person.get('/api/v2/mix/account/account', asked))
  const { isolatedLongLever, isolatedShortLever } = answer.data as Record<string, number>
  return { long: String(isolatedLongLever), short: String(isolatedShortLever) }
}

for (const version of ['v2', 'v3'] as const) {
  table(
    bySides,
    [
      [`${version}: the short’s beyond the range`, { long: '30', short: '126' }, 'the leverage'],
      [`${version}: the long’s beyond the range`, { long: '126', short: '30' }, 'the leverage'],
      [`${version}: the long’s beyond the money`, { long: '2', short: '30' }, '40893'],
      [`${version}: the short’s beyond the money`, { long: '30', short: '2' }, '40893'],
    ] as const,
    async (sides, expected) => {
      const alice = await twoSided()
      refuses(await sent[version](alice, sides), expected)
      expect(await sidesOf(alice)).toEqual({ long: '20', short: '20' })
    },
  )

  table(
    bySides,
    [
      // at 60 times the short gives back 400 of 600, the long 200 of 300; at 15 times they take 100 and 200
      [`${version}: the short pays for the long`, { long: '15', short: '60' }],
      [`${version}: the long pays for the short`, { long: '60', short: '15' }],
    ] as const,
    async (sides) => {
      const alice = await twoSided()
      succeeds(await sent[version](alice, sides))
      expect(await sidesOf(alice)).toEqual(sides)
    },
  )
}

table(
  {
    rule: 'v2 leverage of the margin mode that is not in force',
    decision: 'one-way mode has one leverage for both, and shows it so; in hedge mode isolated margin keeps its own',
  },
  `
    case         | hold mode    | opening              | leverage
    one-way mode | one_way_mode | buy 0.1 @ 60000      | 10
    hedge mode   | hedge_mode   | buy 0.1 open @ 60000 | 20
  `,
  async ({ holdMode, opening, leverage }) => {
    const funds = { usdt_futures: { USDT: '100000' } }
    const alice = await at.person('Alice', { mode: 'classic', funds })
    const bob = await at.person('Bob', { mode: 'classic', funds })
    await setHoldMode(alice, holdMode)
    const contract = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }
    const shown = { longLeverage: leverage, shortLeverage: leverage }

    const inCross = succeeds(await alice.post('/api/v2/mix/account/set-leverage', { ...contract, leverage: '10' }))
    expect(inCross.data).toMatchObject({ ...shown, crossMarginLeverage: '10', marginMode: 'crossed' })
    const chosenMode = { ...contract, marginMode: 'isolated' }
    expect(succeeds(await alice.post('/api/v2/mix/account/set-margin-mode', chosenMode)).data).toMatchObject(shown)
    expect(await sidesOf(alice)).toEqual({ long: leverage, short: leverage })

    succeeds(await place(bob, 'sell 0.1 @ 60000'))
    succeeds(await alice.post(paths.placeOrder, { ...singleOrder(opening), marginMode: 'isolated' }))
    expect(await onePosition(alice)).toMatchObject({ leverage, marginMode: 'isolated' })
  },
)
