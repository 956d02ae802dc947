/** What can be done at a price of the chart: it writes the order, which is sent from the ticket as any other. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { grouped } from '../numbers/format.ts'
import { chartMenu } from '../store/chart-menu.ts'
import { drawAt } from '../store/drawings.ts'
import { currentInstrument } from '../store/market.ts'
import { ticket } from '../store/ticket.ts'
import { view } from '../store/view.ts'
import { t } from '../words/words.ts'

export function ChartMenu() {
  const menu = useRef<HTMLDivElement>(null)
  const open = chartMenu.value
  const close = () => (chartMenu.value = undefined)
  useLayoutEffect(() => {
    if (open === undefined) return undefined
    const shown = menu.current
    const box = shown?.parentElement?.getBoundingClientRect()
    if (shown !== null && shown !== undefined && box !== undefined) {
      shown.style.left = `${Math.max(0, Math.min(open.x, box.width - shown.offsetWidth))}px`
      shown.style.top = `${Math.max(0, Math.min(open.y, box.height - shown.offsetHeight))}px`
      shown.querySelector('button')?.focus()
    }
    const onOutside = (event: Event) => {
      if (!(event.target instanceof Node) || shown?.contains(event.target) !== true) close()
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close()
    }
    addEventListener('pointerdown', onOutside)
    addEventListener('keydown', onKeyDown)
    return () => {
      removeEventListener('pointerdown', onOutside)
      removeEventListener('keydown', onKeyDown)
    }
  }, [open])
  if (open === undefined) return null
  const write = (side: 'buy' | 'sell') => {
    ticket.kind.value = 'limit'
    ticket.side.value = side
    ticket.price.value = open.price
    toTicket('quantity')
  }
  const waitFor = () => {
    ticket.kind.value = 'trigger'
    ticket.triggerPrice.value = open.price
    toTicket('quantity')
  }
  const toTicket = (name: string) => {
    close()
    view.value = 'trade'
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>(`.ticket input[name="${name}"]`)?.focus())
  }
  const line = () => {
    drawAt(currentInstrument.value?.key ?? '', open.price)
    close()
  }
  const acts = [
    ['buy', t.chart.buyHere, () => write('buy')],
    ['sell', t.chart.sellHere, () => write('sell')],
    ['trigger', t.chart.triggerHere, waitFor],
    ['line', t.chart.lineHere, line],
  ] as const
  return (
    <div ref={menu} class="menu" role="menu" aria-label={t.chart.atPrice(grouped(open.price))}>
      <p class="quiet">{t.chart.atPrice(grouped(open.price))}</p>
      {acts.map(([name, text, run]) => (
        <button key={name} type="button" role="menuitem" data-act={name} class={name} onClick={run}>
          {text}
        </button>
      ))}
    </div>
  )
}
