/** Depth: how much would have to be bought or sold to move the price so far; drawn on a canvas once per change. */
import { useEffect, useRef } from 'preact/hooks'
import { grouped, short } from '../numbers/format.ts'
import { book, currentInstrument } from '../store/market.ts'
import { theme } from '../store/theme.ts'
import { cumulated, type Point } from '../trading/depth.ts'
import { spokenTag } from '../words/languages.ts'
import { t } from '../words/words.ts'

export function DepthChart() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const bids = cumulated(book.value.bids)
  const asks = cumulated(book.value.asks)
  const colours = theme.value
  useEffect(() => {
    const draw = () => canvas.current && paint(canvas.current, bids, asks)
    draw()
    const watcher = new ResizeObserver(draw)
    if (canvas.current?.parentElement) watcher.observe(canvas.current.parentElement)
    return () => watcher.disconnect()
  }, [book.value, colours, spokenTag()])
  const unit = currentInstrument.value?.quantityUnit
  const summary =
    bids.length === 0 || asks.length === 0
      ? t.market.noTwoSides
      : t.market.depth(
          `${short(bids.at(-1)?.total ?? 0)} ${unit}`,
          grouped(String(bids.at(-1)?.price)),
          `${short(asks.at(-1)?.total ?? 0)} ${unit}`,
          grouped(String(asks.at(-1)?.price)),
        )
  return (
    <div class="depth">
      <canvas ref={canvas} role="img" aria-label={t.market.depthChart(summary)} />
      <p class="legend" aria-hidden="true">
        {summary}
      </p>
    </div>
  )
}

function paint(canvas: HTMLCanvasElement, bids: readonly Point[], asks: readonly Point[]): void {
  const { width, height } = canvas.parentElement?.getBoundingClientRect() ?? { width: 0, height: 0 }
  const context = canvas.getContext('2d')
  const [bid] = bids
  const [ask] = asks
  if (context === null || width === 0 || bid === undefined || ask === undefined) return
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  context.scale(scale, scale)
  const style = getComputedStyle(canvas)
  const colour = (name: string) => style.getPropertyValue(name).trim()

  const middle = (bid.price + ask.price) / 2
  const reach = Math.max(middle - (bids.at(-1)?.price ?? middle), (asks.at(-1)?.price ?? middle) - middle)
  const most = Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0)
  const bottom = height - 22
  const x = (price: number) => width / 2 + ((price - middle) / reach) * (width / 2)
  const y = (total: number) => bottom - (total / most) * (bottom - 34)

  const area = (points: readonly Point[], edge: number, line: string, fill: string) => {
    context.beginPath()
    const first = points[0]
    if (first === undefined) return
    context.moveTo(x(first.price), bottom)
    let level = bottom
    for (const { price, total } of points) {
      context.lineTo(x(price), level)
      level = y(total)
      context.lineTo(x(price), level)
    }
    context.lineTo(edge, level)
    context.strokeStyle = line
    context.lineWidth = 1.5
    context.stroke()
    context.lineTo(edge, bottom)
    context.closePath()
    context.fillStyle = fill
    context.fill()
  }
  area(bids, 0, colour('--up'), colour('--up-wash'))
  area(asks, width, colour('--down'), colour('--down-wash'))

  context.fillStyle = colour('--quiet')
  context.font = `11px ${style.fontFamily}`
  context.textBaseline = 'bottom'
  for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    const price = middle + (part - 0.5) * 2 * reach
    context.textAlign = 'center'
    context.fillText(grouped(price.toFixed(price >= 100 ? 1 : 4)), part * width, height - 4)
  }
  context.textAlign = 'right'
  for (const part of [0.5, 1]) context.fillText(short(most * part), width - 6, y(most * part) - 2)
}
