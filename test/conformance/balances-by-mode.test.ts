/**
 * What an account has, as every read tells it: in each mode, while its mode changes, and after.
 *
 * Money     each wallet has another power of two in USDT, so that a sum says which wallets are in it
 * Changing  a read sees the mode that is being left; what counts all wallets counts the same at all times
 * Source    design.md §3; wire/client-endpoints.md §4; wire/v3-endpoints.md §4
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

const prices: Readonly<Record<string, number>> = { USDT: 1, USDC: 1, BTC: 64_000 }

const inWallets = {
  spot: { USDT: '1' }, // 1
  p2p: { USDT: '2' }, // 2
  usdt_futures: { USDT: '4' }, // 4
  crossed_margin: { USDT: '8' }, // 8
  uta: { USDT: '16' }, // 16
  usdc_futures: { USDC: '32' }, // 32
  coin_futures: { BTC: '0.001' }, // 64
} as const

const { uta, p2p, ...ofClassicSub } = inWallets
const funds = {
  'unified main': inWallets,
  'hybrid main': inWallets,
  'classic main': { ...ofClassicSub, p2p },
  'unified sub': { spot: inWallets.spot, uta },
  'classic sub': ofClassicSub,
} as const

type Role = keyof typeof funds

interface Seen {
  /** `all-account-balance`, and what the operator sees, alone and in the list. */
  readonly all: number
  readonly spot: number
  readonly funding: number
  readonly margin: number
  /** By product line: USDT, USDC, coin. */
  readonly futures: readonly number[]
  /** Over v3, which a classic account may not use: its assets and its funding wallet. */
  readonly v3?: readonly [assets: number, funding: number]
}

const classic = { spot: 1, funding: 1, margin: 8, futures: [4, 32, 64] }
const unified = { spot: 16, funding: 1, margin: 16, futures: [16, 0, 0], v3: [16, 1] as const }
/** The classic wallets of a main account stay what they were; `uta` comes into `spot`. */
const fromUta = { ...classic, spot: 17, funding: 17 }

table<readonly [string, Role, 'unified' | 'classic', Seen, Seen, Seen]>(
  {
    rule: 'Account states: balances',
    decision:
      'while the mode changes reads see the mode that is left; all wallets count at all times; v3 shows the trading wallets of a classic account that becomes unified as one',
  },
  [
    // who                      role            becomes    before                     meanwhile                                      after
    [
      'a classic account becomes unified',
      'classic main',
      'unified',
      { all: 111, ...classic },
      { all: 111, ...classic, v3: [108, 1] },
      { all: 111, spot: 109, funding: 0, margin: 109, futures: [13, 32, 64], v3: [109, 0] },
    ],
    [
      'a hybrid account becomes unified',
      'hybrid main',
      'unified',
      { all: 127, ...classic, v3: [16, 1] },
      { all: 127, ...classic, v3: [16, 1] },
      { all: 127, spot: 125, funding: 0, margin: 125, futures: [29, 32, 64], v3: [125, 0] },
    ],
    [
      'a hybrid account becomes classic',
      'hybrid main',
      'classic',
      { all: 127, ...classic, v3: [16, 1] },
      { all: 127, ...classic, v3: [16, 1] },
      { all: 127, ...fromUta },
    ],
    [
      'a unified account, with money in classic wallets, becomes classic',
      'unified main',
      'classic',
      { all: 127, ...unified },
      { all: 127, ...unified },
      { all: 127, ...fromUta },
    ],
    [
      'a classic sub-account becomes unified',
      'classic sub',
      'unified',
      { all: 109, ...classic },
      { all: 109, ...classic, v3: [108, 1] },
      { all: 109, spot: 109, funding: 0, margin: 109, futures: [13, 32, 64], v3: [109, 0] },
    ],
    [
      'a unified sub-account becomes classic',
      'unified sub',
      'classic',
      { all: 17, ...unified },
      { all: 17, ...unified },
      { all: 17, spot: 17, funding: 17, margin: 0, futures: [0, 0, 0] },
    ],
  ],
  async (role, mode, before, meanwhile, after) => {
    await at.venue.setIndexPrices({ USDT: '1', USDC: '1', BTC: '64000' })
    const [alice, parent] = await owner(role)
    await sees(alice, parent, before)
    await at.venue.operator('accounts/mode', { uid: alice.uid, mode })
    await sees(alice, parent, meanwhile)
    await at.venue.advance(59_999)
    await sees(alice, parent, meanwhile)
    await at.venue.advance(1)
    await sees(alice, parent, after)
  },
)

async function owner(role: Role): Promise<[Person, Person | undefined]> {
  const mode = role.split(' ')[0] as 'unified' | 'hybrid' | 'classic'
  if (role.endsWith('main')) return [await at.person('Alice', { mode, funds: funds[role] }), undefined]
  const parent = await at.person('Alice')
  return [await at.person('Bob', { mode, parent, funds: funds[role] }), parent]
}

async function sees(alice: Person, parent: Person | undefined, expected: Seen): Promise<void> {
  const { v3, futures, ...others } = expected
  expect({ all: await allAccounts(alice), ...(await walletsSeen(alice)) }).toEqual(others)
  expect(await operatorSees(alice)).toEqual([expected.all, expected.all, expected.all])
  const lines = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES']
  expect(await Promise.all(lines.map((line) => futuresOf(alice, line)))).toEqual(futures)
  if (v3 !== undefined) expect(await overV3(alice)).toEqual(v3)
  if (parent === undefined) return
  const shown = await Promise.all(lines.map((line) => futuresOfSub(parent, alice, line)))
  expect(shown).toEqual(futures)
  const subs = succeeds(await parent.get('/api/v2/spot/account/subaccount-assets')).list()
  const mine = subs.find(({ userId }) => userId === alice.uid)
  expect(worth(mine?.['assetsList'] ?? [], 'available', 'frozen')).toBe(others.spot)
}

async function allAccounts(alice: Person): Promise<number> {
  return worth(await list(alice, '/api/v2/account/all-account-balance'), 'usdtBalance')
}

async function walletsSeen(alice: Person) {
  return {
    spot: worth(await list(alice, '/api/v2/spot/account/assets'), 'available', 'frozen'),
    funding: worth(await list(alice, '/api/v2/account/funding-assets'), 'available', 'frozen'),
    margin: worth(await list(alice, '/api/v2/margin/crossed/account/assets'), 'net'),
  }
}

async function operatorSees({ uid }: Person): Promise<number[]> {
  const { equityUsdt, wallets } = (await at.venue.operator(`accounts/holdings?uid=${uid}`)) as Fields
  const page = await at.venue.operator(`accounts?worth=yes&search=${uid}`)
  const [account] = (page as { accounts: Fields[] }).accounts
  return [Number(equityUsdt), worth(wallets, 'balance'), Number(account?.['equityUsdt'])]
}

async function futuresOf(alice: Person, productType: string): Promise<number> {
  const all = await list(alice, '/api/v2/mix/account/accounts', { productType })
  return all.reduce((sum, { usdtEquity }) => sum + Number(usdtEquity), 0)
}

async function futuresOfSub(parent: Person, { uid }: Person, productType: string): Promise<number> {
  const subs = await list(parent, '/api/v2/mix/account/sub-account-assets', { productType })
  const assets = (subs.find(({ userId }) => String(userId) === uid)?.['assetList'] ?? []) as Fields[]
  return assets.reduce((sum, { usdtEquity }) => sum + Number(usdtEquity), 0)
}

async function overV3(alice: Person): Promise<[number, number]> {
  const { accountEquity, assets } = succeeds(await alice.get('/api/v3/account/assets')).fields
  expect(worth(assets, 'equity')).toBe(Number(accountEquity))
  return [Number(accountEquity), worth(await list(alice, '/api/v3/account/funding-assets'), 'balance')]
}

async function list(alice: Person, path: string, query = {}): Promise<Fields[]> {
  return succeeds(await alice.get(path, query)).list()
}

/** In USDT; what names no coin is in USDT. */
function worth(records: unknown, ...names: readonly string[]): number {
  return (records as Fields[]).reduce((sum, record) => {
    const units = names.reduce((all, name) => all + Number(record[name]), 0)
    return sum + units * (prices[String(record['coin'] ?? 'USDT')] ?? 0)
  }, 0)
}

row('Account states: balances', 'the account channels of both versions see what is left, too', async () => {
  await at.venue.setIndexPrices({ USDT: '1', USDC: '1', BTC: '64000' })
  const [alice] = await owner('hybrid main')
  await at.venue.operator('accounts/mode', { uid: alice.uid, mode: 'classic' })
  const v2 = await Socket.of(alice, '/v2/ws/private')
  const seen: Record<string, unknown> = {}
  for (const instType of ['SPOT', 'USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES']) {
    await v2.subscribe({ instType, channel: 'account', coin: 'default' })
    const { data } = await v2.push('account')
    seen[instType] =
      instType === 'SPOT'
        ? worth(data, 'available', 'frozen')
        : (data as Fields[]).reduce((sum, { usdtEquity }) => sum + Number(usdtEquity), 0)
  }
  v2.close()
  const v3 = await Socket.of(alice, '/v3/ws/private')
  await v3.subscribe({ instType: 'UTA', topic: 'account' })
  const [{ totalEquity }] = (await v3.push('account')).data as [Fields]
  v3.close()
  expect({ ...seen, UTA: Number(totalEquity) }).toEqual({
    SPOT: 1,
    'USDT-FUTURES': 4,
    'USDC-FUTURES': 32,
    'COIN-FUTURES': 64,
    UTA: 16,
  })
})

row('v2 all-account-balance', 'what a unified account moves into a classic wallet goes on counting', async () => {
  const alice = await at.person('Alice', { mode: 'unified', funds: { spot: { USDT: '200000' } } })
  const move = { fromType: 'spot', toType: 'usdt_futures', coin: 'USDT', amount: '180020' }
  succeeds(await alice.post('/api/v2/spot/wallet/transfer', move))
  expect(await list(alice, '/api/v2/account/all-account-balance')).toEqual([
    { accountType: 'spot', usdtBalance: '19980' },
    { accountType: 'p2p', usdtBalance: '0' },
    { accountType: 'futures', usdtBalance: '180020' },
    { accountType: 'uta', usdtBalance: '0' },
  ])
  expect(await at.venue.operator(`accounts/holdings?uid=${alice.uid}`)).toMatchObject({ equityUsdt: '200000' })
})
