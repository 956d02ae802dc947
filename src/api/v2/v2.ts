/**
 * The v2 endpoints, in the order of the document: one file for each family, one dictionary (dictionary.ts) for all.
 */
import type { Endpoint } from '../endpoint.ts'
import { announcementEndpoints } from './announcements.ts'
import { assetEndpoints } from './assets.ts'
import { billEndpoints } from './bills.ts'
import { convertEndpoints } from './convert.ts'
import { brokerEndpoints } from './broker.ts'
import { candleEndpoints } from './candles.ts'
import { depositWithdrawalEndpoints } from './deposits-withdrawals.ts'
import { listingEndpoints } from './listing.ts'
import { marginAccountEndpoints } from './margin-account.ts'
import { marginOrderEndpoints } from './margin-orders.ts'
import { marginRecordEndpoints } from './margin-records.ts'
import { marketEndpoints } from './market.ts'
import { mixAccountEndpoints } from './mix-accounts.ts'
import { mixAmendingEndpoints } from './mix-amending.ts'
import { mixEstimateEndpoints } from './mix-estimates.ts'
import { mixInterestEndpoints } from './mix-interest.ts'
import { mixOrderEndpoints } from './mix-orders.ts'
import { mixPlanListEndpoints } from './mix-plan-lists.ts'
import { mixPlanEndpoints } from './mix-plans.ts'
import { mixRiskEndpoints } from './mix-risk.ts'
import { mixTpslEndpoints } from './mix-tpsl.ts'
import { positionHistoryEndpoints } from './position-history.ts'
import { sideEndpoints } from './sides.ts'
import { spotOrderEndpoints } from './spot-orders.ts'
import { spotPlanEndpoints } from './spot-plans.ts'
import { spotReplacingEndpoints } from './spot-replacing.ts'
import { subAccountEndpoints } from './sub-accounts.ts'
import { transferRecordEndpoints } from './transfer-records.ts'
import { walletFactEndpoints } from './wallet-facts.ts'
import { walletEndpoints } from './wallet.ts'

export const v2Endpoints: readonly Endpoint[] = [
  ...mixOrderEndpoints,
  ...mixAmendingEndpoints,
  ...mixPlanEndpoints,
  ...mixPlanListEndpoints,
  ...mixTpslEndpoints,
  ...mixAccountEndpoints,
  ...mixRiskEndpoints,
  ...mixEstimateEndpoints,
  ...mixInterestEndpoints,
  ...spotOrderEndpoints,
  ...spotReplacingEndpoints,
  ...spotPlanEndpoints,
  ...marginOrderEndpoints,
  ...marginAccountEndpoints,
  ...marginRecordEndpoints,
  ...walletEndpoints,
  ...walletFactEndpoints,
  ...depositWithdrawalEndpoints,
  ...billEndpoints,
  ...transferRecordEndpoints,
  ...convertEndpoints,
  ...positionHistoryEndpoints,
  ...assetEndpoints,
  ...brokerEndpoints,
  ...subAccountEndpoints,
  ...listingEndpoints,
  ...announcementEndpoints,
  ...marketEndpoints,
  ...candleEndpoints,
  ...sideEndpoints,
]
