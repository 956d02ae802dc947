/** Says that the venue is gone, since when, and what that means for what is shown. */
import { accountLostAt, isLive, marketLostAt } from '../store/connection.ts'
import { clockTime, zoneName } from '../store/times.ts'
import { t } from '../words/words.ts'

export function GoneBanner() {
  if (isLive.value) return null
  const since = clockTime(marketLostAt.value ?? accountLostAt.value ?? 0)
  const said = marketLostAt.value === undefined ? t.page.accountGone : t.page.pricesGone
  return (
    <p class="alert gone" role="alert">
      {said(since, zoneName(Date.now()))}
    </p>
  )
}
