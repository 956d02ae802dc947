/** The venue's time: it follows the system, stands still, goes fast, or goes on by a step. */
import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { TextField } from '../parts/field.tsx'
import { carryOutInLab, labBusy } from '../store/lab.ts'
import { lab, type LabInfo } from '../venue/lab.ts'

interface Moved {
  readonly now: number
  readonly fired: readonly unknown[]
}

const paces = [
  ['1', 'As it goes'],
  ['0', 'Still'],
  ['60', '60×'],
  ['600', '600×'],
] as const
type Pace = (typeof paces)[number][0]

const steps = ['1s', '1m', '1h', '8h', '1d'] as const
const nexts = [
  ['funding', 'Funding'],
  ['interest', 'Interest'],
  ['candle:1m', 'Candle'],
  ['timer', 'Timer'],
] as const

export function ClockSection({ info }: { readonly info: LabInfo }) {
  const { now, clock } = info
  const [step, setStep] = useState('')
  const isStill = clock.speed === 0
  const pace = paces.some(([value]) => value === String(clock.speed)) ? (String(clock.speed) as Pace) : '60'
  const go = (speed: Pace) =>
    void carryOutInLab(async () => {
      await lab('POST', '/clock', { speed: Number(speed) })
      return speed === '0' ? 'Time stands still' : speed === '1' ? 'Time goes on' : `A second is ${speed} seconds`
    })
  const move = (body: object) =>
    carryOutInLab(async () => {
      if (!isStill) await lab('POST', '/clock', { freeze: true })
      const { now: reached, fired } = await lab<Moved>('POST', '/clock', body)
      const timers = fired.length === 1 ? 'one timer was due' : `${fired.length} timers were due`
      return `It is ${shownTime(reached)}: ${timers}`
    })
  const submit = (event: Event) => {
    event.preventDefault()
    void move({ step }).then((done) => done && setStep(''))
  }
  return (
    <section aria-label="Clock">
      <h3>Clock</h3>
      <p class="lab-now" data-testid="lab-now">
        {shownTime(now)}
      </p>
      <Choice label="Pace of time" class="plain" value={pace} options={paces} onChange={go} />
      <div class="lab-buttons" role="group" aria-label="Step">
        {steps.map((length) => (
          <button key={length} type="button" disabled={labBusy.value} onClick={() => void move({ step: length })}>
            +{length}
          </button>
        ))}
      </div>
      <div class="lab-buttons" role="group" aria-label="To the next">
        {nexts.map(([next, text]) => (
          <button key={next} type="button" disabled={labBusy.value} onClick={() => void move({ next })}>
            {text} →
          </button>
        ))}
      </div>
      <form class="lab-row" onSubmit={submit}>
        <TextField label="Another step, like 90s or 2d" value={step} onChange={setStep} name="lab-step" />
        <button type="submit" disabled={labBusy.value || step === ''}>
          Step
        </button>
      </form>
      <p class="quiet">
        {isStill
          ? 'While time stands still, limits of calls a second do not recover: start with --no-rate-limits to trade on.'
          : 'A step stops the clock first; “As it goes” lets it go on from there.'}
      </p>
    </section>
  )
}

/** With its zone: a venue of a laboratory may be in any year. */
export function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
