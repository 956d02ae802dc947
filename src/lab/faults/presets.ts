/**
 * Presets: lists of rules under a name, each a JSON file that can be printed, changed and sent back.
 *
 * Source  lab.md §4.5
 */
import { readFileSync } from 'node:fs'
import { unknownThing } from '../refusals.ts'

export const presetNames = ['flaky', 'hell', 'bitget-bad-day'] as const

export interface Preset {
  readonly preset: string
  readonly about: string
  /** Each as `POST /_lab/faults` takes it. */
  readonly rules: readonly Readonly<Record<string, unknown>>[]
}

/** Throws LabRefusal. */
export function presetNamed(name: string): Preset {
  const known = presetNames.find((preset) => preset === name)
  if (known === undefined) throw unknownThing('preset', `${name}; there are ${presetNames.join(', ')}`)
  const { about, rules } = JSON.parse(readFileSync(new URL(`presets/${known}.json`, import.meta.url), 'utf8')) as Preset
  return { preset: known, about, rules }
}
