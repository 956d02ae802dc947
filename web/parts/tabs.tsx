/** Tabs over panels: arrows move between them, and only the chosen one can be tabbed to. */
import { useRef } from 'preact/hooks'

interface TabsProps<T extends string> {
  readonly label: string
  /** Ids: tab `NAME-tab`, panel `NAME-panel`. */
  readonly name: string
  readonly chosen: T
  readonly tabs: readonly (readonly [value: T, text: string])[]
  readonly onChoose: (value: T) => void
}

export function Tabs<T extends string>({ label, name, chosen, tabs, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const at = (tabs.findIndex(([value]) => value === chosen) + by + tabs.length) % tabs.length
    const next = tabs[at]
    if (next === undefined) return
    onChoose(next[0])
    list.current?.querySelectorAll('button')[at]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(([value, text]) => (
        <button
          key={value}
          type="button"
          role="tab"
          data-tab={value}
          aria-selected={value === chosen}
          aria-controls={`${name}-panel`}
          tabIndex={value === chosen ? 0 : -1}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
