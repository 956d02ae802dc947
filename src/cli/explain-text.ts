/**
 * An explanation for reading: its parts one after the other, inputs in aligned columns, each line with its formula, the
 * numbers put in, and the exact value with what became of it.
 */
import type { ExplainInput, ExplainLine } from '../engine/protocol/explanation.ts'
import type { CausedBy, Explanation } from '../operator/operator.ts'

export function explanationText({ subject, asOf, inputs, lines, causedBy, causes }: Explanation): string {
  const what = Object.entries(subject).map(([name, value]) => (name === 'kind' ? value : `${name} ${value}`))
  const out = [what.join(' '), `as of command ${asOf.sequence}, ${timeText(asOf.at)}`]
  const parts = new Set([...inputs, ...lines].map(({ of }) => of))
  for (const of of parts) {
    out.push('', of)
    out.push(...inputTexts(inputs.filter((input) => input.of === of)))
    for (const line of lines.filter((candidate) => candidate.of === of)) out.push(...lineTexts(line))
  }
  out.push('', causedBy === null ? 'caused by: not known' : `caused by ${commandText(causedBy)}`)
  const rows = causes.map((cause) => [commandText(cause), cause.what])
  out.push(...columns(rows).map((row) => `  ${row}`))
  return `${out.join('\n')}\n`
}

function inputTexts(inputs: readonly ExplainInput[]): string[] {
  return columns(
    inputs.map(({ name, value, unit }) => [name, withUnit(isTime(name) ? timeText(Number(value)) : value, unit)]),
  ).map((row) => `  ${row}`)
}

function lineTexts({
  name,
  result,
  unit,
  formula,
  values,
  exact,
  fraction,
  rounding,
  step,
  source,
}: ExplainLine): string[] {
  const put = Object.entries(values).map(([sign, value]) => `${sign} = ${value}`)
  const precisely = fraction === '' ? exact : `${exact} = ${fraction}`
  return [
    `  ${name} = ${withUnit(result, unit)}`,
    `      ${formula}   [${source}]`,
    ...(put.length === 0 ? [] : [`      with ${put.join(', ')}`]),
    ...(rounding === 'none' ? [] : [`      exactly ${precisely}, rounded ${roundingText(rounding, step)}`]),
  ]
}

function roundingText(rounding: ExplainLine['rounding'], step: string): string {
  return `${rounding === 'nearest' ? 'to the nearest' : `${rounding} to`} ${step}`
}

function withUnit(value: string, unit: string): string {
  return unit === '' ? value : `${value} ${unit}`
}

function commandText({ sequence, command, at }: CausedBy): string {
  const which = sequence === null ? 'a command that was not noted' : `command ${sequence}`
  return `${which}${command === null ? '' : ` ${command}`}, ${timeText(at)}`
}

/** Names of times: `at`, `updatedAt`, `indexPrice BTC at`. */
function isTime(name: string): boolean {
  return name === 'at' || name.endsWith(' at') || name.endsWith('At')
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** Rows of cells, each column as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
