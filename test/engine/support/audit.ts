/** All that an exchange applied from its first command on is audited (test/support/audit.ts). */
import { expect } from 'vitest'
import { Audit } from '../../support/audit.ts'
import type { Exchange } from './exchange.ts'

export function expectAudited(exchange: Exchange): void {
  const audit = new Audit(exchange.query)
  for (const step of exchange.applied) audit.record(step)
  expect(audit.faults()).toEqual([])
}
