/** What the chart looks like, from the page's own colours. */
import type { DeepPartial, Styles } from 'klinecharts'
import { direction, signedPercent } from '../numbers/format.ts'
import { t } from '../words/words.ts'

interface Closed {
  readonly close: number
}

/** A candle, and the one before it. */
interface Candles {
  readonly prev: Closed | null
  readonly current: Closed | null
}

export function colourOf(place: HTMLElement, name: string): string {
  return getComputedStyle(place).getPropertyValue(name).trim()
}

/** `small`: one of several charts, where figures stand only while the pointer asks for them. */
export function looksOf(place: HTMLElement, small: boolean): DeepPartial<Styles> {
  const colour = (name: string) => colourOf(place, name)
  const [up, down, line, quiet, text, panel] = ['--up', '--down', '--line', '--quiet', '--text', '--panel'].map(colour)
  const [grid, accent, raised, warn, violet] = ['--grid', '--accent', '--raised', '--warn', '--violet'].map(colour)
  const family = getComputedStyle(place).fontFamily
  const both = { upColor: up, downColor: down, noChangeColor: quiet }
  const axis = {
    axisLine: { color: line },
    tickLine: { color: line },
    tickText: { color: quiet, size: 11, family },
  }
  const tooltip = {
    showRule: small ? ('follow_cross' as const) : ('always' as const),
    title: { color: quiet, size: 11, family },
    legend: { color: quiet, size: 11, family, marginLeft: 6, marginRight: 2 },
  }
  const changeOf = (before: Closed | null, now: Closed | null) => {
    const from = before?.close ?? now?.close ?? 0
    const share = from === 0 ? 0 : ((now?.close ?? from) - from) / from
    return { text: signedPercent(String(share)), color: { up, down, flat: quiet }[direction(share)] ?? '' }
  }
  const shade = (wash: string) => colour(wash)
  const crosshair = {
    line: { color: quiet, size: 1, dashedValue: [3, 3] },
    text: { color: text, backgroundColor: raised, borderColor: line, size: 11, family },
  }
  return {
    grid: { horizontal: { color: grid, style: 'solid' }, vertical: { color: grid, style: 'solid' } },
    candle: {
      bar: {
        ...both,
        upBorderColor: up,
        downBorderColor: down,
        noChangeBorderColor: quiet,
        upWickColor: up,
        downWickColor: down,
        noChangeWickColor: quiet,
      },
      priceMark: {
        high: { color: quiet, textFamily: family },
        low: { color: quiet, textFamily: family },
        last: { ...both, text: { color: panel, size: 11, family } },
      },
      tooltip: {
        ...tooltip,
        title: { ...tooltip.title, show: false },
        legend: {
          ...tooltip.legend,
          template: ({ prev, current }: Candles) => [
            { title: '', value: '{time}' },
            { title: `${t.chart.open} `, value: '{open}' },
            { title: `${t.chart.high} `, value: '{high}' },
            { title: `${t.chart.low} `, value: '{low}' },
            { title: `${t.chart.close} `, value: '{close}' },
            { title: '', value: changeOf(prev, current) },
            { title: `${t.chart.volume} `, value: '{volume}' },
          ],
        },
      },
    },
    indicator: {
      ohlc: both,
      bars: [{ style: 'fill', ...both }],
      lines: [accent, warn, violet, down, quiet].map((color) => ({ color: color ?? '', size: 1 })),
      circles: [{ style: 'fill', ...both, noChangeColor: accent ?? '' }],
      tooltip,
    },
    xAxis: axis,
    yAxis: axis,
    separator: { color: line, activeBackgroundColor: shade('--hover') },
    crosshair: { horizontal: crosshair, vertical: crosshair },
    overlay: {
      point: { color: accent, borderColor: shade('--up-wash'), activeColor: accent, activeBorderColor: accent },
      line: { color: accent },
      rect: { style: 'stroke_fill', color: shade('--up-wash'), borderColor: accent, borderSize: 1 },
      text: { color: panel, backgroundColor: accent, size: 11, family },
    },
  }
}
