/**
 * `npm run soak`: a venue for as long as one likes, in one of these ways, for two minutes unless told otherwise.
 *
 *   [--minutes N] [--seed S] [--lives L] [--kind full|busy]    lives of the simulated venue (test/simulation/)
 *   --scenario NAME|all [--minutes N] [--seed S] [--rounds N]  rounds of hostile scenarios (test/hostile/scenarios/)
 *   --simulated-days N [--seed S] [--activity SHARE] [--requests N]  what a demo venue holds at the end of each day
 *
 * Prints   seed and counts, now and then and at the end
 * Exits    1 at the first fault, with the command that repeats it; 2 when it is asked wrongly
 */
import { parseArgs } from 'node:util'
import { setV8 } from '../src/cli/v8-settings.ts'
import { scenarios } from '../test/hostile/scenarios/scenarios.ts'
import { soakLives } from './soak/lives.ts'
import { soakRounds } from './soak/rounds.ts'

const usage = `usage: npm run soak -- [--minutes N] [--seed S] [--lives L] [--kind full|busy]
       npm run soak -- --scenario NAME [--minutes N] [--seed S] [--rounds N]
       npm run soak -- --simulated-days N [--seed S] [--activity SHARE] [--requests N]
NAME: ${[...scenarios.map(({ name }) => name), 'all'].join(', ')}`

const soak = soakAsked()
try {
  await soak()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function soakAsked(): () => Promise<void> {
  const values = optionsAsked()
  const minutes = positive('minutes', 2)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(values.seed)
  if (values.seed?.trim() === '' || !Number.isSafeInteger(seed)) refuse('--seed is a whole number')
  if (values['simulated-days'] !== undefined) {
    only('--simulated-days', ['simulated-days', 'seed', 'activity', 'requests'])
    const days = whole('simulated-days', 1)
    const activity = positive('activity', 0.03)
    const requests = whole('requests', 240)
    return async () => {
      setV8() // as its own process has a venue
      const { soakDays } = await import('./soak/days.ts')
      await soakDays({ days, seed, activity, requests })
    }
  }
  if (values.scenario === undefined) {
    only('lives of the simulated venue', ['minutes', 'seed', 'lives', 'kind'])
    const { kind = 'full' } = values
    if (kind !== 'full' && kind !== 'busy') refuse('--kind is full or busy')
    const livesMax = positive('lives', Number.POSITIVE_INFINITY)
    return () => soakLives({ seed, minutes, livesMax, kind })
  }
  only('--scenario', ['scenario', 'minutes', 'seed', 'rounds'])
  const chosen = scenarios.filter(({ name }) => values.scenario === 'all' || values.scenario === name)
  if (chosen.length === 0) refuse(`--scenario: there is none that is called ${JSON.stringify(values.scenario)}`)
  const roundsMax = positive('rounds', Number.POSITIVE_INFINITY)
  return () => soakRounds(chosen, { seed, minutes, roundsMax })

  function whole(name: 'simulated-days' | 'requests', usual: number): number {
    const value = positive(name, usual)
    return Number.isSafeInteger(value) ? value : refuse(`--${name} is a whole number above 0`)
  }

  function positive(name: Exclude<keyof typeof values, 'seed' | 'kind' | 'scenario'>, usual: number): number {
    const text = values[name]
    const value = text === undefined ? usual : Number(text)
    return value > 0 ? value : refuse(`--${name} is a number above 0`)
  }

  function only(what: string, names: readonly string[]): void {
    const other = Object.keys(values).find((name) => !names.includes(name))
    if (other !== undefined) refuse(`--${other} does not go with ${what}`)
  }
}

function optionsAsked() {
  try {
    const text = { type: 'string' } as const
    const options = {
      minutes: text,
      seed: text,
      lives: text,
      kind: text,
      scenario: text,
      rounds: text,
      'simulated-days': text,
      activity: text,
      requests: text,
    }
    return parseArgs({ options }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(fault: string): never {
  console.error(`${fault}\n${usage}`)
  process.exit(2)
}
