/**
 * The body of `POST /operator/pricing`: how prices are made, and what bounds them; what is absent stays as it is.
 *
 * jumpFactor        an index update further away than this factor, either way, waits to be confirmed
 * indexAgeMsMax     object of coin to milliseconds after which its index is stale; 0: never
 * fundingShortfall  full or cap        premiumMean  weighted or plain
 * fundingInterestRate  of eight hours; fundingClamp  how far it may pull the rate from the premium
 * contracts         list of {productType, symbol, impactNotional, fundingRateCap, fundInterval}
 * Source            risk-engine.md §12, §13
 */
import Type from 'typebox'
import type { StaticDecode } from 'typebox'
import { type Catalog, coinByName, instrumentBySymbol } from '../../engine/catalog/catalog.ts'
import { formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Answer } from '../../engine/protocol/query.ts'
import { body, factor, optional, positiveAmount, productLine, share, symbol, wholeNumber, word } from './fields.ts'
import { bodyWrong, unknownThing } from './refusals.ts'

const contract = body({
  productType: productLine,
  symbol,
  impactNotional: optional(positiveAmount),
  fundingRateCap: optional(share),
  fundInterval: optional(word(['1', '2', '4', '8'])),
})

export const pricingBody = body({
  jumpFactor: optional(factor),
  fundingShortfall: optional(word(['full', 'cap'])),
  premiumMean: optional(word(['weighted', 'plain'])),
  fundingInterestRate: optional(share),
  fundingClamp: optional(share),
  indexAgeMsMax: optional(
    Type.Record(Type.String(), wholeNumber(0, 366 * 86_400_000), { description: 'an object of coin to milliseconds' }),
  ),
  contracts: optional(Type.Array(contract, { maxItems: 1_000, description: 'a list of contracts' })),
})

/** How prices are made now; what is set by contract stands with the contract. */
export function pricingShown({ pricing }: Answer<'settings'>, { coins }: Catalog) {
  return {
    jumpFactor: formatDecimal(pricing.jumpFactor, rateDecimals),
    fundingShortfall: pricing.fundingShortfall,
    premiumMean: pricing.premiumMean,
    fundingInterestRate: formatDecimal(pricing.fundingInterestRate, rateDecimals),
    fundingClamp: formatDecimal(pricing.fundingClamp, rateDecimals),
    indexAgeMsMax: Object.fromEntries(coins.map(({ id, name }) => [name, pricing.indexAgeMsMax[id] ?? 0])),
  }
}

export function pricingCommand(
  sent: StaticDecode<typeof pricingBody>,
  catalog: Catalog,
): Extract<Command, { kind: 'configure-pricing' }> {
  if (Object.values(sent).every((value) => value === undefined)) {
    throw bodyWrong([{ field: '', rule: 'names nothing to change' }])
  }
  return {
    kind: 'configure-pricing',
    jumpFactor: sent.jumpFactor,
    fundingShortfall: sent.fundingShortfall,
    premiumMean: sent.premiumMean,
    fundingInterestRate: sent.fundingInterestRate,
    fundingClamp: sent.fundingClamp,
    coins: Object.entries(sent.indexAgeMsMax ?? {}).map(([name, indexAgeMsMax]) => {
      const coin = coinByName(catalog, name.toUpperCase())
      if (coin === undefined) throw unknownThing(`indexAgeMsMax.${name}`, name, 'coin')
      return { coin: coin.id, indexAgeMsMax }
    }),
    instruments: (sent.contracts ?? []).map((terms, place) => {
      const instrument = instrumentBySymbol(catalog, terms.productType, terms.symbol)
      if (instrument === undefined) {
        throw unknownThing(`contracts.${place}.symbol`, `${terms.productType} ${terms.symbol}`, 'instrument')
      }
      return {
        instrument: instrument.id,
        impactNotional: terms.impactNotional,
        fundingRateCap: terms.fundingRateCap,
        fundingIntervalHours: terms.fundInterval === undefined ? undefined : Number(terms.fundInterval),
      }
    }),
  }
}
