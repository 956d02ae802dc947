/**
 * The operator's calls, one entry each: its place, what it takes, what it does. The command line has one command for each. Those of
 * the venue as a whole stand here, the others with what they are of.
 *
 * Actions  every change is a command through `submit`, so the journal knows who got what (design §6, reliability S6)
 * Answers  plain decimals and account numbers as texts
 */
import { formatDecimal } from '../../engine/numbers/numbers.ts'
import { accountCalls } from './account-calls.ts'
import { call, nothing, type OperatorCall, submit } from './call.ts'
import { acceptLeap, clockShown, refuseLeap } from './clock.ts'
import { coinCalls } from './coin-calls.ts'
import { conversionBody, conversionCommand, conversionShown } from './conversion.ts'
import { dangerCalls } from './danger.ts'
import { explain, explainAsk } from './explain.ts'
import { body, optional, wholeNumber } from './fields.ts'
import { hourCalls } from './hours.ts'
import { instrumentCalls } from './instrument-calls.ts'
import { keyCalls } from './key-calls.ts'
import { liquidationsPage } from './liquidations.ts'
import { madeAccountCalls } from './made-accounts.ts'
import { moneyCalls } from './money-calls.ts'
import { CallRefused } from './refusals.ts'
import { riskBody, riskCommand, riskShown } from './risk.ts'
import { beginScenario, scenarioBody, scenarioShown } from './scenarios.ts'
import { trailCalls } from './trail.ts'

export type { OperatorPorts } from './call.ts'

export const operatorCalls: readonly OperatorCall[] = [
  ...madeAccountCalls,
  ...accountCalls,
  ...keyCalls,
  ...moneyCalls,
  ...coinCalls,
  ...instrumentCalls,
  ...dangerCalls,
  ...trailCalls,
  ...hourCalls,
  call('POST /operator/risk', riskBody, async (sent, { core }) => {
    await submit(core, riskCommand(sent))
    return riskShown(core.query({ kind: 'settings' }))
  }),
  call('POST /operator/conversion', conversionBody, async (sent, { core }) => {
    await submit(core, conversionCommand(sent))
    return conversionShown(core.query({ kind: 'settings' }))
  }),
  call('GET /operator/conversion', nothing, (_, { core }) => conversionShown(core.query({ kind: 'settings' }))),
  call('GET /operator/risk', nothing, (_, { core }) => riskShown(core.query({ kind: 'settings' }))),
  call('POST /operator/clock/advance', body({ ms: wholeNumber(1, 10 * 366 * 86_400_000) }), async ({ ms }, ports) => {
    if (ports.advanceClock === undefined) {
      throw new CallRefused(409, 'clock-not-manual', 'the venue follows the system clock; start it with --clock manual')
    }
    await ports.advanceClock(ms)
    return { now: ports.core.now() }
  }),
  call('GET /operator/clock', nothing, (_, ports) => clockShown(ports)),
  call('POST /operator/clock/accept', nothing, (_, ports) => acceptLeap(ports)),
  call('POST /operator/clock/refuse', nothing, (_, ports) => refuseLeap(ports)),
  call('POST /operator/scenario', scenarioBody, beginScenario),
  call('GET /operator/scenario', nothing, (_, ports) => scenarioShown(ports)),
  call('POST /operator/snapshots', nothing, async (_, ports) => ports.snapshot()),
  call('GET /operator/verify', nothing, async (_, ports) => {
    const { balanced, faults, coins, stateHash, sequence } = await ports.verify()
    return {
      balanced,
      faults,
      coins: coins.map((sums) => ({
        coin: sums.coin,
        sum: formatDecimal(sums.sum, 8),
        accounts: formatDecimal(sums.accounts, 8),
        house: Object.fromEntries(Object.entries(sums.house).map(([name, units]) => [name, formatDecimal(units, 8)])),
      })),
      stateHash,
      sequence,
    }
  }),
  call(
    'GET /operator/liquidations',
    body({ before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)), limit: optional(wholeNumber(1, 100)) }),
    (ask, { core, history }) => liquidationsPage(core, history, ask),
  ),
  call('GET /operator/explain', explainAsk, (sent, { core, history }) => explain(core, history, sent)),
  call('GET /operator/status', nothing, (_, ports) => ports.status()),
  call('GET /operator/metrics', nothing, (_, ports) => ports.metrics()),
]
