/**
 * Every wait of a test for a condition lasts 20 seconds at least before it fails: `vi.waitFor`, `vi.waitUntil`, `expect.poll`.
 * Their own default is one second, which a machine that others keep busy can take for anything.
 *
 * Holds  a wait that is fulfilled is as short as ever, and a longer one that a test asks for is as long
 */
import { expect, vi } from 'vitest'

const leastMs = 20_000

type Options = number | { readonly timeout?: number; readonly interval?: number; readonly message?: string }

function patient(options: Options = {}) {
  const given = typeof options === 'number' ? { timeout: options } : options
  return { ...given, timeout: Math.max(given.timeout ?? 0, leastMs) }
}

const { waitFor, waitUntil } = vi
const { poll } = expect
vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
expect.poll = (read, options) => poll(read, patient(options))
