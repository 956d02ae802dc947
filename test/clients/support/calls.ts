/**
 * What the tests of this folder are made of: one test for each method of a published client, in each of its modes.
 *
 * The page    client, mode, method and outcome travel as the test's metadata to scripts/clients-page.ts
 * Unmodified  the clients are the ones of the registry; only their address is another (ccxt.ts, bitget-api.ts)
 */
import { expect, test } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    call?: {
      readonly client: string
      readonly mode: string
      readonly method: string
      readonly outcome: 'works' | 'not offered' | 'not by this client'
      /** What somebody should know who relies on it. */
      readonly note?: string
    }
  }
}

export interface Calls {
  /** The method works as its own documentation says. */
  readonly works: (method: string, check: () => Promise<void>, note?: string) => void
  /** The venue has no such thing; the client is told so by an error that it understands. */
  readonly notOffered: (method: string, reason: string, call: () => Promise<unknown>) => void
  /** The venue could, but the client itself refuses, or sends something else; the check shows what happens. */
  readonly notByClient: (method: string, reason: string, check: () => Promise<void>) => void
}

/** The methods of one client, in one of its modes. */
export function callsOf(client: string, mode: string): Calls {
  return {
    notByClient(method, note, check) {
      const meta = { call: { client, mode, method, outcome: 'not by this client', note } } as const
      // oxlint-disable-next-line vitest/expect-expect -- the checks expect
      test(`${client}, ${mode}: ${method} is not for this client`, { meta }, check)
    },
    works(method, check, note) {
      const call = { client, mode, method, outcome: 'works', ...(note === undefined ? {} : { note }) } as const
      // oxlint-disable-next-line vitest/expect-expect -- the checks expect
      test(`${client}, ${mode}: ${method}`, { meta: { call } }, check)
    },
    notOffered(method, note, call) {
      const meta = { call: { client, mode, method, outcome: 'not offered', note } } as const
      test(`${client}, ${mode}: ${method} is not offered`, { meta }, async () => {
        const refusal = await call().then(() => 'an answer', saidBy)
        expect(refusal).toContain('40404')
      })
    },
  }
}

/** What a client makes of a refusal: an error with a message, or the answer itself. */
function saidBy(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : JSON.stringify(thrown)
}
