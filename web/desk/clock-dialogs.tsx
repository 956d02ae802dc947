/** The clock: moved by hand, or a leap of the system's that is accepted or refused. */
import { useState } from 'preact/hooks'
import { NumberField, SelectField } from '../parts/field.tsx'
import { dateTime } from '../store/times.ts'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Clock } from './records.ts'
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices } from '../words/words.ts'

export function AdvanceClock({ onClose }: { onClose: () => void }) {
  const [count, setCount] = useState('')
  const [unit, setUnit] = useState<keyof DeskMessages['clock']['units']>('1000')
  const run = async () => {
    const ms = count === '' ? null : Number(count) * Number(unit)
    const { now } = await act<{ now: number }>('clock/advance', { ms })
    return desk.clock.moved(dateTime(now))
  }
  return (
    <ActDialog title={desk.clock.moveTitle} verb={desk.clock.moveOn} danger run={run} onClose={onClose}>
      <div class="pair">
        <NumberField label={desk.clock.by} name="ms" value={count} onChange={setCount} />
        <SelectField label={desk.clock.unit} value={unit} options={choices(desk.clock.units)} onChange={setUnit} />
      </div>
      <p class="quiet">{desk.clock.moveMeans}</p>
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
    return accepts ? desk.clock.accepted(dateTime(now)) : desk.clock.refused
  }
  return (
    <ActDialog
      title={desk.clock.asks[verdict]}
      verb={desk.clock.verdicts[verdict]}
      danger={accepts}
      run={run}
      onClose={onClose}
    >
      {accepts ? (
        <p>
          {desk.clock.acceptMeans(dateTime(system), (leapMs / 1000).toFixed(1))}
          {desk.clock.fallsDue(interest.join(', '), fallsDue?.funding.join(', ') ?? '', fallsDue?.countdowns ?? 0)}
        </p>
      ) : (
        <p>{desk.clock.refuseMeans}</p>
      )}
    </ActDialog>
  )
}
