/** Orders that rest and triggers that wait: change, cancel. */
import { useState } from 'preact/hooks'
import { cancelOrder, cancelTrigger, changeOrder, changeTrigger } from '../actions/orders.ts'
import { dateTime, grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { orders, triggers } from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import type { OrderChange, TriggerChange } from '../venue/account.ts'
import { Side, Symbol } from './names.tsx'

export function OpenOrders() {
  const [changing, setChanging] = useState<string | undefined>(undefined)
  const resting = [...orders.value.values()].sort((a, b) => b.createdAt - a.createdAt)
  const order = orders.value.get(changing ?? '')
  const trigger = triggers.value.find(({ id }) => id === changing)
  const close = () => setChanging(undefined)
  if (resting.length + triggers.value.length === 0) return <p class="empty">No open orders.</p>
  return (
    <>
      {resting.length > 0 && (
        <Rows
          caption="Open orders"
          columns={orderColumns(setChanging)}
          rows={resting}
          keyOf={({ id }) => id}
          empty=""
        />
      )}
      {triggers.value.length > 0 && (
        <>
          <h3 class="rows-title">Waiting for a price</h3>
          <Rows
            caption="Trigger orders"
            columns={triggerColumns(setChanging)}
            rows={triggers.value}
            keyOf={({ id }) => id}
            empty=""
          />
        </>
      )}
      {order !== undefined && <ChangeOrder order={order} onClose={close} />}
      {trigger !== undefined && <ChangeTrigger trigger={trigger} onClose={close} />}
    </>
  )
}

const forces: Readonly<Record<string, string>> = { gtc: 'GTC', ioc: 'IOC', fok: 'FOK', post_only: 'Post only' }

function orderColumns(onChange: (id: string) => void): Column<Order>[] {
  return [
    { title: 'Symbol', head: true, cell: (order) => <Symbol category={order.category} symbol={order.symbol} /> },
    {
      title: 'Side',
      cell: (order) => <Side side={order.side} text={`${order.side}${order.posSide ? ` ${order.posSide}` : ''}`} />,
    },
    {
      title: 'Type',
      cell: (order) => `${order.orderType === 'limit' ? 'Limit' : 'Market'} ${forces[order.timeInForce] ?? ''}`,
    },
    { title: 'Price', number: true, cell: (order) => grouped(order.price) },
    {
      title: 'Filled / quantity',
      number: true,
      cell: (order) => `${grouped(order.filled)} / ${grouped(order.quantity)}`,
    },
    {
      title: 'TP / SL',
      number: true,
      cell: (order) => `${grouped(order.takeProfit) || '–'} / ${grouped(order.stopLoss) || '–'}`,
    },
    { title: 'Reduce', cell: (order) => (order.reduceOnly ? 'Reduce only' : '–') },
    { title: 'Placed', number: true, cell: (order) => dateTime(order.createdAt) },
    {
      title: 'Actions',
      actions: true,
      cell: (order) => (
        <>
          <button type="button" data-action="edit" onClick={() => onChange(order.id)}>
            Edit
          </button>
          <button type="button" data-action="cancel" onClick={() => void cancelOrder(order)}>
            Cancel
          </button>
        </>
      ),
    },
  ]
}

function triggerColumns(onChange: (id: string) => void): Column<Trigger>[] {
  return [
    { title: 'Symbol', head: true, cell: (trigger) => <Symbol category={trigger.category} symbol={trigger.symbol} /> },
    { title: 'Side', cell: (trigger) => <Side side={trigger.side} /> },
    { title: 'Kind', cell: kindText },
    { title: 'Trigger', number: true, cell: (trigger) => triggerText(trigger) },
    {
      title: 'Quantity',
      number: true,
      cell: (trigger) => (trigger.quantity === '' ? 'all of it' : grouped(trigger.quantity)),
    },
    {
      title: 'Then',
      cell: (trigger) => (trigger.limitPrice === '' ? 'at market' : `limit ${grouped(trigger.limitPrice)}`),
    },
    { title: 'Placed', number: true, cell: (trigger) => dateTime(trigger.createdAt) },
    {
      title: 'Actions',
      actions: true,
      cell: (trigger) => (
        <>
          {trigger.trailing === undefined && (
            <button type="button" data-action="edit" onClick={() => onChange(trigger.id)}>
              Edit
            </button>
          )}
          <button type="button" data-action="cancel" onClick={() => void cancelTrigger(trigger)}>
            Cancel
          </button>
        </>
      ),
    },
  ]
}

function kindText({ kind, trailing }: Trigger): string {
  if (trailing !== undefined) return `Trailing ${trailing.rate} %`
  return kind === 'tpsl' ? 'Take profit, stop loss' : 'Trigger'
}

function triggerText({ kind, triggerPrice, triggerBy, takeProfit, stopLoss, trailing }: Trigger): string {
  const by = triggerBy === 'mark' ? 'mark' : 'last'
  if (trailing !== undefined) {
    const { triggersAt } = trailing
    const from = triggerPrice === '' ? '' : `from ${grouped(triggerPrice)} `
    return `${from}(${by})${triggersAt === '' ? '' : `, now ${grouped(triggersAt)}`}`
  }
  if (kind === 'trigger') return `${grouped(triggerPrice)} (${by})`
  return `${takeProfit === '' ? '–' : grouped(takeProfit)} / ${stopLoss === '' ? '–' : grouped(stopLoss)}`
}

function ChangeOrder({ order, onClose }: { order: Order; onClose: () => void }) {
  const [price, setPrice] = useState(order.price)
  const [quantity, setQuantity] = useState(order.quantity)
  const [takeProfit, setTakeProfit] = useState(order.takeProfit)
  const [stopLoss, setStopLoss] = useState(order.stopLoss)
  const instrument = instrumentNamed(order.category, order.symbol)
  const step = instrument?.priceStep ?? 1n
  const unit = instrument?.quote ?? ''
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
        <NumberField label="Price" name="editPrice" unit={unit} value={price} step={step} onChange={setPrice} />
        <NumberField
          label="Quantity, with what is filled"
          name="editQuantity"
          unit={instrument?.quantityUnit ?? ''}
          value={quantity}
          step={instrument?.quantityStep ?? 1n}
          onChange={setQuantity}
        />
        {!order.reduceOnly && (
          <div class="pair">
            <NumberField label="Take profit" value={takeProfit} step={step} onChange={setTakeProfit} />
            <NumberField label="Stop loss" value={stopLoss} step={step} onChange={setStopLoss} />
          </div>
        )}
        <button type="submit" class="primary wide" data-testid="save-order">
          Change the order
        </button>
      </form>
    </Dialog>
  )
}

function ChangeTrigger({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const first = trigger.kind === 'trigger'
  const [triggerPrice, setTriggerPrice] = useState(trigger.triggerPrice)
  const [limitPrice, setLimitPrice] = useState(trigger.limitPrice)
  const [quantity, setQuantity] = useState(trigger.quantity)
  const [takeProfit, setTakeProfit] = useState(trigger.takeProfit)
  const [stopLoss, setStopLoss] = useState(trigger.stopLoss)
  const instrument = instrumentNamed(trigger.category, trigger.symbol)
  const step = instrument?.priceStep ?? 1n
  const submit = async (event: Event) => {
    event.preventDefault()
    const change: TriggerChange = {
      ...(triggerPrice === trigger.triggerPrice ? {} : { triggerPrice }),
      ...(limitPrice === trigger.limitPrice ? {} : { limitPrice }),
      ...(quantity === trigger.quantity ? {} : { quantity }),
      ...(takeProfit === trigger.takeProfit ? {} : { takeProfit }),
      ...(stopLoss === trigger.stopLoss ? {} : { stopLoss }),
    }
    if (Object.keys(change).length === 0 || (await changeTrigger(trigger, change))) onClose()
  }
  return (
    <Dialog title={`Edit ${first ? 'trigger' : 'take profit, stop loss'} ${trigger.symbol}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {first ? (
          <>
            <NumberField label="Trigger price" value={triggerPrice} step={step} onChange={setTriggerPrice} />
            {trigger.limitPrice !== '' && (
              <NumberField label="Limit price" value={limitPrice} step={step} onChange={setLimitPrice} />
            )}
          </>
        ) : (
          <>
            {trigger.takeProfit !== '' && (
              <NumberField label="Take profit" value={takeProfit} step={step} onChange={setTakeProfit} />
            )}
            {trigger.stopLoss !== '' && (
              <NumberField label="Stop loss" value={stopLoss} step={step} onChange={setStopLoss} />
            )}
          </>
        )}
        {trigger.quantity !== '' && (
          <NumberField
            label="Quantity"
            value={quantity}
            step={instrument?.quantityStep ?? 1n}
            unit={instrument?.quantityUnit ?? ''}
            onChange={setQuantity}
          />
        )}
        <button type="submit" class="primary wide">
          Change the order
        </button>
      </form>
    </Dialog>
  )
}
