/**
 * How much the account could order now, as the venue reckons it: asked when the ticket changes, at most every 400 ms.
 */
import { effect, signal } from '@preact/signals'
import { parseUnits } from '../numbers/decimal.ts'
import type { Account, MaxOrder, MaxOrderQuery } from '../venue/account.ts'
import { isFutures } from '../venue/instruments.ts'
import { accountState, leverageOf, positions, wallets } from './account.ts'
import { currentInstrument } from './market.ts'
import { session } from './session.ts'
import { ticket } from './ticket.ts'

export const maxOrder = signal<MaxOrder | undefined>(undefined)
const readEveryMs = 400

let timer: ReturnType<typeof setTimeout> | undefined
/** Of what is shown. */
let coin = ''

effect(() => {
  const instrument = currentInstrument.value
  const account = session.value?.account
  void wallets.value
  void positions.value.length
  const limited = ticket.hasLimitPrice.value && ticket.price.value !== ''
  const isNonsense = limited && (parseUnits(ticket.price.value) ?? 0n) <= 0n
  const asked = { side: ticket.side.value, price: limited ? ticket.price.value : '' }
  const marginMode = instrument === undefined ? 'crossed' : leverageOf(instrument).marginMode
  clearTimeout(timer)
  // An answer in another coin is none.
  const wanted = instrument === undefined ? '' : `${instrument.key} ${isFutures(instrument) ? '' : ticket.side.value}`
  if (wanted !== coin) maxOrder.value = undefined
  coin = wanted
  if (instrument === undefined || account === undefined || accountState.value !== 'open') {
    maxOrder.value = undefined
    return
  }
  // What is no price asks the venue nothing: what is shown stays.
  if (isNonsense) return
  timer = setTimeout(() => void readMaxOrder(account, { instrument, marginMode, ...asked }), readEveryMs)
})

async function readMaxOrder(account: Account, query: MaxOrderQuery): Promise<void> {
  const answer = await account.maxOrder(query).catch(() => undefined)
  const { instrument, side: asked } = query
  const late = currentInstrument.peek() !== instrument || (!isFutures(instrument) && ticket.side.peek() !== asked)
  if (answer !== undefined && !late && session.peek()?.account === account) maxOrder.value = answer
}
