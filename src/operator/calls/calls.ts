/**
 * The operator's calls, one entry each: its place, what it takes, what it does. The command line has one command for each.
 *
 * Actions  every change is a command through `submit`, so the journal knows who got what (design §6, reliability S6)
 * Keys     live outside the engine: a key's making is recorded before it works, its revocation works before it is recorded
 * Answers  plain decimals and account numbers as texts
 */
import Type from 'typebox'
import type { StaticDecode, TObject } from 'typebox'
import { issueKey, liveKeysMax, revokeKey } from '../../api/api.ts'
import {
  type Catalog,
  type Coin,
  coinByName,
  type Instrument,
  instrumentBySymbol,
  isFutures,
} from '../../engine/catalog/catalog.ts'
import { amount, formatDecimal, parseDecimal, rate, rateOne, ticks, zero } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import { permissionsAll } from '../keys/permissions.ts'
import { coinShown, instrumentShown } from './catalog-shown.ts'
import { accountCalls } from './account-calls.ts'
import { call, nothing, type OperatorCall, submit } from './call.ts'
import { chainDepositBody, chainDepositCommand, coinChainBody, coinChainCommands } from './chain.ts'
import { acceptLeap, clockShown, refuseLeap } from './clock.ts'
import { collateralBody, collateralCommand, collateralSlices } from './collateral.ts'
import { conversionBody, conversionCommand, conversionShown } from './conversion.ts'
import { dangerCalls } from './danger.ts'
import { explain, explainAsk } from './explain.ts'
import {
  addressList,
  body,
  category,
  coinName,
  dailyRate,
  decimalText,
  feeRate,
  lentAmount,
  optional,
  passphrase,
  permissionList,
  positiveAmount,
  productLine,
  publicKey,
  share,
  symbol,
  text,
  uid,
  usdPrice,
  wallet,
  wholeNumber,
  word,
} from './fields.ts'
import { holdingsShown } from './holdings.ts'
import { hourCalls } from './hours.ts'
import { conservationShown, insuranceFundsShown } from './house.ts'
import { instrumentRecord, parseInstrument, parseTiers, tiers } from './instrument-record.ts'
import { liquidationsPage } from './liquidations.ts'
import { accountsPage, keysPage, pageLimitMax } from './listings.ts'
import {
  loanTermsBody,
  loanTermsCommand,
  marginLevelsBody,
  marginLevelsCommand,
  marginLevelsShown,
} from './loan-terms.ts'
import { marketsShown, outOfRange } from './markets.ts'
import { pricingBody, pricingCommand, pricingShown } from './pricing.ts'
import { CallRefused, fieldWrong, unknownThing } from './refusals.ts'
import { riskBody, riskCommand, riskShown } from './risk.ts'
import { trailCalls } from './trail.ts'
import { beginScenario, scenarioBody, scenarioShown } from './scenarios.ts'

const mainModes = ['unified', 'hybrid', 'classic'] as const
const pageLimit = wholeNumber(1, pageLimitMax)

export type { OperatorPorts } from './call.ts'

/** Without slices of its own a coin counts as collateral up to ten million USD, nine tenths of it. */
const wholeCollateral = [{ to: amount(1_000_000_000_000_000n), ratio: rate((rateOne * 9n) / 10n) }]

const coinRecord = body({
  coin: coinName,
  price: usdPrice,
  dailyInterestRate: optional(dailyRate),
  borrowLimit: optional(lentAmount),
  lendingPoolLimit: optional(lentAmount),
  maxLeverage: optional(wholeNumber(1, 100)),
  /** Slices of value in USD, from zero upward, and what share of each counts as collateral of a unified account. */
  collateral: optional(collateralSlices),
  debtInitialRate: optional(share),
  debtMaintenanceRate: optional(share),
})

export const operatorCalls: readonly OperatorCall[] = [
  ...accountCalls,
  ...dangerCalls,
  ...trailCalls,
  ...hourCalls,
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
  moneyCall('POST /operator/deposits', 'deposit'),
  moneyCall('POST /operator/withdrawals', 'withdraw'),
  call('POST /operator/chain/deposits', chainDepositBody, async (sent, { core }) => {
    const command = chainDepositCommand(sent, coin(core.query({ kind: 'catalog' }), sent.coin, 'coin'))
    const reply = await submit(core, command)
    const { network: chain, amount: units } = command
    const address = core.query({ kind: 'deposit-address', uid: sent.uid, coin: command.coin, network: chain })
    const id = reply.kind === 'deposit-sent' ? String(reply.id) : ''
    return {
      orderId: id,
      uid: String(sent.uid),
      coin: sent.coin,
      chain,
      amount: formatDecimal(units, 8),
      address: address?.address ?? '',
      tag: address?.tag ?? '',
    }
  }),
  call(
    'POST /operator/chain/withdrawals/reject',
    body({ orderId: wholeNumber(1, Number.MAX_SAFE_INTEGER) }),
    async ({ orderId }, { core }) => {
      await submit(core, { kind: 'reject-withdrawal', id: orderId })
      return { orderId: String(orderId), status: 'fail' }
    },
  ),
  call(
    'POST /operator/prices',
    body({
      prices: Type.Record(Type.String(), usdPrice, { minProperties: 1, description: 'an object of coin to price' }),
    }),
    async ({ prices }, { core }) => {
      const catalog = core.query({ kind: 'catalog' })
      const known = Object.entries(prices).map(([name, priceE8]) => {
        return [coin(catalog, name.toUpperCase(), `prices.${name}`).id, priceE8] as const
      })
      const reply = await submit(core, { kind: 'set-index-prices', prices: known })
      const beyond = outOfRange(
        core,
        known.map(([id]) => id),
      )
      return {
        coins: known.length,
        // These jumped: send them once more to confirm them.
        ...(reply.kind === 'prices-held-back' && { heldBack: reply.coins.map((id) => catalog.coins[id].name) }),
        // These prices were taken, but no book of these carries what they make.
        ...(beyond.length > 0 && { outOfRange: beyond }),
      }
    },
  ),
  call('POST /operator/pricing', pricingBody, async (sent, { core }) => {
    const command = pricingCommand(sent, core.query({ kind: 'catalog' }))
    await submit(core, command)
    return { coins: command.coins.length, contracts: command.instruments.length }
  }),
  call('GET /operator/pricing', nothing, (_, { core }) =>
    pricingShown(core.query({ kind: 'settings' }), core.query({ kind: 'catalog' })),
  ),
  call('POST /operator/coins', coinRecord, async (sent, { core }) => {
    const borrowLimit = sent.borrowLimit ?? zero
    await submit(core, {
      kind: 'list-coin',
      coin: {
        name: sent.coin,
        listingPriceE8: sent.price,
        borrowable: borrowLimit > 0n,
        dailyInterestRate: sent.dailyInterestRate ?? rate(0n),
        borrowLimit,
        lendingPoolLimit: sent.lendingPoolLimit ?? borrowLimit,
        marginLeverageMax: sent.maxLeverage ?? 3,
        collateral: sent.collateral ?? wholeCollateral,
        debtInitialRate: sent.debtInitialRate ?? rate(rateOne / 10n),
        debtMaintenanceRate: sent.debtMaintenanceRate ?? rate(rateOne / 25n),
      },
    })
    return { coin: sent.coin }
  }),
  call('POST /operator/coins/loans', loanTermsBody, async (sent, { core }) => {
    const { id } = coin(core.query({ kind: 'catalog' }), sent.coin, 'coin')
    await submit(core, loanTermsCommand(id, sent))
    return { coin: sent.coin }
  }),
  call('POST /operator/coins/collateral', collateralBody, async (sent, { core }) => {
    const { id } = coin(core.query({ kind: 'catalog' }), sent.coin, 'coin')
    await submit(core, collateralCommand(id, sent))
    return { coin: sent.coin }
  }),
  call('POST /operator/coins/chains', coinChainBody, async (sent, { core }) => {
    const commands = coinChainCommands(sent, coin(core.query({ kind: 'catalog' }), sent.coin, 'coin'))
    for (const command of commands) await submit(core, command)
    return { coin: sent.coin, chains: commands.map(({ network: chain }) => chain) }
  }),
  call('GET /operator/coins', nothing, (_, { core }) => {
    const { pricing } = core.query({ kind: 'settings' })
    const prices = core.query({ kind: 'index-prices' })
    return core.query({ kind: 'catalog' }).coins.map((listed) => coinShown(listed, pricing, prices[listed.id] ?? 0n))
  }),
  call('POST /operator/risk', riskBody, async (sent, { core }) => {
    await submit(core, riskCommand(sent))
    return riskShown(core.query({ kind: 'settings' }))
  }),
  call('POST /operator/conversion', conversionBody, async (sent, { core }) => {
    await submit(core, conversionCommand(sent))
    return conversionShown(core.query({ kind: 'settings' }))
  }),
  call('GET /operator/conversion', nothing, (_, { core }) => conversionShown(core.query({ kind: 'settings' }))),
  call('GET /operator/risk', nothing, (_, { core }) => riskShown(core.query({ kind: 'settings' }))),
  call('GET /operator/loans/levels', nothing, (_, { core }) =>
    marginLevelsShown(core.query({ kind: 'lending', coin: 0 }).levels),
  ),
  call('POST /operator/loans/levels', marginLevelsBody, async (sent, { core }) => {
    await submit(core, marginLevelsCommand(sent))
    return marginLevelsShown(core.query({ kind: 'lending', coin: 0 }).levels)
  }),
  call('POST /operator/instruments', instrumentRecord, async (sent, { core }) => {
    const { coins } = core.query({ kind: 'catalog' })
    const listing = parseInstrument(sent, coins, core.query({ kind: 'index-prices' }))
    await submit(core, { kind: 'list-instrument', instrument: listing })
    return { category: listing.category, symbol: listing.symbol }
  }),
  instrumentCall(
    'POST /operator/instruments/status',
    body({ category, symbol, status: word(['online', 'cancel_only', 'halted']) }),
    ({ status }) => ({ status }),
  ),
  instrumentCall('POST /operator/instruments/tiers', body({ category, symbol, tiers }), (sent) => ({
    tiers: parseTiers(sent.tiers),
  })),
  instrumentCall(
    'POST /operator/instruments/fees',
    body({ category, symbol, makerFeeRate: optional(feeRate), takerFeeRate: optional(feeRate) }),
    ({ makerFeeRate, takerFeeRate }) => {
      if (makerFeeRate === undefined && takerFeeRate === undefined)
        throw fieldWrong('makerFeeRate', 'or takerFeeRate is required')
      return { makerFeeRate, takerFeeRate }
    },
  ),
  instrumentCall(
    'POST /operator/instruments/bands',
    body({ category, symbol, limitPriceRatio: optional(share), marketPriceRatio: optional(share) }),
    ({ limitPriceRatio, marketPriceRatio }) => {
      if (limitPriceRatio === undefined && marketPriceRatio === undefined)
        throw fieldWrong('limitPriceRatio', 'or marketPriceRatio is required')
      return { limitBand: limitPriceRatio, marketBand: marketPriceRatio }
    },
  ),
  call('GET /operator/instruments', nothing, (_, { core }) => {
    const catalog = core.query({ kind: 'catalog' })
    const { pricing } = core.query({ kind: 'settings' })
    return catalog.instruments.map((listed) => instrumentShown(listed, catalog, pricing))
  }),
  call('GET /operator/markets', nothing, (_, { core }) => marketsShown(core)),
  call('GET /operator/mirror', nothing, (_, { mirror }) => mirror?.shown() ?? null),
  call('GET /operator/house-funds', nothing, (_, { core }) => insuranceFundsShown(core)),
  call('POST /operator/house-funds', body({ coin: coinName, amount: positiveAmount }), async (sent, { core }) => {
    const { id } = coin(core.query({ kind: 'catalog' }), sent.coin, 'coin')
    await submit(core, { kind: 'fund-house', account: 'insurance', coin: id, amount: sent.amount })
    return { fund: 'insurance', coin: sent.coin }
  }),
  call(
    'POST /operator/funding/settle',
    body({ productType: productLine, symbol }),
    async ({ productType, symbol: name }, { core }) => {
      const contract = instrument(core.query({ kind: 'catalog' }), productType, name)
      const settled = await submit(core, { kind: 'settle-funding', instrument: contract.id })
      return { symbol: name, positions: settled.kind === 'funding-settled' ? settled.positions : 0 }
    },
  ),
  call(
    'POST /operator/deliveries',
    body({ productType: productLine, symbol, price: decimalText }),
    async ({ productType, symbol: name, price }, { core }) => {
      const contract = instrument(core.query({ kind: 'catalog' }), productType, name)
      const scaled = parseDecimal(price, contract.priceDecimals)
      const step = BigInt(contract.priceStep)
      if (typeof scaled !== 'bigint' || scaled <= 0n || scaled % step !== 0n) {
        throw fieldWrong('price', 'must be a price of the contract, above 0 and a multiple of its step')
      }
      const reply = await submit(core, {
        kind: 'deliver',
        instrument: contract.id,
        price: ticks(Number(scaled / step)),
      })
      return { symbol: name, positions: reply.kind === 'delivered' ? reply.positions : 0 }
    },
  ),
  call('POST /operator/clock/advance', body({ ms: wholeNumber(1, 10 * 366 * 86_400_000) }), async ({ ms }, ports) => {
    if (ports.advanceClock === undefined) {
      throw new CallRefused(409, 'clock-not-manual', 'the venue follows the system clock; start it with --clock manual')
    }
    await ports.advanceClock(ms)
    return { now: ports.core.now() }
  }),
  call('GET /operator/clock', nothing, (_, ports) => clockShown(ports)),
  call('POST /operator/clock/accept', nothing, (_, ports) => acceptLeap(ports)),
  call('POST /operator/clock/refuse', nothing, (_, ports) => refuseLeap(ports)),
  call('POST /operator/scenario', scenarioBody, beginScenario),
  call('GET /operator/scenario', nothing, (_, ports) => scenarioShown(ports)),
  call('POST /operator/snapshots', nothing, async (_, ports) => ports.snapshot()),
  call('GET /operator/verify', nothing, async (_, ports) => {
    const { balanced, faults, coins, stateHash, sequence } = await ports.verify()
    return {
      balanced,
      faults,
      coins: coins.map((sums) => ({
        coin: sums.coin,
        sum: formatDecimal(sums.sum, 8),
        accounts: formatDecimal(sums.accounts, 8),
        house: Object.fromEntries(Object.entries(sums.house).map(([name, units]) => [name, formatDecimal(units, 8)])),
      })),
      stateHash,
      sequence,
    }
  }),
  call('GET /operator/conservation', nothing, (_, { core }) => conservationShown(core)),
  call(
    'GET /operator/liquidations',
    body({ before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)), limit: optional(wholeNumber(1, 100)) }),
    (ask, { core, history }) => liquidationsPage(core, history, ask),
  ),
  call('GET /operator/explain', explainAsk, (sent, { core, history }) => explain(core, history, sent)),
  call('GET /operator/status', nothing, (_, ports) => ports.status()),
  call('GET /operator/metrics', nothing, (_, ports) => ports.metrics()),
]

function moneyCall(place: string, kind: 'deposit' | 'withdraw'): OperatorCall {
  const schema = body({ uid, wallet, coin: coinName, amount: positiveAmount })
  return call(place, schema, async ({ uid: of, wallet: to, coin: name, amount: units }, { core }) => {
    const { id } = coin(core.query({ kind: 'catalog' }), name, 'coin')
    await submit(core, { kind, uid: of, wallet: to, coin: id, amount: units })
    return { uid: String(of), wallet: to, coin: name, amount: formatDecimal(units, 8) }
  })
}

type Change = Partial<Omit<Extract<Command, { kind: 'set-instrument' }>, 'kind' | 'instrument'>>

/** A change of one instrument; what is undefined stays. */
function instrumentCall<Schema extends TObject>(
  place: string,
  schema: Schema,
  changeOf: (sent: StaticDecode<Schema>) => Change,
): OperatorCall {
  return call(place, schema, async (sent, { core }) => {
    const named = sent as { category: Parameters<typeof instrumentBySymbol>[1]; symbol: string }
    const { id } = instrument(core.query({ kind: 'catalog' }), named.category, named.symbol)
    const same = {
      status: undefined,
      tiers: undefined,
      makerFeeRate: undefined,
      takerFeeRate: undefined,
      limitBand: undefined,
      marketBand: undefined,
    }
    await submit(core, { kind: 'set-instrument', instrument: id, ...same, ...changeOf(sent) })
    return { category: named.category, symbol: named.symbol }
  })
}

function coin(catalog: Catalog, name: string, fieldName: string): Coin {
  const found = coinByName(catalog, name)
  if (found === undefined) throw unknownThing(fieldName, name, 'coin')
  return found
}

function instrument(catalog: Catalog, of: Parameters<typeof instrumentBySymbol>[1], name: string): Instrument {
  const found = instrumentBySymbol(catalog, of, name)
  if (found === undefined) throw unknownThing('symbol', `${of} ${name}`, 'instrument')
  return found
}
