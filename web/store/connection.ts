/**
 * Whether what is shown is as it is now. A venue that was there and is gone leaves old prices behind: they are told as old, and
 * orders are held back until it is there again.
 */
import { computed, effect, signal } from '@preact/signals'
import { venueNow } from '../venue/rest.ts'
import type { SocketState } from '../venue/sockets.ts'
import { accountState } from './account.ts'
import { marketState } from './market.ts'

interface Lost {
  readonly market: number | undefined
  readonly account: number | undefined
}

/** Since when, of what was open before; undefined: it is there, or never was. */
const lost = signal<Lost>({ market: undefined, account: undefined })

function follow(name: keyof Lost, state: { readonly value: SocketState }): void {
  let wasOpen = false
  effect(() => {
    const now = state.value
    if (now === 'open') wasOpen = true
    // Signing out closes the account's own; the market's never closes by itself.
    if (now === 'closed' && name === 'account') wasOpen = false
    const since = wasOpen && now !== 'open' ? (lost.peek()[name] ?? venueNow()) : undefined
    if (since !== lost.peek()[name]) lost.value = { ...lost.peek(), [name]: since }
  })
}
follow('market', marketState)
follow('account', accountState)

/** Prices are old since then. */
export const marketLostAt = computed(() => lost.value.market)
/** Orders, positions and wallets are. */
export const accountLostAt = computed(() => lost.value.account)

export const isLive = computed(() => marketLostAt.value === undefined && accountLostAt.value === undefined)
