/** docs/operations.md, "Bounds": the table says what the code has. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { liveKeysMax } from '../src/api/keys/keys.ts'
import { subAccountsMax } from '../src/engine/account-rules/account-changes.ts'
import { notionalMax } from '../src/engine/admission/checks.ts'
import { countedLotsMax } from '../src/engine/catalog/catalog.ts'
import {
  e12PerUnit,
  listedTicksMax,
  openOrdersMax,
  positionsMax,
  withdrawnUsdPerDayDefault,
} from '../src/engine/catalog/catalog.ts'
import { availableMax } from '../src/engine/margin/account-margin.ts'
import { holdMax, positionWorthMax } from '../src/engine/margin/bounds.ts'
import {
  amountMax,
  coinInsideMax,
  coinLentMax,
  formatDecimal,
  priceTicksMax,
  rateDecimals,
} from '../src/engine/numbers/numbers.ts'
import { coinsMax } from '../src/engine/venue-rules/listing.ts'
import { ageMax } from '../src/engine/venue-rules/pricing-settings.ts'
import { slicesMost } from '../src/engine/venue-rules/risk-settings.ts'
import {
  dailyRate,
  factor,
  feeRate,
  lentAmount,
  positiveAmount,
  share,
  usdPrice,
} from '../src/operator/calls/fields.ts'
import { instrumentRecord, tiers } from '../src/operator/calls/instrument-record.ts'
import { loanTermsBody, marginLevelsBody } from '../src/operator/calls/loan-terms.ts'

const page = readFileSync(fileURLToPath(new URL('../docs/operations.md', import.meta.url)), 'utf8')

/** Bound and value of each row. */
function rows(): [bound: string, value: string][] {
  const [, section = ''] = /\n## Bounds\n(.*?)\n## /s.exec(page) ?? []
  return [...section.matchAll(/^\| (.*?) \| (.*?) \| .* \|$/gm)]
    .map(([, bound = '', value = '']): [string, string] => [bound, value])
    .slice(1)
}

const steps = `1 to ${priceTicksMax}`
const coins = (units: bigint) => formatDecimal(units, 8)
/** From … to, as the field says it in words. */
const said = (schema: object) => /from (-?[0-9.]+ to [0-9.]+)/.exec(ruleOf(schema))?.[1]
const upTo = (schema: object) => /up to ([0-9.]+)/.exec(ruleOf(schema))?.[1]

function ruleOf(schema: object): string {
  return (schema as { readonly description?: string }).description ?? ''
}

test('every row has the value of the code', () => {
  expect(rows()).toEqual([
    ['price of an order or a trigger, in steps', steps],
    ['price of a delivery, in steps', steps],
    ['index of an instrument, in steps', steps],
    ['index of a new instrument, in steps', `1 to ${listedTicksMax}`],
    ['marks and price bands, in steps', steps],
    ['price of a coin in USD', `${coins(1n)} to ${upTo(usdPrice)}`],
    ['`pricePrecision` with `quantityPrecision`', '8'],
    ['`priceMultiplier`, `sizeMultiplier`, in the last decimal', '1000000000'],
    ['lots of one order', String(countedLotsMax)],
    ['lots of all orders at one price', String(countedLotsMax)],
    ["lots of one account's orders and position in a contract", String(countedLotsMax)],
    ["lots of a contract's open interest", String(countedLotsMax)],
    ['value of an order, with what the account has in the contract', coins(notionalMax)],
    ['what the open orders of a margin account ask for', coins(holdMax)],
    ['value of an open position at its mark', coins(positionWorthMax)],
    ['what is available for orders', coins(availableMax)],
    ["one coin in the venue, with the house's", coins(coinInsideMax)],
    ['one coin lent: `borrowLimit`, `lendingPoolLimit`', upTo(lentAmount)],
    ['an amount in a request', upTo(positiveAmount)],
    ['figures of a position, its totals, a futures wallet, a preview', coins(amountMax)],
    ['lots that a position opened over its life', String(Number.MAX_SAFE_INTEGER)],
    ['base coin of an average price of inverse contracts', coins(amountMax / e12PerUnit)],
    ['fee rates', said(feeRate)],
    ['shares: rebates, bands, maintenance and debt rates, `fundingRateCap`', said(share)],
    ['`dailyInterestRate`, `liquidationFeeRate`', said(dailyRate)],
    ['a funding rate', '`fundingRateCap` either way'],
    ['`jumpFactor`', said(factor)],
    ['margin levels', said(marginLevelsBody.properties.callLevel)],
    ['decimals of a rate', String(rateDecimals)],
    ['characters of a decimal', '64'],
    ['leverage of a contract', said(instrumentRecord.properties.maxLeverage)],
    ['leverage of borrowing a coin', said(loanTermsBody.properties.maxLeverage)],
    ['tiers of a contract', String((tiers as { readonly maxItems?: number }).maxItems)],
    ['slices of collateral of a coin', String(slicesMost)],
    ['age of an index, in days', String(ageMax / 86_400_000)],
    ['coins of a venue', String(coinsMax)],
    [
      'withdrawals over networks of an account with its sub-accounts in a UTC day, in USD',
      `${withdrawnUsdPerDayDefault}, or \`dailyWithdrawalsUsdMax\``,
    ],
    ['open orders of an account, of futures and of spot with margin', String(openOrdersMax)],
    ['positions of an account', String(positionsMax)],
    ['sub-accounts of an account', String(subAccountsMax)],
    ['live keys of a sub-account', String(liveKeysMax)],
  ])
  expect(coinLentMax).toBe(amountMax / 4n)
})
