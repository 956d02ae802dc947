/**
 * What a panel is made larger or smaller by: dragged, or with the arrow keys once it has the focus. A double press, or Delete, gives it
 * the size that it had at first.
 */
import { useRef } from 'preact/hooks'
import { pull, pulled, type PulledPanel, sizeOf } from '../store/layout.ts'
import { t } from '../words/words.ts'

const stepPx = 16
const larger = { market: 'ArrowLeft', ticket: 'ArrowLeft', account: 'ArrowUp' } as const
const smaller = { market: 'ArrowRight', ticket: 'ArrowRight', account: 'ArrowDown' } as const

export function Divider({ name }: { name: PulledPanel }) {
  const panel = pulled[name]
  const isUpright = name !== 'account'
  const from = useRef<{ readonly at: number; readonly size: number } | undefined>(undefined)
  const place = (event: PointerEvent) => (isUpright ? event.clientX : event.clientY)
  const sizeNow = () => {
    const found = document.querySelector(`.${name}`)?.getBoundingClientRect()
    return (isUpright ? found?.width : found?.height) ?? panel.usual
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === larger[name]) pull(panel, sizeNow() + stepPx)
    else if (event.key === smaller[name]) pull(panel, sizeNow() - stepPx)
    else if (event.key === 'Delete') panel.kept.value = ''
    else return
    event.preventDefault()
  }
  return (
    <div
      class={`divider of-${name}`}
      role="separator"
      tabIndex={0}
      aria-orientation={isUpright ? 'vertical' : 'horizontal'}
      aria-label={t.layout[name]}
      aria-valuemin={panel.min}
      aria-valuemax={panel.max}
      aria-valuenow={sizeOf(panel) ?? panel.usual}
      title={t.layout.how}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = { at: place(event), size: sizeNow() }
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined) pull(panel, from.current.size + from.current.at - place(event))
      }}
      onPointerUp={() => (from.current = undefined)}
      onPointerCancel={() => (from.current = undefined)}
      onDblClick={() => (panel.kept.value = '')}
      onKeyDown={onKeyDown}
    />
  )
}
