/** API keys with what they may do and from where; a live one can be revoked. */
import { useState } from 'preact/hooks'
import { type Column, Rows } from '../parts/rows.tsx'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import { at } from './place.ts'
import type { Key } from './records.ts'
import { dateTime } from '../store/times.ts'
import { desk } from '../words/desk.ts'
import { named } from '../words/words.ts'

interface KeyRowsProps {
  readonly keys: readonly Key[]
  readonly empty: string
  /** Whose they are is not clear from elsewhere. */
  readonly owners?: boolean
}

export function KeyRows({ keys, empty, owners = false }: KeyRowsProps) {
  const [revoking, setRevoking] = useState<Key | undefined>(undefined)
  return (
    <>
      <Rows
        caption={desk.keys.title}
        columns={[
          ...columns().slice(0, 1),
          ...(owners ? [ownerColumn()] : []),
          ...columns().slice(1),
          {
            title: desk.page.change,
            actions: true,
            cell: (key) =>
              key.revokedAt === null && (
                <button type="button" data-action="revoke" onClick={() => setRevoking(key)}>
                  {desk.keys.revoke}
                </button>
              ),
          },
        ]}
        rows={keys}
        keyOf={({ apiKey }) => apiKey}
        empty={empty}
      />
      {revoking !== undefined && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  )
}

const ownerColumn = (): Column<Key> => ({
  title: desk.page.account,
  cell: ({ uid }) => <a href={at('accounts', uid)}>{uid}</a>,
})

const columns = (): Column<Key>[] => [
  {
    title: desk.keys.key,
    head: true,
    cell: ({ apiKey, label, kind }) => (
      <span class="key-name">
        <code>{apiKey}</code>
        <span class="quiet">
          {label} {kind === 'hmac' ? '' : kind}
        </span>
      </span>
    ),
  },
  {
    title: desk.keys.may,
    cell: ({ permissions, readOnly }) => (
      <span class="badges">
        {(readOnly ? [desk.keys.readOnly] : permissions).map((permission) => (
          <span key={permission} class="badge">
            {named(desk.keys.permissions, permission)}
          </span>
        ))}
      </span>
    ),
  },
  {
    title: desk.keys.from,
    cell: ({ ipList }) => (ipList.length === 0 ? <span class="quiet">{desk.keys.anyAddress}</span> : ipList.join(', ')),
  },
  {
    title: desk.keys.state,
    cell: ({ revokedAt, fault }) => {
      if (revokedAt !== null) {
        return (
          <span class="badge" title={dateTime(revokedAt)}>
            {desk.keys.states.revoked}
          </span>
        )
      }
      if (fault === null) return <span class="badge tone-up">{desk.keys.states.live}</span>
      return (
        <span class="badge" title={fault}>
          {desk.keys.states.unusable}
        </span>
      )
    },
  },
]

function RevokeKey({ apiKey: { apiKey, uid, label }, onClose }: { apiKey: Key; onClose: () => void }) {
  return (
    <ActDialog
      title={desk.keys.revokeAsk}
      verb={desk.keys.revoke}
      danger
      run={async () => {
        await act('keys/revoke', { apiKey })
        return desk.keys.revoked(label, uid)
      }}
      onClose={onClose}
    >
      <p>
        <code>{apiKey}</code>
        {desk.keys.revokeMeans(uid)}
      </p>
    </ActDialog>
  )
}
