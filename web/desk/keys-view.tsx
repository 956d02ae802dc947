/** All API keys of the venue, oldest first. */
import { useState } from 'preact/hooks'
import { Panel } from '../parts/panel.tsx'
import { Check } from '../parts/field.tsx'
import { KeyRows } from './key-rows.tsx'
import type { Key, KeyPage } from './records.ts'
import { usePages } from './use-pages.ts'

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
    <Panel title="API keys" class="fills" aside={rows === undefined ? fault : `${found.length} of ${rows.length}`}>
      <div class="filters">
        <input
          class="search"
          type="search"
          aria-label="Search keys"
          placeholder="Search: key, account, label, permission, address"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <Check label="Live ones only" checked={liveOnly} onChange={setLiveOnly} />
      </div>
      <div class="scrolls" tabIndex={0} role="region" aria-label="List of keys">
        <KeyRows keys={found} owners empty={rows === undefined ? fault || 'Reading …' : 'None is like that.'} />
        {more !== undefined && (
          <button type="button" class="quiet-button more" onClick={more}>
            More
          </button>
        )}
      </div>
    </Panel>
  )
}

function fits({ apiKey, uid, label, permissions, ipList }: Key, search: string): boolean {
  const names = [apiKey, uid, label, ...permissions, ...ipList].join(' ').toLowerCase()
  return names.includes(search.trim().toLowerCase())
}
