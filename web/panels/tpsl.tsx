/** Take-profit and stop-loss that an order brings along: by price, by how far that is in per cent, or by what it wins or loses. */
import { useEffect, useRef } from 'preact/hooks'
import { divFloor, floorTo, maxOf, oneE8, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { money } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { NumberField } from '../parts/field.tsx'
import { LinkedField } from '../parts/linked-field.tsx'
import { ticket } from '../store/ticket.ts'
import { priceForProfit, profitAt } from '../trading/profit.ts'
import type { Tpsl } from '../venue/account.ts'
import type { Instrument } from '../venue/instruments.ts'
import { t } from '../words/words.ts'

/** They come into view with the press that asks for them: a low screen has them below its edge. */
export function TpslFields({ instrument }: { instrument: Instrument }) {
  const { faults } = ticket
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => fields.current?.scrollIntoView(), [])
  return (
    <div class="tpsl-pair" ref={fields}>
      <TpslField
        instrument={instrument}
        name="take-profit"
        label={t.tpsl.takeProfit}
        gains={1n}
        tpsl={ticket.takeProfit}
        fault={faults.value.takeProfit}
      />
      <TpslField
        instrument={instrument}
        name="stop-loss"
        label={t.tpsl.stopLoss}
        gains={-1n}
        tpsl={ticket.stopLoss}
        fault={faults.value.stopLoss}
      />
    </div>
  )
}

interface TpslFieldProps {
  readonly instrument: Instrument
  readonly name: 'take-profit' | 'stop-loss'
  readonly label: string
  /** 1: with a profit, −1: with a loss. */
  readonly gains: 1n | -1n
  readonly tpsl: typeof ticket.takeProfit
  readonly fault: string | undefined
}

function TpslField({ instrument, name, label, gains, tpsl, fault }: TpslFieldProps) {
  const change = (part: Partial<Tpsl>) => (tpsl.value = { ...tpsl.value, ...part })
  const entry = ticket.orderPrice.value
  const upwards = (ticket.side.value === 'buy' ? 1n : -1n) * gains
  const { price } = tpsl.value
  const order = {
    category: instrument.category,
    side: ticket.side.value === 'buy' ? ('long' as const) : ('short' as const),
    quantity: unitsText(ticket.orderQuantity.value),
    entryPrice: unitsText(entry),
  }
  const keep = (found: bigint | undefined) => {
    const next = found === undefined || found <= 0n ? '' : unitsText(floorTo(found, instrument.priceStep))
    change({ price: next })
    return next
  }
  const percentOf = (text: string) => {
    const away = parseUnits(text)
    return keep(away && entry + divFloor(upwards * away * entry, 100n * oneE8))
  }
  const profitOf = (text: string) => {
    const wanted = parseUnits(text)
    return keep(wanted && priceForProfit(order, gains * wanted))
  }
  const hasPrice = price !== '' && entry > 0n
  const away = hasPrice ? divFloor((units(price) - entry) * upwards * 100n * oneE8, entry) : 0n
  const won = hasPrice ? units(profitAt(order, price)) * gains : 0n
  const shown = (value: bigint, step: bigint) => (hasPrice ? unitsText(floorTo(maxOf(0n, value), step)) : '')
  const coin = instrument.settle
  return (
    <fieldset class="tpsl">
      <legend>{label}</legend>
      <div class="pair">
        <NumberField
          label={t.tpsl.price}
          value={price}
          step={instrument.priceStep}
          fault={fault}
          onChange={(text) => change({ price: text })}
        />
        <NumberField
          label={t.tpsl.limit}
          placeholder={t.tpsl.atMarket}
          value={tpsl.value.limit}
          step={instrument.priceStep}
          onChange={(limit) => change({ limit })}
        />
        <LinkedField
          label={t.tpsl.away}
          unit="%"
          disabled={entry === 0n}
          truth={price}
          shown={shown(away, oneE8 / 100n)}
          write={percentOf}
        />
        <LinkedField
          label={gains === 1n ? t.tpsl.profit : t.tpsl.loss}
          unit={coin}
          disabled={entry === 0n || ticket.orderQuantity.value === 0n}
          truth={price}
          shown={shown(won, coin.startsWith('USD') ? oneE8 / 100n : 1n)}
          write={profitOf}
        />
      </div>
      {hasPrice && ticket.orderQuantity.value > 0n && (
        <p class={won * gains >= 0n ? 'up' : 'down'} data-testid={`at-${name}`}>
          {(won * gains >= 0n ? t.tpsl.wins : t.tpsl.loses)(money(unitsText(won < 0n ? -won : won), coin))}
        </p>
      )}
      <Choice
        label={t.tpsl.triggeredBy(label)}
        class="plain tiny"
        value={ticket.triggerByOf(tpsl.value)}
        options={ticket.orderCapabilities.value.tpslBy.map((by) => [by, t.prices[by]] as const)}
        onChange={(by) => change({ by })}
      />
    </fieldset>
  )
}
