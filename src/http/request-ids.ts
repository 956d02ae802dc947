/**
 * What a request is called in answers and in the log: the client's own name (`X-Request-Id`) if a log can hold it as it is;
 * else one of ours, which differ also from those of an earlier run.
 *
 * Saved   a venue that goes back to an earlier moment gives the names of that moment again
 */
import type { RequestHeaders } from './requests.ts'

export interface SavedRequestIds {
  readonly run: string
  readonly count: number
}

export class RequestIds {
  #run: string
  #count = 0

  /** `run`: a whole number that no other run has, nor another process of the venue. */
  constructor(run: number) {
    this.#run = run.toString(36)
  }

  of(headers: RequestHeaders): string {
    const named = headers['x-request-id']
    if (typeof named === 'string' && /^[\w.:-]{1,64}$/.test(named)) return named
    this.#count += 1
    return `${this.#run}-${this.#count.toString(36)}`
  }

  save(): SavedRequestIds {
    return { run: this.#run, count: this.#count }
  }

  restore({ run, count }: SavedRequestIds): void {
    this.#run = run
    this.#count = count
  }
}
