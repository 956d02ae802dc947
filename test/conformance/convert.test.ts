/**
 * Conversions over v2, and their records on both versions. BTC stands at 60000, USDT at 1; the house takes 0.001 and a quote
 * holds for eight seconds.
 *
 * Source  fidelity §2; docs/decisions/0031-conversions.md
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person, Query } from '../support/person.ts'
import type { Funds } from '../support/venue.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ durability: 'sync', clock: 'manual' })

const source = 'fidelity §2 convert'
const currencies = '/api/v2/convert/currencies'
const quotedPrice = '/api/v2/convert/quoted-price'
const trade = '/api/v2/convert/trade'
const records = '/api/v2/convert/convert-record'
const digits = expect.stringMatching(/^\d+$/)

const asked = { fromCoin: 'USDT', toCoin: 'BTC', fromCoinSize: '6000' }

async function carol(funds: Funds = { spot: { USDT: '10000', BTC: '1' } }): Promise<Person> {
  return at.person('Carol', { mode: 'classic', funds })
}

/** Undefined: left away. */
type Changed = Readonly<Record<string, string | undefined>>

/** What a trade sends: the quote without its fee. */
async function quoted(person: Person, query: Query = asked): Promise<Fields> {
  const { fee: _none, ...quote } = succeeds(await person.get(quotedPrice, query)).fields
  return quote
}

row(source, 'coins with what the account has, and what one conversion takes', async () => {
  const found = succeeds(await (await carol()).get(currencies)).list()
  expect(found).toContainEqual({
    coin: 'BTC',
    available: '1',
    minAmount: '0.00001667',
    maxAmount: '1.66666666',
  })
  expect(found).toContainEqual({ coin: 'USDT', available: '10000', minAmount: '1', maxAmount: '100000' })
})

row(source, 'a quote of what is given, its trade, both balances, bills and the record', async () => {
  const person = await carol()
  const quote = succeeds(await person.get(quotedPrice, asked)).fields
  expect(quote).toEqual({
    fee: '0',
    fromCoin: 'USDT',
    fromCoinSize: '6000',
    cnvtPrice: '0.00001665',
    toCoin: 'BTC',
    toCoinSize: '0.0999',
    traceId: digits,
  })
  const { fee: _none, ...body } = quote
  const done = succeeds(await person.post(trade, body)).fields
  expect(done).toEqual({ ts: String(at.venue.now()), cnvtPrice: '0.00001665', toCoin: 'BTC', toCoinSize: '0.0999' })
  const assets = succeeds(await person.get('/api/v2/spot/account/assets')).list()
  const available = Object.fromEntries(assets.map((asset) => [asset['coin'], asset['available']]))
  expect(available).toMatchObject({ USDT: '4000', BTC: '1.0999' })
  const bills = succeeds(await person.get('/api/v2/spot/account/bills', { groupType: 'convert' })).list()
  expect(bills).toMatchObject([
    { coin: 'BTC', businessType: 'convert_in', size: '0.0999', balance: '1.0999' },
    { coin: 'USDT', businessType: 'convert_out', size: '-6000', balance: '4000' },
  ])
  const found = succeeds(await person.get(records))
  const { endId } = found.fields
  expect(found.list('dataList')).toEqual([
    {
      id: endId,
      ts: done['ts'],
      cnvtPrice: '0.00001665',
      fee: '0',
      fromCoin: 'USDT',
      fromCoinSize: '6000',
      toCoin: 'BTC',
      toCoinSize: '0.0999',
    },
  ])
})

row(source, 'a quote of what comes', async () => {
  const quote = await quoted(await carol(), { fromCoin: 'BTC', toCoin: 'USDT', toCoinSize: '599.4' })
  expect(quote).toMatchObject({ fromCoinSize: '0.01', cnvtPrice: '59940', toCoinSize: '599.4' })
})

table(
  source,
  [
    ['neither amount', { fromCoinSize: undefined }, 'a missing parameter', /fromCoinSize/],
    ['both amounts', { toCoinSize: '0.1' }, 'a parameter', /toCoinSize/],
    ['no coin to give', { fromCoin: undefined }, 'a missing parameter', /fromCoin/],
    ['an unknown coin', { toCoin: 'NOSUCH' }, 'an unknown coin', /NOSUCH/],
    ['the same coin', { toCoin: 'usdt' }, 'a parameter', /toCoin should be another coin/],
    ['zero', { fromCoinSize: '0' }, 'a parameter', /fromCoinSize/],
    ['below zero', { fromCoinSize: '-1' }, 'a parameter', /fromCoinSize/],
    ['nine decimals', { fromCoinSize: '1.000000001' }, '43125', /8 decimal/],
    ['less than the minimum', { fromCoinSize: '0.99' }, '43037', /1$/],
    ['more than the maximum', { fromCoinSize: '100000.01' }, '43038', /100000$/],
  ],
  async (change: Changed, code, message) => {
    const query = Object.entries({ ...asked, ...change }).filter(([, value]) => value !== undefined)
    const answer = await (await carol()).get(quotedPrice, Object.fromEntries(query))
    refuses(answer, code)
    expect(answer.msg).toMatch(message)
  },
)

table(
  source,
  [
    ['another price', { cnvtPrice: '0.00001666' }, 'a parameter', /cnvtPrice/],
    ['another amount to get', { toCoinSize: '0.1' }, 'a parameter', /toCoinSize/],
    ['another amount to give', { fromCoinSize: '5000' }, 'a parameter', /fromCoinSize/],
    ['another coin', { toCoin: 'ETH' }, 'a parameter', /toCoin/],
    ['an unknown quote', { traceId: '1' }, 'a parameter', /traceId/],
    ['no quote', { traceId: undefined }, 'a missing parameter', /traceId/],
    ['no price', { cnvtPrice: undefined }, 'a missing parameter', /cnvtPrice/],
  ],
  async (change: Changed, code, message) => {
    const person = await carol()
    const body = Object.fromEntries(Object.entries({ ...(await quoted(person)), ...change }))
    const answer = await person.post(trade, JSON.parse(JSON.stringify(body)) as Fields)
    refuses(answer, code)
    expect(answer.msg).toMatch(message)
    expect(succeeds(await person.get(records)).fields).toEqual({ dataList: [], endId: '' })
  },
)

row(source, 'a quote that was used, one that is over, one of somebody else', async () => {
  const person = await carol()
  const first = await quoted(person)
  succeeds(await person.post(trade, { ...first, cnvtPrice: '0.0000166500' }))
  const again = await person.post(trade, first)
  refuses(again, 'a parameter')
  expect(again.msg).toMatch(/traceId is of a quote that was used/)
  const late = await quoted(person, { ...asked, fromCoinSize: '10' })
  await at.venue.advance(8_001)
  const over = await person.post(trade, late)
  refuses(over, 'a parameter')
  expect(over.msg).toMatch(/traceId is of a quote that is over/)
  const dave = await at.person('Dave', { mode: 'classic', funds: { spot: { USDT: '10000' } } })
  refuses(await dave.post(trade, await quoted(person)), 'a parameter')
})

row(source, 'more than the account has', async () => {
  const person = await carol({ spot: { USDT: '5999.99999999' } })
  refuses(await person.post(trade, await quoted(person)), 'no balance')
})

row(source, 'a unified account converts in its unified wallet, and v3 lists it as well', async () => {
  const person = await at.person('Uma', { mode: 'unified', funds: { uta: { USDT: '10000' } } })
  succeeds(await person.post(trade, await quoted(person)))
  const list = succeeds(await person.get('/api/v3/account/convert-records')).list('list')
  const record = { fromCoin: 'USDT', fromCoinSize: '6000', toCoin: 'BTC', toCoinSize: '0.0999', price: '0.00001665' }
  expect(list).toEqual([{ ...record, ts: digits }])
  const bills = succeeds(await person.get('/api/v3/account/financial-records', { category: 'OTHER' })).list('list')
  expect(bills.map(({ type }) => type).slice(0, 2)).toEqual(['CONVERT_TRANSFER_IN', 'CONVERT_TRANSFER_OUT'])
  expect(succeeds(await person.get(records)).list('dataList')).toMatchObject([{ toCoinSize: '0.0999' }])
})

row(source, 'records page by page, the newest first', async () => {
  const person = await carol()
  for (const size of ['10', '20', '30']) {
    succeeds(await person.post(trade, await quoted(person, { ...asked, fromCoinSize: size })))
    await at.venue.advance(1000)
  }
  const sizes = (page: Answer) => page.list('dataList').map((record) => record['fromCoinSize'])
  const first = succeeds(await person.get(records, { limit: '2' }))
  expect(sizes(first)).toEqual(['30', '20'])
  const idLessThan = String(first.fields['endId'])
  expect(sizes(await person.get(records, { limit: '2', idLessThan }))).toEqual(['10'])
  const newest = { startTime: at.venue.now() - 1000, endTime: at.venue.now() }
  expect(sizes(succeeds(await person.get(records, newest)))).toEqual(['30'])
  refuses(await person.get(records, { startTime: at.venue.now(), endTime: 0 }), 'a time window')
  refuses(await person.get(records, { limit: '101' }), 'a parameter')
})

row(source, 'a key that may only read asks for a quote and takes none', async () => {
  const reader = await at.person('Rita', { permissions: ['read'], funds: { uta: { USDT: '10000' } } })
  refuses(await reader.post(trade, await quoted(reader)), '40014')
})

row('design §5', 'a quote outlives a crash', async () => {
  const person = await carol()
  const quote = await quoted(person)
  await at.venue.restart('kill')
  succeeds(await person.post(trade, quote))
  expect(succeeds(await person.get(records)).list('dataList')).toMatchObject([{ toCoinSize: '0.0999' }])
})
