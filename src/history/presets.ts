/**
 * Take-profit and stop-loss that were asked for with an order, as columns of its row: all empty where there is none.
 */
import { ticks } from '../engine/numbers/numbers.ts'
import type { TpslTerms } from '../engine/vocabulary.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

interface WithPresets {
  readonly takeProfit: TpslTerms | undefined
  readonly stopLoss: TpslTerms | undefined
}

export function presetColumns<Row extends WithPresets>() {
  const row = columnKinds<Row>()
  return {
    take_profit_trigger_ticks: row.optional((record) => record.takeProfit?.trigger),
    take_profit_execute_ticks: row.optional((record) => record.takeProfit?.execute),
    take_profit_by_mark: row.optional((record) => byMark(record.takeProfit)),
    stop_loss_trigger_ticks: row.optional((record) => record.stopLoss?.trigger),
    stop_loss_execute_ticks: row.optional((record) => record.stopLoss?.execute),
    stop_loss_by_mark: row.optional((record) => byMark(record.stopLoss)),
  }
}

function byMark(preset: TpslTerms | undefined): number | undefined {
  if (preset === undefined) return undefined
  return preset.by === 'mark' ? 1 : 0
}

/** Presets of rows that are older than the choice of price went by the mark price. */
export function readPreset(
  cells: CellsOf<ReturnType<typeof presetColumns>>,
  name: 'take_profit' | 'stop_loss',
): TpslTerms | undefined {
  const trigger = cells[`${name}_trigger_ticks`]
  const execute = cells[`${name}_execute_ticks`]
  if (trigger === null || execute === null) return undefined
  const mark = cells[`${name}_by_mark`]
  return {
    trigger: ticks(whole(trigger)),
    execute: ticks(whole(execute)),
    by: mark === null || whole(mark) === 1 ? 'mark' : 'last',
  }
}
