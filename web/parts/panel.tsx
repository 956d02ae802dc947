/** A part of the page with its title, and something beside the title. */
import type { ComponentChildren } from 'preact'

interface PanelProps {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly class?: string
  /** Of what it says, where that is not the language of the page. */
  readonly lang?: string
  readonly children: ComponentChildren
}

export function Panel({ title, aside, class: className = '', lang, children }: PanelProps) {
  return (
    <section class={`panel ${className}`} aria-label={title} lang={lang}>
      <div class="panel-title">
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </div>
      {children}
    </section>
  )
}
