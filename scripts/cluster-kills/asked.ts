/** What `npm run cluster-kills` was asked for. Whatever is wrong is refused in one line that names the option and the rule. */
import { parseArgs } from 'node:util'
import { type StrikeName, strikeNames } from './strikes.ts'

export interface Asked {
  readonly strikes: number
  readonly minutes: number
  readonly seed: number
  /** Strikes between two looks at everything that was answered. */
  readonly checkEvery: number
  readonly names: readonly StrikeName[]
}

const usage = 'npm run cluster-kills -- [--strikes N] [--minutes M] [--seed S] [--check-every N] [--only WORDS,…]'

/** The request, or one line that says what is wrong with it. */
export function readAsked(words: readonly string[]): Asked | string {
  const text = { type: 'string' } as const
  const options = { strikes: text, minutes: text, seed: text, 'check-every': text, only: text }
  try {
    const { values } = parseArgs({ args: [...words], options })
    const whole = (name: keyof typeof values, usual: number, most: number) => {
      const value = Number(values[name] ?? usual)
      if (Number.isInteger(value) && value >= 1 && value <= most) return value
      throw new Error(`--${name} "${values[name]}": must be a whole number from 1 to ${most}`)
    }
    return {
      strikes: whole('strikes', 200, 100_000),
      minutes: whole('minutes', 30, 1_440),
      seed: whole('seed', 1, 2 ** 31 - 1),
      checkEvery: whole('check-every', 20, 1_000),
      names: chosen(values.only),
    }
  } catch (error) {
    return `${(error as Error).message.split('\n')[0]}; ${usage}`
  }
}

function chosen(only: string | undefined): readonly StrikeName[] {
  if (only === undefined) return strikeNames
  const words = only.split(',').map((word) => word.trim())
  for (const word of words) {
    if (word !== '' && strikeNames.some((name) => name.includes(word))) continue
    throw new Error(`--only "${word}": no strike has that in its name; there are ${strikeNames.join(', ')}`)
  }
  return strikeNames.filter((name) => words.some((word) => name.includes(word)))
}
