/** Instruments: listed, changed, settled and delivered, and how their markets stand. */
import type { StaticDecode, TObject } from 'typebox'
import type { instrumentBySymbol } from '../../engine/catalog/catalog.ts'
import { parseDecimal, ticks } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import { call, nothing, type OperatorCall, submit } from './call.ts'
import { instrumentShown } from './catalog-shown.ts'
import { body, category, decimalText, feeRate, optional, productLine, share, symbol, word } from './fields.ts'
import { instrumentRecord, parseInstrument, parseTiers, tiers } from './instrument-record.ts'
import { marketsShown } from './markets.ts'
import { instrumentNamed } from './named.ts'
import { fieldWrong } from './refusals.ts'

export const instrumentCalls = [
  call('POST /operator/instruments', instrumentRecord, async (sent, { core }) => {
    const { coins } = core.query({ kind: 'catalog' })
    const listing = parseInstrument(sent, coins, core.query({ kind: 'index-prices' }))
    await submit(core, { kind: 'list-instrument', instrument: listing })
    return { category: listing.category, symbol: listing.symbol }
  }),
  instrumentCall(
    'POST /operator/instruments/status',
    body({ category, symbol, status: word(['online', 'cancel_only', 'halted']) }),
    ({ status }) => ({ status }),
  ),
  instrumentCall('POST /operator/instruments/tiers', body({ category, symbol, tiers }), (sent) => ({
    tiers: parseTiers(sent.tiers),
  })),
  instrumentCall(
    'POST /operator/instruments/fees',
    body({ category, symbol, makerFeeRate: optional(feeRate), takerFeeRate: optional(feeRate) }),
    ({ makerFeeRate, takerFeeRate }) => {
      if (makerFeeRate === undefined && takerFeeRate === undefined)
        throw fieldWrong('makerFeeRate', 'or takerFeeRate is required')
      return { makerFeeRate, takerFeeRate }
    },
  ),
  instrumentCall(
    'POST /operator/instruments/bands',
    body({ category, symbol, limitPriceRatio: optional(share), marketPriceRatio: optional(share) }),
    ({ limitPriceRatio, marketPriceRatio }) => {
      if (limitPriceRatio === undefined && marketPriceRatio === undefined)
        throw fieldWrong('limitPriceRatio', 'or marketPriceRatio is required')
      return { limitBand: limitPriceRatio, marketBand: marketPriceRatio }
    },
  ),
  call('GET /operator/instruments', nothing, (_, { core }) => {
    const catalog = core.query({ kind: 'catalog' })
    const { pricing } = core.query({ kind: 'settings' })
    return catalog.instruments.map((listed) => instrumentShown(listed, catalog, pricing))
  }),
  call('GET /operator/markets', nothing, (_, { core }) => marketsShown(core)),
  call('GET /operator/mirror', nothing, (_, { mirror }) => mirror?.shown() ?? null),
  call(
    'POST /operator/funding/settle',
    body({ productType: productLine, symbol }),
    async ({ productType, symbol: name }, { core }) => {
      const contract = instrumentNamed(core.query({ kind: 'catalog' }), productType, name)
      const settled = await submit(core, { kind: 'settle-funding', instrument: contract.id })
      return { symbol: name, positions: settled.kind === 'funding-settled' ? settled.positions : 0 }
    },
  ),
  call(
    'POST /operator/deliveries',
    body({ productType: productLine, symbol, price: decimalText }),
    async ({ productType, symbol: name, price }, { core }) => {
      const contract = instrumentNamed(core.query({ kind: 'catalog' }), productType, name)
      const scaled = parseDecimal(price, contract.priceDecimals)
      const step = BigInt(contract.priceStep)
      if (typeof scaled !== 'bigint' || scaled <= 0n || scaled % step !== 0n) {
        throw fieldWrong('price', 'must be a price of the contract, above 0 and a multiple of its step')
      }
      const reply = await submit(core, {
        kind: 'deliver',
        instrument: contract.id,
        price: ticks(Number(scaled / step)),
      })
      return { symbol: name, positions: reply.kind === 'delivered' ? reply.positions : 0 }
    },
  ),
]

type Change = Partial<Omit<Extract<Command, { kind: 'set-instrument' }>, 'kind' | 'instrument'>>

/** A change of one instrument; what is undefined stays. */
function instrumentCall<Schema extends TObject>(
  place: string,
  schema: Schema,
  changeOf: (sent: StaticDecode<Schema>) => Change,
): OperatorCall {
  return call(place, schema, async (sent, { core }) => {
    const named = sent as { category: Parameters<typeof instrumentBySymbol>[1]; symbol: string }
    const { id } = instrumentNamed(core.query({ kind: 'catalog' }), named.category, named.symbol)
    const same = {
      status: undefined,
      tiers: undefined,
      makerFeeRate: undefined,
      takerFeeRate: undefined,
      limitBand: undefined,
      marketBand: undefined,
    }
    await submit(core, { kind: 'set-instrument', instrument: id, ...same, ...changeOf(sent) })
    return { category: named.category, symbol: named.symbol }
  })
}
