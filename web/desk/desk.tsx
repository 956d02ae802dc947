/** The whole page: its head with the state of the venue, the way to each view, and the view that is chosen. */
import { LanguageField } from '../parts/language-field.tsx'
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
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

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
      <nav class="views" aria-label={t.page.views}>
        <Links />
      </nav>
      <Notices />
      {keysShown.value && (
        <ShortcutList shortcuts={shortcuts()} onClose={() => (keysShown.value = false)}>
          {desk.page.escape}
        </ShortcutList>
      )}
    </div>
  )
}

function Links() {
  return views.map((view) => (
    <a key={view} href={at(view)} data-view={view} aria-current={place.value.view === view ? 'page' : undefined}>
      {desk.views[view]}
    </a>
  ))
}

function Header() {
  return (
    <header class="top">
      <h1 class="brand">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span>
          Tidemark <span class="quiet">{desk.page.desk}</span>
        </span>
      </h1>
      <nav class="links" aria-label={desk.page.atTop}>
        <Links />
      </nav>
      <div class="top-end">
        <Mode />
        <LanguageField />
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
          onClick={() => (keysShown.value = true)}
        >
          ?
        </button>
        <button type="button" class="quiet-button" onClick={signOut}>
          {t.common.signOut}
        </button>
      </div>
    </header>
  )
}

const tones = { ok: 'on', degraded: '', stopping: 'off', failed: 'off' } as const

function Mode() {
  const said = status.value
  const [tone, text] =
    watchFault.value !== ''
      ? (['off', watchFault.value] as const)
      : said === undefined
        ? (['', '…'] as const)
        : ([tones[said.status], desk.page.modes[said.status]] as const)
  return (
    <span class={`live ${tone}`} role="status" data-testid="mode">
      {text}
      {said !== undefined && watchFault.value === '' && (
        <span class="badge" lang="en">
          {said.kind}
        </span>
      )}
    </span>
  )
}
