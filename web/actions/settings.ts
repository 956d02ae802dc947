/** Leverage, margin mode, position mode, self-trade prevention. Nothing pushes them: they are read anew after each change. */
import { chosenTerms, leverageOf, readSettings, readTerms } from '../store/account.ts'
import type { ContractTerms, HoldMode } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { carryOut } from './carry-out.ts'

export function setContractTerms(instrument: Instrument, terms: ContractTerms): Promise<boolean> {
  return carryOut(`${instrument.symbol}: leverage not changed`, async (account) => {
    await account.setContractTerms(instrument, terms)
    chosenTerms.value = new Map(chosenTerms.value).set(instrument.key, terms)
    await readTerms(account, instrument)
    return `${instrument.symbol}: ${terms.marginMode === 'crossed' ? 'cross' : 'isolated'}, ${leverageOf(instrument).leverage}x`
  })
}

export function setCoinLeverage(coin: string, leverage: string): Promise<boolean> {
  return carryOut(`${coin}: leverage not changed`, async (account) => {
    await account.setCoinLeverage(coin, leverage)
    await readSettings(account)
    return `${coin} is borrowed at up to ${leverage}x`
  })
}

export function setHoldMode(lines: readonly Category[], mode: HoldMode): Promise<boolean> {
  return carryOut('Position mode not changed', async (account) => {
    await account.setHoldMode(lines, mode)
    await readSettings(account)
    return mode === 'hedge_mode' ? 'Hedge mode' : 'One-way mode'
  })
}

export function setStpMode(mode: string): Promise<boolean> {
  return carryOut('Self-trade prevention not changed', async (account) => {
    await account.setStpMode(mode)
    await readSettings(account)
    return `Self-trade prevention: ${mode.replace('_', ' ')}`
  })
}
