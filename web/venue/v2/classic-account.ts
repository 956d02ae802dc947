/**
 * A classic account, over v2: spot, cross margin and three futures lines, each with a wallet and calls of its own. What it has
 * and had is read in lists.ts, told in streams.ts; orders.ts and money.ts do what a person does.
 *
 * Settings   v2 keeps the position mode of each line and the terms of each contract; self-trade prevention is each order's own
 * Source     interface.md E3, E5, E7, E9, E11, E13; wire/client-endpoints.md §4
 */
import type { Account, OrderCapabilities, OrderShape } from '../account.ts'
import type { ContractTerms, HoldMode, Settings, WalletName } from '../account-records.ts'
import { type Category, isFuturesLine } from '../categories.ts'
import { chainOf } from '../chain.ts'
import { readEquity } from '../equity.ts'
import { type Instrument, loadInstruments } from '../instruments.ts'
import { type Caller, publicGet } from '../rest.ts'
import { Access, futuresWallets, type Info } from './access.ts'
import { listsOf } from './lists.ts'
import { moneyOf, subWallets } from './money.ts'
import { capabilitiesOf, contractNamed } from './order-requests.ts'
import { ordersOf } from './orders.ts'
import { watch } from './streams.ts'

export async function openClassic(caller: Caller): Promise<Account> {
  const [info, instruments, contracts] = await Promise.all([
    caller.get<Info>('/api/v2/spot/account/info'),
    loadInstruments(),
    publicGet<{ symbol: string; volumePlace: string }[]>('/api/v2/mix/market/contracts', {
      productType: 'COIN-FUTURES',
    }),
  ])
  const decimals = new Map(contracts.map(({ symbol, volumePlace }) => [symbol, Number(volumePlace)]))
  return accountOf(new Access(caller, info, instruments, decimals))
}

function accountOf(access: Access): Account {
  const { uid, parentUid, readOnly } = access
  return {
    uid,
    parentUid,
    readOnly,
    mode: 'classic',
    wallets: parentUid === '' ? [...subWallets, 'p2p'] : subWallets,
    // A read of one kind is a call for each field.
    readAgainMs: 1_200,
    chain: chainOf(access.caller, 'v2'),
    equity: (from) => readEquity(access.caller, from),
    watch: (events) => watch(access, events),
    ...listsOf(access),
    ...ordersOf(access),
    ...moneyOf(access),

    walletOf(category: Category): WalletName {
      if (isFuturesLine(category)) return futuresWallets[category]
      return category === 'MARGIN' ? 'crossed_margin' : 'spot'
    },

    orderCapabilities(instrument: Instrument, shape: OrderShape): OrderCapabilities {
      const { kind, symbol } = instrument
      const coinStep = kind === 'inverse' ? 10n ** BigInt(8 - access.decimalsOf(symbol)) : undefined
      return { ...capabilitiesOf(instrument, shape), coinStep }
    },

    async settings(): Promise<Settings> {
      const modes = await Promise.all(
        access.lines.map(async (line) => {
          const contract = access.listed(line)[0]
          return contract === undefined ? [] : [{ lines: [line], mode: (await access.setting(contract)).posMode }]
        }),
      )
      return { holdModes: modes.flat(), stpMode: undefined, coinLeverages: [] }
    },

    contractTerms: (instrument) => termsOf(access, instrument),

    /** The leverage acts on the margin mode in force: the mode first. */
    async setContractTerms(instrument: Instrument, { leverage, marginMode }: ContractTerms): Promise<void> {
      const named = contractNamed(instrument)
      const now = await termsOf(access, instrument)
      if (now.marginMode !== marginMode) {
        await access.caller.post('/api/v2/mix/account/set-margin-mode', { ...named, marginMode })
      }
      await access.caller.post('/api/v2/mix/account/set-leverage', { ...named, leverage })
    },

    async setHoldMode(lines: readonly Category[], posMode: HoldMode): Promise<void> {
      for (const productType of lines) {
        await access.caller.post('/api/v2/mix/account/set-position-mode', { productType, posMode })
      }
    },

    /** v2 keeps none: each order names its own. */
    async setStpMode(): Promise<void> {},

    async ordersToday(): Promise<undefined> {
      return undefined
    },
  }
}

async function termsOf(access: Access, instrument: Instrument): Promise<ContractTerms> {
  const { marginMode, crossedMarginLeverage, isolatedLongLever } = await access.setting(instrument)
  return { marginMode, leverage: String(marginMode === 'crossed' ? crossedMarginLeverage : isolatedLongLever) }
}
