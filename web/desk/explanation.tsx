/** An explanation: part by part its inputs, then each line with its formula, the numbers put in and the rounding; causes last. */
import { grouped, titled } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { at } from './place.ts'
import type { ExplainedInput, ExplainedLine, Explanation } from './records.ts'
import { dateTime } from '../store/times.ts'

export function ExplanationShown({ explanation }: { explanation: Explanation }) {
  const { subject, asOf, inputs, lines, causes } = explanation
  const parts = [...new Set([...inputs, ...lines].map(({ of }) => of))]
  return (
    <div class="explanation">
      <header class="subject">
        <h2>{subjectText(subject)}</h2>
        <p class="quiet">
          as of command {grouped(String(asOf.sequence))}, {dateTime(asOf.at)}
        </p>
        {subject['uid'] !== undefined && subject['uid'] !== '' && (
          <a href={at('accounts', subject['uid'])}>Open the account</a>
        )}
      </header>
      {parts.map((of) => (
        <Panel key={of} title={of}>
          <Inputs inputs={inputs.filter((input) => input.of === of)} />
          {lines
            .filter((line) => line.of === of)
            .map((line, index) => (
              <Line key={`${line.name}${index}`} line={line} />
            ))}
        </Panel>
      ))}
      <Panel title="Caused by">
        <Rows
          caption="Commands that caused it, newest first"
          columns={causeColumns}
          rows={causes}
          keyOf={(cause) => `${cause.sequence}/${cause.at}/${cause.what}`}
          empty="Nothing is known of it."
        />
      </Panel>
    </div>
  )
}

function subjectText({ kind = '', uid = '', liquidationId, ...named }: Explanation['subject']): string {
  if (kind === 'account') return `Account ${uid}`
  const whose = kind === 'liquidation' || uid === '' ? [] : [`account ${uid}`]
  const part =
    liquidationId === undefined ? [] : [kind === 'liquidation' ? liquidationId : `of liquidation ${liquidationId}`]
  return [titled(kind), ...Object.values(named), ...part, ...whose].join(' · ')
}

function Inputs({ inputs }: { inputs: readonly ExplainedInput[] }) {
  if (inputs.length === 0) return null
  return (
    <dl class="inputs">
      {inputs.map(({ name, value, unit }, index) => (
        <div key={`${name}${index}`}>
          <dt>{name}</dt>
          <dd>
            {isTime(name) ? dateTime(Number(value)) : shownValue(value, unit)} <span class="quiet">{unit}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Line({ line }: { line: ExplainedLine }) {
  const { name, result, unit, formula, source, values, exact, fraction, rounding, step } = line
  const put = Object.entries(values).map(([sign, value]) => `${sign} = ${value}`)
  return (
    <article class="line" data-line={name}>
      <h3>
        {name}
        <strong>
          {shownValue(result, unit)} <span class="quiet">{unit}</span>
        </strong>
      </h3>
      <p class="formula">
        <code>{formula}</code> <span class="quiet">{source}</span>
      </p>
      {put.length > 0 && <p class="put">{put.join(' · ')}</p>}
      {rounding !== 'none' && (
        <p class="quiet">
          exactly {fraction === '' ? exact : `${exact} = ${fraction}`}, rounded{' '}
          {rounding === 'nearest' ? 'to the nearest' : `${rounding} to`} {step}
        </p>
      )}
    </article>
  )
}

const causeColumns: Column<Explanation['causes'][number]>[] = [
  { title: 'Time', time: true, head: true, cell: (event) => dateTime(event.at) },
  { title: 'What', cell: ({ what }) => what },
  {
    title: 'Command',
    number: true,
    cell: ({ sequence, command }) =>
      sequence === null ? 'not noted' : `${grouped(String(sequence))} ${command ?? ''}`,
  },
]

/** Names of times: `at`, `updatedAt`, `indexPrice BTC at`. */
function isTime(name: string): boolean {
  return name === 'at' || name.endsWith(' at') || name.endsWith('At')
}

/** What has a unit is a figure; what has none may be a number by which something is called. */
function shownValue(value: string, unit: string): string {
  return unit !== '' && /^-?\d+(\.\d+)?$/.test(value) ? grouped(value) : value
}
