/**
 * The v3 endpoints, in the order of the document.
 */
import type { Endpoint } from '../endpoint.ts'
import { accountDeltaEndpoints } from './account-delta.ts'
import { accountFactEndpoints } from './account-facts.ts'
import { accountEndpoints } from './account.ts'
import { amendingEndpoints } from './amending.ts'
import { billEndpoints } from './bills.ts'
import { cancelingEndpoints } from './canceling.ts'
import { candleEndpoints } from './candles.ts'
import { closingEndpoints } from './closing.ts'
import { depositWithdrawalEndpoints } from './deposits-withdrawals.ts'
import { loanEndpoints } from './loans.ts'
import { marketEndpoints } from './market.ts'
import { movingEndpoints } from './moving.ts'
import { orderListEndpoints } from './order-lists.ts'
import { placingEndpoints } from './placing.ts'
import { reserveEndpoints } from './reserves.ts'
import { riskEndpoints } from './risk.ts'
import { strategyEndpoints } from './strategies.ts'
import { subAccountEndpoints } from './sub-accounts.ts'
import { subKeyEndpoints } from './sub-keys.ts'
import { termEndpoints } from './terms.ts'
import { transferEndpoints } from './transfers.ts'

export const v3Endpoints: readonly Endpoint[] = [
  ...marketEndpoints,
  ...candleEndpoints,
  ...termEndpoints,
  ...placingEndpoints,
  ...amendingEndpoints,
  ...cancelingEndpoints,
  ...closingEndpoints,
  ...orderListEndpoints,
  ...strategyEndpoints,
  ...accountEndpoints,
  ...accountFactEndpoints,
  ...accountDeltaEndpoints,
  ...riskEndpoints,
  ...transferEndpoints,
  ...depositWithdrawalEndpoints,
  ...loanEndpoints,
  ...billEndpoints,
  ...reserveEndpoints,
  ...subAccountEndpoints,
  ...subKeyEndpoints,
  ...movingEndpoints,
]
