/**
 * E3: one futures order: every field and every rule. What happens to it in the book is told in time-in-force.test.ts,
 * reduce-only.test.ts and hedge-mode.test.ts.
 *
 * Source  interface.md E3, Errors; design §4.3, §4.6, §4.9, §4.12, §4.23, §4.29, §4.31
 */
import { expect } from 'vitest'
import { opposite, parseOrder, withWords } from '../support/order-language.ts'
import {
  btcInverse,
  btcPerpetual,
  btcUsdc,
  onePosition,
  openOrders,
  orderRecord,
  outcome,
  paths,
  place,
  position,
  setHoldMode,
  setLeverage,
  singleOrder,
  taken,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = {
  usdt_futures: { USDT: '1000000' },
  coin_futures: { BTC: '10' },
  usdc_futures: { USDC: '1000000' },
} as const
const classic = { mode: 'classic', funds } as const
const order = singleOrder('buy 0.01 @ 59000')

row('E3 response', 'orderId and clientOid, both texts', async () => {
  const alice = await at.person('Alice', classic)
  const answer = succeeds(await place(alice, 'buy 0.01 oid:mine @ 59000'))
  expect(answer.data).toEqual({ orderId: expect.stringMatching(/^\d+$/), clientOid: 'mine' })
})

row(
  { rule: 'E3 response', decision: 'none given: the venue makes one (design §4.6)' },
  'without a clientOid the venue makes one',
  async () => {
    const alice = await at.person('Alice', classic)
    const answer = succeeds(await place(alice, 'buy 0.01 @ 59000'))
    expect(answer.data).toEqual({ orderId: expect.stringMatching(/^\d+$/), clientOid: expect.stringMatching(/./) })
  },
)

table(
  'E3 required fields',
  ['symbol', 'productType', 'marginMode', 'marginCoin', 'size', 'price', 'side', 'orderType'].map(
    (field) => [`without ${field} it is refused`, field] as const,
  ),
  async (field) => {
    const alice = await at.person('Alice', classic)
    const answer = refuses(await alice.post(paths.placeOrder, { ...order, [field]: undefined }), 'a missing parameter')
    expect(answer.msg).toContain(field)
    expect(await openOrders(alice)).toEqual([])
  },
)

table(
  'E3 required fields',
  ['symbol', 'productType', 'marginMode', 'marginCoin', 'size', 'price', 'side', 'orderType'].map(
    (field) => [`an empty ${field} is refused`, field] as const,
  ),
  async (field) => {
    const alice = await at.person('Alice', classic)
    refuses(
      await alice.post(paths.placeOrder, { ...order, [field]: '' }),
      'a parameter or an unknown symbol or the margin coin',
    )
    expect(await openOrders(alice)).toEqual([])
  },
)

table(
  'E3 table values',
  [
    // what                                     fields                                   refused as
    ['an unknown symbol', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a symbol of another product line', { symbol: 'BTCPERP' }, 'an unknown symbol'],
    ['a spot pair without a contract', { symbol: 'BTCUSDC' }, 'an unknown symbol'],
    ['an unknown product type', { productType: 'SPOT' }, 'a parameter'],
    ['an unknown marginMode', { marginMode: 'portfolio' }, 'a parameter'],
    ['a margin coin that the contract does not take', { marginCoin: 'BTC' }, 'the margin coin'],
    ['an unknown margin coin', { marginCoin: 'NOSUCH' }, 'the margin coin or an unknown coin'],
    ['an unknown side', { side: 'long' }, 'a parameter'],
    ['an unknown orderType', { orderType: 'stop' }, 'a parameter'],
    ['an unknown force', { force: 'day' }, 'a parameter'],
    ['an unknown reduceOnly', { reduceOnly: 'maybe' }, 'a parameter'],
    ['an unknown stpMode', { stpMode: 'cancel_all' }, 'a parameter'],
    ['a price off the tick', { price: '59000.05' }, 'the price step'],
    ['a size off the step', { size: '0.01001' }, 'the quantity step'],
    ['a size below the minimum', { size: '0.00001' }, 'the minimum quantity or the quantity step'],
    ['a side that is a number', { side: 1 }, 'a parameter'],
    ['a symbol that is a list', { symbol: ['BTCUSDT'] }, 'a parameter or an unknown symbol'],
    ['a preset stop loss that is no number', { presetStopLossPrice: 'low' }, 'a parameter or the price step'],
    ['a preset take profit with an exponent', { presetStopSurplusPrice: '6e4' }, 'a parameter or the price step'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.post(paths.placeOrder, { ...order, ...fields }), expected)
    expect(await openOrders(alice)).toEqual([])
  },
)

table(
  'E3 table values',
  [
    // what                                         fields
    ['reduceOnly NO', { reduceOnly: 'NO' }],
    ['no force: gtc', { force: undefined }],
    ['force in capitals, as clients send it', { force: 'GTC' }],
    ['a market order with a force', { orderType: 'market', price: undefined, force: 'GTC' }],
    ['a market order with a price', { orderType: 'market', price: '1' }],
    ['stpMode none', { stpMode: 'none' }],
    ['tradeSide in one-way mode is ignored', { tradeSide: 'close' }],
    ['an open tradeSide in one-way mode is ignored', { tradeSide: 'open' }],
    ['isolated', { marginMode: 'isolated' }],
    ['the channel header', {}],
  ],
  async (fields) => {
    const alice = await at.person('Alice', classic)
    const headers = { 'X-CHANNEL-API-CODE': 'p4sve' }
    succeeds(await alice.post(paths.placeOrder, { ...order, ...fields }, { headers }))
  },
)

row('E3 table force', 'absent: the record says gtc', async () => {
  const alice = await at.person('Alice', classic)
  const { orderId = '' } = succeeds(await alice.post(paths.placeOrder, { ...order, force: undefined })).fields
  expect(await orderRecord(alice, { orderId })).toMatchObject({ force: 'gtc', orderType: 'limit' })
})

table(
  { rule: 'E3 table clientOid', decision: 'up to 64 characters (wire/rate-limits-and-filters.md §4)' },
  [
    // what                              id                                              answer
    ['one character', 'a', 'ok'],
    ['a UUID of 36 characters', '0b7a2f0e-3c1d-4a55-9d6e-1f2a3b4c5d6e', 'ok'],
    ['50 characters', 'a'.repeat(50), 'ok'],
    ['65 characters', 'a'.repeat(65), 'a parameter'],
    ['a thousand characters', 'a'.repeat(1000), 'a parameter'],
    ['an emoji', 'order🌊', 'a parameter'],
    ['a blank inside', 'my order', 'a parameter'],
    ['a number', 17, 'ok or a parameter'],
  ],
  async (clientOid, expected) => {
    const alice = await at.person('Alice', classic)
    const answer = await alice.post(paths.placeOrder, { ...order, clientOid })
    if (expected.startsWith('ok or') && answer.status === 200) succeeds(answer)
    else answers(answer, expected.replace('ok or ', ''))
  },
)

table(
  {
    rule: 'design §4.6',
    decision: 'a duplicate clientOid is refused with 40786 and changes nothing, so that a retry is safe',
  },
  `
    case                                  | first                         | then                      | expected
    of a live order                       | buy 0.01 oid:twin @ 59000     | buy 0.01 oid:twin @ 59000 | 40786
    of a live order, with other content   | buy 0.01 oid:twin @ 59000     | buy 0.02 oid:twin @ 58000 | 40786
    of an order that was canceled at once | buy 0.01 ioc oid:twin @ 58000 | buy 0.01 oid:twin @ 59000 | 40786
    of another case: another id           | buy 0.01 oid:twin @ 59000     | buy 0.01 oid:Twin @ 59000 | ok
  `,
  async ({ first, then, expected }) => {
    const alice = await at.person('Alice', classic)
    await taken(alice, first)
    const before = await openOrders(alice)
    answers(await place(alice, then), expected)
    if (expected !== 'ok') expect(await openOrders(alice)).toEqual(before)
  },
)

row(
  { rule: 'design §4.29', decision: 'a refused order leaves its clientOid free' },
  'a refused order may be sent again under its id',
  async () => {
    const alice = await at.person('Alice', classic)
    refuses(await place(alice, 'buy 0.01 oid:again @ 59000.05'), 'the price step')
    refuses(await place(alice, 'sell 0.01 reduce-only oid:again @ 61000'), '22002')
    succeeds(await place(alice, 'buy 0.01 oid:again @ 59000'))
  },
)

row(
  { rule: 'Errors rule 1', decision: 'the query is /api/v2/mix/order/detail (design §4.5)' },
  'an order is found by its clientOid',
  async () => {
    const alice = await at.person('Alice', classic)
    const { orderId } = await taken(alice, 'buy 0.01 oid:lost @ 59000')
    expect(await orderRecord(alice, { clientOid: 'lost' })).toMatchObject({ orderId, clientOid: 'lost' })
    const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', clientOid: 'never' }
    refuses(await alice.get('/api/v2/mix/order/detail', query), 'an unknown order')
  },
)

table(
  { rule: 'Errors 40762', decision: 'insufficient balance or the position tier' },
  `
    case                                                | usdt         | leverage | words            | expected
    no margin at all                                    | 0.00000001   | 10       | buy 0.1 @ 60000  | 40762
    // 0.1 @ 60000 at 10x holds 600 margin and 3.6 fee
    exactly the hold                                    | 603.6        | 10       | buy 0.1 @ 60000  | ok
    a unit less                                         | 603.59999999 | 10       | buy 0.1 @ 60000  | 40762
    exactly the hold of a market sell is less than this | 700          | 10       | sell 0.1 @ 60000 | ok
  `,
  async ({ usdt, leverage, words, expected }) => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: usdt } } })
    await setLeverage(alice, Number(leverage))
    answers(await place(alice, words), expected)
  },
)

table(
  'E3 rule 1',
  `
    case                    | before                | words                  | after
    buy open opens long     | -                     | buy 0.1 open @ 60000   | long 0.1
    sell open opens short   | -                     | sell 0.1 open @ 60000  | short 0.1
    buy close closes long   | buy 0.1 open @ 60000  | buy 0.1 close @ 60000  | flat
    sell close closes short | sell 0.1 open @ 60000 | sell 0.1 close @ 60000 | flat
    buy close of a part     | buy 0.3 open @ 60000  | buy 0.1 close @ 60000  | long 0.2
    both sides at once      | buy 0.2 open @ 60000  | sell 0.1 open @ 60000  | long 0.2, short 0.1
  `,
  async ({ before, words, after }) => {
    const bob = await at.person('Bob', classic)
    const alice = await at.person('Alice', classic)
    await setHoldMode(alice, 'hedge_mode')
    for (const line of [...listed(before), words]) {
      const { tradeSide } = parseOrder(line)
      await taken(bob, tradeSide === 'open' ? opposite(line) : withWords(line, { tradeSide: undefined }))
      await taken(alice, line)
    }
    expect(await position(alice)).toBe(after)
  },
)

table(
  'E3 rule 1',
  `
    case                              | words                  | expected
    without tradeSide                 | buy 0.1 @ 59000        | the position side
    closing a long that is not there  | buy 0.1 close @ 61000  | no position
    closing a short that is not there | sell 0.1 close @ 59000 | no position
  `,
  async ({ words, expected }) => {
    const alice = await at.person('Alice', classic)
    await setHoldMode(alice, 'hedge_mode')
    refuses(await place(alice, words), expected)
  },
)

row('E3 table tradeSide', 'an unknown one in hedge mode is refused', async () => {
  const alice = await at.person('Alice', classic)
  await setHoldMode(alice, 'hedge_mode')
  refuses(await alice.post(paths.placeOrder, { ...order, tradeSide: 'reverse' }), 'a parameter')
})

table(
  { rule: 'E3 table', decision: 'a value outside its set is refused also where its field is ignored (design §4.43)' },
  [
    // what                                        mode             fields                                        answer
    ['a tradeSide in one-way mode', 'one_way_mode', { tradeSide: 'close' }, 'ok'],
    ['an unknown tradeSide in one-way mode', 'one_way_mode', { tradeSide: 'reverse' }, 'a parameter'],
    ['a tradeSide of another type in one-way mode', 'one_way_mode', { tradeSide: ['open'] }, 'a parameter'],
    ['an unknown reduceOnly in hedge mode', 'hedge_mode', { tradeSide: 'open', reduceOnly: 'maybe' }, 'a parameter'],
    [
      'reduceOnly YES of an order that opens, in hedge mode',
      'hedge_mode',
      { tradeSide: 'open', reduceOnly: 'YES' },
      'ok',
    ],
    ['an unknown tradeSide in hedge mode', 'hedge_mode', { tradeSide: 'reverse' }, 'a parameter'],
    ['an unknown reduceOnly in one-way mode', 'one_way_mode', { reduceOnly: 'maybe' }, 'a parameter'],
  ],
  async (mode, fields, expected) => {
    const alice = await at.person('Alice', classic)
    if (mode === 'hedge_mode') await setHoldMode(alice, mode)
    answers(await alice.post(paths.placeOrder, { ...order, ...fields }), expected)
    const orderList = [{ ...order, ...fields }]
    const { successList, failureList } = succeeds(
      await alice.post('/api/v2/mix/order/batch-place-order', { ...order, orderList }),
    ).data as Record<'successList' | 'failureList', readonly unknown[]>
    expect([successList.length, failureList.length]).toEqual(expected === 'ok' ? [1, 0] : [0, 1])
    expect(await openOrders(alice)).toHaveLength(expected === 'ok' ? 2 : 0)
  },
)

row(
  {
    rule: 'E3 presets',
    decision: 'tradeSide is ignored in one-way mode: an order that says close opens there as well',
  },
  'a preset on the wrong side is refused whatever tradeSide says',
  async () => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.post(paths.placeOrder, { ...order, tradeSide: 'close', presetStopLossPrice: '60000' }), '43011')
  },
)

const presets = {
  rule: 'E3 presets',
  decision: 'presets become take-profit and stop-loss of the position when the order fills',
} as const

row(presets, 'the record carries them', async () => {
  const alice = await at.person('Alice', classic)
  const body = { ...order, clientOid: 'guarded', presetStopSurplusPrice: '66000', presetStopLossPrice: '54000.5' }
  succeeds(await alice.post(paths.placeOrder, body))
  const record = await orderRecord(alice, { clientOid: 'guarded' })
  expect(record).toMatchObject({ presetStopSurplusPrice: '66000', presetStopLossPrice: '54000.5' })
})

row(presets, 'none set: the record shows empty texts', async () => {
  const alice = await at.person('Alice', classic)
  const body = { ...order, clientOid: 'bare', presetStopSurplusPrice: '', presetStopLossPrice: '' }
  succeeds(await alice.post(paths.placeOrder, body))
  const record = await orderRecord(alice, { clientOid: 'bare' })
  expect([record['presetStopSurplusPrice'] ?? '', record['presetStopLossPrice'] ?? '']).toEqual(['', ''])
})

row(presets, 'after the fill the position shows them with order ids', async () => {
  const bob = await at.person('Bob', classic)
  const alice = await at.person('Alice', classic)
  await taken(bob, 'sell 0.1 @ 60000')
  const body = { ...singleOrder('buy 0.1 @ 60000'), presetStopSurplusPrice: '66000', presetStopLossPrice: '54000' }
  succeeds(await alice.post(paths.placeOrder, body))
  const held = await onePosition(alice)
  expect(held).toMatchObject({ takeProfit: '66000', stopLoss: '54000' })
  expect(held).toMatchObject({
    takeProfitId: expect.stringMatching(/^\d+$/),
    stopLossId: expect.stringMatching(/^\d+$/),
  })
})

table(
  { rule: 'E3 presets', decision: 'a preset on the wrong side of the order is refused (wire/errors.md, Price)' },
  [
    // what                                        order                     presets
    ['a long’s take profit below its price', 'buy 0.1 @ 60000', { presetStopSurplusPrice: '59000' }],
    ['a long’s stop loss above its price', 'buy 0.1 @ 60000', { presetStopLossPrice: '61000' }],
    ['a short’s take profit above its price', 'sell 0.1 @ 60000', { presetStopSurplusPrice: '61000' }],
    ['a short’s stop loss below its price', 'sell 0.1 @ 60000', { presetStopLossPrice: '59000' }],
  ],
  async (words, fields) => {
    const alice = await at.person('Alice', classic)
    const answer = await alice.post(paths.placeOrder, { ...singleOrder(words), ...fields })
    refuses(
      answer,
      'a parameter or 40917|45122|40915|45060|45061|45062|40830|40832|40834|40836|40835|40831|40833|43034|43035',
    )
  },
)

table(
  {
    rule: 'design §4.12',
    decision:
      'v2 size of an inverse contract is base coin: an opening converts at its price or the mark price, rounded down',
  },
  // lands as (v3 quantity, USD)
  `
    case                                     | words              | contracts
    0.5 at a limit of 60000.5                | buy 0.5 @ 60000.5  | 30000
    0.1 at a limit of 60000                  | buy 0.1 @ 60000    | 6000
    0.0033 at a limit of 60001: rounded down | buy 0.0033 @ 60001 | 198
  `,
  async ({ words, contracts }) => {
    const alice = await at.person('Alice', { mode: 'unified', funds: { uta: { BTC: '10' } } })
    const { orderId = '' } = await taken(alice, words, btcInverse)
    const open = succeeds(await alice.get('/api/v3/trade/order-info', { orderId }))
    expect(open.fields).toMatchObject({ qty: contracts, category: 'COIN-FUTURES' })
  },
)

row(
  { rule: 'design §4.12', decision: 'zero after rounding is refused with the minimum in the message' },
  'an inverse size of less than a dollar',
  async () => {
    const alice = await at.person('Alice', classic)
    const answer = await place(alice, 'buy 0.00001 @ 60000', btcInverse)
    refuses(answer, 'the minimum quantity or the minimum value or the quantity step')
    expect(answer.msg).toMatch(/\d/)
  },
)

table(
  'E3 table productType',
  [
    ['USDT-FUTURES', btcPerpetual, 'buy 0.01 @ 59000'],
    ['COIN-FUTURES', btcInverse, 'buy 0.01 @ 59000'],
    ['USDC-FUTURES', btcUsdc, 'buy 0.01 @ 59000'],
    ['in lower case', { ...btcPerpetual, category: 'usdt-futures' }, 'buy 0.01 @ 59000'],
  ],
  async (market, words) => {
    const alice = await at.person('Alice', classic)
    succeeds(await place(alice, words, market))
    expect(await openOrders(alice, { ...market, category: market.category.toUpperCase() })).toHaveLength(1)
  },
)

row(
  { rule: 'E3 rule 5', decision: 'unannounced symbols are refused (design §4.23)' },
  'a copy trader trades the announced pairs and no other',
  async () => {
    const trader = await at.person('Elite', classic)
    const contracts = succeeds(
      await at.venue.get('/api/v2/mix/market/contracts', { productType: 'USDT-FUTURES' }),
    ).list()
    expect(contracts.map((contract) => contract['symbol'])).toContain('ETHUSDT')
    await at.venue.operator('accounts/copy-trader', { uid: trader.uid, symbols: ['BTCUSDT'] })
    succeeds(await place(trader, 'buy 0.01 @ 59000'))
    const answer = await place(trader, 'buy 0.1 @ 2950', { ...btcPerpetual, symbol: 'ETHUSDT' })
    refuses(answer, 'the trading pair')
  },
)

table(
  {
    rule: 'E3 account mode',
    decision: 'classic and hybrid trade their futures wallet, unified the uta wallet (design §3)',
  },
  [
    // what                                 mode       wallet           enough
    ['classic: usdt_futures', 'classic', 'usdt_futures', true],
    ['classic: the spot wallet is no margin', 'classic', 'spot', false],
    ['hybrid: usdt_futures', 'hybrid', 'usdt_futures', true],
    ['hybrid: the uta wallet is no margin here', 'hybrid', 'uta', false],
    ['unified: uta', 'unified', 'uta', true],
    ['unified: the spot wallet is no margin', 'unified', 'spot', false],
  ],
  async (mode, wallet, enough) => {
    const alice = await at.person('Alice', { mode, funds: { [wallet]: { USDT: '100000' } } })
    answers(await place(alice, 'buy 0.1 @ 59000'), enough ? 'ok' : '40762')
  },
)

row(
  { rule: 'design §4.31', decision: 'value at least minTradeUSDT, quantity at least minTradeNum' },
  'both minimums of the contract record hold',
  async () => {
    const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const [contract] = succeeds(await at.venue.get('/api/v2/mix/market/contracts', query)).list()
    const { minTradeNum = '', minTradeUSDT = '', sizeMultiplier = '', volumePlace = '' } = contract ?? {}
    const steps = Math.max(Number(minTradeNum), Number(minTradeUSDT) / 60000) / Number(sizeMultiplier)
    const least = Math.ceil(steps - 1e-9) * Number(sizeMultiplier)
    const alice = await at.person('Alice', classic)
    succeeds(await place(alice, `buy ${least.toFixed(Number(volumePlace))} @ 60000`))
    const less = least - Number(sizeMultiplier)
    if (less > 0)
      refuses(
        await place(alice, `buy ${less.toFixed(Number(volumePlace))} @ 60000`),
        'the minimum quantity or the minimum value',
      )
  },
)

row(
  {
    rule: 'E3 price limits',
    decision: 'buyLimitPriceRatio and sellLimitPriceRatio of the contract record are the band; 0 is none',
  },
  'a buy far above and a sell far below are refused if the record shows a band',
  async () => {
    const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const [contract] = succeeds(await at.venue.get('/api/v2/mix/market/contracts', query)).list()
    const alice = await at.person('Alice', classic)
    const banded = (ratio: string | undefined) => (Number(ratio) === 0 ? 'ok' : 'the price band')
    answers(await place(alice, 'buy 0.01 @ 600000'), banded(contract?.['buyLimitPriceRatio']))
    answers(await place(alice, 'sell 0.01 @ 600'), banded(contract?.['sellLimitPriceRatio']))
  },
)

row(
  { rule: 'design §4.25', decision: 'a market order takes up to a band around the mark price; the rest is cancelled' },
  'a market buy leaves a far offer alone',
  async () => {
    const bob = await at.person('Bob', classic)
    const alice = await at.person('Alice', classic)
    await taken(bob, 'sell 0.1 @ 60000')
    await taken(bob, 'sell 0.1 @ 119000')
    const acknowledged = await taken(alice, 'buy 0.2')
    expect(await outcome(alice, acknowledged)).toBe('canceled 0.1 of 0.2')
    expect(await position(alice)).toBe('long 0.1')
  },
)

table(
  { rule: 'E3 table force', decision: 'accepted, then cancelled at once, not refused (design §4.29)' },
  `
    case                              | resting           | words                     | expected
    gtc rests                         | sell 0.1 @ 60000  | buy 0.2 gtc @ 60000       | partially_filled 0.1 of 0.2
    ioc does not rest                 | sell 0.1 @ 60000  | buy 0.2 ioc @ 60000       | canceled 0.1 of 0.2
    ioc that meets nothing            | sell 0.1 @ 60100  | buy 0.2 ioc @ 60000       | canceled 0 of 0.2
    fok fills whole                   | sell 0.2 @ 60000  | buy 0.2 fok @ 60000       | filled 0.2
    fok fills nothing                 | sell 0.1 @ 60000  | buy 0.2 fok @ 60000       | canceled 0 of 0.2
    post_only rests                   | sell 0.1 @ 60000  | buy 0.2 post-only @ 59990 | live 0 of 0.2
    post_only that would cross        | sell 0.1 @ 60000  | buy 0.2 post-only @ 60000 | canceled 0 of 0.2
    a market order that meets nothing | sell 0.1 @ 119000 | buy 0.2                   | canceled 0 of 0.2
  `,
  async ({ resting, words, expected }) => {
    const bob = await at.person('Bob', classic)
    const alice = await at.person('Alice', classic)
    await taken(bob, resting)
    const acknowledged = await taken(alice, words)
    expect(acknowledged['orderId']).toMatch(/^\d+$/)
    expect(await outcome(alice, acknowledged)).toBe(expected)
  },
)

table(
  'E3 table stpMode',
  `
    case                    | words                            | expected          | open
    none trades with itself | buy 0.1 stp:none @ 60000         | filled 0.1        | -
    cancel_taker            | buy 0.1 stp:cancel-taker @ 60000 | canceled 0 of 0.1 | sell 0.1 @ 60000
    cancel_maker            | buy 0.1 stp:cancel-maker @ 60000 | live 0 of 0.1     | buy 0.1 @ 60000
    cancel_both             | buy 0.1 stp:cancel-both @ 60000  | canceled 0 of 0.1 | -
  `,
  async ({ words, expected, open }) => {
    const alice = await at.person('Alice', classic)
    await taken(alice, 'sell 0.1 @ 60000')
    expect(await outcome(alice, await taken(alice, words))).toBe(expected)
    expect(await openOrders(alice)).toEqual(listed(open))
  },
)

row(
  { rule: 'Errors 40762', decision: 'the position tier bounds what a leverage may hold (risk-engine §3)' },
  'at the highest leverage of the first tier, an order beyond that tier',
  async () => {
    const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const tiers = succeeds(await at.venue.get('/api/v2/mix/market/query-position-lever', query)).list()
    const [first, second] = tiers
    expect(Number(first?.['leverage'])).toBeGreaterThan(Number(second?.['leverage']))
    const alice = await at.person('Alice', classic)
    await setLeverage(alice, Number(first?.['leverage']))
    const within = (Number(first?.['endUnit']) / 60000) * 0.9
    refuses(await place(alice, `buy ${(within * 1.3).toFixed(3)} @ 60000`), '40762')
    succeeds(await place(alice, `buy ${within.toFixed(3)} @ 60000`))
    refuses(await place(alice, `buy ${(within * 0.3).toFixed(3)} @ 60000`), '40762')
  },
)

row('Errors 40762', 'beyond the last tier, whatever the balance', async () => {
  const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  const last = succeeds(await at.venue.get('/api/v2/mix/market/query-position-lever', query))
    .list()
    .at(-1)
  const end = Number(last?.['endUnit'])
  const usdt = String(Math.ceil(end * 1.5))
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: usdt } } })
  await setLeverage(alice, 1)
  refuses(await place(alice, `buy ${Math.ceil((end / 60000) * 1.1)} @ 60000`), '40762')
  succeeds(await place(alice, `buy ${Math.floor((end / 60000) * 0.9)} @ 60000`))
})
