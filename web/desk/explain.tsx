/** Why a number is what it is: of an account, a position, an instrument, an order or a liquidation, formula by formula. */
import { useEffect, useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { FieldFaults, SelectField, TextField } from '../parts/field.tsx'
import { Panel } from '../parts/panel.tsx'
import { categories } from '../venue/categories.ts'
import { ExplanationShown } from './explanation.tsx'
import { at, go, place } from './place.ts'
import type { Explanation } from './records.ts'
import { useRead } from './use-read.ts'
import { desk, type DeskMessages } from '../words/desk.ts'
import { choices, t } from '../words/words.ts'

type Faults = ReadonlyMap<string, string>
const none: Faults = new Map()

type Kind = keyof DeskMessages['explain']['kinds']

const fields = ['uid', 'symbol', 'category', 'holdSide', 'orderId', 'liquidationId'] as const
type Asked = Readonly<Partial<Record<(typeof fields)[number], string>>>

const wanted: Record<Kind, readonly (typeof fields)[number][]> = {
  account: ['uid'],
  position: ['uid', 'symbol', 'category', 'holdSide'],
  order: ['orderId'],
  liquidation: ['liquidationId'],
  instrument: ['symbol', 'category'],
}

export function Explain() {
  const { query } = place.value
  const asked = Object.fromEntries(
    fields.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])),
  ) as Asked
  const isAsked = Object.keys(asked).length > 0
  const [faults, setFaults] = useState(none)
  return (
    <div class="explain">
      <FieldFaults.Provider value={isAsked ? faults : none}>
        <Question asked={asked} />
      </FieldFaults.Provider>
      {isAsked ? <Answer asked={asked} onFaults={setFaults} /> : <p class="empty">{desk.explain.choose}</p>}
    </div>
  )
}

function kindOf(asked: Asked): Kind {
  if (asked.orderId !== undefined) return 'order'
  if (asked.liquidationId !== undefined) return 'liquidation'
  if (asked.uid === undefined && asked.symbol !== undefined) return 'instrument'
  return asked.symbol === undefined ? 'account' : 'position'
}

function Question({ asked }: { asked: Asked }) {
  const [kind, setKind] = useState<Kind>(kindOf(asked))
  const [given, setGiven] = useState<Asked>(asked)
  // A link from elsewhere fills the fields anew.
  const question = JSON.stringify(asked)
  const [shown, setShown] = useState(question)
  if (question !== shown) {
    setShown(question)
    setKind(kindOf(asked))
    setGiven(asked)
  }
  const has = (name: (typeof fields)[number]) => wanted[kind].includes(name)
  const set = (name: (typeof fields)[number]) => (value: string) => setGiven({ ...given, [name]: value.trim() })
  const submit = (event: Event) => {
    event.preventDefault()
    go(at('explain', '', Object.fromEntries(wanted[kind].map((name) => [name, given[name]]))))
  }
  const text = (name: 'uid' | 'symbol' | 'orderId' | 'liquidationId', label: string) =>
    has(name) && <TextField key={name} label={label} name={name} value={given[name] ?? ''} onChange={set(name)} />
  return (
    <Panel
      title={desk.explain.title}
      aside={
        <Choice
          label={desk.explain.what}
          class="scroll"
          value={kind}
          options={choices(desk.explain.kinds)}
          onChange={setKind}
        />
      }
    >
      <form class="question" onSubmit={submit}>
        {text('uid', desk.explain.uid)}
        {text('symbol', t.columns.symbol)}
        {has('category') && (
          <SelectField
            label={t.common.category}
            name="category"
            value={given.category ?? ''}
            options={[
              ['', desk.explain.any],
              ...categories.map((category) => [category, t.categories[category]] as const),
            ]}
            onChange={set('category')}
          />
        )}
        {has('holdSide') && (
          <SelectField
            label={desk.explain.holdSide}
            name="holdSide"
            value={given.holdSide ?? ''}
            options={[
              ['', desk.explain.any],
              ['long', t.sides.long],
              ['short', t.sides.short],
            ]}
            onChange={set('holdSide')}
          />
        )}
        {text('orderId', desk.explain.orderId)}
        {text('liquidationId', desk.explain.liquidationId)}
        <button type="submit" class="primary">
          {desk.page.explain}
        </button>
      </form>
    </Panel>
  )
}

/** `onFaults` is told what is wrong with the question, by its fields. */
function Answer({ asked, onFaults }: { asked: Asked; onFaults: (faults: Faults) => void }) {
  const { data, fault, faults } = useRead<Explanation>('explain', asked)
  useEffect(() => onFaults(faults), [faults])
  if (data === undefined) {
    return fault === '' ? (
      <p class="empty">{t.common.reading}</p>
    ) : (
      <p class="alert" role="alert">
        {fault}
      </p>
    )
  }
  return <ExplanationShown explanation={data} />
}
