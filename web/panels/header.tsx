/** The head of the page: the venue, whether it is live, and who is signed in. */
import { accountState } from '../store/account.ts'
import { marketState } from '../store/market.ts'
import { theme, toggleTheme } from '../store/theme.ts'
import { labInfo, labOpen, toggleLab } from '../store/lab.ts'
import { mirrorInfo } from '../store/mirror.ts'
import { session, signOut } from '../store/session.ts'
import { dialog, page, pages } from '../store/view.ts'
import { isLab } from '../venue/lab.ts'
import { Account } from './account-menu.tsx'
import { TickerBar } from './ticker-bar.tsx'
import { t } from '../words/words.ts'

export function Header() {
  const open = marketState.value === 'open' && (session.value === undefined || accountState.value === 'open')
  return (
    <header class="top">
      <a class="brand" href="/" aria-label="Tidemark">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span>Tidemark</span>
      </a>
      <nav class="pages" aria-label={t.page.pages}>
        {pages.map((name) => (
          <button
            key={name}
            type="button"
            class="quiet-button"
            data-page={name}
            aria-current={page.value === name ? 'page' : undefined}
            onClick={() => (page.value = name)}
          >
            {t.page[name]}
          </button>
        ))}
      </nav>
      <TickerBar />
      <div class="top-end">
        <RecordedBadge />
        <MirroredBadge />
        {isLab.value && (
          <button
            type="button"
            class="lab-badge"
            data-testid="lab-toggle"
            aria-expanded={labOpen.value}
            title={t.page.labTitle}
            onClick={toggleLab}
          >
            {t.page.lab}
          </button>
        )}
        <span class={open ? 'live on' : 'live'} role="status">
          {open ? t.common.live : t.common.connecting}
        </span>
        <button
          type="button"
          class="icon"
          aria-label={theme.value === 'dark' ? t.page.lightColours : t.page.darkColours}
          title={t.page.colours}
          onClick={toggleTheme}
        >
          {theme.value === 'dark' ? '☀' : '☾'}
        </button>
        <button
          type="button"
          class="icon help"
          aria-label={t.page.keyboard}
          title={t.page.keyboardKey}
          onClick={() => (dialog.value = 'keys')}
        >
          ?
        </button>
        {session.value === undefined ? (
          <button type="button" class="primary" onClick={() => (dialog.value = 'sign-in')}>
            {t.common.signIn}
          </button>
        ) : (
          <Account session={session.value} onSignOut={signOut} />
        )}
      </div>
    </header>
  )
}

/** That the books are those of another venue, and whether it is heard. */
function MirroredBadge() {
  const info = mirrorInfo.value
  if (info === undefined) return null
  const { url, state } = info
  return (
    <span class="recorded" data-testid="mirrored" title={t.page.mirroredTitle(url)}>
      {t.page.mirrored(url.replace(/^https?:\/\//, ''), t.page.mirrorStates[state])}
    </span>
  )
}

/** That a market is recorded, what time it is there, and how fast that passes. */
function RecordedBadge() {
  const info = labInfo.value
  if (info === undefined || info.market === null) return null
  const { symbol, state, at, to } = info.market
  const time = new Date(Math.min(at, to)).toISOString().replace('T', ' ').slice(0, 19)
  const speed =
    state === 'over' ? t.page.recordOver : info.clock.speed === 0 ? t.page.recordStill : `${info.clock.speed}×`
  return (
    <span class="recorded" data-testid="recorded" title={t.page.recordedTitle(symbol)}>
      {t.page.recorded(symbol, time, speed)}
    </span>
  )
}
