/**
 * What must hold after every scenario, whatever it was about.
 *
 * Books      `verify` finds no fault: sums are zero, holds are those of open orders, books are uncrossed, longs equal shorts
 * Invariants those of risk-engine §20 that verify does not see (invariants.ts)
 * Fund       the insurance fund owes only where somebody was liquidated: then it may have paid more than it had
 * Twin       a second engine fed the same commands, for which it gets ready as a venue's does, gives the same replies, events and
 *            bytes
 * Recovered  a third, loaded from what the first one saved half-way and fed the rest, too
 * Refused    a fourth, to which every refused command is a command that does nothing, has the same bytes: a refusal
 *            changes nothing
 */
import { expect } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { Command } from '../../../src/engine/protocol/command.ts'
import type { Event } from '../../../src/engine/protocol/event.ts'
import type { Exchange, Applied } from './exchange.ts'
import { expectInvariants } from './invariants.ts'

export function expectSound(exchange: Exchange): void {
  const { faults, coins } = exchange.query({ kind: 'verify' })
  expect(faults).toEqual([])
  const liquidated = exchange.applied.some(({ events }) => events.some(isLiquidation))
  for (const { coin, sum, house } of coins) {
    expect(sum, `sum of all ${coin}`).toBe(0n)
    if (!liquidated) expect(house.insurance, `insurance fund of ${coin}`).toBeGreaterThanOrEqual(0n)
  }
  expectInvariants(exchange)
  expectTwins(exchange.applied, exchange.save())
}

function isLiquidation(event: Event): boolean {
  return event.kind === 'margin-liquidation' || (event.kind === 'fill' && event.cause === 'liquidation')
}

export function expectTwins(applied: readonly Applied[], saved: Uint8Array): void {
  const half = Math.floor(applied.length / 2)
  const twin = new Twin()
  twin.applyAll(applied.slice(0, half))
  const snapshot = Buffer.concat(twin.engine.save())
  twin.applyAll(applied.slice(half))
  expectBytes(twin.engine, saved, 'a twin')

  const recovered = new Twin(snapshot)
  expectBytes(recovered.engine, snapshot, 'an engine as loaded')
  for (const step of applied.slice(half)) recovered.apply(step)
  expectBytes(recovered.engine, saved, 'an engine loaded half-way')

  const spared = new Twin()
  for (const step of applied) spared.apply(step.reply.kind === 'refused' ? { ...step, command: nothing } : step)
  expectBytes(spared.engine, saved, 'an engine without the refused commands')
}

/** A command that succeeds and changes nothing. */
const nothing: Command = { kind: 'set-index-prices', prices: [] }

class Twin {
  readonly engine: Engine
  private events: Event[] = []

  constructor(snapshot?: Uint8Array) {
    const emit = (event: Event) => void this.events.push(event)
    this.engine = snapshot === undefined ? new Engine(emit) : Engine.load([snapshot], emit)
  }

  applyAll(applied: readonly Applied[]): void {
    const commands = applied.map(({ command }) => command)
    let ready = 0
    for (const [place, step] of applied.entries()) {
      if (place === ready) ready = this.engine.prefetch(commands, place)
      this.apply(step)
    }
  }

  apply({ command, at, reply, events }: Applied): void {
    this.events = []
    const answered = this.engine.apply(command, this.engine.sequence + 1, at)
    if (command === nothing) return
    if (!same(answered, reply) || !same(this.events, events)) {
      expect(answered, `reply to ${command.kind} ${this.engine.sequence}`).toEqual(reply)
      expect(this.events, `events of ${command.kind} ${this.engine.sequence}`).toEqual(events)
    }
  }
}

function expectBytes(engine: Engine, saved: Uint8Array, who: string): void {
  expect(Buffer.concat(engine.save()).equals(saved), `${who} has the same bytes`).toBe(true)
}

/** Equal plain data, found out fast. */
function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => same((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]))
  )
}
