/** Leverage, margin mode, position mode, self-trade prevention. Nothing pushes them: they are read anew after each change. */
import { chosenTerms, leverageOf, readSettings, readTerms } from '../store/account.ts'
import type { ContractTerms, HoldMode } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { carryOut } from './carry-out.ts'
import { named, t } from '../words/words.ts'

export function setContractTerms(instrument: Instrument, terms: ContractTerms): Promise<boolean> {
  return carryOut(t.told.leverageNotChanged(instrument.symbol), async (account) => {
    await account.setContractTerms(instrument, terms)
    chosenTerms.value = new Map(chosenTerms.value).set(instrument.key, terms)
    await readTerms(account, instrument)
    return t.told.terms(instrument.symbol, terms.marginMode, leverageOf(instrument).leverage)
  })
}

export function setCoinLeverage(coin: string, leverage: string): Promise<boolean> {
  return carryOut(t.told.leverageNotChanged(coin), async (account) => {
    await account.setCoinLeverage(coin, leverage)
    await readSettings(account)
    return t.told.coinLeverage(coin, leverage)
  })
}

export function setHoldMode(lines: readonly Category[], mode: HoldMode): Promise<boolean> {
  return carryOut(t.told.modeNotChanged, async (account) => {
    await account.setHoldMode(lines, mode)
    await readSettings(account)
    return mode === 'hedge_mode' ? t.told.hedge : t.told.oneWay
  })
}

export function setStpMode(mode: string): Promise<boolean> {
  return carryOut(t.told.stpNotChanged, async (account) => {
    await account.setStpMode(mode)
    await readSettings(account)
    return t.told.stp(named(t.told.stpModes, mode))
  })
}
