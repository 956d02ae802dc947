/** How an order that rests or a trigger that waits is changed. What is no number, or lies on no step, is not sent. */
import { useState } from 'preact/hooks'
import { changeOrder, changeTrigger } from '../actions/orders.ts'
import { callbackFault, priceFault, quantityFault } from '../numbers/faults.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { useAct } from '../parts/use-act.ts'
import { instrumentNamed } from '../store/market.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import type { OrderChange, TriggerChange } from '../venue/account.ts'
import { t } from '../words/words.ts'

export function ChangeOrder({ order, onClose }: { order: Order; onClose: () => void }) {
  const [price, setPrice] = useState(order.price)
  const [quantity, setQuantity] = useState(order.quantity)
  const [takeProfit, setTakeProfit] = useState(order.takeProfit)
  const [stopLoss, setStopLoss] = useState(order.stopLoss)
  const instrument = instrumentNamed(order.category, order.symbol)
  const step = instrument?.priceStep ?? 1n
  const unit = instrument?.quote ?? ''
  const quantityStep = instrument?.quantityStep ?? 1n
  const quantityUnit = instrument?.quantityUnit ?? ''
  const faults = {
    price: priceFault(price, step, unit),
    quantity: quantityFault(quantity, quantityStep, quantityUnit),
    takeProfit: priceFault(takeProfit, step, unit),
    stopLoss: priceFault(stopLoss, step, unit),
  }
  const isReady = price !== '' && quantity !== '' && Object.values(faults).every((fault) => fault === undefined)
  const { isUnderWay, begin } = useAct()
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    // What was not touched is left away, so that nothing of it changes.
    const change: OrderChange = {
      ...(price === order.price ? {} : { price }),
      ...(quantity === order.quantity ? {} : { quantity }),
      ...(takeProfit === order.takeProfit ? {} : { takeProfit: takeProfit || '0' }),
      ...(stopLoss === order.stopLoss ? {} : { stopLoss: stopLoss || '0' }),
    }
    if (Object.keys(change).length === 0) onClose()
    else begin(() => changeOrder(order, change), onClose)
  }
  return (
    <Dialog title={t.orders.editOrder(order.side, order.symbol)} onClose={onClose}>
      <form onSubmit={submit}>
        <NumberField
          label={t.columns.price}
          name="editPrice"
          unit={unit}
          value={price}
          step={step}
          fault={faults.price}
          onChange={setPrice}
        />
        <NumberField
          label={t.orders.quantityWithFilled}
          name="editQuantity"
          unit={quantityUnit}
          value={quantity}
          step={quantityStep}
          fault={faults.quantity}
          onChange={setQuantity}
        />
        {!order.reduceOnly && (
          <div class="pair">
            <NumberField
              label={t.tpsl.takeProfit}
              value={takeProfit}
              step={step}
              fault={faults.takeProfit}
              onChange={setTakeProfit}
            />
            <NumberField
              label={t.tpsl.stopLoss}
              value={stopLoss}
              step={step}
              fault={faults.stopLoss}
              onChange={setStopLoss}
            />
          </div>
        )}
        <button type="submit" class="primary wide" data-testid="save-order" disabled={!isReady || isUnderWay}>
          {t.orders.change}
        </button>
      </form>
    </Dialog>
  )
}

export function ChangeTrigger({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const { trailing } = trigger
  const [callback, setCallback] = useState(trailing?.rate ?? '')
  const first = trigger.kind === 'trigger'
  const [triggerPrice, setTriggerPrice] = useState(trigger.triggerPrice)
  const [limitPrice, setLimitPrice] = useState(trigger.limitPrice)
  const [quantity, setQuantity] = useState(trigger.quantity)
  const [takeProfit, setTakeProfit] = useState(trigger.takeProfit)
  const [stopLoss, setStopLoss] = useState(trigger.stopLoss)
  const instrument = instrumentNamed(trigger.category, trigger.symbol)
  const step = instrument?.priceStep ?? 1n
  const unit = instrument?.quote ?? ''
  const quantityStep = instrument?.quantityStep ?? 1n
  const quantityUnit = instrument?.quantityUnit ?? ''
  // What was not touched is as the venue has it.
  const faults = {
    triggerPrice: triggerPrice === trigger.triggerPrice ? undefined : priceFault(triggerPrice, step, unit),
    callback: callbackFault(callback),
    limitPrice: limitPrice === trigger.limitPrice ? undefined : priceFault(limitPrice, step, unit),
    takeProfit: takeProfit === trigger.takeProfit ? undefined : priceFault(takeProfit, step, unit),
    stopLoss: stopLoss === trigger.stopLoss ? undefined : priceFault(stopLoss, step, unit),
    quantity: quantity === trigger.quantity ? undefined : quantityFault(quantity, quantityStep, quantityUnit),
  }
  // What it has can become something else, not nothing.
  const isEmptied =
    (triggerPrice === '' && trigger.triggerPrice !== '') ||
    (quantity === '' && trigger.quantity !== '') ||
    (callback === '' && trailing !== undefined)
  const isReady = !isEmptied && Object.values(faults).every((fault) => fault === undefined)
  const { isUnderWay, begin } = useAct()
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const change: TriggerChange = {
      ...(callback === (trailing?.rate ?? '') ? {} : { callback }),
      ...(triggerPrice === trigger.triggerPrice ? {} : { triggerPrice }),
      ...(limitPrice === trigger.limitPrice ? {} : { limitPrice }),
      ...(quantity === trigger.quantity ? {} : { quantity }),
      ...(takeProfit === trigger.takeProfit ? {} : { takeProfit }),
      ...(stopLoss === trigger.stopLoss ? {} : { stopLoss }),
    }
    if (Object.keys(change).length === 0) onClose()
    else begin(() => changeTrigger(trigger, change), onClose)
  }
  return (
    <Dialog
      title={(trailing !== undefined ? t.orders.editTrailing : first ? t.orders.editTrigger : t.orders.editTpsl)(
        trigger.symbol,
      )}
      onClose={onClose}
    >
      <form onSubmit={submit}>
        {first ? (
          <>
            <NumberField
              label={trailing === undefined ? t.ticket.trigger : t.ticket.activation}
              name="editTriggerPrice"
              unit={unit}
              value={triggerPrice}
              step={step}
              fault={faults.triggerPrice}
              onChange={setTriggerPrice}
            />
            {trailing !== undefined && (
              <NumberField
                label={t.ticket.callback}
                name="editCallback"
                unit="%"
                value={callback}
                step={1_000_000n}
                fault={faults.callback}
                onChange={setCallback}
              />
            )}
            {trigger.limitPrice !== '' && (
              <NumberField
                label={t.orders.limitPrice}
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
                label={t.tpsl.takeProfit}
                value={takeProfit}
                step={step}
                fault={faults.takeProfit}
                onChange={setTakeProfit}
              />
            )}
            {trigger.stopLoss !== '' && (
              <NumberField
                label={t.tpsl.stopLoss}
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
            label={t.columns.quantity}
            name="editTriggerQuantity"
            value={quantity}
            step={quantityStep}
            unit={quantityUnit}
            fault={faults.quantity}
            onChange={setQuantity}
          />
        )}
        <button type="submit" class="primary wide" data-testid="save-trigger" disabled={!isReady || isUnderWay}>
          {t.orders.change}
        </button>
      </form>
    </Dialog>
  )
}
