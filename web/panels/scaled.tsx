/** Scaled orders: so many limit orders between two prices, all shown before they are sent together. */
import { useState } from 'preact/hooks'
import { newName } from '../actions/carry-out.ts'
import { placeOrders } from '../actions/orders.ts'
import { divFloor, oneE8, units, unitsText } from '../numbers/decimal.ts'
import { priceFault, quantityFault } from '../numbers/faults.ts'
import { grouped, money, shown } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, NumberField } from '../parts/field.tsx'
import { useAct } from '../parts/use-act.ts'
import { Figure } from '../parts/figure.tsx'
import { isLive } from '../store/connection.ts'
import { currentInstrument } from '../store/market.ts'
import { session } from '../store/session.ts'
import { ticket } from '../store/ticket.ts'
import { closeDialog } from '../store/view.ts'
import { scaledOrders } from '../trading/scaled.ts'
import { t } from '../words/words.ts'

/** Of one batch. */
const countMax = 20

/** In hedge mode with the position that it opens or closes. */
function whatIsDone(side: 'buy' | 'sell'): string {
  if (ticket.draft('')?.posSide === undefined) return t.sides[side]
  if (side === 'buy') return ticket.closes.value ? t.ticket.closeShort : t.ticket.openLong
  return ticket.closes.value ? t.ticket.closeLong : t.ticket.openShort
}

export function ScaledDialog() {
  const instrument = currentInstrument.value
  const [from, setFrom] = useState(ticket.price.value)
  const [to, setTo] = useState('')
  const [count, setCount] = useState('5')
  const [quantity, setQuantity] = useState(ticket.quoteSized.value ? '' : ticket.quantity.value)
  const [shares, setShares] = useState<'equal' | 'rising'>('equal')
  const [isPostOnly, setIsPostOnly] = useState(false)
  const { isUnderWay, begin } = useAct()
  if (instrument === undefined) return null
  const { priceStep, quantityStep, quote, quantityUnit, quantityMin, pricePrecision, quantityPrecision } = instrument
  const orders = Number(count)
  const isCount = /^\d{1,2}$/.test(count) && orders >= 2 && orders <= countMax
  const faults = {
    from: priceFault(from, priceStep, quote),
    to: priceFault(to, priceStep, quote) ?? (to !== '' && to === from ? t.faults.sameAsFirst : undefined),
    count: count === '' || isCount ? undefined : t.faults.fromTo(2, countMax),
    quantity: quantityFault(quantity, quantityStep, quantityUnit),
  }
  const isFilled = from !== '' && to !== '' && quantity !== '' && isCount
  const isRight = Object.values(faults).every((fault) => fault === undefined)
  const parts =
    isFilled && isRight
      ? scaledOrders({
          from: units(from),
          to: units(to),
          count: orders,
          quantity: units(quantity),
          shares,
          priceStep,
          quantityStep,
        })
      : []
  const isTooSmall = parts.some((part) => part.quantity < quantityMin)
  const side = ticket.side.value
  const what = whatIsDone(side)
  const isInverse = instrument.kind === 'inverse'
  /** In quote coin, of coin-margined contracts in base coin. */
  const total = parts.reduce(
    (sum, part) => sum + divFloor(part.quantity * (isInverse ? oneE8 : part.price), isInverse ? part.price : oneE8),
    0n,
  )
  const average =
    total <= 0n ? 0n : isInverse ? divFloor(units(quantity) * oneE8, total) : divFloor(total * oneE8, units(quantity))
  const isReady = parts.length > 0 && !isTooSmall && !isUnderWay && isLive.value && session.value !== undefined
  const submit = (event: Event) => {
    event.preventDefault()
    const draft = ticket.draft('')
    if (!isReady || draft === undefined) return
    const drafts = parts.map((part) => ({
      ...draft,
      orderType: 'limit' as const,
      price: unitsText(part.price),
      quantity: unitsText(part.quantity),
      timeInForce: isPostOnly ? ('post_only' as const) : ('gtc' as const),
      trigger: undefined,
      takeProfit: undefined,
      stopLoss: undefined,
      clientOid: newName(),
    }))
    begin(() => placeOrders(drafts), closeDialog)
  }
  return (
    <Dialog title={t.scaled.title(what, instrument.symbol)} onClose={closeDialog}>
      <form class="scaled" onSubmit={submit}>
        <div class="pair">
          <NumberField
            label={t.scaled.from}
            name="scaledFrom"
            unit={quote}
            value={from}
            step={priceStep}
            fault={faults.from}
            onChange={setFrom}
          />
          <NumberField
            label={t.scaled.to}
            name="scaledTo"
            unit={quote}
            value={to}
            step={priceStep}
            fault={faults.to}
            onChange={setTo}
          />
          <NumberField
            label={t.scaled.quantity}
            name="scaledQuantity"
            unit={quantityUnit}
            value={quantity}
            step={quantityStep}
            fault={faults.quantity ?? (isTooSmall ? t.faults.eachAtLeast(unitsText(quantityMin)) : undefined)}
            onChange={setQuantity}
          />
          <NumberField
            label={t.scaled.count}
            name="scaledCount"
            value={count}
            step={oneE8}
            fault={faults.count}
            onChange={setCount}
          />
        </div>
        <Choice
          label={t.scaled.shares}
          class="plain"
          value={shares}
          options={[
            ['equal', t.scaled.equal],
            ['rising', t.scaled.rising],
          ]}
          onChange={setShares}
        />
        <Check label={t.scaled.postOnly} checked={isPostOnly} onChange={setIsPostOnly} />
        {parts.length > 0 && (
          <>
            <ol class="scaled-orders scrolls" tabIndex={0} aria-label={t.scaled.sent}>
              {parts.map((part, index) => (
                <li key={index}>
                  <span>
                    {shown(unitsText(part.quantity), quantityPrecision)} {quantityUnit}
                  </span>
                  <span>{shown(unitsText(part.price), pricePrecision)}</span>
                </li>
              ))}
            </ol>
            <dl class="figures preview">
              <Figure title={t.scaled.average} value={grouped((Number(average) / 1e8).toFixed(pricePrecision))} />
              <Figure
                title={t.scaled.value}
                value={money(unitsText(total), isInverse ? instrument.base : instrument.quote)}
              />
            </dl>
          </>
        )}
        <button type="submit" class={`send ${side}`} data-testid="send-scaled" disabled={!isReady}>
          {isUnderWay ? t.common.sending : t.scaled.send(what, isCount ? String(orders) : '…')}
        </button>
      </form>
    </Dialog>
  )
}
