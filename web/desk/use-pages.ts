/** A list that is read page by page: anew when the question changes or something was done, more on request. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Query } from '../venue/query.ts'
import { deeds, faultText, read } from './operator.ts'

interface Pages<Row> {
  /** Undefined until the first page is there. */
  readonly rows: readonly Row[] | undefined
  readonly fault: string
  /** Undefined: that was all. */
  readonly more: (() => void) | undefined
}

/** `open` takes a page apart; the next one is asked for with `next` as `after`, or what else the call calls it. */
export function usePages<Page, Row>(
  path: string,
  query: Query,
  open: (page: Page) => { readonly rows: readonly Row[]; readonly next: string | number | null },
  onward = 'after',
): Pages<Row> {
  const [rows, setRows] = useState<readonly Row[] | undefined>(undefined)
  const [next, setNext] = useState<string | number | null>(null)
  const [fault, setFault] = useState('')
  const turn = useRef(0)
  const load = async (from: string | number | undefined, before: readonly Row[]) => {
    const mine = ++turn.current
    try {
      const page = open(await read<Page>(path, { ...query, [onward]: from }))
      if (mine !== turn.current) return
      setRows([...before, ...page.rows])
      setNext(page.next)
      setFault('')
    } catch (error) {
      if (mine === turn.current) setFault(faultText(error))
    }
  }
  useEffect(() => void load(undefined, []), [path, JSON.stringify(query), deeds.value])
  return { rows, fault, more: next === null ? undefined : () => void load(next, rows ?? []) }
}
