/** The venue's clock: how it stands, what becomes of a leap of the system's, and moving the manual one. */
import type { Command } from 'commander'
import { spanText } from '../operator/spans.ts'
import { operatorCommand } from './command.ts'

/** As `GET /operator/clock` answers it. */
interface ClockShown {
  readonly kind: 'system' | 'manual' | 'steered'
  readonly now: number
  readonly system: number
  readonly lastStamp: number | null
  readonly stampsAheadMs: number
  readonly leap: 'none' | 'undecided' | 'refused'
  readonly leapMs: number
  readonly startGapMs: number
  readonly fallsDue: {
    readonly interestHours: number
    readonly interest: Readonly<Record<string, string>>
    readonly funding: readonly string[]
    readonly countdowns: number
  } | null
}

export function addClock(program: Command): void {
  const clock = operatorCommand<ClockShown>(program, {
    usage: 'clock',
    description: 'show the time of the venue, and how the system clock stands to it',
    call: 'GET /operator/clock',
    text: clockText,
  })
  operatorCommand<ClockShown>(clock, {
    usage: 'accept',
    description:
      "accept the leap of the system clock: the venue's time becomes the system's, and what falls due happens",
    call: 'POST /operator/clock/accept',
    text: clockText,
  })
  operatorCommand<ClockShown>(clock, {
    usage: 'refuse',
    description: 'refuse the leap of the system clock: time goes on without it',
    call: 'POST /operator/clock/refuse',
    text: clockText,
  })
  operatorCommand(clock, {
    usage: 'advance <ms>',
    description: 'move the manual clock; timers that fall due run in order',
    call: 'POST /operator/clock/advance',
    body: ([ms]) => ({ ms }),
  })
}

function clockText(shown: ClockShown): string {
  const { kind, now, system, lastStamp, stampsAheadMs, leap, leapMs, startGapMs, fallsDue } = shown
  const lines = [
    `Venue's time   ${new Date(now).toISOString()}${kind === 'system' ? '' : ` (${kind})`}`,
    `System clock   ${new Date(system).toISOString()}`,
    `Last stamp     ${lastStamp === null ? 'none' : new Date(lastStamp).toISOString()}`,
    `At the start   ${spanText(startGapMs)} ${startGapMs < 0 ? 'before' : 'after'} the last command`,
  ]
  if (stampsAheadMs > 0)
    lines.push(`Stamps are ${spanText(stampsAheadMs)} ahead: they stand until the clock has caught up.`)
  if (leap !== 'none') {
    const direction = leapMs > 0 ? 'ahead' : 'behind'
    lines.push(`The system clock is ${spanText(leapMs)} ${direction}, and not followed (${leap}).`)
  }
  if (fallsDue !== null) {
    const interest = Object.entries(fallsDue.interest).map(([coin, amount]) => `${amount} ${coin}`)
    lines.push(
      'Accepted, this falls due:',
      `  interest    ${interest.length === 0 ? 'none' : `${interest.join(', ')} (up to ${fallsDue.interestHours} hours)`}`,
      `  funding     ${fallsDue.funding.length === 0 ? 'none' : fallsDue.funding.join(', ')}`,
      `  countdowns  ${fallsDue.countdowns}`,
    )
  }
  return `${lines.join('\n')}\n`
}
