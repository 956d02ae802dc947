/**
 * What a call answers, for as long as something shows it: read at once, again after everything that was done on the desk,
 * and every so often while the page is looked at. An answer that comes late for another question is dropped.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../venue/query.ts'
import { deeds, faultText, fieldFaults, read } from './operator.ts'

interface Found<T> {
  /** The last answer, kept while a newer one is on its way or has failed. */
  readonly data: T | undefined
  readonly fault: string
  /** What is wrong with what was asked, by the names of its fields. */
  readonly faults: ReadonlyMap<string, string>
}

const none: ReadonlyMap<string, string> = new Map()

/** Without `everyMs` only when something was done. */
export function useRead<T>(path: string, query: Query = {}, everyMs?: number): Found<T> {
  const [found, setFound] = useState<Found<T> & { readonly question: string }>({
    data: undefined,
    fault: '',
    faults: none,
    question: '',
  })
  const question = `${path} ${JSON.stringify(query)}`
  useEffect(() => {
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = (ms: number) => {
      timer = setTimeout(() => void (document.hidden ? next(ms) : ask()), ms)
    }
    const ask = async () => {
      const answer = await read<T>(path, query).then(
        (data) => ({ data, fault: '', faults: none }),
        (error: unknown) => ({ data: undefined, fault: faultText(error), faults: fieldFaults(error) }),
      )
      if (over) return
      setFound((last) => ({
        question,
        fault: answer.fault,
        faults: answer.faults,
        data: answer.data ?? (last.question === question ? last.data : undefined),
      }))
      if (everyMs !== undefined) next(everyMs)
    }
    void ask()
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [question, deeds.value])
  return found.question === question ? found : { data: undefined, fault: '', faults: none }
}
