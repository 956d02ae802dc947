/**
 * T: what a bot has after it recovered, its twin has, too. The twin ran on the same seed without the fault.
 *
 * Phases     a bot goes round: it holds now this, now that. So each position that lasted in the last stretch is looked for among all
 *            that lasted with the twin, and what the twin had open much of the time is looked for among all of the last stretch
 * Silent     a bot that does nothing any more is missed by A: its orders are not missed once more
 * Not here   orders that the twin has not: orphans.ts
 */
import { type AccountState, accountStates } from '../account.ts'
import type { Evidence } from '../evidence.ts'
import { placedAt } from './alive.ts'
import { areAlike, figure, lasting, placedIn, shown, tiny, type Placed, type Tolerance } from './alike.ts'

/** What was open for this share of the time is what the twin has open. */
const usualShare = 0.2

export function twinFindings(run: Evidence, twin: Evidence, tolerance: Tolerance): readonly string[] {
  const ofTwin = accountStates(twin).filter(({ until }) => until > twin.warm)
  const recent = lastStretch(run)
  const held = lasting(ofTwin, twin.warm, twin.ended)
  const isSilent = !placedAt(run).some((at) => at > run.over)
  return [
    ...positionFindings(recent, held.length === 0 ? ofTwin : held, tolerance),
    ...(isSilent ? [] : missing({ run, recent }, { twin, ofTwin }, tolerance)),
  ]
}

/** What lasted after the bot has had its time to recover. */
export function lastStretch(run: Evidence): readonly AccountState[] {
  return lasting(accountStates(run), run.recovered, run.ended)
}

function positionFindings(
  recent: readonly AccountState[],
  ofTwin: readonly AccountState[],
  tolerance: Tolerance,
): readonly string[] {
  const off = recent.find((state) => !ofTwin.some((held) => agree(state.positions, held.positions, tolerance)))
  if (off === undefined) return []
  const symbols = [...new Set([...recent, ...ofTwin].flatMap(({ positions }) => Object.keys(positions)))]
  const wrong = symbols.filter((symbol) => {
    return !ofTwin.some(({ positions }) => isNear(off.positions[symbol], positions[symbol], tolerance))
  })
  return (wrong.length === 0 ? symbols : wrong).map((symbol) => {
    const held = ofTwin.map(({ positions }) => positions[symbol] ?? 0)
    const range = `${figure(Math.min(...held))} to ${figure(Math.max(...held))}`
    return `${symbol}: the position is ${figure(off.positions[symbol] ?? 0)}, and the twin's were ${range}`
  })
}

function agree(one: AccountState['positions'], other: AccountState['positions'], tolerance: Tolerance): boolean {
  return [...Object.keys(one), ...Object.keys(other)].every((symbol) => isNear(one[symbol], other[symbol], tolerance))
}

function isNear(one = 0, other = 0, { position }: Tolerance): boolean {
  return Math.abs(one - other) <= position + tiny
}

function missing(
  { run, recent }: { readonly run: Evidence; readonly recent: readonly AccountState[] },
  { twin, ofTwin }: { readonly twin: Evidence; readonly ofTwin: readonly AccountState[] },
  tolerance: Tolerance,
): readonly string[] {
  const had = recent.flatMap((state) => placedIn(state, run))
  const total = ofTwin.reduce((sum, { from, until }) => sum + until - from, 0)
  const usual: { readonly placed: Placed; open: number }[] = []
  for (const state of ofTwin) {
    for (const placed of placedIn(state, twin)) {
      const known = usual.find((one) => areAlike(one.placed, placed, tolerance))
      if (known === undefined) usual.push({ placed, open: state.until - state.from })
      else known.open += state.until - state.from
    }
  }
  return usual
    .filter(({ open }) => open >= total * usualShare)
    .filter(({ placed }) => !had.some((own) => areAlike(own, placed, tolerance)))
    .map(({ placed, open }) => {
      const share = Math.round((open / total) * 100)
      return `no order like ${shown(placed.order)}, which the twin had ${Math.min(100, share)} % of the time`
    })
}
