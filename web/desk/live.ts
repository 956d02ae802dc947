/**
 * What the venue pushes of itself (`GET /operator/events`), for as long as something on the desk shows it: one stream for the
 * whole page, opened anew when what is shown changes, and none while nobody looks.
 *
 * Lost      a stream that ends is opened again after a second; answers stay meanwhile, and `streamFault` says why they do
 */
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { faultText, openLines, type Told } from './operator.ts'
import type {
  ActionPage,
  Conservation,
  Exposure,
  InsuranceFund,
  LiquidationPage,
  LogLevel,
  LogPage,
  Market,
  Metric,
  NearLiquidation,
  Status,
} from './records.ts'
import { signedIn } from './session.ts'
import { desk } from '../words/desk.ts'

interface Answers extends Readonly<Record<`log?level=${LogLevel}`, LogPage>> {
  status: Status
  metrics: readonly Metric[]
  markets: readonly Market[]
  'house-funds': readonly InsuranceFund[]
  liquidations: LiquidationPage
  'near-liquidation': NearLiquidation
  exposure: readonly Exposure[]
  trail: ActionPage
  conservation: Conservation
}
type Name = keyof Answers

export interface Live<T> {
  /** The last answer, kept while a newer one has failed; undefined: none yet. */
  readonly data: T | undefined
  readonly fault: string
}

const retryMs = 1_000
const nothing: Live<never> = { data: undefined, fault: '' }

const answers = new Map<Name, Signal<Live<unknown>>>()
const watchers = new Map<Name, number>()
/** What is wrong with the stream; empty: it runs, or none is needed. */
export const streamFault = signal('')
let stream: AbortController | undefined
/** What it was opened for. */
let followed = ''
let isReopening = false

export function live<N extends Name>(name: N): Signal<Live<Answers[N]>> {
  let answer = answers.get(name)
  if (answer === undefined) answers.set(name, (answer = signal<Live<unknown>>(nothing)))
  return answer as Signal<Live<Answers[N]>>
}

/** Answers how to end it. */
export function watch(name: Name): () => void {
  watchers.set(name, (watchers.get(name) ?? 0) + 1)
  reopen()
  return () => {
    const left = (watchers.get(name) ?? 0) - 1
    if (left > 0) watchers.set(name, left)
    else watchers.delete(name)
    reopen()
  }
}

/** For as long as the component is there. */
export function useLive<N extends Name>(name: N): Live<Answers[N]> {
  useEffect(() => watch(name), [name])
  return live(name).value
}

/** Once for all that changes at a time, and only if it is another stream that is wanted. */
function reopen(): void {
  if (isReopening) return
  isReopening = true
  setTimeout(() => {
    isReopening = false
    const wanted = signedIn.peek() && !document.hidden ? [...watchers.keys()].sort().join(',') : ''
    if (wanted === followed) return
    followed = wanted
    stream?.abort()
    stream = undefined
    if (wanted === '') return
    stream = new AbortController()
    void follow(wanted, stream.signal)
  })
}

async function follow(of: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      await openLines('events', { of }, ended, take)
      streamFault.value = desk.page.streamEnded
    } catch (error) {
      if (ended.aborted) return
      streamFault.value = faultText(error)
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

function take({ of, data, fault }: Told): void {
  streamFault.value = ''
  const answer = live(of as Name)
  answer.value = { data: fault === '' ? data : answer.peek().data, fault } as Live<never>
}

document.addEventListener('visibilitychange', reopen)

effect(() => {
  if (!signedIn.value) for (const answer of answers.values()) answer.value = nothing
  reopen()
})
