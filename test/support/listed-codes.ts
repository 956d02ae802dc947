/** Every answer of a test that has a code: the reference lists it for the call. */
import { endpoints } from '../../src/api/api.ts'
import { codesOfCall } from '../../src/api/reference/codes.ts'
import type { Answer } from './http.ts'

const calls = new Map(endpoints.map(({ method, path, access }) => [`${method} ${path}`, access !== 'public']))

export function expectListed(method: string, target: string, { code, data }: Answer): void {
  const path = target.replace(/\?.*/s, '')
  const isPrivate = calls.get(`${method} ${path}`)
  if (isPrivate === undefined) return
  const listed: readonly string[] = codesOfCall(method, path, isPrivate)
  for (const one of [code, ...codesOfEntries(data)]) {
    if (one === undefined || one === '00000' || one === '0' || listed.includes(one)) continue
    throw new Error(`${method} ${path} answered ${one}, which the reference does not list: npm run codes:page`)
  }
}

/** Of a batch: v3 has them in its entries, v2 in a list of what failed. */
function codesOfEntries(data: unknown): string[] {
  const { failureList } = (data ?? {}) as { failureList?: unknown }
  const entries: unknown[] = Array.isArray(data) ? data : Array.isArray(failureList) ? failureList : []
  return entries.flatMap((entry) => {
    const { code, errorCode } = (entry ?? {}) as { code?: unknown; errorCode?: unknown }
    return [code, errorCode].filter((one): one is string => typeof one === 'string' && /^\d+$/.test(one))
  })
}
