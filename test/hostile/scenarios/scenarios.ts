/** Every hostile scenario, in the order in which `--scenario all` takes them. */
import { malformed } from './malformed.ts'
import type { Scenario } from './scenario.ts'

export const scenarios: readonly Scenario[] = [malformed]
