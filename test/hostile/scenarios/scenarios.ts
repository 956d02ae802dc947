/** Every hostile scenario, in the order in which `--scenario all` takes them. */
import { clock } from './clock.ts'
import { handshakes } from './handshakes.ts'
import { lostFiles } from './lost-files.ts'
import { malformed } from './malformed.ts'
import type { Scenario } from './scenario.ts'
import { strangers } from './strangers.ts'

export const scenarios: readonly Scenario[] = [malformed, clock, strangers, handshakes, lostFiles]
