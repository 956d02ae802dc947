/** The clock: moved by hand, or a leap of the system's that is accepted or refused. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField } from '../parts/field.tsx'
import { dateTime } from '../store/times.ts'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Clock } from './records.ts'

const units = [
  ['1', 'Milliseconds'],
  ['1000', 'Seconds'],
  ['60000', 'Minutes'],
  ['3600000', 'Hours'],
  ['86400000', 'Days'],
] as const

export function AdvanceClock({ onClose }: { onClose: () => void }) {
  const [count, setCount] = useState('')
  const [unit, setUnit] = useState<(typeof units)[number][0]>('1000')
  const run = async () => {
    const ms = count === '' ? null : Number(count) * Number(unit)
    const { now } = await act<{ now: number }>('clock/advance', { ms })
    return `It is ${dateTime(now)} at the venue`
  }
  return (
    <ActDialog title="Move the clock on" verb="Move on" danger run={run} onClose={onClose}>
      <div class="pair">
        <NumberField label="By" name="ms" value={count} onChange={setCount} />
        <SelectField label="Unit" value={unit} options={units} onChange={setUnit} />
      </div>
      <p class="quiet">What falls due on the way happens, in order. Time never goes back.</p>
    </ActDialog>
  )
}

interface DecideLeapProps {
  readonly clock: Clock
  readonly verdict: 'accept' | 'refuse'
  readonly onClose: () => void
}

export function DecideLeap({ clock: { leapMs, system, fallsDue }, verdict, onClose }: DecideLeapProps) {
  const accepts = verdict === 'accept'
  const interest = Object.entries(fallsDue?.interest ?? {}).map(([coin, amount]) => `${amount} ${coin}`)
  const run = async () => {
    const { now } = await act<Clock>(`clock/${verdict}`, {})
    return accepts ? `The venue follows the system clock: ${dateTime(now)}` : 'Time goes on without the leap'
  }
  return (
    <ActDialog
      title={accepts ? 'Accept the leap?' : 'Refuse the leap?'}
      verb={accepts ? 'Accept' : 'Refuse'}
      danger={accepts}
      run={run}
      onClose={onClose}
    >
      {accepts ? (
        <p>
          The venue’s time becomes the system’s, {dateTime(system)}: {(leapMs / 1000).toFixed(1)} seconds away. It
          cannot be undone. Then this falls due: interest {interest.join(', ') || 'of none'}; funding of{' '}
          {fallsDue?.funding.join(', ') || 'none'}; {fallsDue?.countdowns ?? 0} countdowns.
        </p>
      ) : (
        <p>The system clock is wrong: time goes on as it did, without the leap.</p>
      )}
    </ActDialog>
  )
}
