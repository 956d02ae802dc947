/** Orders that rest and triggers that wait: change, cancel. */
import { useState } from 'preact/hooks'
import { cancelOrder, cancelTrigger } from '../actions/orders.ts'
import { shown } from '../numbers/format.ts'
import { Aligned, numbers } from '../parts/numbers.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { orders, triggers } from '../store/account.ts'
import { isLive } from '../store/connection.ts'
import { pricePlaces, quantityPlaces } from '../store/market.ts'
import { dateTime } from '../store/times.ts'
import type { Order, Trigger } from '../venue/account-records.ts'
import { ChangeOrder, ChangeTrigger } from './change-order.tsx'
import { FilledOf } from './histories.tsx'
import { Side, Symbol } from './names.tsx'
import { named, t } from '../words/words.ts'

export function OpenOrders() {
  const [changing, setChanging] = useState<string | undefined>(undefined)
  const resting = [...orders.value.values()].sort((a, b) => b.createdAt - a.createdAt)
  const order = orders.value.get(changing ?? '')
  const trigger = triggers.value.find(({ id }) => id === changing)
  const close = () => setChanging(undefined)
  if (resting.length + triggers.value.length === 0) return <p class="empty">{t.orders.empty}</p>
  return (
    <>
      {resting.length > 0 && (
        <Rows
          caption={t.orders.caption}
          columns={orderColumns(setChanging)}
          rows={resting}
          keyOf={({ id }) => id}
          empty=""
        />
      )}
      {triggers.value.length > 0 && (
        <>
          <h3 class="rows-title">{t.orders.waiting}</h3>
          <Rows
            caption={t.orders.triggers}
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

function orderColumns(onChange: (id: string) => void): Column<Order>[] {
  return [
    {
      title: t.columns.symbol,
      head: true,
      cell: (order) => <Symbol category={order.category} symbol={order.symbol} />,
    },
    {
      title: t.columns.side,
      cell: (order) => <Side side={order.side} text={t.sideOf(order.side, order.posSide ?? '')} />,
    },
    {
      title: t.columns.type,
      cell: (order) => `${t.orderKinds[order.orderType]} ${named(t.forces, order.timeInForce)}`,
    },
    numbers({ title: t.columns.price, places: pricePlaces, of: ({ price }) => price }),
    {
      title: t.columns.filled,
      number: true,
      places: quantityPlaces,
      cell: (order, widest) => <FilledOf order={order} widest={widest} />,
    },
    {
      title: t.orders.tpsl,
      number: true,
      places: pricePlaces,
      cell: (order, widest) => (
        <span>
          {shown(order.takeProfit, pricePlaces(order))} /{' '}
          <Aligned text={order.stopLoss} places={pricePlaces(order)} widest={widest} />
        </span>
      ),
    },
    { title: t.orders.reduce, cell: (order) => (order.reduceOnly ? t.orders.reduceOnly : '–') },
    { title: t.columns.placed, time: true, number: true, cell: (order) => dateTime(order.createdAt) },
    {
      title: t.common.actions,
      actions: true,
      cell: (order) => (
        <>
          <button type="button" data-action="edit" disabled={!isLive.value} onClick={() => onChange(order.id)}>
            {t.orders.edit}
          </button>
          <button type="button" data-action="cancel" onClick={() => void cancelOrder(order)}>
            {t.orders.cancel}
          </button>
        </>
      ),
    },
  ]
}

function triggerColumns(onChange: (id: string) => void): Column<Trigger>[] {
  return [
    {
      title: t.columns.symbol,
      head: true,
      cell: (trigger) => <Symbol category={trigger.category} symbol={trigger.symbol} />,
    },
    { title: t.columns.side, cell: (trigger) => <Side side={trigger.side} /> },
    { title: t.columns.kind, cell: kindText },
    { title: t.orders.trigger, number: true, cell: (trigger) => triggerText(trigger) },
    {
      title: t.columns.quantity,
      number: true,
      places: quantityPlaces,
      cell: (trigger, widest) =>
        trigger.quantity === '' ? (
          t.orders.allOfIt
        ) : (
          <Aligned text={trigger.quantity} places={quantityPlaces(trigger)} widest={widest} />
        ),
    },
    {
      title: t.orders.becomes,
      cell: (trigger) =>
        trigger.limitPrice === ''
          ? t.orders.atMarket
          : t.orders.atLimit(shown(trigger.limitPrice, pricePlaces(trigger))),
    },
    { title: t.columns.placed, time: true, number: true, cell: (trigger) => dateTime(trigger.createdAt) },
    {
      title: t.common.actions,
      actions: true,
      cell: (trigger) => (
        <>
          <button type="button" data-action="edit" disabled={!isLive.value} onClick={() => onChange(trigger.id)}>
            {t.orders.edit}
          </button>
          <button type="button" data-action="cancel" onClick={() => void cancelTrigger(trigger)}>
            {t.orders.cancel}
          </button>
        </>
      ),
    },
  ]
}

function kindText({ kind, trailing }: Trigger): string {
  if (trailing !== undefined) return t.orders.kindTrailing(trailing.rate)
  return kind === 'tpsl' ? t.orders.kindTpsl : t.orders.kindTrigger
}

function triggerText(trigger: Trigger): string {
  const { kind, triggerPrice, triggerBy, takeProfit, stopLoss, trailing } = trigger
  const price = (text: string) => shown(text, pricePlaces(trigger))
  const by = t.orders.by[triggerBy === 'mark' ? 'mark' : 'market']
  if (trailing !== undefined) {
    const { triggersAt } = trailing
    const from = triggerPrice === '' ? '' : t.orders.from(price(triggerPrice))
    return `${from}(${by})${triggersAt === '' ? '' : t.orders.now(price(triggersAt))}`
  }
  if (kind === 'trigger') return `${price(triggerPrice)} (${by})`
  return `${price(takeProfit)} / ${price(stopLoss)}`
}
