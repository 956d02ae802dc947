/** Take-profit and stop-loss that an order brings along. */
import { Choice } from '../parts/choice.tsx'
import { NumberField } from '../parts/field.tsx'
import { ticket } from '../store/ticket.ts'
import type { Tpsl } from '../venue/account.ts'
import type { Instrument } from '../venue/instruments.ts'

const triggerNames = { market: 'Last price', mark: 'Mark price' } as const

export function TpslFields({ instrument }: { instrument: Instrument }) {
  const { faults } = ticket
  return (
    <div class="tpsl-pair">
      <TpslField instrument={instrument} label="Take profit" tpsl={ticket.takeProfit} fault={faults.value.takeProfit} />
      <TpslField instrument={instrument} label="Stop loss" tpsl={ticket.stopLoss} fault={faults.value.stopLoss} />
    </div>
  )
}

interface TpslFieldProps {
  readonly instrument: Instrument
  readonly label: string
  readonly tpsl: typeof ticket.takeProfit
  readonly fault: string | undefined
}

function TpslField({ instrument, label, tpsl, fault }: TpslFieldProps) {
  const change = (part: Partial<Tpsl>) => (tpsl.value = { ...tpsl.value, ...part })
  return (
    <fieldset class="tpsl">
      <legend>{label}</legend>
      <div class="pair">
        <NumberField
          label="Price"
          value={tpsl.value.price}
          step={instrument.priceStep}
          fault={fault}
          onChange={(price) => change({ price })}
        />
        <NumberField
          label="Limit"
          placeholder="at market"
          value={tpsl.value.limit}
          step={instrument.priceStep}
          onChange={(limit) => change({ limit })}
        />
      </div>
      <Choice
        label={`${label} triggered by`}
        class="plain tiny"
        value={ticket.triggerByOf(tpsl.value)}
        options={ticket.orderCapabilities.value.tpslBy.map((by) => [by, triggerNames[by]] as const)}
        onChange={(by) => change({ by })}
      />
    </fieldset>
  )
}
