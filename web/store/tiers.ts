/** The tiers of the contract in view: how much leverage and maintenance a position of its size has. None of a pair. */
import { effect, signal } from '@preact/signals'
import { isFutures, loadTiers, type Tier } from '../venue/instruments.ts'
import { currentInstrument } from './market.ts'

export const tiers = signal<readonly Tier[]>([])

effect(() => {
  const instrument = currentInstrument.value
  tiers.value = []
  if (instrument === undefined || !isFutures(instrument)) return
  void loadTiers(instrument).then((found) => {
    if (currentInstrument.peek() === instrument) tiers.value = found
  })
})
