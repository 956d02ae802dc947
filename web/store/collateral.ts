/** At which ratios coins count as collateral: read once, for the preview. */
import { signal } from '@preact/signals'
import { type RatioRecord, type Ratios, ratiosOf } from '../trading/collateral.ts'
import { publicGet } from '../venue/rest.ts'

export const ratios = signal<Ratios>(new Map())

export async function loadRatios(): Promise<void> {
  ratios.value = ratiosOf(await publicGet<RatioRecord[]>('/api/v3/market/discount-rate'))
}
