/** One of a few: a group of radio buttons that look like a switch; arrows move through it. */
import { useId } from 'preact/hooks'

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, text: string])[]
  readonly onChange: (value: T) => void
  readonly class?: string
  readonly disabled?: boolean
  /** The styles draw the options; their texts are for screen readers, and shown by the pointer. */
  readonly drawn?: boolean
}

export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, value, options, onChange, disabled = false, drawn = false } = props
  const name = useId()
  return (
    <fieldset class={`choice ${props.class ?? ''}`} disabled={disabled}>
      <legend class="unseen">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} data-value={option}>
          <input type="radio" name={name} value={option} checked={option === value} onChange={() => onChange(option)} />
          {drawn ? (
            <span title={text}>
              <span class="unseen">{text}</span>
            </span>
          ) : (
            <span>{text}</span>
          )}
        </label>
      ))}
    </fieldset>
  )
}
