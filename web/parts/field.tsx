/** Fields of forms: what they are called, their unit, and what is wrong with them, tied together for screen readers. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import { parseUnits, stepped, typedDecimal, unitsText } from '../numbers/decimal.ts'

/** What is wrong with fields, by their names: said at the field, wherever that is in the form. */
export const FieldFaults = createContext<ReadonlyMap<string, string>>(new Map())

function useFault(name: string | undefined, own?: string): string | undefined {
  const faults = useContext(FieldFaults)
  return own ?? (name === undefined ? undefined : faults.get(name))
}

/** What ties a field to its fault for screen readers. */
function faultOf(id: string, fault: string | undefined) {
  return { 'aria-invalid': fault !== undefined, 'aria-describedby': fault === undefined ? undefined : `${id}-fault` }
}

function FaultText({ id, fault }: { id: string; fault: string | undefined }) {
  if (fault === undefined) return null
  return (
    <p class="fault" id={`${id}-fault`}>
      {fault}
    </p>
  )
}

interface NumberFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly unit?: string
  /** Arrow keys go up and down by it, in units. */
  readonly step?: bigint
  readonly fault?: string | undefined
  readonly disabled?: boolean
  readonly placeholder?: string
  readonly name?: string
  readonly aside?: ComponentChildren
}

export function NumberField(props: NumberFieldProps) {
  const { label, value, onChange, unit, step, disabled = false, placeholder = '', aside } = props
  const id = useId()
  const fault = useFault(props.name, props.fault)
  const [typed, setTyped] = useState(value)
  const onInput = (text: string) => {
    const next = typedDecimal(text)
    setTyped(next)
    onChange(withoutLastPoint(next))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (step === undefined || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    const by = (event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1)
    onChange(unitsText(stepped(parseUnits(value) ?? 0n, step, by)))
  }
  return (
    <div class={fault === undefined ? 'field' : 'field wrong'}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {aside}
      </div>
      <div class="field-box">
        <input
          id={id}
          name={props.name}
          inputMode="decimal"
          autoComplete="off"
          spellcheck={false}
          value={withoutLastPoint(typed) === value ? typed : value}
          placeholder={placeholder}
          disabled={disabled}
          {...faultOf(id, fault)}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {unit !== undefined && <span class="unit">{unit}</span>}
      </div>
      <FaultText id={id} fault={fault} />
    </div>
  )
}

/** A point with nothing behind it yet stays in the field, and is no part of the number. */
function withoutLastPoint(text: string): string {
  return text.replace(/\.$/, '')
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly secret?: boolean
  readonly name?: string
  readonly autoFocus?: boolean
  /** The label is for screen readers alone. */
  readonly compact?: boolean
  readonly placeholder?: string
}

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, secret = false, name, autoFocus = false, compact = false, placeholder = '' } = props
  const id = useId()
  const fault = useFault(name)
  return (
    <div class={`field ${compact ? 'compact' : ''} ${fault === undefined ? '' : 'wrong'}`}>
      <div class={compact ? 'unseen' : 'field-head'}>
        <label for={id}>{label}</label>
      </div>
      <div class="field-box">
        <input
          id={id}
          name={name}
          {...(secret ? { type: 'password' as const } : {})}
          autoComplete="off"
          spellcheck={false}
          autoFocus={autoFocus}
          placeholder={placeholder}
          value={value}
          {...faultOf(id, fault)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      <FaultText id={id} fault={fault} />
    </div>
  )
}

interface SelectFieldProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, text: string])[]
  readonly onChange: (value: T) => void
  readonly name?: string
  /** The label is for screen readers alone. */
  readonly compact?: boolean
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, value, options, onChange, name, compact = false } = props
  const id = useId()
  const fault = useFault(name)
  return (
    <div class={`field ${compact ? 'compact' : ''} ${fault === undefined ? '' : 'wrong'}`}>
      <div class={compact ? 'unseen' : 'field-head'}>
        <label for={id}>{label}</label>
      </div>
      <div class="field-box">
        <select
          id={id}
          name={name}
          value={value}
          {...faultOf(id, fault)}
          onChange={(event) => onChange(event.currentTarget.value as T)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <FaultText id={id} fault={fault} />
    </div>
  )
}

interface FieldGroupProps {
  readonly legend: string
  readonly name: string
  readonly class: string
  readonly children: ComponentChildren
}

/** Fields that belong together; what is wrong with them as a whole is said below them. */
export function FieldGroup({ legend, name, class: className, children }: FieldGroupProps) {
  const id = useId()
  const fault = useFault(name)
  return (
    <fieldset class={className} name={name} aria-describedby={fault === undefined ? undefined : `${id}-fault`}>
      <legend class="quiet">{legend}</legend>
      {children}
      <FaultText id={id} fault={fault} />
    </fieldset>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

export function Check({ label, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}
