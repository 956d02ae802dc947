/**
 * How much the account could order now, as the venue reckons it: asked when the ticket changes, at most every 400 ms.
 */
import { effect, signal } from '@preact/signals'
import { parseUnits } from '../numbers/decimal.ts'
import { type Instrument, isFutures } from '../venue/instruments.ts'
import type { Account } from '../venue/rest.ts'
import { accountState, assets, positions } from './account.ts'
import { instrument } from './market.ts'
import { session } from './session.ts'
import { hasLimitPrice, price, side } from './ticket.ts'

export interface Room {
  /** Of the coin that is spent, or margined in. */
  readonly available: bigint
  /** With what may be borrowed (margin). */
  readonly withLoans: bigint
  readonly buy: bigint
  readonly sell: bigint
}

export const room = signal<Room | undefined>(undefined)
const askEveryMs = 400

interface Answer {
  readonly available: string
  readonly maxOpen: string
  readonly maxBuyOpen: string
  readonly maxSellOpen: string
}

let timer: ReturnType<typeof setTimeout> | undefined

effect(() => {
  const one = instrument.value
  const account = session.value?.account
  void assets.value?.equity
  void positions.value.length
  const limited = hasLimitPrice.value && (parseUnits(price.value) ?? 0n) > 0n
  const query = {
    category: one?.category,
    symbol: one?.symbol,
    side: side.value,
    orderType: limited ? 'limit' : 'market',
    ...(limited ? { price: price.value } : {}),
  }
  clearTimeout(timer)
  if (one === undefined || account === undefined || accountState.value !== 'open') {
    room.value = undefined
    return
  }
  timer = setTimeout(() => void ask(one, account, query), askEveryMs)
})

async function ask(one: Instrument, account: Account, query: object): Promise<void> {
  const answer = await account.post<Answer>('/api/v3/account/max-open-available', query).catch(() => undefined)
  if (answer === undefined || session.peek()?.account !== account || instrument.peek() !== one) return
  const of = (text: string) => parseUnits(text) ?? 0n
  const available = of(answer.available)
  room.value = {
    available,
    withLoans: isFutures(one) || answer.maxOpen === '' ? available : of(answer.maxOpen),
    buy: of(answer.maxBuyOpen),
    sell: of(answer.maxSellOpen),
  }
}
