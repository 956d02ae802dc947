/**
 * The whole page: head, chart, book and tape, ticket, account. On a phone one of them at a time, chosen at the bottom.
 */
import { isLive, marketLostAt } from './store/connection.ts'
import { loadFault, instruments } from './store/market.ts'
import { layoutStyle } from './store/layout.ts'
import { session } from './store/session.ts'
import { shortcuts } from './store/keys.ts'
import { closeDialog, dialog, marketTab, page, view, views } from './store/view.ts'
import { LabDrawer } from './lab/drawer.tsx'
import { Divider } from './parts/divider.tsx'
import { Later } from './parts/later.tsx'
import { Notices } from './parts/notices.tsx'
import { ShortcutList } from './parts/shortcut-list.tsx'
import { About } from './panels/about.tsx'
import { AccountPanel } from './panels/account-panel.tsx'
import { CancelAllDialog } from './panels/cancel-all.tsx'
import { CauseDialog } from './panels/cause.tsx'
import { ChainDialog } from './panels/chain.tsx'
import { ChartPanel } from './panels/chart.tsx'
import { CloseAllDialog } from './panels/close-all.tsx'
import { GoneBanner } from './panels/gone.tsx'
import { Header } from './panels/header.tsx'
import { IndicatorsDialog } from './panels/indicators.tsx'
import { InstrumentPicker } from './panels/instruments.tsx'
import { LeverageDialog } from './panels/leverage.tsx'
import { LoansDialog } from './panels/loans.tsx'
import { OrderBook } from './panels/order-book.tsx'
import { SettingsDialog } from './panels/settings.tsx'
import { SignIn } from './panels/sign-in.tsx'
import { Tape } from './panels/tape.tsx'
import { Ticket } from './panels/ticket.tsx'
import { TransferDialog } from './panels/transfer.tsx'
import { t } from './words/words.ts'

/** Loaded when somebody wants to see it. */
const loadPerformance = async () => (await import('./panels/performance.tsx')).PerformancePage

const loadAlerts = async () => (await import('./panels/alerts.tsx')).AlertsDialog
const loadScaled = async () => (await import('./panels/scaled.tsx')).ScaledDialog

export function Terminal() {
  return (
    <div
      class="page"
      data-view={view.value}
      data-market={marketLostAt.value === undefined ? 'live' : 'old'}
      data-account={isLive.value ? 'live' : 'old'}
    >
      <Header />
      <GoneBanner />
      {loadFault.value !== '' && (
        <p class="alert" role="alert">
          {t.page.tryingAgain(loadFault.value)}
        </p>
      )}
      {loadFault.value === '' && instruments.value.length === 0 && <p class="unseen">{t.page.readingMarket}</p>}
      {page.value === 'trade' && (
        <main class="rooms" style={layoutStyle.value}>
          <ChartPanel />
          <div class="market" data-tab={marketTab.value}>
            <OrderBook />
            <Tape />
          </div>
          <Ticket />
          <AccountPanel />
          <Divider name="market" />
          <Divider name="ticket" />
          <Divider name="account" />
        </main>
      )}
      {page.value === 'performance' && (
        <main class="whole">
          <Later load={loadPerformance} />
        </main>
      )}
      <nav class="views" aria-label={t.page.views}>
        {views.map((name) => (
          <button
            key={name}
            type="button"
            data-view={name}
            aria-current={page.value === 'trade' && view.value === name ? 'page' : undefined}
            onClick={() => {
              page.value = 'trade'
              view.value = name
            }}
          >
            {t.page[name]}
          </button>
        ))}
      </nav>
      <LabDrawer />
      <Notices />
      <OpenDialog />
    </div>
  )
}

function OpenDialog() {
  const signedIn = session.value !== undefined
  switch (dialog.value) {
    case undefined:
      return null
    case 'instruments':
      return <InstrumentPicker />
    case 'sign-in':
      return <SignIn />
    case 'settings':
      return <SettingsDialog />
    case 'keys':
      return (
        <ShortcutList shortcuts={shortcuts()} onClose={closeDialog}>
          {t.keys.about}
        </ShortcutList>
      )
    case 'about':
      return <About />
    case 'cause':
      return <CauseDialog />
    case 'alerts':
      return <Later load={loadAlerts} />
    case 'scaled':
      return signedIn ? <Later load={loadScaled} /> : <SignIn />
    case 'indicators':
      return <IndicatorsDialog />
    case 'leverage':
      return signedIn ? <LeverageDialog /> : <SignIn />
    case 'transfer':
      return signedIn ? <TransferDialog /> : <SignIn />
    case 'chain':
      return signedIn ? <ChainDialog /> : <SignIn />
    case 'loans':
      return signedIn ? <LoansDialog /> : <SignIn />
    case 'close-all':
      return signedIn ? <CloseAllDialog /> : <SignIn />
    case 'cancel-all':
      return signedIn ? <CancelAllDialog /> : <SignIn />
  }
}
