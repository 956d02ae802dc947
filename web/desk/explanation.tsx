/**
 * An explanation: part by part its inputs, then each line with its formula, the numbers put in and the rounding; causes last.
 *
 * English   formulas, and words that the wire has, such as `gtc`
 */
import { grouped } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Cited } from './cited.tsx'
import { at } from './place.ts'
import type { ExplainedInput, ExplainedLine, Explanation } from './records.ts'
import { dateTime } from '../store/times.ts'
import { desk } from '../words/desk.ts'
import { term } from '../words/venue.ts'
import { named as worded, t } from '../words/words.ts'
import { Said } from './said.tsx'

export function ExplanationShown({ explanation }: { explanation: Explanation }) {
  const { subject, asOf, inputs, lines, causes } = explanation
  const parts = [...new Set([...inputs, ...lines].map(({ of }) => of))]
  return (
    <div class="explanation">
      <header class="subject">
        <h2>{subjectText(subject)}</h2>
        <p class="quiet">{desk.explain.asOf(grouped(String(asOf.sequence)), dateTime(asOf.at))}</p>
        {subject['uid'] !== undefined && subject['uid'] !== '' && (
          <a href={at('accounts', subject['uid'])}>{desk.explain.openAccount}</a>
        )}
      </header>
      {parts.map((of) => (
        <Panel key={of} title={term(of) ?? of} {...(/[a-z]{2}/.test(term(of) ?? of) && { lang: 'en' })}>
          <Inputs inputs={inputs.filter((input) => input.of === of)} />
          {lines
            .filter((line) => line.of === of)
            .map((line, index) => (
              <Line key={`${line.name}${index}`} line={line} />
            ))}
        </Panel>
      ))}
      <Panel title={desk.explain.causedBy}>
        <Rows
          caption={desk.explain.causes}
          columns={causeColumns()}
          rows={causes}
          keyOf={(cause) => `${cause.sequence}/${cause.at}/${cause.what}`}
          empty={desk.explain.unknown}
        />
      </Panel>
    </div>
  )
}

function subjectText({ kind = '', uid = '', liquidationId, ...named }: Explanation['subject']): string {
  if (kind === 'account') return desk.accounts.named(uid)
  const whose = kind === 'liquidation' || uid === '' ? [] : [desk.explain.ofAccount(uid)]
  const part =
    liquidationId === undefined
      ? []
      : [kind === 'liquidation' ? liquidationId : desk.explain.ofLiquidation(liquidationId)]
  return [worded(desk.explain.subjects, kind), ...Object.values(named), ...part, ...whose].join(' · ')
}

function Inputs({ inputs }: { inputs: readonly ExplainedInput[] }) {
  if (inputs.length === 0) return null
  return (
    <dl class="inputs">
      {inputs.map(({ name, value, unit }, index) => (
        <div key={`${name}${index}`}>
          <dt>
            <Said text={name} isTerm />
          </dt>
          <dd lang="en">
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
        <Said text={name} isTerm />
        <strong>
          {isWord(result) ? <Said text={result} isTerm /> : shownValue(result, unit)} <span class="quiet">{unit}</span>
        </strong>
      </h3>
      <p class="formula" lang="en">
        <code>{formula}</code>{' '}
        <span class="quiet">
          <Cited source={source} />
        </span>
      </p>
      {put.length > 0 && (
        <p class="put" lang="en">
          {put.join(' · ')}
        </p>
      )}
      {rounding !== 'none' && (
        <p class="quiet">{desk.explain.exactly(fraction === '' ? exact : `${exact} = ${fraction}`, step, rounding)}</p>
      )}
    </article>
  )
}

const causeColumns = (): Column<Explanation['causes'][number]>[] => [
  { title: t.columns.time, time: true, head: true, cell: (event) => dateTime(event.at) },
  { title: t.columns.what, cell: ({ what }) => <Said text={what} /> },
  {
    title: desk.trail.command,
    number: true,
    cell: ({ sequence, command }) =>
      sequence === null ? (
        desk.explain.notNoted
      ) : (
        <span lang="en">{`${grouped(String(sequence))} ${command ?? ''}`}</span>
      ),
  },
]

/** Names of times: `at`, `updatedAt`, `indexPrice BTC at`. */
function isTime(name: string): boolean {
  return name === 'at' || name.endsWith(' at') || name.endsWith('At')
}

/** `yes`, `none: nothing is owed`: in place of a figure, or behind it. */
function isWord(value: string): boolean {
  return /[a-z]/.test(value)
}

/** What has a unit is a figure; what has none may be a number by which something is called. */
function shownValue(value: string, unit: string): string {
  return unit !== '' && /^-?\d+(\.\d+)?$/.test(value) ? grouped(value) : value
}
