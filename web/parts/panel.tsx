/** A part of the page with its title, and something beside the title. */
import type { ComponentChildren } from 'preact'

interface PanelProps {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export function Panel({ title, aside, class: className = '', children }: PanelProps) {
  return (
    <section class={`panel ${className}`} aria-label={title}>
      <div class="panel-title">
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </div>
      {children}
    </section>
  )
}
