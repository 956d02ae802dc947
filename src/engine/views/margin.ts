/**
 * Margin of a cross margin wallet and of a unified account, for queries.
 *
 * Source  risk-engine.md §16, §17; wire/client-endpoints.md §4 `risk-rate`; wire/v3-endpoints.md §2 `loan-data`, §4 `assets`
 */
import type { FuturesInstrument } from '../catalog/catalog.ts'
import { levelOf, riskRateOf, walletStateOf } from '../lending/lending.ts'
import { needsOf, unifiedMargin, usdCeil } from '../margin/margin.ts'
import { divCeil, divFloor, type Millis, oneCoin, rate, zero } from '../numbers/numbers.ts'
import type { Answer } from '../protocol/query.ts'
import { type MarginWallet, readingWallet } from '../records/records.ts'
import type { Reading } from '../state/state.ts'
import type { Interface, Uid } from '../vocabulary.ts'

/** Assets, debt and level of the wallet that trades margin; rounded against the account. */
export function marginWalletView(reading: Reading, uid: Uid, version: Interface): Answer<'margin-wallet'> {
  const account = reading.accounts.byUid(uid)
  const none = { assetsUsd: zero, debtUsd: zero, level: undefined, riskRate: rate(0n), nextInterestAt: undefined }
  if (account === undefined) return none
  const wallet = readingWallet(account, version, 'MARGIN') as MarginWallet
  const state = walletStateOf(reading, account, wallet)
  return {
    assetsUsd: divFloor(state.assets, oneCoin),
    debtUsd: divCeil(state.debt, oneCoin),
    level: levelOf(state),
    riskRate: riskRateOf(state, reading.settings.margin),
    nextInterestAt: nextInterestAt(reading, account.handle, wallet),
  }
}

/** The figures that decide (margin/unified-margin.ts), and how much of the maintenance is that of positions. */
export function unifiedMarginView(reading: Reading, uid: Uid): Answer<'unified-margin'> {
  const account = reading.accounts.byUid(uid)
  if (account === undefined) return { equity: 0n, initial: 0n, maintenance: 0n, maintenanceOfPositions: 0n }
  let maintenanceOfPositions = 0n
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    if (exposure.wallet !== 'uta' || exposure.marginMode !== 'cross') continue
    const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
    const { maintenance } = needsOf(reading, exposure, instrument)
    maintenanceOfPositions += usdCeil(maintenance, reading.prices.usdE8(instrument.settle))
  }
  return { ...unifiedMargin(reading, account.handle), maintenanceOfPositions }
}

/** When the next hour of any loan of the wallet begins; undefined: it has none. */
function nextInterestAt(reading: Reading, account: number, wallet: MarginWallet): Millis | undefined {
  const { ledger, loans } = reading
  let next: Millis | undefined
  for (const row of ledger.rowsOf(account)) {
    if (ledger.walletOf(row) !== wallet) continue
    for (const loan of loans.ofRow.get(row) ?? []) {
      if (next === undefined || loans.dueAt[loan] < next) next = loans.dueAt[loan]
    }
  }
  return next
}
