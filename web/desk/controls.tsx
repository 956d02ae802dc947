/** What moves the venue from outside: scenarios of the simulated market, its clock, index prices, and new coins. */
import { useState } from 'preact/hooks'
import { grouped, money, percent } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { AdvanceClock, DecideLeap } from './clock-dialogs.tsx'
import { BeginScenario, CreateCoin, EndScenario, SetPrice } from './control-dialogs.tsx'
import type { Clock, Coin, Scenario } from './records.ts'
import { useRead } from './use-read.ts'

const everyMs = 2_000

export function Controls() {
  return (
    <div class="controls">
      <ScenarioPanel />
      <ClockPanel />
      <CoinsPanel />
    </div>
  )
}

function ScenarioPanel() {
  const { data, fault } = useRead<Scenario>('scenario', {}, everyMs)
  const [open, setOpen] = useState<'begin' | 'end' | undefined>(undefined)
  const close = () => setOpen(undefined)
  const runs = data !== undefined && data.name !== 'none'
  return (
    <Panel title="Scenario">
      {data === undefined ? (
        <p class="empty">{fault || 'Reading …'}</p>
      ) : (
        <>
          <dl class="figures">
            <Figure title="Runs" value={<strong data-testid="scenario">{data.name}</strong>} />
            {runs && <Figure title="In" value={data.coin ?? 'all coins'} />}
            {runs && <Figure title="For" value={`${data.minutesLeft} minutes more`} />}
          </dl>
          <div class="deeds">
            <button type="button" data-action="begin-scenario" onClick={() => setOpen('begin')}>
              Begin a scenario
            </button>
            <button type="button" disabled={!runs} onClick={() => setOpen('end')}>
              End it
            </button>
          </div>
        </>
      )}
      {open === 'begin' && <BeginScenario onClose={close} />}
      {open === 'end' && <EndScenario onClose={close} />}
    </Panel>
  )
}

function ClockPanel() {
  const { data, fault } = useRead<Clock>('clock', {}, everyMs)
  const [open, setOpen] = useState<'advance' | 'accept' | 'refuse' | undefined>(undefined)
  const close = () => setOpen(undefined)
  return (
    <Panel title="Clock">
      {data === undefined ? (
        <p class="empty">{fault || 'Reading …'}</p>
      ) : (
        <>
          <dl class="figures">
            <Figure
              title="Follows"
              value={data.kind === 'system' ? 'the system clock' : `nobody: it is ${data.kind}`}
            />
            <Figure title="Venue’s time" value={dateTime(data.now)} />
            <Figure
              title="System clock is ahead by"
              value={
                <span class={data.leap === 'none' ? '' : 'warn'}>{grouped(String(data.system - data.now))} ms</span>
              }
            />
            {data.leap !== 'none' && <Figure title="Leap" value={data.leap} />}
          </dl>
          <div class="deeds">
            <button type="button" disabled={data.kind !== 'manual'} onClick={() => setOpen('advance')}>
              Move on
            </button>
            <button type="button" disabled={data.leap === 'none'} onClick={() => setOpen('accept')}>
              Accept the leap
            </button>
            <button type="button" disabled={data.leap !== 'undecided'} onClick={() => setOpen('refuse')}>
              Refuse it
            </button>
          </div>
        </>
      )}
      {open === 'advance' && <AdvanceClock onClose={close} />}
      {(open === 'accept' || open === 'refuse') && data !== undefined && (
        <DecideLeap clock={data} verdict={open} onClose={close} />
      )}
    </Panel>
  )
}

function CoinsPanel() {
  const { data, fault } = useRead<readonly Coin[]>('coins', {}, everyMs)
  const [pricing, setPricing] = useState<string | undefined>(undefined)
  const [listing, setListing] = useState(false)
  return (
    <Panel
      title="Coins and their index prices"
      class="coins"
      aside={
        <button type="button" class="primary" data-action="new-coin" onClick={() => setListing(true)}>
          New coin
        </button>
      }
    >
      <Rows
        caption="Coins"
        columns={coinColumns(setPricing)}
        rows={data ?? []}
        keyOf={({ coin }) => coin}
        empty={data === undefined ? fault || 'Reading …' : 'No coins.'}
      />
      {pricing !== undefined && <SetPrice coin={pricing} onClose={() => setPricing(undefined)} />}
      {listing && <CreateCoin onClose={() => setListing(false)} />}
    </Panel>
  )
}

function coinColumns(onPrice: (coin: string) => void): readonly Column<Coin>[] {
  return [
    { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
    { title: 'Index price', number: true, cell: ({ price }) => money(price, 'USD') },
    { title: 'Borrowable', cell: ({ borrowable }) => borrowable },
    { title: 'Interest of a day', number: true, cell: ({ dailyInterestRate }) => percent(dailyInterestRate, 4) },
    { title: 'An account may owe', number: true, cell: ({ borrowLimit }) => grouped(borrowLimit) },
    {
      title: 'Change',
      actions: true,
      cell: ({ coin }) => (
        <button type="button" data-action="price" onClick={() => onPrice(coin)}>
          Set price
        </button>
      ),
    },
  ]
}
