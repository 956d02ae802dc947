/**
 * Where the venue may lose money: accounts near their liquidation, and what is open by contract.
 *
 * Units    equity and maintenance in `unit`, quantities as the interface has them, values in USD
 * Source   engine/views/near-liquidation.ts, exposure.ts
 */
import { CatalogIndex, formatAmount, formatLots } from '../../api/api.ts'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { Lots } from '../../engine/numbers/numbers.ts'
import type { LargestPosition } from '../../engine/protocol/query.ts'
import type { Core } from '../../runtime/runtime.ts'
import { call, nothing } from './call.ts'
import { body, optional, wholeNumber } from './fields.ts'
import { poolShown } from './holdings.ts'

const limitDefault = 50
/** As many as the engine looks at. */
const limitMax = 300

export const dangerCalls = [
  call(
    'GET /operator/near-liquidation',
    body({ limit: optional(wholeNumber(1, limitMax)) }),
    ({ limit = limitDefault }, { core }) => nearLiquidationShown(core, limit),
  ),
  call('GET /operator/exposure', nothing, (_, { core }) => exposureShown(core)),
]

/** An account each, with its pool of the highest ratio, highest first. */
function nearLiquidationShown(core: Core, limit: number) {
  const catalog = new CatalogIndex(core.query({ kind: 'catalog' }))
  const { pools, more } = core.query({ kind: 'near-liquidation', limit })
  const accounts = pools.map((pool) => ({
    uid: String(pool.uid),
    name: core.query({ kind: 'account', uid: pool.uid })?.name ?? '',
    ...poolShown(pool, catalog),
  }))
  return { accounts, more }
}

function exposureShown(core: Core) {
  const { instruments } = core.query({ kind: 'catalog' })
  return core.query({ kind: 'exposure' }).map((exposure) => {
    const instrument = instruments[exposure.instrument]
    return {
      category: instrument.category,
      symbol: instrument.symbol,
      openInterest: formatLots(exposure.openInterest, instrument),
      notionalUsd: formatAmount(exposure.notionalUsd),
      longAccounts: exposure.holdersLong,
      shortAccounts: exposure.holdersShort,
      largestLong: largestShown(exposure.largestLong, instrument),
      largestShort: largestShown(exposure.largestShort, instrument),
      fundPosition: formatLots(exposure.fundLots as Lots, instrument),
    }
  })
}

function largestShown(largest: LargestPosition | undefined, instrument: Instrument) {
  return largest === undefined ? null : { uid: String(largest.uid), quantity: formatLots(largest.quantity, instrument) }
}
