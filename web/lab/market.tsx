/** What the simulated market does: its scenarios, where there is a simulated market. */
import { useState } from 'preact/hooks'
import { SelectField } from '../parts/field.tsx'
import { carryOutInLab, labBusy, labInfo } from '../store/lab.ts'
import { lab } from '../venue/lab.ts'
import { choices, type Messages, t } from '../words/words.ts'

type Scenario = keyof Messages['lab']['scenarioNames']

export function MarketSection() {
  const [name, setName] = useState<Scenario>('crash')
  if (labInfo.value?.simulator !== true) return null
  const begin = (event: Event) => {
    event.preventDefault()
    void carryOutInLab(async () => {
      await lab('POST', '/operator/scenario', { name })
      return name === 'none' ? t.lab.scenarioEnded : t.lab.scenarioBegun(name)
    })
  }
  return (
    <section aria-label={t.lab.scenarios}>
      <h3>{t.lab.scenariosTitle}</h3>
      <form class="lab-row" onSubmit={begin}>
        <SelectField
          label={t.lab.scenario}
          value={name}
          options={choices(t.lab.scenarioNames)}
          onChange={setName}
          name="lab-scenario"
        />
        <button type="submit" disabled={labBusy.value} data-testid="lab-scenario">
          {t.lab.begin}
        </button>
      </form>
    </section>
  )
}
