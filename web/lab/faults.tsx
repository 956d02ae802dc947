/** What is to go wrong, and what went wrong with what came of it in truth. */
import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../parts/field.tsx'
import { carryOutInLab, labBusy, labFirings, labRules } from '../store/lab.ts'
import { lab, type LabFiring, type LabRule, outcomeText } from '../venue/lab.ts'
import { choices, type Messages, named, t } from '../words/words.ts'

/** Those that a person at the screen notices; a test has all of them. */
type Fault = keyof Messages['lab']['faultNames']

/** What a fault is told besides its name. */
const details: Readonly<Partial<Record<Fault, object>>> = {
  'lost-ack': { how: 'fin' },
  'lost-request': { how: 'fin' },
  'late-ack': { ms: 20_000 },
  unknown: { code: 40010, order: 'live' },
  'rate-limit': { for: '10s' },
  http: { status: 502, body: 'html', point: 'after' },
  maintenance: { for: '30s' },
  'ws-stall': { for: '30s' },
}

/** Market-wide ones meet no request. */
const onOrders: ReadonlySet<Fault> = new Set([
  'lost-ack',
  'lost-request',
  'late-ack',
  'unknown',
  'not-placed',
  'duplicate-request',
  'rate-limit',
  'http',
])

export function FaultsSection() {
  const [fault, setFault] = useState<Fault>('lost-ack')
  const [nth, setNth] = useState('1')
  const add = (event: Event) => {
    event.preventDefault()
    const on = onOrders.has(fault) ? { on: { endpoint: 'place' }, when: { nth: Number(nth) } } : {}
    void carryOutInLab(async () => {
      await lab('POST', '/faults', { fault, ...on, ...(details[fault] && { with: details[fault] }) })
      return onOrders.has(fault) ? t.lab.faultAt(nameOf(fault), nth) : t.lab.faultBegins(nameOf(fault))
    })
  }
  const clear = () =>
    void carryOutInLab(async () => {
      await lab('DELETE', '/faults')
      return t.lab.allOff
    })
  return (
    <section aria-label={t.lab.faults}>
      <h3>{t.lab.faults}</h3>
      <form class="lab-form" onSubmit={add}>
        <SelectField
          label={t.lab.whatGoesWrong}
          value={fault}
          options={choices(t.lab.faultNames)}
          onChange={setFault}
          name="lab-fault"
        />
        <div class="lab-row">
          {onOrders.has(fault) && <TextField label={t.lab.atOrder} value={nth} onChange={setNth} name="lab-nth" />}
          <button type="submit" class="primary" disabled={labBusy.value} data-testid="lab-add-fault">
            {t.lab.add}
          </button>
        </div>
      </form>
      {labRules.value.length > 0 && (
        <>
          <ul class="lab-list">
            {labRules.value.map((rule) => (
              <Rule key={rule.id} {...rule} />
            ))}
          </ul>
          <button type="button" class="wide" disabled={labBusy.value} onClick={clear}>
            {t.lab.clear}
          </button>
        </>
      )}
      <h3>{t.lab.firings}</h3>
      {labFirings.value.length === 0 ? (
        <p class="empty">{t.lab.noFirings}</p>
      ) : (
        <ol class="lab-list" data-testid="lab-firings" reversed>
          {labFirings.value.map((firing) => (
            <Firing key={firing.firing} {...firing} />
          ))}
        </ol>
      )}
    </section>
  )
}

function Rule({ id, fault, on, when }: LabRule) {
  const drop = () =>
    void carryOutInLab(async () => {
      await lab('DELETE', `/faults/${encodeURIComponent(id)}`)
      return t.lab.faultOff(nameOf(fault))
    })
  const conditions = [...Object.entries(on ?? {}), ...Object.entries(when ?? {})]
  return (
    <li>
      <span>
        <strong>{nameOf(fault)}</strong>
        <br />
        <span class="quiet">{conditions.map(([name, value]) => `${name} ${String(value)}`).join(', ')}</span>
      </span>
      <button
        type="button"
        class="icon"
        disabled={labBusy.value}
        aria-label={t.lab.removeRule(nameOf(fault))}
        onClick={drop}
      >
        ×
      </button>
    </li>
  )
}

function Firing({ fault, at, endpoint, outcome }: LabFiring) {
  return (
    <li>
      <span>
        <strong>{nameOf(fault)}</strong> <span class="badge">{outcomeText(outcome)}</span>
        <br />
        <span class="quiet">
          {new Date(at).toISOString().slice(11, 23)} {endpoint ?? ''}
        </span>
      </span>
    </li>
  )
}

function nameOf(fault: string): string {
  return named(t.lab.faultNames, fault)
}
