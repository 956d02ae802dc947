/** The venue's time: it follows the system, stands still, goes fast, or goes on by a step. */
import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { TextField } from '../parts/field.tsx'
import { carryOutInLab, labBusy } from '../store/lab.ts'
import { lab, type LabInfo } from '../venue/lab.ts'
import { choices, t } from '../words/words.ts'

interface Moved {
  readonly now: number
  readonly fired: readonly unknown[]
}

const speeds = ['1', '0', '60', '600'] as const
type Pace = (typeof speeds)[number]

const steps = ['1s', '1m', '1h', '8h', '1d'] as const

function paceText(speed: Pace): string {
  return speed === '1' ? t.lab.asItGoes : speed === '0' ? t.lab.still : `${speed}×`
}

export function ClockSection({ info }: { readonly info: LabInfo }) {
  const { now, clock } = info
  const [step, setStep] = useState('')
  const isStill = clock.speed === 0
  const pace = speeds.find((speed) => speed === String(clock.speed)) ?? '60'
  const go = (speed: Pace) =>
    void carryOutInLab(async () => {
      await lab('POST', '/clock', { speed: Number(speed) })
      return speed === '0' ? t.lab.timeStill : speed === '1' ? t.lab.timeGoesOn : t.lab.secondIs(speed)
    })
  const move = (body: object) =>
    carryOutInLab(async () => {
      if (!isStill) await lab('POST', '/clock', { freeze: true })
      const { now: reached, fired } = await lab<Moved>('POST', '/clock', body)
      return t.lab.moved(shownTime(reached), fired.length)
    })
  const submit = (event: Event) => {
    event.preventDefault()
    void move({ step }).then((done) => done && setStep(''))
  }
  return (
    <section aria-label={t.lab.clock}>
      <h3>{t.lab.clock}</h3>
      <p class="lab-now" data-testid="lab-now">
        {shownTime(now)}
      </p>
      <Choice
        label={t.lab.pace}
        class="plain"
        value={pace}
        options={speeds.map((speed) => [speed, paceText(speed)] as const)}
        onChange={go}
      />
      <div class="lab-buttons" role="group" aria-label={t.lab.step}>
        {steps.map((length) => (
          <button key={length} type="button" disabled={labBusy.value} onClick={() => void move({ step: length })}>
            +{length}
          </button>
        ))}
      </div>
      <div class="lab-buttons" role="group" aria-label={t.lab.toNext}>
        {choices(t.lab.nexts).map(([next, text]) => (
          <button key={next} type="button" disabled={labBusy.value} onClick={() => void move({ next })}>
            {text} →
          </button>
        ))}
      </div>
      <form class="lab-row" onSubmit={submit}>
        <TextField label={t.lab.anotherStep} value={step} onChange={setStep} name="lab-step" />
        <button type="submit" disabled={labBusy.value || step === ''}>
          {t.lab.step}
        </button>
      </form>
      <p class="quiet">{isStill ? t.lab.stillAbout : t.lab.stepAbout}</p>
    </section>
  )
}

/** With its zone: a venue of a laboratory may be in any year. */
export function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
