/**
 * What `npm run bench` was asked for. Whatever is unknown is refused: a mistyped option would run everything for an hour.
 *
 * Options  each bench has its own, with values after a sign of equality (`--minutes=10`); each gets those that it has
 */

/** Every bench with its options. */
export const benches: Readonly<Record<string, readonly string[]>> = {
  money: [],
  book: ['quick'],
  engine: ['quick', 'profile'],
  growth: ['quick', 'draw', 'redraw'],
  risk: ['quick', 'kind'],
  trailing: [],
  journal: ['quick', 'directory'],
  recovery: ['quick'],
  history: ['quick', 'rows', 'accounts'],
  signature: [],
  http: ['quick', 'only'],
  public: ['quick'],
  websocket: ['quick'],
  pauses: ['quick', 'minutes'],
  terminal: ['quick'],
  strangers: ['quick', 'only', 'os', 'no-limits'],
  tape: ['rows'],
  steps: ['quick'],
  lockstep: ['minutes'],
  gateways: ['quick'],
  cluster: ['quick', 'only', 'orders', 'rows-per-second', 'durability'],
}

export interface Asked {
  readonly names: readonly string[]
  /** As given, of all benches. */
  readonly options: readonly string[]
  readonly json: boolean
  /** A revision to run in turns with this tree. */
  readonly compare: string | undefined
  /** Turns of a comparison. */
  readonly rounds: number
}

/** The request, or one line that says what is wrong with it. */
export function readAsked(words: readonly string[]): Asked | string {
  const names = words.filter((word) => !word.startsWith('-'))
  for (const name of names) {
    if (benches[name] === undefined) return `no such bench: ${name}; there are ${Object.keys(benches).join(', ')}`
  }
  const asked = names.length > 0 ? names : Object.keys(benches)
  const known = new Set(asked.flatMap((name) => benches[name]))
  const options: string[] = []
  let json = false
  let compare: string | undefined
  let rounds = 3
  for (const word of words.filter((one) => one.startsWith('-'))) {
    const [name, value = ''] = word.replace(/^--/, '').split(/=(.*)/s)
    if (word === '--json') json = true
    else if (name === 'compare' && /^[^-]/.test(value)) compare = value
    else if (name === 'compare') return '--compare: name a revision, as in --compare=HEAD~1'
    else if (name === 'rounds' && /^[1-9][0-9]?$/.test(value)) rounds = Number(value)
    else if (name === 'rounds') return '--rounds: a whole number from 1 to 99, as in --rounds=5'
    else if (known.has(name)) options.push(word)
    else
      return `no such option: ${word}; ${asked.join(', ')} has ${optionList([...known, 'json', 'compare', 'rounds'])}`
  }
  return { names: asked, options, json, compare, rounds }
}

function optionList(options: readonly string[]): string {
  return options.map((option) => `--${option}`).join(', ')
}

/** Those of the options that a bench has. */
export function optionsOf(name: string, options: readonly string[]): string[] {
  return options.filter((option) => benches[name].includes(option.slice(2).split('=')[0]))
}
