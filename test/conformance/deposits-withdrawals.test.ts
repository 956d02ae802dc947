/**
 * Deposits and withdrawals over the simulated chain, by both versions of the interface.
 *
 * Source  design §4.41; docs/decisions/0027-simulated-chain.md; wire/client-endpoints.md §4; wire/v3-endpoints.md §4
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({
  durability: 'sync',
  clock: 'manual',
  environment: { TIDEMARK_DAILY_WITHDRAWALS_USD_MAX: '600000' },
})

const decision = { rule: 'design §4.41', decision: '0027' } as const
const second = 1000
const digits = expect.stringMatching(/^\d+$/)
const tron = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const v2 = '/api/v2/spot/wallet'
const v3 = '/api/v3/account'

type Version = 'v2' | 'v3'
const versions = ['v2', 'v3'] as const

/** The same calls in both versions. */
const paths = {
  address: { v2: `${v2}/deposit-address`, v3: `${v3}/deposit-address` },
  deposits: { v2: `${v2}/deposit-records`, v3: `${v3}/deposit-records` },
  withdraw: { v2: `${v2}/withdrawal`, v3: `${v3}/withdrawal` },
  withdrawals: { v2: `${v2}/withdrawal-records`, v3: `${v3}/withdrawal-records` },
  cancel: { v2: `${v2}/cancel-withdrawal`, v3: `${v3}/cancel-withdrawal` },
} as const

async function unified(name = 'Uma'): Promise<Person> {
  return at.person(name, { mode: 'unified', funds: { uta: { USDT: '1000', BTC: '1' } } })
}

async function classic(name = 'Carol'): Promise<Person> {
  return at.person(name, { mode: 'classic', funds: { spot: { USDT: '1000', XRP: '1000' } } })
}

function send(person: Person, coin: string, chain: string, amount: string): Promise<Fields> {
  return at.venue.operator<Fields>('chain/deposits', { uid: person.uid, coin, chain, amount })
}

function ask(person: Person, version: Version, more: object = {}): Promise<Answer> {
  const body = { coin: 'USDT', transferType: 'on_chain', address: tron, chain: 'TRC20', size: '100', ...more }
  return person.post(paths.withdraw[version], body)
}

async function list(person: Person, what: 'deposits' | 'withdrawals', version: Version, query: object = {}) {
  return succeeds(await person.get(paths[what][version], query as Record<string, string>)).list()
}

for (const version of versions) {
  row(decision, `${version}: a deposit is pending for its blocks, then in the wallet and in the bills`, async () => {
    const uma = await unified()
    const { address } = succeeds(await uma.get(paths.address[version], { coin: 'USDT', chain: 'trc20' })).fields
    expect(address).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)
    const sent = await send(uma, 'USDT', 'TRC20', '25.5')
    expect(sent).toMatchObject({ address, chain: 'TRC20' })
    const sentAt = String(at.venue.now())
    const [pending] = await list(uma, 'deposits', version)
    const shared = {
      orderId: sent['orderId'],
      coin: 'USDT',
      type: 'deposit',
      dest: 'on_chain',
      size: '25.5',
      toAddress: address,
      fromAddress: expect.stringMatching(/^T/),
      tag: '',
      chain: 'TRC20',
      clientOid: '',
    }
    const transaction = expect.stringMatching(/^[0-9a-f]{64}$/)
    const named =
      version === 'v2'
        ? { tradeId: transaction, cTime: sentAt, uTime: sentAt, confirm: '0' }
        : { recordId: transaction, createdTime: sentAt, updatedTime: sentAt }
    expect(pending).toEqual({ ...shared, ...named, status: 'pending' })
    await at.venue.advance(63 * second)
    const [arrived] = await list(uma, 'deposits', version, { orderId: sent['orderId'] })
    expect(arrived).toMatchObject({ orderId: sent['orderId'], status: 'success' })
    const [bill] = succeeds(await uma.get('/api/v3/account/financial-records', { category: 'OTHER', limit: 1 })).list(
      'list',
    )
    expect(bill).toMatchObject({ type: 'TRANSFER_IN', amount: '25.5', balance: '1025.5' })
  })

  row(decision, `${version}: a withdrawal with its fee, from pending to success`, async () => {
    const uma = await unified()
    const asked = succeeds(await ask(uma, version, { clientOid: `w-${version}` })).fields
    expect(asked).toEqual({ orderId: digits, clientOid: `w-${version}` })
    const [pending] = await list(uma, 'withdrawals', version)
    const shared = {
      orderId: asked['orderId'],
      type: 'withdraw',
      size: '100',
      fee: '-1.5',
      toAddress: tron,
      confirm: '0',
    }
    expect(pending).toMatchObject({ ...shared, status: 'pending', [version === 'v2' ? 'tradeId' : 'recordId']: '' })
    await at.venue.advance(30 * second)
    const transaction = expect.stringMatching(/^[0-9a-f]{64}$/)
    const [sent] = await list(uma, 'withdrawals', version)
    expect(sent).toMatchObject({
      ...shared,
      status: 'pending',
      [version === 'v2' ? 'tradeId' : 'recordId']: transaction,
    })
    await at.venue.advance(120 * second)
    const [done] = await list(uma, 'withdrawals', version, { clientOid: `w-${version}` })
    expect(done).toMatchObject({ ...shared, status: 'success', confirm: '20' })
    const [bill] = succeeds(await uma.get('/api/v3/account/financial-records', { category: 'OTHER', limit: 1 })).list(
      'list',
    )
    expect(bill).toMatchObject({ type: 'TRANSFER_OUT', amount: '-100', fee: '-1.5', balance: '900' })
  })

  row(decision, `${version}: canceled before it is sent, its money is back; afterwards it is too late`, async () => {
    const uma = await unified()
    const first = succeeds(await ask(uma, version)).fields
    succeeds(await uma.post(paths.cancel[version], { orderId: first['orderId'] }))
    const [record] = await list(uma, 'withdrawals', version)
    expect(record).toMatchObject({ orderId: first['orderId'], status: 'cancel' })
    refuses(await uma.post(paths.cancel[version], { orderId: first['orderId'] }), '45055')
    refuses(await uma.post(paths.cancel[version], { orderId: '1' }), 'an unknown order')
    const second_ = succeeds(await ask(uma, version)).fields
    await at.venue.advance(30 * second)
    refuses(await uma.post(paths.cancel[version], { orderId: second_['orderId'] }), '45055')
    const other = await unified('Una')
    refuses(await other.post(paths.cancel[version], { orderId: second_['orderId'] }), 'an unknown order')
    const [bill] = succeeds(await uma.get('/api/v3/account/financial-records', { category: 'OTHER' }))
      .list('list')
      .slice(1)
    expect(bill).toMatchObject({ type: 'TRANSFER_IN', amount: '100', fee: '1.5', balance: '1000' })
  })

  row(decision, `${version}: a repeat answers the first, other content under its id is refused`, async () => {
    const uma = await unified()
    const first = succeeds(await ask(uma, version, { clientOid: 'same' })).fields
    expect(succeeds(await ask(uma, version, { clientOid: 'same' })).fields).toEqual(first)
    refuses(await ask(uma, version, { clientOid: 'same', size: '101' }), 'a used transfer id')
    expect(await list(uma, 'withdrawals', version)).toHaveLength(1)
  })

  row(
    decision,
    `${version}: inside the venue by account number, and over a network to an address of the venue`,
    async () => {
      const uma = await unified()
      const una = await unified('Una')
      succeeds(await ask(uma, version, { transferType: 'internal_transfer', address: una.uid, size: '5' }))
      const inside = {
        status: 'success',
        dest: 'internal_transfer',
        size: '5',
        fromAddress: uma.uid,
        toAddress: una.uid,
      }
      expect(await list(una, 'deposits', version)).toMatchObject([{ ...inside, chain: '' }])
      expect(await list(uma, 'withdrawals', version)).toMatchObject([{ ...inside, fee: '0' }])
      const { address } = succeeds(await una.get(paths.address[version], { coin: 'USDT', chain: 'TRC20' })).fields
      succeeds(await ask(uma, version, { address }))
      await at.venue.advance(120 * second)
      const [sent] = await list(uma, 'withdrawals', version)
      const [came] = await list(una, 'deposits', version)
      const transaction = version === 'v2' ? 'tradeId' : 'recordId'
      expect(came).toMatchObject({ size: '98.5', status: 'success', [transaction]: sent?.[transaction] })
    },
  )

  row(decision, `${version}: pages neither repeat nor miss, whether under way or ended`, async () => {
    const uma = await unified()
    const sent: unknown[] = []
    for (const amount of ['1', '2', '3', '4', '5']) {
      sent.unshift((await send(uma, 'USDT', 'TRC20', amount))['orderId'])
      await at.venue.advance(20 * second)
    }
    const before = version === 'v2' ? 'idLessThan' : 'cursor'
    const first = await list(uma, 'deposits', version, { limit: 2 })
    const rest = await list(uma, 'deposits', version, { limit: 3, [before]: first.at(-1)?.['orderId'] })
    expect([...first, ...rest].map(({ orderId }) => orderId)).toEqual(sent)
    expect(first.map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect(rest.at(-1)).toMatchObject({ status: 'success' })
    expect(await list(uma, 'deposits', version, { coin: 'BTC' })).toEqual([])
    expect(
      await list(uma, 'deposits', version, { startTime: at.venue.now() + 1, endTime: at.venue.now() + 2 }),
    ).toEqual([])
  })
}

table(
  decision,
  [
    ["the network is not the coin's", { chain: 'BTC' }, '40034'],
    ['no network on chain', { chain: undefined }, 'a missing parameter'],
    ['no network of that name', { chain: 'MOON' }, '40034'],
    ['an address of another network', { address: '0x00000000219ab540356cBB839Cbe05303d7705Fa' }, '47002'],
    ['no address', { address: '' }, 'a missing parameter'],
    ['a tag where none is', { tag: '5' }, '47002'],
    ['below the least', { size: '9.999999' }, '43114'],
    ['finer than the coin', { size: '100.0000001' }, '43124'],
    ['more than eight decimals', { size: '100.000000001' }, 'a parameter'],
    ['nothing', { size: '0' }, 'a parameter'],
    ['less than nothing', { size: '-1' }, 'a parameter'],
    ['more than there is', { size: '1000.01' }, 'no balance'],
    ['a coin that is none', { coin: 'NOSUCH' }, 'an unknown coin'],
    ['no such way', { transferType: 'pigeon' }, 'a parameter'],
    ['by mail', { transferType: 'internal_transfer', innerToType: 'email', address: 'a@b.c' }, 'a parameter'],
    ['to nobody', { transferType: 'internal_transfer', address: '77' }, '47002'],
    ['to something else than a number', { transferType: 'internal_transfer', address: 'bob' }, '47002'],
  ] as const,
  async (more, refusal) => {
    const uma = await unified()
    for (const version of versions) refuses(await ask(uma, version, more), refusal)
    refuses(await ask(uma, 'v3', { transferType: 'internal_transfer', address: uma.uid }), '43121')
    expect(await list(uma, 'withdrawals', 'v3')).toEqual([])
  },
)

row(decision, 'a key withdraws with the permission for it alone, and a sub-account not at all', async () => {
  const body = { coin: 'USDT', transferType: 'on_chain', address: tron, chain: 'TRC20', size: '100' }
  for (const [mode, path] of [
    ['unified', paths.withdraw.v2],
    ['unified', paths.withdraw.v3],
    ['unified', `${v3}/withdraw`],
    ['classic', paths.withdraw.v2],
  ] as const) {
    const person = await at.person('Kim', { mode, funds: { [mode === 'unified' ? 'uta' : 'spot']: { USDT: '200' } } })
    const without = await at.venue.makeKey(person.uid, ['uta_trade', 'uta_mgt', 'spot_trade', 'transfer'])
    refuses(await person.post(path, body, { key: without }), '40014')
    const readOnly = await at.venue.makeKey(person.uid, ['read'])
    refuses(await person.post(path, body, { key: readOnly }), '40014')
    const only = await at.venue.makeKey(person.uid, ['withdraw'])
    succeeds(await person.post(path, body, { key: only }))
  }
  const main = await unified('Mia')
  const sub = await at.person('Sam', { mode: 'unified', parent: main, funds: { uta: { USDT: '200' } } })
  refuses(await sub.post(paths.withdraw.v3, body), 'no main account')
})

row(decision, 'XRP has one address for all and a tag for each; a withdrawal needs one', async () => {
  const carol = await classic()
  const dave = await classic('Dave')
  const of = async (person: Person) => succeeds(await person.get(paths.address.v2, { coin: 'XRP' })).fields
  const [carols, daves] = [await of(carol), await of(dave)]
  expect(carols).toMatchObject({ address: daves['address'], chain: 'XRP', coin: 'XRP', tag: digits })
  expect(carols['tag']).not.toBe(daves['tag'])
  const body = { coin: 'XRP', transferType: 'on_chain', chain: 'XRP', address: daves['address'], size: '100' }
  refuses(await carol.post(paths.withdraw.v2, body), '43116')
  refuses(await carol.post(paths.withdraw.v2, { ...body, tag: 'memo' }), '47002')
  succeeds(await carol.post(paths.withdraw.v2, { ...body, tag: daves['tag'] }))
  await at.venue.advance(60 * second)
  expect(await list(dave, 'deposits', 'v2')).toMatchObject([{ size: '99.75', status: 'success', tag: daves['tag'] }])
  const bills = succeeds(await carol.get('/api/v2/spot/account/bills', { coin: 'XRP', groupType: 'withdraw' })).list()
  expect(bills).toMatchObject([{ businessType: 'withdraw', size: '-100', fees: '-0.25', balance: '900' }])
  const came = succeeds(await dave.get('/api/v2/spot/account/bills', { coin: 'XRP', businessType: 'deposit' })).list()
  expect(came[0]).toMatchObject({ groupType: 'deposit', size: '99.75', balance: '1099.75' })
})

row(decision, 'the operator closes and opens networks, and both versions say so', async () => {
  const uma = await unified()
  const chains = async () => {
    const coins = succeeds(await at.venue.get('/api/v2/spot/public/coins', { coin: 'USDT' })).data
    return (coins as { chains: Fields[] }[])[0].chains.map(({ chain, withdrawable, rechargeable }) =>
      [chain, withdrawable, rechargeable].join(' '),
    )
  }
  expect(await chains()).toEqual(['ERC20 true true', 'TRC20 true true', 'BEP20 true true', 'SOL true true'])
  await at.venue.operator('coins/chains', { coin: 'USDT', chain: 'trc20', deposit: 'no', withdraw: 'no' })
  expect((await chains())[1]).toBe('TRC20 false false')
  for (const version of versions) {
    refuses(await ask(uma, version), '43126')
    refuses(await uma.get(paths.address[version], { coin: 'USDT', chain: 'TRC20' }), '47001')
  }
  await at.venue.operator('coins/chains', { coin: 'USDT', deposit: 'yes', withdraw: 'yes' })
  expect((await chains())[1]).toBe('TRC20 true true')
})

row(decision, 'deposits of a coin go into the wallet that the account chose', async () => {
  const uma = await unified()
  expect(succeeds(await uma.post(`${v3}/deposit-account`, { coin: 'USDT', accountType: 'funding' })).data).toBe(
    'success',
  )
  await send(uma, 'USDT', 'TRC20', '3')
  await at.venue.advance(120 * second)
  const funding = succeeds(await uma.get('/api/v3/account/funding-assets', { coin: 'USDT' })).list()
  expect(funding).toMatchObject([{ coin: 'USDT', balance: '3' }])
  const carol = await classic()
  succeeds(await carol.post(`${v2}/modify-deposit-account`, { coin: 'USDT', accountType: 'usdt-futures' }))
  refuses(await carol.post(`${v2}/modify-deposit-account`, { coin: 'USDT', accountType: 'moon' }), 'a parameter')
  refuses(await carol.post(`${v2}/modify-deposit-account`, { coin: 'USDT', accountType: 'coin-futures' }), '43129')
})

row(decision, 'v3: funding, otc and uta give in this order', async () => {
  const funds = { spot: { USDT: '60' }, p2p: { USDT: '30' }, uta: { USDT: '100' } }
  const uma = await at.person('Uma', { mode: 'unified', funds })
  refuses(await ask(uma, 'v3', { accountType: 'funding' }), 'no balance')
  refuses(await ask(uma, 'v3', { accountType: 'spot' }), 'a parameter')
  succeeds(await ask(uma, 'v3'))
  const [left] = succeeds(await uma.get('/api/v3/account/financial-records', { category: 'OTHER', limit: 1 })).list(
    'list',
  )
  expect(left).toMatchObject({ amount: '-10', balance: '90' })
})

row(decision, 'a main account asks for the addresses and deposits of its sub-accounts', async () => {
  const main = await unified('Mia')
  const sub = await at.person('Sam', { mode: 'unified', parent: main })
  const own = succeeds(await sub.get(paths.address.v3, { coin: 'BTC' })).fields
  for (const path of [`${v2}/subaccount-deposit-address`, `${v3}/sub-deposit-address`]) {
    expect(succeeds(await main.get(path, { subUid: sub.uid, coin: 'BTC' })).fields).toEqual(own)
    refuses(await main.get(path, { subUid: '77', coin: 'BTC' }), 'no sub-account of the caller')
  }
  await send(sub, 'BTC', 'BTC', '0.5')
  const records = [
    await main.get(`${v2}/subaccount-deposit-records`, { subUid: sub.uid }),
    await main.get(`${v3}/sub-deposit-records`, { subUid: sub.uid }),
    await main.post(`${v3}/sub-deposit-records`, { subUid: sub.uid }),
  ]
  for (const answer of records) expect(succeeds(answer).list()).toMatchObject([{ coin: 'BTC', size: '0.5' }])
})

row(decision, 'v3: the addresses that an account withdrew to', async () => {
  const uma = await unified()
  const una = await unified('Una')
  succeeds(await ask(uma, 'v3'))
  succeeds(await ask(uma, 'v3', { transferType: 'internal_transfer', address: una.uid }))
  const first = succeeds(await uma.get(`${v3}/withdraw-address`, { limit: 1 })).fields
  expect(first['addressList']).toMatchObject([{ address: una.uid, type: 'internal', internalType: 'uid' }])
  const next = succeeds(await uma.get(`${v3}/withdraw-address`, { cursor: first['cursor'] })).fields
  expect(next).toMatchObject({ addressList: [{ address: tron, chain: 'TRC20', type: 'regular' }], cursor: null })
  refuses(await uma.get(`${v3}/withdraw-address`, { cursor: 'nonsense' }), 'a parameter')
})

row(
  decision,
  'an operator refuses a withdrawal that waits, and what the chain carries stays in the books',
  async () => {
    const uma = await unified()
    const { orderId } = succeeds(await ask(uma, 'v3')).fields
    await at.venue.operator('chain/withdrawals/reject', { orderId })
    expect(await list(uma, 'withdrawals', 'v3')).toMatchObject([{ orderId, status: 'fail' }])
    await expect(at.venue.operator('chain/withdrawals/reject', { orderId })).rejects.toThrow(/under way/)
  },
)

row(decision, 'the daily limit is the one of the configuration, also after a restart', async () => {
  const ann = await at.person('Ann', { mode: 'unified', funds: { uta: { USDT: '700000' } } })
  refuses(await ask(ann, 'v2', { size: '600001' }), '43113')
  succeeds(await ask(ann, 'v2', { size: '599990' }))
  await at.venue.restart()
  refuses(await ask(ann, 'v3', { size: '11' }), '43113')
  succeeds(await ask(ann, 'v3', { size: '10' }))
})
