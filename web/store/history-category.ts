/** Which category the histories show: that of the instrument in view, until somebody chooses another. */
import { computed, effect, signal, type Signal } from '@preact/signals'
import type { BillCategory } from '../venue/bills.ts'
import type { Category } from '../venue/categories.ts'
import { currentInstrument } from './market.ts'

const any = signal<Category>('USDT-FUTURES')
const futures = signal<Category>('USDT-FUTURES')
/** Of bills, which are kept of more than products. */
export const billCategory = signal<BillCategory>('USDT-FUTURES')
/** Not with every push: only when another category is in view. */
const inView = computed(() => currentInstrument.value?.category)

effect(() => {
  if (inView.value === undefined) return
  any.value = inView.value
  billCategory.value = inView.value
  if (inView.value.endsWith('FUTURES')) futures.value = inView.value
})

export function historyCategory(futuresOnly: boolean): Signal<Category> {
  return futuresOnly ? futures : any
}
