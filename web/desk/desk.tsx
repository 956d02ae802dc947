/** The whole page: its head with the state of the venue, the way to each view, and the view that is chosen. */
import { Notices } from '../parts/notices.tsx'
import { ShortcutList } from '../parts/shortcut-list.tsx'
import { theme, toggleTheme } from '../store/theme.ts'
import { Accounts } from './accounts.tsx'
import { Controls } from './controls.tsx'
import { Explain } from './explain.tsx'
import { Hours } from './hours.tsx'
import { Instruments } from './instruments.tsx'
import { keysShown, shortcuts } from './shortcuts.ts'
import { KeysView } from './keys-view.tsx'
import { Overview } from './overview.tsx'
import { at, place, type View, views } from './place.ts'
import { Risk } from './risk.tsx'
import { signedIn, signOut } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { TrailView } from './trail.tsx'
import { status, watchFault } from './watch.ts'

const shown: Record<View, () => preact.JSX.Element> = {
  overview: Overview,
  instruments: Instruments,
  accounts: Accounts,
  keys: KeysView,
  risk: Risk,
  controls: Controls,
  trail: TrailView,
  hours: Hours,
  explain: Explain,
}

export function Desk() {
  if (!signedIn.value) return <SignIn />
  const { view } = place.value
  const Shown = shown[view]
  return (
    <div class="page">
      <Header />
      <main class="view" data-view={view}>
        <Shown />
      </main>
      <nav class="views" aria-label="Views">
        <Links />
      </nav>
      <Notices />
      {keysShown.value && (
        <ShortcutList shortcuts={shortcuts} onClose={() => (keysShown.value = false)}>
          Escape leaves a field or a dialog.
        </ShortcutList>
      )}
    </div>
  )
}

function Links() {
  return views.map(([view, text]) => (
    <a key={view} href={at(view)} data-view={view} aria-current={place.value.view === view ? 'page' : undefined}>
      {text}
    </a>
  ))
}

function Header() {
  return (
    <header class="top">
      <h1 class="brand">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span>
          Tidemark <span class="quiet">desk</span>
        </span>
      </h1>
      <nav class="links" aria-label="Views, at the top">
        <Links />
      </nav>
      <div class="top-end">
        <Mode />
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
          onClick={() => (keysShown.value = true)}
        >
          ?
        </button>
        <button type="button" class="quiet-button" onClick={signOut}>
          Sign out
        </button>
      </div>
    </header>
  )
}

const modes = {
  ok: ['on', 'Takes commands'],
  degraded: ['', 'Degraded'],
  stopping: ['off', 'Stopping'],
  failed: ['off', 'Takes no commands'],
} as const

function Mode() {
  const said = status.value
  const [tone, text] =
    watchFault.value !== ''
      ? (['off', watchFault.value] as const)
      : said === undefined
        ? (['', '…'] as const)
        : modes[said.status]
  return (
    <span class={`live ${tone}`} role="status" data-testid="mode">
      {text}
      {said !== undefined && watchFault.value === '' && <span class="badge">{said.kind}</span>}
    </span>
  )
}
