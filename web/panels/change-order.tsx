/** Dialogs for other terms of an order that rests, or of a trigger that waits. What is wrong in a field is said before the venue is asked. */
import { useState } from 'preact/hooks'
import { changeOrder, changeTrigger } from '../actions/orders.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { instrumentNamed } from '../store/market.ts'
import { callbackFault, priceFault, quantityFault } from '../trading/field-faults.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import type { OrderChange, TriggerChange } from '../venue/account.ts'

export function ChangeOrder({ order, onClose }: { order: Order; onClose: () => void }) {
  const [price, setPrice] = useState(order.price)
  const [quantity, setQuantity] = useState(order.quantity)
  const [takeProfit, setTakeProfit] = useState(order.takeProfit)
  const [stopLoss, setStopLoss] = useState(order.stopLoss)
  const instrument = instrumentNamed(order.category, order.symbol)
  const step = instrument?.priceStep ?? 1n
  const unit = instrument?.quote ?? ''
  const priced = (text: string) => instrument && priceFault(text, instrument)
  const faults = {
    price: priced(price),
    quantity: instrument && quantityFault(quantity, instrument, order.reduceOnly),
    takeProfit: priced(takeProfit),
    stopLoss: priced(stopLoss),
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    // What was not touched is left away, so that nothing of it changes.
    const change: OrderChange = {
      ...(price === order.price ? {} : { price }),
      ...(quantity === order.quantity ? {} : { quantity }),
      ...(takeProfit === order.takeProfit ? {} : { takeProfit: takeProfit || '0' }),
      ...(stopLoss === order.stopLoss ? {} : { stopLoss: stopLoss || '0' }),
    }
    if (Object.keys(change).length === 0 || (await changeOrder(order, change))) onClose()
  }
  return (
    <Dialog title={`Edit ${order.side} ${order.symbol}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <NumberField
          label="Price"
          name="editPrice"
          unit={unit}
          value={price}
          step={step}
          fault={faults.price}
          onChange={setPrice}
        />
        <NumberField
          label="Quantity, with what is filled"
          name="editQuantity"
          unit={instrument?.quantityUnit ?? ''}
          value={quantity}
          step={instrument?.quantityStep ?? 1n}
          fault={faults.quantity}
          onChange={setQuantity}
        />
        {!order.reduceOnly && (
          <div class="pair">
            <NumberField
              label="Take profit"
              value={takeProfit}
              step={step}
              fault={faults.takeProfit}
              onChange={setTakeProfit}
            />
            <NumberField
              label="Stop loss"
              value={stopLoss}
              step={step}
              fault={faults.stopLoss}
              onChange={setStopLoss}
            />
          </div>
        )}
        <button type="submit" class="primary wide" data-testid="save-order" disabled={isWrong(faults)}>
          Change the order
        </button>
      </form>
    </Dialog>
  )
}

/** Whether a field has a fault: then nothing is asked of the venue. */
function isWrong(faults: Readonly<Record<string, string | undefined>>): boolean {
  return Object.values(faults).some((fault) => fault !== undefined)
}

/** A hundredth of a per cent. */
const callbackStep = 1_000_000n

export function ChangeTrigger({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const { trailing } = trigger
  const first = trigger.kind === 'trigger'
  const [rate, setRate] = useState(trailing?.rate ?? '')
  const [triggerPrice, setTriggerPrice] = useState(trigger.triggerPrice)
  const [limitPrice, setLimitPrice] = useState(trigger.limitPrice)
  const [quantity, setQuantity] = useState(trigger.quantity)
  const [takeProfit, setTakeProfit] = useState(trigger.takeProfit)
  const [stopLoss, setStopLoss] = useState(trigger.stopLoss)
  const instrument = instrumentNamed(trigger.category, trigger.symbol)
  const step = instrument?.priceStep ?? 1n
  const priced = (text: string) => instrument && priceFault(text, instrument)
  const faults = {
    rate: callbackFault(rate),
    triggerPrice: priced(triggerPrice),
    limitPrice: priced(limitPrice),
    quantity: instrument && quantityFault(quantity, instrument, true),
    takeProfit: priced(takeProfit),
    stopLoss: priced(stopLoss),
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const change: TriggerChange = {
      ...(trailing === undefined || rate === trailing.rate ? {} : { rate }),
      ...(triggerPrice === trigger.triggerPrice ? {} : { triggerPrice }),
      ...(limitPrice === trigger.limitPrice ? {} : { limitPrice }),
      ...(quantity === trigger.quantity ? {} : { quantity }),
      ...(takeProfit === trigger.takeProfit ? {} : { takeProfit }),
      ...(stopLoss === trigger.stopLoss ? {} : { stopLoss }),
    }
    if (Object.keys(change).length === 0 || (await changeTrigger(trigger, change))) onClose()
  }
  return (
    <Dialog
      title={`Edit ${trailing ? 'trailing' : first ? 'trigger' : 'take profit, stop loss'} ${trigger.symbol}`}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        {first ? (
          <>
            {trailing !== undefined && (
              <NumberField
                label="Callback"
                name="editCallback"
                unit="%"
                value={rate}
                step={callbackStep}
                fault={faults.rate}
                onChange={setRate}
              />
            )}
            <NumberField
              label={trailing === undefined ? 'Trigger price' : 'Active from'}
              name="editTriggerPrice"
              value={triggerPrice}
              step={step}
              fault={faults.triggerPrice}
              onChange={setTriggerPrice}
            />
            {trigger.limitPrice !== '' && (
              <NumberField
                label="Limit price"
                value={limitPrice}
                step={step}
                fault={faults.limitPrice}
                onChange={setLimitPrice}
              />
            )}
          </>
        ) : (
          <>
            {trigger.takeProfit !== '' && (
              <NumberField
                label="Take profit"
                value={takeProfit}
                step={step}
                fault={faults.takeProfit}
                onChange={setTakeProfit}
              />
            )}
            {trigger.stopLoss !== '' && (
              <NumberField
                label="Stop loss"
                value={stopLoss}
                step={step}
                fault={faults.stopLoss}
                onChange={setStopLoss}
              />
            )}
          </>
        )}
        {trigger.quantity !== '' && (
          <NumberField
            label="Quantity"
            value={quantity}
            step={instrument?.quantityStep ?? 1n}
            unit={instrument?.quantityUnit ?? ''}
            fault={faults.quantity}
            onChange={setQuantity}
          />
        )}
        <button type="submit" class="primary wide" disabled={isWrong(faults)}>
          Change the order
        </button>
      </form>
    </Dialog>
  )
}
