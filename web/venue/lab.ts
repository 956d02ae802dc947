/**
 * The laboratory of a venue over HTTP: one call, its envelope opened. The drawer knows no other way than this, as any test.
 *
 * There     a venue of `tidemark dev` marks each of its answers (noteLab); of another nothing is asked
 * Token     none on loopback; elsewhere it is asked for, and kept in the session storage of this tab
 * Source    lab.md §4.1, §4.2
 */
import { signal } from '@preact/signals'
import { t } from '../words/words.ts'

export interface LabInfo {
  readonly venue: string
  /** Unix milliseconds. */
  readonly now: number
  readonly clock: { readonly mode: 'system' | 'manual'; readonly speed: number }
  readonly sequence: number
  readonly simulator: boolean
  readonly version: string
  /** A recorded market that it plays; null: none. */
  readonly market: LabMarket | null
}

interface LabMarket {
  readonly symbol: string
  readonly category: string
  readonly state: 'playing' | 'over'
  /** Of the record, Unix milliseconds. */
  readonly at: number
  readonly to: number
}

export interface LabSnapshot {
  readonly snapshot: string
  readonly name: string | null
  readonly sequence: number
  readonly now: number
  readonly bytes: number
}

export interface LabRule {
  readonly id: string
  readonly fault: string
  readonly on?: Readonly<Record<string, unknown>>
  readonly when?: Readonly<Record<string, unknown>>
  readonly fired?: number
}

export interface LabFiring {
  /** Counted from 1 on. */
  readonly firing: number
  readonly rule: string
  readonly fault: string
  readonly at: number
  readonly endpoint?: string
  readonly uid?: string
  readonly outcome?: string
}

export class LabRefused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Whether the venue says that it is one of a laboratory. */
export const isLab = signal(false)

const tokenKeptAs = 'tidemark.lab-token'

export function noteLab(headers: Headers): void {
  if (!isLab.peek() && headers.get('x-tidemark-lab') === '1') isLab.value = true
}

export function keepLabToken(token: string): void {
  sessionStorage.setItem(tokenKeptAs, token)
}

/** What became of the order in truth. */
export function outcomeText(outcome: string | undefined): string {
  switch (outcome) {
    case 'placed':
      return t.lab.outcomes.placed
    case 'filled':
      return t.lab.outcomes.filled
    case 'done':
      return t.lab.outcomes.done
    case 'refused':
      return t.lab.outcomes.refused
    case 'not-sequenced':
      return t.lab.outcomes['not-sequenced']
    default:
      return t.lab.noOrder
  }
}

/** Throws LabRefused. */
export async function lab<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  const token = sessionStorage.getItem(tokenKeptAs)
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const request: RequestInit = { method, headers, credentials: 'omit', cache: 'no-store' }
  if (body !== undefined) Object.assign(request, { body: JSON.stringify(body) })
  const response = await fetch(`/_lab${path}`, request).catch(() => undefined)
  const envelope = (await response?.json().catch(() => undefined)) as Envelope | undefined
  if (envelope === undefined) throw new LabRefused('network', t.venue.unreachable)
  if (envelope.ok) return envelope.data as T
  const { code = 'unexpected', message = t.lab.noReason } = envelope.error ?? {}
  throw new LabRefused(code, message)
}

interface Envelope {
  readonly ok: boolean
  readonly data?: unknown
  readonly error?: { readonly code: string; readonly message: string }
}
