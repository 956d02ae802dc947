/**
 * Keys: who has which, made and revoked.
 *
 * Outside   of the engine: a key's making is recorded before it works, its revocation works before it is recorded
 */
import { issueKey, liveKeysMax, revokeKey } from '../../api/api.ts'
import { permissionsAll } from '../keys/permissions.ts'
import { call, submit } from './call.ts'
import { addressList, body, optional, passphrase, permissionList, publicKey, text, uid } from './fields.ts'
import { keysPage, pageLimit } from './listings.ts'
import { CallRefused, unknownThing } from './refusals.ts'

export const keyCalls = [
  call(
    'GET /operator/keys',
    body({ uid: optional(uid), after: optional(text(128)), limit: optional(pageLimit) }),
    (ask, { core, keys }) => keysPage(core, keys, ask),
  ),
  call(
    'POST /operator/keys',
    body({
      uid,
      permissions: optional(permissionList),
      ipList: optional(addressList),
      label: optional(text(64)),
      passphrase: optional(passphrase),
      publicKey: optional(publicKey),
    }),
    async (sent, { core, keys }) => {
      if (core.query({ kind: 'account', uid: sent.uid }) === undefined) throw unknownThing('uid', sent.uid, 'account')
      const permissions = sent.permissions ?? permissionsAll
      const draft = await issueKey(
        { keys, record: (command) => submit(core, command) },
        {
          uid: sent.uid,
          permissions,
          ipList: sent.ipList ?? [],
          label: sent.label ?? '',
          passphrase: sent.passphrase,
          publicKey: sent.publicKey,
        },
      )
      if (draft === undefined) {
        throw new CallRefused(409, 'keys-max', `the account has ${liveKeysMax} keys already; revoke one first`)
      }
      return { ...draft.issued, uid: String(sent.uid), permissions }
    },
  ),
  call('POST /operator/keys/revoke', body({ apiKey: text(128) }), async ({ apiKey }, { core, keys }) => {
    const key = keys.find(apiKey)
    if (key === undefined) throw new CallRefused(404, 'key-unknown', 'apiKey: there is no such key')
    await revokeKey({ keys, record: (command) => submit(core, command) }, key)
    return { apiKey, revoked: true }
  }),
]
