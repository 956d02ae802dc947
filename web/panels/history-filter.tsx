/** Symbol and days that a history is narrowed to. What is typed counts for all histories, and for the files that are saved of them. */
import { useId } from 'preact/hooks'
import type { Signal } from '@preact/signals'
import { TextField } from '../parts/field.tsx'
import { asked, clearFilter, filter } from '../store/history-filter.ts'
import { isEverything } from '../venue/asked-rows.ts'
import { t } from '../words/words.ts'

export function HistoryFilter() {
  return (
    <>
      <TextField
        label={t.histories.symbol}
        placeholder={t.histories.symbol}
        name="history-symbol"
        compact
        value={filter.symbol.value}
        onChange={(text) => (filter.symbol.value = text)}
      />
      <Day label={t.histories.from} name="history-from" day={filter.from} />
      <Day label={t.histories.to} name="history-to" day={filter.to} />
      {!isEverything(asked.value) && (
        <button type="button" class="link" onClick={clearFilter}>
          {t.histories.showAll}
        </button>
      )}
    </>
  )
}

function Day({ label, name, day }: { label: string; name: string; day: Signal<string> }) {
  const id = useId()
  return (
    <div class="field compact day">
      <label for={id}>{label}</label>
      <div class="field-box">
        <input
          id={id}
          name={name}
          type="date"
          value={day.value}
          onInput={(event) => (day.value = event.currentTarget.value)}
        />
      </div>
    </div>
  )
}
