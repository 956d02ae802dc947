/** The size of an order in the other coin, and the sizes that are kept at hand. */
import { divFloor, floorTo, oneE8, parseUnits, unitsText } from '../numbers/decimal.ts'
import { LinkedField } from '../parts/linked-field.tsx'
import { sizesOf, toggleSize } from '../store/sizes.ts'
import { ticket } from '../store/ticket.ts'
import type { Instrument } from '../venue/instruments.ts'
import { t } from '../words/words.ts'

/** The quantity by what it is worth: in quote coin, of coin-margined contracts in base coin. */
export function ValueField({ instrument }: { instrument: Instrument }) {
  const price = ticket.orderPrice.value
  const isInverse = instrument.kind === 'inverse'
  const quantity = ticket.quantity.value
  const counted = parseUnits(quantity) ?? 0n
  const value =
    price === 0n || counted === 0n
      ? ''
      : isInverse
        ? unitsText(divFloor(counted * oneE8, price))
        : unitsText(floorTo(divFloor(counted * price, oneE8), oneE8 / 100n))
  const write = (text: string) => {
    const wanted = parseUnits(text) ?? 0n
    const found = isInverse ? divFloor(wanted * price, oneE8) : price === 0n ? 0n : divFloor(wanted * oneE8, price)
    ticket.quantity.value = wanted <= 0n ? '' : unitsText(floorTo(found, instrument.quantityStep))
    return ticket.quantity.value
  }
  return (
    <LinkedField
      label={t.ticket.value}
      name="value"
      unit={isInverse ? instrument.base : instrument.quote}
      disabled={price === 0n}
      truth={quantity}
      shown={value}
      write={write}
    />
  )
}

export function KeptSizes({ instrument }: { instrument: Instrument }) {
  const key = `${instrument.key}${ticket.quoteSized.value ? '/amount' : ''}`
  const sizes = sizesOf(key)
  const quantity = ticket.quantity.value
  const canKeep = ticket.faults.value.quantity === undefined && quantity !== ''
  if (sizes.length === 0 && !canKeep) return null
  return (
    <div class="share-buttons" role="group" aria-label={t.ticket.keptSizes}>
      {sizes.map((size) => (
        <button
          key={size}
          type="button"
          data-size={size}
          aria-pressed={size === quantity}
          onClick={() => (ticket.quantity.value = size)}
        >
          {size}
        </button>
      ))}
      {canKeep && (
        <button type="button" data-testid="keep-size" onClick={() => toggleSize(key, quantity)}>
          {sizes.includes(quantity) ? t.ticket.forget(quantity) : t.ticket.keep(quantity)}
        </button>
      )}
    </div>
  )
}
