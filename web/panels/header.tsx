/** The head of the page: the venue, whether it is live, and who is signed in. */
import { accountState } from '../store/account.ts'
import { marketState } from '../store/market.ts'
import { theme, toggleTheme } from '../store/theme.ts'
import { labInfo, labOpen, toggleLab } from '../store/lab.ts'
import { mirrorInfo } from '../store/mirror.ts'
import { session, signOut } from '../store/session.ts'
import { dialog } from '../store/view.ts'
import { isLab } from '../venue/lab.ts'
import { Account } from './account-menu.tsx'
import { TickerBar } from './ticker-bar.tsx'

export function Header() {
  const open = marketState.value === 'open' && (session.value === undefined || accountState.value === 'open')
  return (
    <header class="top">
      <a class="brand" href="/" aria-label="Tidemark">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span>Tidemark</span>
      </a>
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
            title="Clock, snapshots, faults (k)"
            onClick={toggleLab}
          >
            Lab
          </button>
        )}
        <span class={open ? 'live on' : 'live'} role="status">
          {open ? 'Live' : 'Connecting …'}
        </span>
        <button
          type="button"
          class="icon"
          aria-label={theme.value === 'dark' ? 'Light colours' : 'Dark colours'}
          title="Colours (t)"
          onClick={toggleTheme}
        >
          {theme.value === 'dark' ? '☀' : '☾'}
        </button>
        <button
          type="button"
          class="icon help"
          aria-label="Keyboard"
          title="Keyboard (?)"
          onClick={() => (dialog.value = 'keys')}
        >
          ?
        </button>
        {session.value === undefined ? (
          <button type="button" class="primary" onClick={() => (dialog.value = 'sign-in')}>
            Sign in
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
  const said = state === 'live' ? 'live' : state === 'stale' ? 'stale: halted' : 'connecting'
  return (
    <span class="recorded" data-testid="mirrored" title={`Books, trades and index of ${url}`}>
      {`mirrored · ${url.replace(/^https?:\/\//, '')} · ${said}`}
    </span>
  )
}

/** That a market is recorded, what time it is there, and how fast that passes. */
function RecordedBadge() {
  const info = labInfo.value
  if (info === undefined || info.market === null) return null
  const { symbol, state, at, to } = info.market
  const time = new Date(Math.min(at, to)).toISOString().replace('T', ' ').slice(0, 19)
  const speed = state === 'over' ? 'over' : info.clock.speed === 0 ? 'stands still' : `${info.clock.speed}×`
  return (
    <span class="recorded" data-testid="recorded" title={`${symbol} is recorded; its own time, UTC`}>
      {`${symbol} recorded · ${time} · ${speed}`}
    </span>
  )
}
