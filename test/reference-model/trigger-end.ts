/**
 * How a trigger order leaves without having been triggered. Its id stays taken for a day.
 *
 * Source  interface.md E3 presets; design.md §4.6
 */
import type { Hold } from './catalog.ts'
import type { Desk, Order, Trigger, World } from './world.ts'

const dayMs = 86_400_000

export function endTrigger(world: World, trigger: Trigger): void {
  removeTrigger(world, trigger)
  world.endedTriggers.push({ owner: trigger.owner, id: trigger.id, status: 'canceled', failure: '' })
}

export function removeTrigger(world: World, trigger: Trigger): void {
  world.triggers = world.triggers.filter((other) => other !== trigger)
  if (trigger.id !== '') world.ids.set(`${trigger.owner} ${trigger.id}`, world.at + dayMs)
}

/** A position has closed: what protected it goes, the newest first. */
export function endTpsl(world: World, { owner, wallet, market }: Desk, hold: Hold): void {
  const meant = world.triggers.filter(
    (other) => other.owner === owner && other.wallet === wallet && other.market === market && other.hold === hold,
  )
  for (const trigger of meant.reverse()) endTrigger(world, trigger)
}

/** An order that came of a take-profit or stop-loss has ended: filled, it takes the partner along. */
export function endPartner(world: World, order: Order, status: 'filled' | 'canceled'): void {
  const partner = world.partners.get(order.number)
  if (partner === undefined) return
  world.partners.delete(order.number)
  const trigger = world.triggers.find(({ number }) => number === partner)
  if (status === 'filled' && trigger !== undefined) endTrigger(world, trigger)
}
