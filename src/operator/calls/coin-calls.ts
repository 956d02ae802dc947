/** Coins: listed, priced, lent and counted as collateral. */
import Type from 'typebox'
import { amount, rate, rateOne, zero } from '../../engine/numbers/numbers.ts'
import { call, nothing, submit } from './call.ts'
import { coinShown } from './catalog-shown.ts'
import { coinChainBody, coinChainCommands } from './chain.ts'
import { collateralBody, collateralCommand, collateralSlices } from './collateral.ts'
import { body, coinName, dailyRate, lentAmount, optional, share, usdPrice, wholeNumber } from './fields.ts'
import {
  loanTermsBody,
  loanTermsCommand,
  marginLevelsBody,
  marginLevelsCommand,
  marginLevelsShown,
} from './loan-terms.ts'
import { outOfRange } from './markets.ts'
import { coinNamed } from './named.ts'
import { pricingBody, pricingCommand, pricingShown } from './pricing.ts'

/** Without slices of its own a coin counts as collateral up to ten million USD, nine tenths of it. */
const wholeCollateral = [{ to: amount(1_000_000_000_000_000n), ratio: rate((rateOne * 9n) / 10n) }]

const coinRecord = body({
  coin: coinName,
  price: usdPrice,
  dailyInterestRate: optional(dailyRate),
  borrowLimit: optional(lentAmount),
  lendingPoolLimit: optional(lentAmount),
  maxLeverage: optional(wholeNumber(1, 100)),
  /** Slices of value in USD, from zero upward, and what share of each counts as collateral of a unified account. */
  collateral: optional(collateralSlices),
  debtInitialRate: optional(share),
  debtMaintenanceRate: optional(share),
})

export const coinCalls = [
  call(
    'POST /operator/prices',
    body({
      prices: Type.Record(Type.String(), usdPrice, { minProperties: 1, description: 'an object of coin to price' }),
    }),
    async ({ prices }, { core }) => {
      const catalog = core.query({ kind: 'catalog' })
      const known = Object.entries(prices).map(([name, priceE8]) => {
        return [coinNamed(catalog, name.toUpperCase(), `prices.${name}`).id, priceE8] as const
      })
      const reply = await submit(core, { kind: 'set-index-prices', prices: known })
      const beyond = outOfRange(
        core,
        known.map(([id]) => id),
      )
      return {
        coins: known.length,
        // These jumped: send them once more to confirm them.
        ...(reply.kind === 'prices-held-back' && { heldBack: reply.coins.map((id) => catalog.coins[id].name) }),
        // These prices were taken, but no book of these carries what they make.
        ...(beyond.length > 0 && { outOfRange: beyond }),
      }
    },
  ),
  call('POST /operator/pricing', pricingBody, async (sent, { core }) => {
    const command = pricingCommand(sent, core.query({ kind: 'catalog' }))
    await submit(core, command)
    return { coins: command.coins.length, contracts: command.instruments.length }
  }),
  call('GET /operator/pricing', nothing, (_, { core }) =>
    pricingShown(core.query({ kind: 'settings' }), core.query({ kind: 'catalog' })),
  ),
  call('POST /operator/coins', coinRecord, async (sent, { core }) => {
    const borrowLimit = sent.borrowLimit ?? zero
    await submit(core, {
      kind: 'list-coin',
      coin: {
        name: sent.coin,
        listingPriceE8: sent.price,
        borrowable: borrowLimit > 0n,
        dailyInterestRate: sent.dailyInterestRate ?? rate(0n),
        borrowLimit,
        lendingPoolLimit: sent.lendingPoolLimit ?? borrowLimit,
        marginLeverageMax: sent.maxLeverage ?? 3,
        collateral: sent.collateral ?? wholeCollateral,
        debtInitialRate: sent.debtInitialRate ?? rate(rateOne / 10n),
        debtMaintenanceRate: sent.debtMaintenanceRate ?? rate(rateOne / 25n),
      },
    })
    return { coin: sent.coin }
  }),
  call('POST /operator/coins/loans', loanTermsBody, async (sent, { core }) => {
    const { id } = coinNamed(core.query({ kind: 'catalog' }), sent.coin, 'coin')
    await submit(core, loanTermsCommand(id, sent))
    return { coin: sent.coin }
  }),
  call('POST /operator/coins/collateral', collateralBody, async (sent, { core }) => {
    const { id } = coinNamed(core.query({ kind: 'catalog' }), sent.coin, 'coin')
    await submit(core, collateralCommand(id, sent))
    return { coin: sent.coin }
  }),
  call('POST /operator/coins/chains', coinChainBody, async (sent, { core }) => {
    const commands = coinChainCommands(sent, coinNamed(core.query({ kind: 'catalog' }), sent.coin, 'coin'))
    for (const command of commands) await submit(core, command)
    return { coin: sent.coin, chains: commands.map(({ network: chain }) => chain) }
  }),
  call('GET /operator/coins', nothing, (_, { core }) => {
    const { pricing } = core.query({ kind: 'settings' })
    const prices = core.query({ kind: 'index-prices' })
    return core.query({ kind: 'catalog' }).coins.map((listed) => coinShown(listed, pricing, prices[listed.id] ?? 0n))
  }),
  call('GET /operator/loans/levels', nothing, (_, { core }) =>
    marginLevelsShown(core.query({ kind: 'lending', coin: 0 }).levels),
  ),
  call('POST /operator/loans/levels', marginLevelsBody, async (sent, { core }) => {
    await submit(core, marginLevelsCommand(sent))
    return marginLevelsShown(core.query({ kind: 'lending', coin: 0 }).levels)
  }),
]
