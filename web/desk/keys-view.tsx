/** All API keys of the venue, oldest first. */
import { useState } from 'preact/hooks'
import { Panel } from '../parts/panel.tsx'
import { Check } from '../parts/field.tsx'
import { KeyRows } from './key-rows.tsx'
import type { Key, KeyPage } from './records.ts'
import { usePages } from './use-pages.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

const pageSize = 200

export function KeysView() {
  const [search, setSearch] = useState('')
  const [liveOnly, setLiveOnly] = useState(true)
  const { rows, fault, more } = usePages('keys', { limit: pageSize }, ({ keys, next }: KeyPage) => ({
    rows: keys,
    next,
  }))
  const found = (rows ?? []).filter((key) => fits(key, search) && !(liveOnly && key.revokedAt !== null))
  return (
    <Panel
      title={desk.keys.title}
      class="fills"
      aside={rows === undefined ? fault : desk.page.ofAll(found.length, rows.length)}
    >
      <div class="filters">
        <input
          class="search"
          type="search"
          aria-label={desk.keys.search}
          placeholder={desk.keys.placeholder}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <Check label={desk.keys.liveOnly} checked={liveOnly} onChange={setLiveOnly} />
      </div>
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.keys.list}>
        <KeyRows keys={found} owners empty={rows === undefined ? fault || t.common.reading : desk.page.none} />
        {more !== undefined && (
          <button type="button" class="quiet-button more" onClick={more}>
            {desk.page.more}
          </button>
        )}
      </div>
    </Panel>
  )
}

function fits({ apiKey, uid, label, permissions, ipList }: Key, search: string): boolean {
  const shown = permissions.map((permission) => named(desk.keys.permissions, permission))
  const names = [apiKey, uid, label, ...permissions, ...shown, ...ipList].join(' ').toLowerCase()
  return names.includes(search.trim().toLowerCase())
}
