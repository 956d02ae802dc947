/** Accounts: who there is and what they hold, and how one is made and marked. */
import Type from 'typebox'
import { isFutures } from '../../engine/catalog/catalog.ts'
import { rate } from '../../engine/numbers/numbers.ts'
import { call, submit } from './call.ts'
import { body, optional, share, symbol, text, uid, wholeNumber, word } from './fields.ts'
import { holdingsShown } from './holdings.ts'
import { accountsPage, pageLimit } from './listings.ts'
import { fieldWrong, unknownThing } from './refusals.ts'

const mainModes = ['unified', 'hybrid', 'classic'] as const

export const madeAccountCalls = [
  call(
    'GET /operator/accounts',
    body({
      parentUid: optional(uid),
      search: optional(text(64)),
      worth: optional(word(['yes', 'no'])),
      after: optional(uid),
      limit: optional(pageLimit),
    }),
    (ask, { core }) => accountsPage(core, ask),
  ),
  call('GET /operator/accounts/holdings', body({ uid }), ({ uid: of }, { core }) => holdingsShown(core, of)),
  call(
    'POST /operator/accounts',
    body({ kind: word(['main', 'sub']), parentUid: optional(uid), mode: word(mainModes), name: optional(text(64)) }),
    async (sent, { core }) => {
      if (sent.kind === 'sub' && sent.parentUid === undefined)
        throw fieldWrong('parentUid', 'is required for a sub-account')
      if (sent.kind === 'main' && sent.parentUid !== undefined)
        throw fieldWrong('parentUid', 'is for sub-accounts only')
      if (sent.kind === 'sub' && sent.mode === 'hybrid') throw fieldWrong('mode', 'must be one of unified, classic')
      const created = await submit(core, {
        kind: 'create-account',
        account: sent.kind,
        parentUid: sent.parentUid,
        mode: sent.mode,
        name: sent.name ?? '',
      })
      return { uid: String(created.kind === 'account-created' ? created.uid : '') }
    },
  ),
  call(
    'POST /operator/accounts/mode',
    body({ uid, mode: word(['unified', 'classic']) }),
    async ({ uid: of, mode }, { core }) => {
      await submit(core, { kind: 'set-account-mode', uid: of, mode })
      return { uid: String(of), mode: core.query({ kind: 'account', uid: of })?.mode }
    },
  ),
  call(
    'POST /operator/accounts/broker',
    body({ uid, channelCode: text(32), rebateRate: optional(share) }),
    async ({ uid: of, channelCode, rebateRate = rate(0n) }, { core }) => {
      await submit(core, { kind: 'set-broker', uid: of, channelCode, rebateRate })
      return { uid: String(of), channelCode }
    },
  ),
  call(
    'POST /operator/accounts/copy-trader',
    body({ uid, symbols: Type.Array(symbol, { maxItems: 1_000, description: 'a list of symbols' }) }),
    async ({ uid: of, symbols }, { core }) => {
      const { instruments } = core.query({ kind: 'catalog' })
      const announced = symbols.map((name) => {
        const contract = instruments.find((listed) => isFutures(listed) && listed.symbol === name)
        if (contract === undefined) throw unknownThing('symbols', name, 'instrument')
        return contract.id
      })
      await submit(core, { kind: 'set-copy-trader', uid: of, instruments: announced })
      return { uid: String(of), symbols }
    },
  ),
  call(
    'POST /operator/accounts/binding',
    body({ uid, bindingTime: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)) }),
    async ({ uid: of, bindingTime }, { core }) => {
      const account = core.query({ kind: 'account', uid: of })
      if (account === undefined) throw unknownThing('uid', of, 'account')
      if (account.kind !== 'sub') throw fieldWrong('uid', 'must be a sub-account')
      const boundAt = bindingTime === 0 ? undefined : (bindingTime ?? core.now())
      if (boundAt !== undefined && (boundAt < account.createdAt || boundAt > core.now()))
        throw fieldWrong('bindingTime', 'must be 0, or lie between the making of the account and now')
      await submit(core, { kind: 'bind-account', uid: of, boundAt })
      return { uid: String(of), bindingTime: boundAt ?? null }
    },
  ),
]
