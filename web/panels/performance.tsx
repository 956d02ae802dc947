/** How the account has done: its equity and falls over a time, profit by contract and by day, what fees and funding came to. */
import { useEffect, useState } from 'preact/hooks'
import { direction, money, percent, signed, signedPercent } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Figure } from '../parts/figure.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { historyChanges } from '../store/account.ts'
import { type Period, type Reading, readPerformance } from '../store/performance.ts'
import { session } from '../store/session.ts'
import { dateTime } from '../store/times.ts'
import { dialog } from '../store/view.ts'
import type { SymbolProfit } from '../trading/performance.ts'
import { Symbol } from './names.tsx'
import { PerformanceCurves } from './performance-curves.tsx'
import { choices, t } from '../words/words.ts'

const readAgainMs = 3_000

/** Dollars in cents. */
function dollars(value: number): string {
  return signed((Math.abs(value) < 0.005 ? 0 : value).toFixed(2))
}

export function PerformancePage() {
  const [period, setPeriod] = useState<Period>('7d')
  const [reading, setReading] = useState<Reading | 'failed' | undefined>(undefined)
  const account = session.value?.account
  useEffect(() => {
    setReading(undefined)
    if (account === undefined) return undefined
    let isWanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    let waitMs = 0
    const read = async () => {
      timer = undefined
      const found = await readPerformance(account, period).catch(() => 'failed' as const)
      if (isWanted) setReading(found)
    }
    // At once, then every few seconds at most, however many fills come.
    const unsubscribe = historyChanges.subscribe(() => {
      timer ??= setTimeout(() => void read(), waitMs)
      waitMs = readAgainMs
    })
    return () => {
      isWanted = false
      clearTimeout(timer)
      unsubscribe()
    }
  }, [account, period])
  return (
    <section class="performance" aria-label={t.page.performance}>
      <div class="performance-head">
        <h2>{t.performance.title}</h2>
        <Choice
          label={t.performance.period}
          value={period}
          options={choices(t.performance.periods)}
          onChange={setPeriod}
        />
      </div>
      {account === undefined ? (
        <p class="empty">
          <button type="button" class="link" onClick={() => (dialog.value = 'sign-in')}>
            {t.common.signIn}
          </button>{' '}
          {t.performance.signInAfter}
        </p>
      ) : reading === undefined ? (
        <p class="empty">{t.common.reading}</p>
      ) : reading === 'failed' ? (
        <p class="empty">{t.performance.notRead}</p>
      ) : (
        <Shown reading={reading} />
      )}
    </section>
  )
}

function Shown({ reading }: { reading: Reading }) {
  const { points, profit, moved, fees, funding, largestFall, closed, won, open } = reading
  const first = points[0]?.equity ?? 0
  const invested = first + Math.max(0, moved)
  const share = invested > 0 ? String(profit / invested) : ''
  const equity = points.at(-1)?.equity ?? 0
  const toned = (value: number, text = dollars(value)) => <span class={direction(value)}>{text}</span>
  return (
    <>
      <dl class="figures panel performance-figures" data-testid="performance-figures">
        <Figure title={t.performance.equityNow} value={money(equity.toFixed(2), 'USDT')} />
        <Figure title={t.performance.profit} value={toned(profit, `${dollars(profit)} (${signedPercent(share)})`)} />
        <Figure title={t.performance.open} value={toned(open)} />
        <Figure title={t.columns.fees} value={toned(fees)} />
        <Figure title={t.columns.funding} value={toned(funding)} />
        <Figure title={t.performance.moved} value={dollars(moved)} />
        <Figure
          title={t.performance.closedWon}
          value={
            closed === 0 ? t.performance.noneClosed : t.performance.wonOf(won, closed, percent(String(won / closed), 0))
          }
        />
        <Figure
          title={t.performance.fall}
          value={`${money(largestFall.amount.toFixed(2), 'USDT')} (${percent(String(largestFall.share))})`}
        />
      </dl>
      <div class="performance-panels">
        <PerformanceCurves points={points} largestFall={largestFall} />
        <Panel title={t.performance.byContract}>
          <Rows
            caption={t.performance.byContract}
            columns={columns()}
            rows={reading.symbols}
            keyOf={({ category, symbol }) => `${category}/${symbol}`}
            empty={t.performance.noContract}
          />
        </Panel>
        <Panel title={t.performance.byDay}>
          <Days reading={reading} />
        </Panel>
      </div>
      <p class="quiet performance-notes">
        {t.performance.notes(dateTime(reading.from), dateTime(reading.to))}
        {reading.billsFrom !== undefined && t.performance.billsSince(dateTime(reading.billsFrom))}
        {reading.unpriced.length > 0 && t.performance.unpriced(reading.unpriced.join(', '))}
      </p>
    </>
  )
}

function Days({ reading: { days } }: { reading: Reading }) {
  const largest = Math.max(0.01, ...days.map(({ profit }) => Math.abs(profit)))
  return (
    <ol class="days scrolls" tabIndex={0} aria-label={t.performance.days}>
      {days.toReversed().map(({ day, profit }) => (
        <li key={day}>
          <span>{day}</span>
          <span class="day-bar" aria-hidden="true">
            <span
              class={direction(profit)}
              style={{
                width: `${(Math.abs(profit) / largest) * 50}%`,
                left: profit < 0 ? `${50 - (Math.abs(profit) / largest) * 50}%` : '50%',
              }}
            />
          </span>
          <span class={`number ${direction(profit)}`}>{dollars(profit)}</span>
        </li>
      ))}
    </ol>
  )
}

const columns = (): Column<SymbolProfit>[] => [
  {
    title: t.columns.contract,
    head: true,
    cell: ({ category, symbol }) => <Symbol category={category} symbol={symbol} />,
  },
  { title: t.columns.realized, number: true, cell: ({ realized }) => dollars(realized) },
  { title: t.columns.fees, number: true, cell: ({ fees }) => dollars(fees) },
  { title: t.columns.funding, number: true, cell: ({ funding }) => dollars(funding) },
  { title: t.columns.net, number: true, cell: ({ net }) => <span class={direction(net)}>{dollars(net)}</span> },
]
