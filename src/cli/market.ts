/**
 * `tidemark market`: recordings of other venues become tapes, which `tidemark dev --market` plays.
 *
 * Late      what reads recordings is loaded when it is asked for
 * Source    lab.md §4.9; docs/recorded-markets.md
 */
import type { Command } from 'commander'
import { CannotStart } from '../operator/data-directory.ts'
import type { ImportReport } from '../tape/tape.ts'
import { command, type Given, onCall, pairsOf, UsageWrong } from './command.ts'
import { show } from './output.ts'

export function addMarket(program: Command): void {
  const market = program
    .command('market')
    .description('make recorded markets to be played into a book, and look at them')
  onCall(
    command(market, 'import <files...>', 'make a tape (.tmk) of recordings: Tardis, Binance public data, own columns')
      .requiredOption('--symbol <symbol>', 'instrument that it is played as, such as BTCUSDT')
      .option('--category <category>', 'its category, where several have the symbol')
      .option('--source-symbol <symbol>', 'how the files spell it, where that is another name')
      .option('--format <format>', 'format of the files (default: by header or shape)')
      .option('--columns <map>', 'what the columns are, such as time=ts,price=px,size=qty')
      .option('--time <which>', 'which time of Tardis counts, exchange or local (default exchange)')
      .option('--gap <duration>', 'from which distance of two rows on it is a gap (default 60s)')
      .option('--out <file>', 'the tape (default SYMBOL.tmk)'),
    importFiles,
  )
  onCall(
    command(market, 'show <file>', 'show what is in a tape; all of it is read and checked'),
    ([file = ''], given) => showTape(file, given),
  )
}

async function importFiles(files: string[], given: Given): Promise<void> {
  const { symbol = '', category, sourceSymbol, format, columns, time, gap, out = `${symbol}.tmk` } = given
  if (!/^[A-Z0-9]{2,30}$/.test(symbol)) throw new UsageWrong('--symbol: must be a symbol, such as BTCUSDT')
  if (time !== undefined && time !== 'exchange' && time !== 'local') {
    throw new UsageWrong('--time: must be exchange or local')
  }
  const map = columns === undefined ? undefined : columnsOf(columns)
  const { importTape, TapeWrong } = await import('../tape/tape.ts')
  const gapMs = gap === undefined ? undefined : durationOf(gap)
  try {
    const report = await importTape({ files, out, symbol, category, sourceSymbol, format, columns: map, time, gapMs })
    show(report, given, textOf)
  } catch (cause) {
    throw cause instanceof TapeWrong ? new CannotStart(cause.message, { cause }) : cause
  }
}

async function showTape(file: string, given: Given): Promise<void> {
  const { Tape, TapeWrong } = await import('../tape/tape.ts')
  try {
    const tape = new Tape(file)
    tape.verify()
    tape.close()
    const { blocks, scales, ...contents } = tape.contents
    show({ file, ...contents, blocks: blocks.length, scales }, given, () => textOf({ file, bytes: 0, ...contents }))
  } catch (cause) {
    throw cause instanceof TapeWrong ? new CannotStart(cause.message, { cause }) : cause
  }
}

/** Their names keep their case: meanings of columns on the left, columns on the right. */
function columnsOf(text: string): Record<string, string> {
  const pairs = text.split(',')
  pairsOf(pairs, 'time=ts', '--columns')
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}

function durationOf(text: string): number {
  const found = /^([1-9][0-9]{0,8})(ms|s|m|h|d)?$/.exec(text)
  if (found === null) throw new UsageWrong('--gap: must be a duration, such as 60s')
  return Number(found[1]) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[found[2] ?? 'ms']!
}

function textOf(report: ImportReport): string {
  const { file, symbol, rows, lines, from, to, kinds, gaps, crossed, dropped, sources } = report
  const time = (ms: number) => new Date(ms).toISOString()
  return [
    `${file}: ${symbol}, ${rows} rows of ${lines} lines, ${time(from)} to ${time(to)}.`,
    ...sources.map((source) => `  ${source.file}: ${source.format}, ${source.rows} rows`),
    `  ${Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ')}`,
    gaps.count === 0 ? 'No gaps.' : `${gaps.count} gaps, the longest ${gaps.longestMs} ms; first: ${gaps.first}.`,
    crossed.count === 0
      ? 'No crossed books.'
      : `${crossed.count} levels of crossed books were taken away; first: ${crossed.first}.`,
    ...dropped.map(({ reason, count, first }) => `${count} lines were dropped (${reason}); first: ${first}.`),
    '',
  ].join('\n')
}
