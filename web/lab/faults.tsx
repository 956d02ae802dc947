/** What is to go wrong, and what went wrong with what came of it in truth. */
import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../parts/field.tsx'
import { carryOutInLab, labBusy, labFirings, labRules } from '../store/lab.ts'
import { lab, type LabFiring, type LabRule, outcomeText } from '../venue/lab.ts'

/** Those that a person at the screen notices; a test has all of them. */
const faults = [
  ['lost-ack', 'Lost answer'],
  ['lost-request', 'Lost request'],
  ['late-ack', 'Late answer'],
  ['unknown', 'Unknown outcome (40010)'],
  ['not-placed', 'Not placed (40015)'],
  ['duplicate-request', 'Sent twice'],
  ['rate-limit', 'Too many requests (429)'],
  ['http', 'HTTP 502 after it was done'],
  ['maintenance', 'Maintenance'],
  ['ws-cut', 'Sockets cut'],
  ['ws-stall', 'Sockets silent'],
] as const
type Fault = (typeof faults)[number][0]

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
      return `${nameOf(fault)}: ${onOrders.has(fault) ? `at order ${nth} from now` : 'begins'}`
    })
  }
  const clear = () =>
    void carryOutInLab(async () => {
      await lab('DELETE', '/faults')
      return 'Nothing goes wrong any more'
    })
  return (
    <section aria-label="Faults">
      <h3>Faults</h3>
      <form class="lab-form" onSubmit={add}>
        <SelectField label="What goes wrong" value={fault} options={faults} onChange={setFault} name="lab-fault" />
        <div class="lab-row">
          {onOrders.has(fault) && <TextField label="At which order" value={nth} onChange={setNth} name="lab-nth" />}
          <button type="submit" class="primary" disabled={labBusy.value} data-testid="lab-add-fault">
            Add
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
            Clear all rules
          </button>
        </>
      )}
      <h3>Firings</h3>
      {labFirings.value.length === 0 ? (
        <p class="empty">None so far</p>
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
      return `${nameOf(fault)} is off`
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
        aria-label={`Remove the rule ${nameOf(fault)}`}
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
  return faults.find(([name]) => name === fault)?.[1] ?? fault
}
