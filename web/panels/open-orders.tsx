/** Orders that rest and triggers that wait: change, cancel. */
import { useState } from 'preact/hooks'
import { cancelOrder, cancelTrigger } from '../actions/orders.ts'
import { grouped } from '../numbers/format.ts'
import { type Column, Rows } from '../parts/rows.tsx'
import { orders, triggers } from '../store/account.ts'
import { dateTime } from '../store/times.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import { ChangeOrder, ChangeTrigger } from './change-order.tsx'
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
    { title: 'Placed', time: true, number: true, cell: (order) => dateTime(order.createdAt) },
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
    { title: 'Placed', time: true, number: true, cell: (trigger) => dateTime(trigger.createdAt) },
    {
      title: 'Actions',
      actions: true,
      cell: (trigger) => (
        <>
          <button type="button" data-action="edit" onClick={() => onChange(trigger.id)}>
            Edit
          </button>
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
