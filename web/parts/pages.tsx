/** A list that is read page by page from the venue: the newest first, more on request, anew when something has changed. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Account, Page } from '../venue/account.ts'
import { session } from '../store/session.ts'
import { type Column, Rows } from './rows.tsx'

const readAgainMs = 300

interface PagesProps<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
  readonly empty: string
  readonly read: (account: Account, cursor: string | undefined) => Promise<Page<T>>
  /** Read anew when one of these changes. */
  readonly when: readonly unknown[]
}

export function Pages<T>({ caption, columns, keyOf, empty, read, when }: PagesProps<T>) {
  const [rows, setRows] = useState<readonly T[]>([])
  const [next, setNext] = useState<string | undefined>(undefined)
  const [state, setState] = useState<'reading' | 'read' | 'failed'>('reading')
  const turn = useRef(0)
  const account = session.value?.account
  const load = async (cursor: string | undefined, before: readonly T[]) => {
    if (account === undefined) return
    const mine = ++turn.current
    try {
      const page = await read(account, cursor)
      if (mine !== turn.current) return
      setRows([...before, ...page.rows])
      setNext(page.next)
      setState('read')
    } catch {
      if (mine === turn.current) setState('failed')
    }
  }
  useEffect(() => {
    // A burst of fills asks once.
    const timer = setTimeout(() => void load(undefined, []), state === 'reading' ? 0 : readAgainMs)
    return () => clearTimeout(timer)
  }, [account, ...when])
  if (state === 'reading') return <p class="empty">Reading …</p>
  if (state === 'failed') {
    return (
      <p class="empty">
        It could not be read.{' '}
        <button type="button" class="link" onClick={() => void load(undefined, [])}>
          Try again
        </button>
      </p>
    )
  }
  return (
    <>
      <Rows caption={caption} columns={columns} rows={rows} keyOf={keyOf} empty={empty} />
      {next !== undefined && (
        <button type="button" class="quiet-button more" onClick={() => void load(next, rows)}>
          Older
        </button>
      )}
    </>
  )
}
