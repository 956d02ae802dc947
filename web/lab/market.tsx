/** What the simulated market does: its scenarios, where there is a simulated market. */
import { useState } from 'preact/hooks'
import { SelectField } from '../parts/field.tsx'
import { carryOutInLab, labBusy, labInfo } from '../store/lab.ts'
import { lab } from '../venue/lab.ts'

const scenarios = [
  ['calm', 'Calm'],
  ['trend', 'Trend'],
  ['crash', 'Crash'],
  ['squeeze', 'Squeeze'],
  ['stale-index', 'Index stands still'],
  ['adl', 'Deleveraging'],
  ['none', 'None: end what runs'],
] as const
type Scenario = (typeof scenarios)[number][0]

export function MarketSection() {
  const [name, setName] = useState<Scenario>('crash')
  if (labInfo.value?.simulator !== true) return null
  const begin = (event: Event) => {
    event.preventDefault()
    void carryOutInLab(async () => {
      await lab('POST', '/operator/scenario', { name })
      return name === 'none' ? 'The scenario has ended' : `The scenario ${name} has begun`
    })
  }
  return (
    <section aria-label="Scenarios">
      <h3>Scenarios of the market</h3>
      <form class="lab-row" onSubmit={begin}>
        <SelectField label="Scenario" value={name} options={scenarios} onChange={setName} name="lab-scenario" />
        <button type="submit" disabled={labBusy.value} data-testid="lab-scenario">
          Begin
        </button>
      </form>
    </section>
  )
}
