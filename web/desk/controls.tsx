/** What moves the venue from outside: scenarios of the simulated market, its clock, index prices, and new coins. */
import { useState } from 'preact/hooks'
import { grouped, percent } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { exact } from '../parts/numbers.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { AdvanceClock, DecideLeap } from './clock-dialogs.tsx'
import { BeginScenario, EndScenario, SetPrice } from './control-dialogs.tsx'
import { CreateCoin } from './create-coin.tsx'
import type { Clock, Coin, Scenario } from './records.ts'
import { useRead } from './use-read.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

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
    <Panel title={desk.scenario.title}>
      {data === undefined ? (
        <p class="empty">{fault || t.common.reading}</p>
      ) : (
        <>
          <dl class="figures">
            <Figure
              title={desk.scenario.runs}
              value={
                <strong data-testid="scenario">{runs ? named(t.lab.scenarioNames, data.name) : t.common.none}</strong>
              }
            />
            {runs && <Figure title={desk.scenario.in} value={data.coin ?? desk.scenario.allCoins} />}
            {runs && <Figure title={desk.scenario.for} value={desk.scenario.minutesMore(data.minutesLeft)} />}
          </dl>
          <div class="deeds">
            <button type="button" data-action="begin-scenario" onClick={() => setOpen('begin')}>
              {desk.scenario.begin}
            </button>
            <button type="button" data-action="end-scenario" disabled={!runs} onClick={() => setOpen('end')}>
              {desk.scenario.end}
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
    <Panel title={desk.clock.title}>
      {data === undefined ? (
        <p class="empty">{fault || t.common.reading}</p>
      ) : (
        <>
          <dl class="figures">
            <Figure title={desk.clock.follows} value={desk.clock.kinds[data.kind]} />
            <Figure title={desk.clock.time} value={<span data-testid="venue-time">{dateTime(data.now)}</span>} />
            <Figure
              title={desk.clock.ahead}
              value={
                <span class={data.leap === 'none' ? '' : 'warn'}>{grouped(String(data.system - data.now))} ms</span>
              }
            />
            {data.leap !== 'none' && <Figure title={desk.clock.leap} value={desk.clock.leaps[data.leap]} />}
          </dl>
          <div class="deeds">
            <button
              type="button"
              data-action="advance-clock"
              disabled={data.kind === 'system'}
              onClick={() => setOpen('advance')}
            >
              {desk.clock.moveOn}
            </button>
            <button
              type="button"
              data-action="accept-leap"
              disabled={data.leap === 'none'}
              onClick={() => setOpen('accept')}
            >
              {desk.clock.accept}
            </button>
            <button
              type="button"
              data-action="refuse-leap"
              disabled={data.leap !== 'undecided'}
              onClick={() => setOpen('refuse')}
            >
              {desk.clock.refuse}
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
      title={desk.coins.title}
      class="coins"
      aside={
        <button type="button" class="primary" data-action="new-coin" onClick={() => setListing(true)}>
          {desk.listing.coin}
        </button>
      }
    >
      <Rows
        caption={desk.coins.caption}
        columns={coinColumns(setPricing)}
        rows={data ?? []}
        keyOf={({ coin }) => coin}
        empty={data === undefined ? fault || t.common.reading : desk.page.noCoins}
      />
      {pricing !== undefined && <SetPrice coin={pricing} onClose={() => setPricing(undefined)} />}
      {listing && <CreateCoin onClose={() => setListing(false)} />}
    </Panel>
  )
}

function coinColumns(onPrice: (coin: string) => void): readonly Column<Coin>[] {
  return [
    { title: t.common.coin, head: true, cell: ({ coin }) => <strong>{coin}</strong> },
    exact({ title: desk.coins.indexPrice, of: ({ price }) => price, coin: () => 'USD' }),
    { title: desk.coins.borrowable, cell: ({ borrowable }) => desk.coins.borrowables[borrowable] },
    { title: desk.coins.interest, number: true, cell: ({ dailyInterestRate }) => percent(dailyInterestRate, 4) },
    exact({ title: desk.coins.mayOwe, of: ({ borrowLimit }) => borrowLimit }),
    {
      title: desk.page.change,
      actions: true,
      cell: ({ coin }) => (
        <button type="button" data-action="price" onClick={() => onPrice(coin)}>
          {desk.coins.setPrice}
        </button>
      ),
    },
  ]
}
