/**
 * Instruments that a mirror is asked for and that this venue does not have: listed as the other venue says their rules are.
 *
 * Taken     steps, least and most quantity, least amount, fees, bands, leverage, interval of funding and tiers
 * Coins     that are not listed either come first, with the other venue's price. They are not lent
 * Kept      an instrument that is listed keeps its rules: its steps are compared (mirror/instruments.ts)
 * Source    interface.md (instruments, position tiers); docs/mirror.md
 */
import { type Category, coinByName, type Instrument } from '../engine/catalog/catalog.ts'
import { formatDecimal, parseDecimal } from '../engine/numbers/numbers.ts'
import { dataOf, isNamed, mirroredCategories, type Row, wrong } from '../mirror/mirror.ts'
import type { Core } from '../runtime/runtime.ts'
import { CallRefused } from './calls/refusals.ts'
import { operatorCalls, type OperatorPorts } from './calls/calls.ts'

/** Throws MirrorWrong: a symbol that neither venue has, or a rule that cannot be had here. */
export async function listMissing(core: Core, url: string, symbols: readonly string[]): Promise<void> {
  for (const text of symbols) {
    if (instrumentsNow(core).some((listed) => isNamed(text, listed))) continue
    const found: { readonly category: Category; readonly row: Row }[] = []
    for (const category of mirroredCategories) {
      if (!isNamed(text, { category, symbol: symbolOf(text) })) continue
      const rows = await dataOf(url, 'market/instruments', { category })
      for (const row of rows) if (row['symbol'] === symbolOf(text)) found.push({ category, row })
    }
    if (found.length === 0) throw wrong('--mirror-symbols', text, 'is no instrument of this venue, nor of the other')
    for (const { category, row } of found) await list(core, url, category, row)
  }
}

function symbolOf(text: string): string {
  return text.toUpperCase().split(':').at(-1) as string
}

function instrumentsNow(core: Core): readonly Instrument[] {
  return core.query({ kind: 'catalog' }).instruments
}

async function list(core: Core, url: string, category: Category, row: Row): Promise<void> {
  const symbol = String(row['symbol'])
  const at = `instruments ${category} ${symbol}`
  const asked = { category, symbol }
  const tiers = category === 'SPOT' ? [] : await dataOf(url, 'market/position-tier', asked)
  const [ticker] = await dataOf(url, 'market/tickers', asked)
  try {
    const record = recordOf(category, row, tiers)
    for (const name of [row['quoteCoin'], row['baseCoin']]) await listCoin(core, String(name), row, ticker, at)
    await operator(core, '/operator/instruments', record)
  } catch (error) {
    if (error instanceof CallRefused) throw wrong(at, symbol, `cannot be listed here: ${error.message}`)
    throw error
  }
}

/** What the operator would send. Fields that the other venue leaves empty are left out. */
function recordOf(category: Category, row: Row, tiers: readonly Row[]): Row {
  const text = (name: string) => {
    const value = row[name]
    return typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined
  }
  const whole = (name: string) => (text(name) === undefined ? undefined : Number(text(name)))
  // No bound is what zero, and what is more than any order, come to.
  const bound = (name: string) => {
    const units = parseDecimal(text(name) ?? '0', whole('quantityPrecision') ?? 0)
    return typeof units === 'bigint' && units > 0n && Number.isSafeInteger(Number(units)) ? text(name) : undefined
  }
  const contract = {
    minLeverage: whole('minLeverage'),
    maxLeverage: whole('maxLeverage'),
    fundInterval: text('fundInterval'),
    tiers: tiers.map((tier) => ({
      from: String(tier['minTierValue']),
      to: String(tier['maxTierValue']),
      maxLeverage: Number(tier['leverage']),
      maintenanceRate: String(tier['mmr']),
    })),
  }
  const record = {
    category,
    symbol: row['symbol'],
    baseCoin: row['baseCoin'],
    quoteCoin: row['quoteCoin'],
    pricePrecision: whole('pricePrecision'),
    priceMultiplier: text('priceMultiplier'),
    quantityPrecision: whole('quantityPrecision'),
    sizeMultiplier: text('quantityMultiplier'),
    quotePrecision: whole('quotePrecision'),
    minOrderQty: text('minOrderQty'),
    maxOrderQty: bound('maxOrderQty'),
    maxMarketOrderQty: bound('maxMarketOrderQty'),
    minOrderAmount: text('minOrderAmount') ?? '0',
    makerFeeRate: text('makerFeeRate'),
    takerFeeRate: text('takerFeeRate'),
    limitPriceRatio: text('buyLimitPriceRatio'),
    ...(category === 'SPOT' ? {} : contract),
  }
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** `USD` is no coin. */
async function listCoin(core: Core, name: string, row: Row, ticker: Row | undefined, at: string): Promise<void> {
  const catalog = core.query({ kind: 'catalog' })
  if (name === 'USD' || coinByName(catalog, name) !== undefined) return
  if (name === row['quoteCoin']) throw wrong(`${at}: quoteCoin`, name, 'is no coin of this venue: list it first')
  const said = ticker?.['indexPrice'] || ticker?.['lastPrice']
  const priceE8 = typeof said === 'string' ? parseDecimal(said, 8) : undefined
  if (typeof priceE8 !== 'bigint' || priceE8 <= 0n) throw wrong(`${at}: indexPrice`, said, 'must be a decimal above 0')
  const quote = coinByName(catalog, String(row['quoteCoin']))
  const usdE8 = quote === undefined ? oneE8 : core.query({ kind: 'index-prices' })[quote.id]
  await operator(core, '/operator/coins', { coin: name, price: formatDecimal((priceE8 * usdE8) / oneE8 || 1n, 8) })
}

const oneE8 = 100_000_000n

async function operator(core: Core, path: string, sent: Row): Promise<void> {
  const found = operatorCalls.find((one) => one.method === 'POST' && one.path === path)
  // Listing needs nothing but the core.
  await found?.run(sent, { core } as OperatorPorts)
}
