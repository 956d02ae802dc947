/**
 * A list that is read page by page from the venue: the newest first, more on request, anew when something has changed. All of it can
 * be had as a file.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Account, Page } from '../venue/account.ts'
import { askedPage, type AskedOf, isEverything } from '../venue/asked-rows.ts'
import { csvOf } from '../numbers/csv.ts'
import { asked } from '../store/history-filter.ts'
import { notify } from '../store/notices.ts'
import { session } from '../store/session.ts'
import { type Column, Rows } from './rows.tsx'
import { t } from '../words/words.ts'

const readAgainMs = 300
/** Of a file: 10,000 rows. */
const pagesMax = 200

interface PagesProps<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
  readonly empty: string
  readonly read: (account: Account, cursor: string | undefined) => Promise<Page<T>>
  /** By which rows are asked for (store/history-filter.ts). */
  readonly askedBy: (row: T) => AskedOf
  /** Read anew when one of these changes. */
  readonly when: readonly unknown[]
}

export function Pages<T>({ caption, columns, keyOf, empty, read: readAll, askedBy, when }: PagesProps<T>) {
  const filter = asked.value
  const read = (account: Account, first: string | undefined) =>
    askedPage((cursor) => readAll(account, cursor), first, filter, askedBy)
  const [rows, setRows] = useState<readonly T[]>([])
  const [next, setNext] = useState<string | undefined>(undefined)
  const [state, setState] = useState<'reading' | 'read' | 'failed'>('reading')
  const [isSaving, setIsSaving] = useState(false)
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
  }, [account, filter, ...when])
  const save = async () => {
    if (account === undefined) return
    setIsSaving(true)
    try {
      const all: T[] = []
      let cursor: string | undefined
      for (let pages = 0; pages < pagesMax; pages++) {
        const page = await read(account, cursor)
        all.push(...page.rows)
        cursor = page.next
        if (cursor === undefined) break
      }
      download(
        `${caption.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${account.uid}.csv`,
        csvOf(all as object[]),
      )
      if (cursor !== undefined) notify('info', t.histories.newest(caption, all.length), t.histories.olderLeft)
    } catch {
      notify('bad', t.histories.notSaved(caption), t.histories.noAnswer)
    } finally {
      setIsSaving(false)
    }
  }
  if (state === 'reading') return <p class="empty">{t.common.reading}</p>
  if (state === 'failed') {
    return (
      <p class="empty">
        {t.common.notRead}{' '}
        <button type="button" class="link" onClick={() => void load(undefined, [])}>
          {t.common.tryAgain}
        </button>
      </p>
    )
  }
  return (
    <>
      <Rows
        caption={caption}
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        empty={isEverything(filter) ? empty : next === undefined ? t.histories.noneAsked : t.histories.noneSoFar}
      />
      {(rows.length > 0 || next !== undefined) && (
        <p class="more">
          {next !== undefined && (
            <button type="button" class="quiet-button" onClick={() => void load(next, rows)}>
              {t.histories.older}
            </button>
          )}
          <button type="button" class="quiet-button" disabled={isSaving} onClick={() => void save()}>
            {isSaving ? t.common.reading : t.histories.save}
          </button>
        </p>
      )}
    </>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
