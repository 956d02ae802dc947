/** Take-profit and stop-loss that an order brings along. */
import { Choice } from '../parts/choice.tsx'
import { NumberField } from '../parts/field.tsx'
import * as ticket from '../store/ticket.ts'
import type { Guard } from '../venue/account.ts'
import type { Instrument } from '../venue/instruments.ts'

const triggerNames = { market: 'Last price', mark: 'Mark price' } as const

export function Guards({ instrument }: { instrument: Instrument }) {
  const { faults } = ticket
  return (
    <div class="guards">
      <GuardFields
        instrument={instrument}
        label="Take profit"
        guard={ticket.takeProfit}
        fault={faults.value.takeProfit}
      />
      <GuardFields instrument={instrument} label="Stop loss" guard={ticket.stopLoss} fault={faults.value.stopLoss} />
    </div>
  )
}

interface GuardFieldsProps {
  readonly instrument: Instrument
  readonly label: string
  readonly guard: typeof ticket.takeProfit
  readonly fault: string | undefined
}

function GuardFields({ instrument, label, guard, fault }: GuardFieldsProps) {
  const change = (part: Partial<Guard>) => (guard.value = { ...guard.value, ...part })
  return (
    <fieldset class="guard">
      <legend>{label}</legend>
      <div class="pair">
        <NumberField
          label="Price"
          value={guard.value.price}
          step={instrument.priceStep}
          fault={fault}
          onChange={(price) => change({ price })}
        />
        <NumberField
          label="Limit"
          placeholder="at market"
          value={guard.value.limit}
          step={instrument.priceStep}
          onChange={(limit) => change({ limit })}
        />
      </div>
      <Choice
        label={`${label} triggered by`}
        class="plain tiny"
        value={ticket.guardBy(guard.value)}
        options={ticket.offers.value.guardsBy.map((by) => [by, triggerNames[by]] as const)}
        onChange={(by) => change({ by })}
      />
    </fieldset>
  )
}
