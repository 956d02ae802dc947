/** A figure with its name, for lists of them (`dl`). */
import type { ComponentChildren } from 'preact'

export function Figure({ title, value }: { title: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  )
}
