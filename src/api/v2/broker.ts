/**
 * What a broker may read of its sub-accounts.
 *
 * Who       the main account of a broker programme (40029 else), about a sub-account of its own (40028 else)
 * Source    interface.md E4; design.md §4.24
 */
import Type from 'typebox'
import { type Endpoint, defineEndpoint } from '../endpoint.ts'
import { ApiError } from '../errors/errors.ts'
import { id, productType } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import * as records from './records.ts'

const subAccountFutureAssets = defineEndpoint({
  method: 'GET',
  path: '/api/v2/broker/account/subaccount-future-assets',
  summary: 'Futures assets of a sub-account, for brokers',
  source: 'interface E4',
  access: { permission: 'contract_trade', level: 'read' },
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({ subUid: id(), productType: productType() }),
  response: Type.Object({ assetsList: Type.Array(records.SubAccountAsset) }),
  handle(context, { subUid, productType: line }) {
    const { account, core } = context
    if (account.kind !== 'main' || account.broker === undefined) throw new ApiError('40029')
    const sub = core.query({ kind: 'account', uid: subUid })
    if (sub?.parentUid !== account.uid) throw new ApiError('40028')
    const assets = core.query({ kind: 'futures-assets', uid: subUid, interface: 'v2', line })
    return { assetsList: assets.map((asset) => dictionary.subAccountAsset(context.catalog.catalog, asset)) }
  },
})

export const brokerEndpoints: readonly Endpoint[] = [subAccountFutureAssets]
