/** Which indicators the chart has, with their lengths, and which prices stand beside the candles. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Check, TextField } from '../parts/field.tsx'
import {
  comparesIndex,
  comparesMark,
  type IndicatorName,
  indicators,
  lengthsOf,
  offers,
  setIndicator,
} from '../store/indicators.ts'
import { closeDialog } from '../store/view.ts'
import { t } from '../words/words.ts'

const names = Object.keys(offers) as readonly IndicatorName[]

export function IndicatorsDialog() {
  const of = (place: 'price' | 'pane') => names.filter((name) => offers[name].place === place)
  return (
    <Dialog title={t.chart.indicators} onClose={closeDialog}>
      <h3>{t.chart.onPrices}</h3>
      {of('price').map((name) => (
        <Indicator key={name} name={name} />
      ))}
      <h3>{t.chart.below}</h3>
      {of('pane').map((name) => (
        <Indicator key={name} name={name} />
      ))}
      <h3>{t.chart.compare}</h3>
      <Check label={t.chart.mark} checked={comparesMark.value} onChange={(checked) => (comparesMark.value = checked)} />
      <Check
        label={t.chart.index}
        checked={comparesIndex.value}
        onChange={(checked) => (comparesIndex.value = checked)}
      />
    </Dialog>
  )
}

function Indicator({ name }: { name: IndicatorName }) {
  const chosen = indicators.value.get(name)
  const [typed, setTyped] = useState((chosen ?? offers[name].lengths).join(' '))
  const change = (text: string) => {
    setTyped(text)
    const lengths = lengthsOf(name, text)
    if (lengths !== undefined) setIndicator(name, lengths)
  }
  const isWrong = chosen !== undefined && lengthsOf(name, typed) === undefined
  return (
    <div class="indicator">
      <Check
        label={t.indicators[name]}
        checked={chosen !== undefined}
        onChange={(checked) =>
          setIndicator(name, checked ? (lengthsOf(name, typed) ?? offers[name].lengths) : undefined)
        }
      />
      {chosen !== undefined && chosen.length > 0 && (
        <TextField label={t.chart.lengths(name)} value={typed} onChange={change} compact />
      )}
      {isWrong && <p class="fault">{t.chart.wrongLengths}</p>}
    </div>
  )
}
