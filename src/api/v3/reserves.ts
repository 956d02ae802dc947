/**
 * Public records of risk: what liquidations offered to the books, the insurance fund, and the venue's reserves.
 *
 * Fund       one for each coin; `amount` is positive where it took in, `type` says which it was
 * Reserves   users' assets are what accounts could take home if all positions closed against each other; the venue's are
 *            what came in and did not leave. Made at most every ten minutes, once for all gateways
 * Merkle     sha256. Leaves, by account number: `uid:coin=units,coin=units` (coins by name, units in shortest decimals);
 *            each node is the hash of its two children's bytes, an odd one goes up as it is; without accounts the hash
 *            of nothing
 * Source     wire/v3-endpoints.md §1; risk-engine.md §14
 */
import { createHash } from 'node:crypto'
import Type from 'typebox'
import type { Static } from 'typebox'
import type { CoinId } from '../../engine/catalog/catalog.ts'
import { divHalfUp, formatDecimal } from '../../engine/numbers/numbers.ts'
import type { Answer } from '../../engine/protocol/query.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { type Context, defineEndpoint, type Endpoint } from '../endpoint.ts'
import { ApiError, unknownSymbol } from '../errors/errors.ts'
import { formatAmount } from '../figures.ts'
import * as field from '../parsing/fields.ts'
import { type Proof, proofAgeMsMax } from '../shared-proof.ts'
import * as wire from './dictionary.ts'
import { instrumentsAsked } from './market.ts'
import { before, nextCursor } from './pages.ts'
import * as records from './records.ts'

const access = 'public'
const source = 'wire/v3-endpoints §1'
const perSecond = (calls: number) => ({ perSecond: calls, per: 'ip' }) as const

const liquidations = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/liquidations',
  summary: 'What liquidations offered to the books, newest first',
  source,
  access,
  limit: perSecond(5),
  request: Type.Object({
    category: field.productType(),
    symbol: Type.Optional(field.symbol()),
    limit: field.limit(100, 100),
    cursor: Type.Optional(field.cursor()),
  }),
  response: records.pageOf(records.LiquidationRecord),
  handle: async ({ catalog, dialect, history }, { category, symbol, limit, cursor }) => {
    const page = await history.liquidationOffers({
      instruments: instrumentsAsked(catalog, category, symbol).map((instrument) => instrument.id),
      beforeId: before('liquidations', cursor, dialect),
      limit,
    })
    return {
      list: page.rows.map((offer) => wire.liquidationRecord(offer, catalog)),
      cursor: nextCursor(dialect, 'liquidations', page),
    }
  },
})

const FundRequest = Type.Object({
  category: field.productType(),
  symbol: field.symbol(),
  marginCoin: Type.Optional(field.coin()),
})

const FundOfLineRequest = Type.Object({ ...FundRequest.properties, symbol: Type.Optional(field.symbol()) })

/**
 * The coin whose fund stands behind a contract; a margin coin that is named has to be the contract's. Without a contract
 * that of the product line: the named one of its coins, or its first.
 */
function fundCoin({ catalog }: Context, { category, symbol, marginCoin }: Static<typeof FundOfLineRequest>): CoinId {
  const coins = instrumentsAsked(catalog, category, symbol).map(({ settle }) => settle)
  const found = marginCoin === undefined ? coins[0] : coins.find((coin) => catalog.coinName(coin) === marginCoin)
  if (found !== undefined) return found
  throw marginCoin === undefined ? unknownSymbol(category) : new ApiError('40778', [symbol ?? category, marginCoin])
}

function fundBalance({ core }: Context, coin: CoinId): string {
  return formatAmount(core.query({ kind: 'insurance-fund', coin }))
}

/** Movements that are shown, and hours. */
const movementsMax = 100
const hoursMax = 24

const riskReserve = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/risk-reserve',
  summary: 'The insurance fund behind a contract, and what it last gave and took',
  source,
  access,
  limit: perSecond(20),
  request: FundRequest,
  response: records.RiskReserve,
  handle: async (context, input) => {
    const coin = fundCoin(context, input)
    const moves = await context.history.insurance({ coin, limit: movementsMax })
    return {
      coin: context.catalog.coinName(coin),
      totalBalance: fundBalance(context, coin),
      riskReserveRecords: moves.map(({ balance, amount, at }) => ({
        balance: formatAmount(balance),
        amount: formatAmount(0n - amount),
        ts: String(at),
        type: amount > 0n ? 'out' : 'in',
      })),
    }
  },
})

const riskReserveHour = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/risk-reserve-hour',
  summary: 'The insurance fund of a product line, or behind a contract, by the hour in which it last moved',
  source,
  access,
  limit: perSecond(20),
  request: FundOfLineRequest,
  response: records.RiskReserveHours,
  handle: async (context, input) => {
    const coin = fundCoin(context, input)
    const hours = await context.history.insuranceHours({ coin, limit: hoursMax })
    return {
      coin: context.catalog.coinName(coin),
      riskReserveRecords: hours.map(({ balance, amount, start }) => ({
        balance: formatAmount(balance),
        amount: formatAmount(0n - amount),
        ts: String(start),
      })),
    }
  },
})

const riskReserveAll = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/risk-reserve-all',
  summary: 'The insurance funds of a product line',
  source,
  access,
  limit: perSecond(3),
  request: Type.Object({ category: field.productType() }),
  response: records.RiskReserves,
  handle: (context, { category }) => {
    const contracts = context.catalog.list(category)
    const coins = [...new Set(contracts.map(({ settle }) => settle))]
    return {
      list: coins.map((coin) => ({
        symbols: contracts.filter(({ settle }) => settle === coin).map(({ symbol }) => symbol),
        coin: context.catalog.coinName(coin),
        balance: fundBalance(context, coin),
      })),
    }
  },
})

/** A proof as it was shown; `at` is the venue's time, Unix milliseconds. */
export interface ShownProof {
  readonly at: number
  readonly proof: Proof
}

/** Of each core that was asked, the last proof. */
const proofs = new WeakMap<Context['core'], ShownProof>()

/** The last proof over a core; for a venue that goes back to an earlier moment. */
export function shownProof(core: Context['core']): ShownProof | undefined {
  return proofs.get(core)
}

/** That proof is the last one again; undefined: there was none. */
export function showProof(core: Context['core'], shown: ShownProof | undefined): void {
  if (shown === undefined) proofs.delete(core)
  else proofs.set(core, shown)
}

const proofOfReserves = defineEndpoint({
  method: 'GET',
  path: '/api/v3/market/proof-of-reserves',
  summary: "The venue's coins against those of its accounts, with a Merkle root over the accounts",
  source,
  access,
  limit: perSecond(20),
  request: field.nothing,
  response: records.ProofOfReserves,
  handle: ({ core, catalog, now, sharedProof }) => {
    const make = () => proofOf(core.query({ kind: 'reserves' }), catalog)
    if (sharedProof !== undefined) return sharedProof(make)
    const made = proofs.get(core)
    if (made !== undefined && now >= made.at && now - made.at < proofAgeMsMax) return made.proof
    const proof = make()
    proofs.set(core, { at: now, proof })
    return proof
  },
})

/** The total compares the coins in which the venue holds the least: of all ratios the smallest. */
function proofOf({ accounts, inside }: Answer<'reserves'>, catalog: CatalogIndex): Proof {
  const owed = inside.map(() => 0n)
  for (const { units } of accounts) for (const [coin, some] of units) owed[coin] = (owed[coin] ?? 0n) + some
  const shown = catalog.catalog.coins.filter(({ id }) => owed[id] !== 0n || inside[id] !== 0n)
  const ratios = shown.flatMap(({ id }) => (owed[id] > 0n ? [ratioE4(inside[id], owed[id])] : []))
  const lowest = ratios.reduce<bigint | undefined>(
    (least, amount) => (least === undefined || amount < least ? amount : least),
    undefined,
  )
  const leaves = accounts.map(({ uid, units }) => {
    const coins = [...units].map(([coin, some]) => `${catalog.coinName(coin)}=${formatAmount(some)}`)
    return createHash('sha256')
      .update(`${uid}:${coins.sort().join(',')}`)
      .digest()
  })
  return {
    merkleRootHash: merkleRoot(leaves).toString('hex'),
    totalReserveRatio: lowest === undefined ? '' : formatDecimal(lowest, 4),
    list: shown.map(({ id, name }) => ({
      coin: name,
      userAssets: formatAmount(owed[id]),
      platformAssets: formatAmount(inside[id]),
      reserveRatio: owed[id] > 0n ? formatDecimal(ratioE4(inside[id], owed[id]), 4) : '',
    })),
  }
}

function ratioE4(has: bigint, owes: bigint): bigint {
  return divHalfUp(has * 10_000n, owes)
}

function merkleRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest()
  let level = leaves
  while (level.length > 1) {
    const above: Buffer[] = []
    for (let place = 0; place < level.length; place += 2) {
      const right = level[place + 1]
      above.push(right === undefined ? level[place] : createHash('sha256').update(level[place]).update(right).digest())
    }
    level = above
  }
  return level[0]
}

export const reserveEndpoints: readonly Endpoint[] = [
  liquidations,
  riskReserve,
  riskReserveHour,
  riskReserveAll,
  proofOfReserves,
]
