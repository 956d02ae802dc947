/**
 * The report for people: one page that needs nothing else. What failed is open, with its story; the rest is there to be unfolded.
 *
 * Story     three columns where there is room for them, and one below the other where there is not: venue, told, bot
 * Safe      every text of a run is escaped; the page has no script
 */
import type { Grade, Graded } from '../graded.ts'
import { letters, meanings } from '../judge/judge.ts'
import { positionChart } from './chart.ts'
import { escaped } from './junit.ts'
import { style } from './style.ts'
import { lettersOf, resultText, summary } from './summary.ts'
import { type Row, timeline } from './timeline.ts'

const titles: Readonly<Record<Row['who'], string>> = {
  venue: 'What the venue did',
  told: 'What the bot was told',
  bot: 'What the bot did',
}
const marks: Readonly<Record<Graded['result'], string>> = { survived: '✓', failed: '✗', 'not reached': '–' }

export function gradeHtml(grade: Grade): string {
  const { graded, command, scale, version, tookMs, twinFindings } = grade
  const { sentence, survived, of } = summary(grade)
  const groups = [...Map.groupBy(graded, ({ hazard }) => hazard.group)]
  const facts = [
    `${escaped(command.join(' '))}`,
    `scale ${scale}`,
    `${Math.round(tookMs / 1_000)} s`,
    `Tidemark ${escaped(version)}`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(sentence)}</title>
<style>${style}</style>
</head>
<body>
<header>
<p class="score">${survived}<small>/${of}</small></p>
<div><h1>${escaped(sentence)}</h1><p class="facts">${facts.join(' · ')}</p></div>
</header>
<nav aria-label="Hazards">
${groups.map(([group, ones]) => `<section><h2>${escaped(group)}</h2><p>${ones.map((one) => chip(one, grade)).join('')}</p></section>`).join('\n')}
</nav>
${twinFindings.length === 0 ? '' : `<section class="alarm"><h2>Without any fault</h2>${list(twinFindings)}</section>`}
<section class="letters"><h2>The six questions</h2><dl>${letters.map((letter) => `<div><dt>${letter}</dt><dd>${escaped(meanings[letter])}</dd></div>`).join('')}</dl></section>
<main>
${graded.map((one) => hazardHtml(one, grade)).join('\n')}
</main>
</body>
</html>
`
}

function idOf({ hazard, seed }: Graded): string {
  return `${hazard.id}-${seed}`
}

function seedText(one: Graded, { graded }: Grade): string {
  return graded.some(({ seed }) => seed !== one.seed) ? `, seed ${one.seed}` : ''
}

function chip(one: Graded, grade: Grade): string {
  const { hazard, result } = one
  const title = `${hazard.name}${seedText(one, grade)}: ${resultText(one)}`
  return `<a class="${classOf(one)}" href="#${idOf(one)}" title="${escaped(title)}"><span aria-hidden="true">${marks[result]}</span> ${hazard.id}</a>`
}

function classOf({ result }: Graded): string {
  return result.replace(' ', '-')
}

function hazardHtml(one: Graded, grade: Grade): string {
  const { hazard, result, findings, run } = one
  const twin = grade.twins.get(one.seed)
  const isFailed = result === 'failed'
  const why =
    result === 'not reached'
      ? `<p class="why">Not reached. It counts as reached when ${escaped(hazard.reached)}.${run.reason === undefined ? '' : ` ${escaped(run.reason)}`}</p>`
      : ''
  const chart = twin === undefined ? '' : positionChart(run.evidence, twin.evidence)
  return `<details id="${idOf(one)}" class="${classOf(one)}"${isFailed ? ' open' : ''}>
<summary><b>${hazard.id}</b> <span>${escaped(hazard.name)}${seedText(one, grade)}</span> <em>${marks[result]} ${escaped(result)} ${lettersOf(
    one,
  )
    .map((letter) => `<abbr title="${escaped(meanings[letter])}">${letter}</abbr>`)
    .join(' ')}</em></summary>
<p>${escaped(hazard.says)}</p>
${why}${findings.length === 0 ? '' : list(findings)}
${chart}
${one.recording === undefined ? '' : `<p class="why">Its recording is <a href="${one.recording}">${one.recording}</a>: <code>tidemark replay ${one.recording}</code></p>`}
${storyHtml(timeline(run))}
${
  run.said.length === 0
    ? ''
    : `<details class="said"><summary>What the bot wrote, the last of it</summary><pre>${escaped(
        run.said
          .slice(-40)
          .map(({ text }) => text)
          .join('\n'),
      )}</pre></details>`
}
</details>`
}

function list(findings: Graded['findings']): string {
  const rows = findings.map(({ letter, sentence }) => `<li><b>${letter}</b> ${escaped(sentence)}</li>`)
  return `<ul class="findings">${rows.join('')}</ul>`
}

function storyHtml(rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const heads = Object.entries(titles).map(([who, title]) => `<span class="${who}">${title}</span>`)
  const told = rows.map(({ ms, who, text }) => {
    const at = `${ms < 0 ? '−' : '+'}${(Math.abs(ms) / 1_000).toFixed(2)} s`
    return `<li class="${who}${ms >= 0 ? '' : ' before'}"><time>${at}</time><span>${escaped(text)}</span></li>`
  })
  return `<div class="story"><p class="heads" aria-hidden="true"><span></span>${heads.join('')}</p><ol>${told.join('')}</ol></div>`
}
