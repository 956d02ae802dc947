/**
 * The v2 endpoints, in the order of the document: one file for each family, one dictionary (dictionary.ts) for all.
 */
import type { Endpoint } from '../endpoint.ts'
import { assetEndpoints } from './assets.ts'
import { brokerEndpoints } from './broker.ts'
import { candleEndpoints } from './candles.ts'
import { listingEndpoints } from './listing.ts'
import { marginAccountEndpoints } from './margin-account.ts'
import { marginOrderEndpoints } from './margin-orders.ts'
import { marginRecordEndpoints } from './margin-records.ts'
import { marketEndpoints } from './market.ts'
import { mixAccountEndpoints } from './mix-accounts.ts'
import { mixOrderEndpoints } from './mix-orders.ts'
import { mixPlanEndpoints } from './mix-plans.ts'
import { mixRiskEndpoints } from './mix-risk.ts'
import { spotOrderEndpoints } from './spot-orders.ts'
import { spotPlanEndpoints } from './spot-plans.ts'
import { subAccountEndpoints } from './sub-accounts.ts'
import { walletEndpoints } from './wallet.ts'

export const v2Endpoints: readonly Endpoint[] = [
  ...mixOrderEndpoints,
  ...mixPlanEndpoints,
  ...mixAccountEndpoints,
  ...mixRiskEndpoints,
  ...spotOrderEndpoints,
  ...spotPlanEndpoints,
  ...marginOrderEndpoints,
  ...marginAccountEndpoints,
  ...marginRecordEndpoints,
  ...walletEndpoints,
  ...assetEndpoints,
  ...brokerEndpoints,
  ...subAccountEndpoints,
  ...listingEndpoints,
  ...marketEndpoints,
  ...candleEndpoints,
]
