/** The pulse: what the venue does right now, in large figures. */
import type { ComponentChildren } from 'preact'
import { duration, grouped, short } from '../numbers/format.ts'
import { perSecond, valueOf } from './readings.ts'
import { Sparkline } from './sparkline.tsx'
import { before, commandRates, newest, status } from './watch.ts'
import { desk } from '../words/desk.ts'

export function Pulse() {
  const last = newest.value
  const from = before.value
  const of = (name: string) => (last === undefined ? undefined : valueOf(last, name))
  const rate = (name: string) => (last === undefined || from === undefined ? undefined : perSecond(from, last, name))
  return (
    <dl class="pulse">
      <Tile title={desk.pulse.commands} value={rateText(commandRates.value.at(-1))} testid="commands-rate">
        <Sparkline values={commandRates.value} />
      </Tile>
      <Tile title={desk.pulse.sequence} value={grouped(String(status.value?.sequence ?? '–'))} testid="sequence" />
      <Tile title={desk.pulse.up} value={spanText(of('tidemark_uptime_seconds'))} />
      <Tile title={desk.pulse.refused} value={rateText(rate('tidemark_commands_refused_total'))} />
      <Tile title={desk.pulse.waiting} value={countText(of('tidemark_commands_waiting'))} />
      <Tile title={desk.pulse.requests} value={rateText(rate('tidemark_requests_total'))} />
      <Tile title={desk.pulse.sockets} value={countText(of('tidemark_stream_connections'))} />
    </dl>
  )
}

interface TileProps {
  readonly title: string
  readonly value: string
  readonly testid?: string
  readonly children?: ComponentChildren
}

function Tile({ title, value, testid, children }: TileProps) {
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd data-testid={testid}>{value}</dd>
      {children}
    </div>
  )
}

function rateText(rate: number | undefined): string {
  if (rate === undefined) return '–'
  return rate >= 1_000 ? short(rate) : rate.toFixed(rate < 10 ? 1 : 0)
}

function countText(count: number | undefined): string {
  return count === undefined ? '–' : grouped(String(count))
}

function spanText(seconds: number | undefined): string {
  return seconds === undefined ? '–' : duration(seconds)
}
