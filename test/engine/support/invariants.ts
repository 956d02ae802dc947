/**
 * Invariants of risk-engine §20 that are found in the events and in the positions as they are shown.
 *
 * Margin    (5) at the mark a position needs at most its initial margin to stay, while its tier allows its leverage
 * Funding   (7) what one settlement books adds up to zero less rounding: between −(n − 1) units and none
 * Closing   (8) a fill that closes takes at most what is open on its side; an order that only reduces only closes
 */
import { expect } from 'vitest'
import {
  type FuturesInstrument,
  initialMarginOf,
  productLines,
  scaleOf,
  tierValue,
} from '../../../src/engine/catalog/catalog.ts'
import { maintenanceMargin } from '../../../src/engine/margin/maintenance.ts'
import type { Event, FillEvent, OrderRecord } from '../../../src/engine/protocol/event.ts'
import type { Exchange } from './exchange.ts'

export function expectInvariants(exchange: Exchange): void {
  expectMaintenanceBelowInitial(exchange)
  for (const { events } of exchange.applied) expectFundingZeroSum(events)
  expectOnlyClosing(exchange)
}

function expectMaintenanceBelowInitial(exchange: Exchange): void {
  const { instruments } = exchange.query({ kind: 'catalog' })
  for (const { uid } of exchange.query({ kind: 'accounts' })) {
    for (const version of ['v2', 'v3'] as const) {
      for (const line of productLines) {
        const ask = { kind: 'positions', uid, interface: version, line, instrument: undefined } as const
        for (const { instrument: id, quantity, markPrice, leverage } of exchange.query(ask)) {
          const instrument = instruments[id] as FuturesInstrument
          const scale = scaleOf(instrument)
          const value = tierValue(scale, quantity, markPrice)
          const tier = instrument.tiers.find(({ to }) => value < to)
          if (tier === undefined || leverage > tier.leverageMax) continue
          const maintenance = maintenanceMargin(instrument, scale, quantity, markPrice)
          const initial = initialMarginOf(scale, quantity, markPrice, leverage)
          expect(maintenance <= initial, `${uid}: ${instrument.symbol} needs ${maintenance} of ${initial}`).toBe(true)
        }
      }
    }
  }
}

/** Payments are emitted before the settlement that they belong to. */
function expectFundingZeroSum(events: readonly Event[]): void {
  const booked = new Map<number, bigint[]>()
  for (const event of events) {
    if (event.kind === 'funding-payment') {
      booked.set(event.instrument, [...(booked.get(event.instrument) ?? []), event.amount])
    }
    if (event.kind !== 'funding-settled') continue
    const payments = booked.get(event.instrument) ?? []
    booked.delete(event.instrument)
    const sum = payments.reduce((total, payment) => total + payment, 0n)
    const least = -BigInt(Math.max(0, payments.length - 1))
    expect(sum <= 0n && sum >= least, `funding of ${event.instrument} books ${sum}`).toBe(true)
  }
}

function expectOnlyClosing(exchange: Exchange): void {
  const open = new Map<string, number>()
  const fills: FillEvent[] = []
  const ended = new Map<number, OrderRecord>()
  for (const { events } of exchange.applied) {
    for (const event of events) {
      if (event.kind === 'order-ended') ended.set(event.order.orderId, event.order)
      if (event.kind !== 'fill' || event.effect === 'spot') continue
      fills.push(event)
      const long = (event.effect === 'open') === (event.bookSide === 'buy')
      const key = `${event.uid} ${event.wallet} ${event.instrument} ${long ? 'long' : 'short'}`
      const left = (open.get(key) ?? 0) + (event.effect === 'open' ? event.quantity : -event.quantity)
      expect(left, `${key} after fill ${event.execId}`).toBeGreaterThanOrEqual(0)
      open.set(key, left)
    }
  }
  for (const { uid, orderId, effect } of fills) {
    const asked = { kind: 'order', uid, order: { orderId, clientOid: '' } } as const
    const order = ended.get(orderId) ?? exchange.query(asked)
    if (order?.reduceOnly || order?.intent === 'close') expect(effect, `a fill of order ${orderId}`).toBe('close')
  }
}
