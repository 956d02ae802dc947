/** Another way to write a number that is kept elsewhere: what is typed here stays as it was typed until that number changes otherwise. */
import { useState } from 'preact/hooks'
import { NumberField } from './field.tsx'

interface LinkedFieldProps {
  readonly label: string
  readonly name?: string
  readonly unit?: string
  readonly disabled?: boolean
  /** The number that is kept. */
  readonly truth: string
  /** It, as this field says it. */
  readonly shown: string
  /** Keeps what was typed, and answers what is kept now. */
  readonly write: (typed: string) => string
}

export function LinkedField({ truth, shown, write, ...rest }: LinkedFieldProps) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly gave: string } | undefined>(undefined)
  return (
    <NumberField
      {...rest}
      value={typed?.gave === truth ? typed.text : shown}
      onChange={(text) => setTyped({ text, gave: write(text) })}
    />
  )
}
