/** Says that the venue is gone, since when, and what that means for what is shown. */
import { accountLostAt, isLive, marketLostAt } from '../store/connection.ts'
import { clockTime, zoneName } from '../store/times.ts'

export function GoneBanner() {
  if (isLive.value) return null
  const since = clockTime(marketLostAt.value ?? accountLostAt.value ?? 0)
  const old = marketLostAt.value === undefined ? 'Orders, positions and wallets are' : 'Prices are'
  return (
    <p class="alert gone" role="alert">
      The venue is gone since {since} ({zoneName(Date.now())}). {old} old, and orders are held back. Connecting …
    </p>
  )
}
