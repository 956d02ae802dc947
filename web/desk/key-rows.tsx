/** API keys with what they may do and from where; a live one can be revoked. */
import { useState } from 'preact/hooks'
import { type Column, Rows } from '../parts/rows.tsx'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import { at } from './place.ts'
import type { Key } from './records.ts'
import { dateTime } from '../store/times.ts'

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
        caption="API keys"
        columns={[
          ...columns.slice(0, 1),
          ...(owners ? [ownerColumn] : []),
          ...columns.slice(1),
          {
            title: 'Change',
            actions: true,
            cell: (key) =>
              key.revokedAt === null && (
                <button type="button" data-action="revoke" onClick={() => setRevoking(key)}>
                  Revoke
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

const ownerColumn: Column<Key> = { title: 'Account', cell: ({ uid }) => <a href={at('accounts', uid)}>{uid}</a> }

const columns: Column<Key>[] = [
  {
    title: 'Key',
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
    title: 'May',
    cell: ({ permissions, readOnly }) => (
      <span class="badges">
        {(readOnly ? ['read only'] : permissions).map((permission) => (
          <span key={permission} class="badge">
            {permission}
          </span>
        ))}
      </span>
    ),
  },
  {
    title: 'From',
    cell: ({ ipList }) => (ipList.length === 0 ? <span class="quiet">any address</span> : ipList.join(', ')),
  },
  {
    title: 'State',
    cell: ({ revokedAt, fault }) => {
      if (revokedAt !== null) {
        return (
          <span class="badge" title={dateTime(revokedAt)}>
            revoked
          </span>
        )
      }
      if (fault === null) return <span class="badge tone-up">live</span>
      return (
        <span class="badge" title={fault}>
          unusable
        </span>
      )
    },
  },
]

function RevokeKey({ apiKey: { apiKey, uid, label }, onClose }: { apiKey: Key; onClose: () => void }) {
  return (
    <ActDialog
      title="Revoke this key?"
      verb="Revoke"
      danger
      run={async () => {
        await act('keys/revoke', { apiKey })
        return `The key${label === '' ? '' : ` ${label}`} of ${uid} is revoked`
      }}
      onClose={onClose}
    >
      <p>
        <code>{apiKey}</code> of account {uid} stops working at once, and for good. Orders that it placed stay.
      </p>
    </ActDialog>
  )
}
