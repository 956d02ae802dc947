/**
 * Money of a classic account: its wallets, what they can spare, transfers, loans.
 *
 * Source  interface.md E9, E11; wire/client-endpoints.md §4
 */
import { units, unitsText } from '../../numbers/decimal.ts'
import type { Account, MaxOrder, MaxOrderQuery, Relative, Transfer } from '../account.ts'
import type { Wallet, WalletName } from '../account-records.ts'
import { futuresLines } from '../categories.ts'
import { isFutures } from '../instruments.ts'
import { VenueError } from '../rest.ts'
import { type Access, futuresWallets } from './access.ts'
import * as futures from './futures-records.ts'
import * as pairs from './pair-records.ts'
import { t } from '../../words/words.ts'

/** The venue tells the equity of the whole account once a second. */
const equityEveryMs = 1_500

export const subWallets: readonly WalletName[] = ['spot', 'crossed_margin', ...Object.values(futuresWallets)]

type Money = Pick<
  Account,
  | 'holdings'
  | 'maxOrder'
  | 'relatives'
  | 'transferableCoins'
  | 'mostTransferable'
  | 'transfer'
  | 'borrowable'
  | 'mostBorrowable'
  | 'borrow'
  | 'setCoinLeverage'
  | 'repaysWith'
  | 'repay'
  | 'interestDueAt'
>

export function moneyOf(access: Access): Money {
  const equityByPart = equityReader(access)
  return {
    repaysWith: 'amount',

    async holdings(): Promise<Wallet[]> {
      const [equity, spot, margin, ...lines] = await Promise.all([
        equityByPart(),
        access.seesSpot ? access.caller.get<pairs.SpotBalanceRecord[]>('/api/v2/account/funding-assets') : [],
        access.seesMargin ? marginWallet(access) : undefined,
        ...access.lines.map(async (line): Promise<Wallet> => {
          const path = '/api/v2/mix/account/accounts'
          const records = await access.caller.get<futures.AssetRecord[]>(path, { productType: line })
          const sum = records.reduce((total, { usdtEquity }) => total + units(usdtEquity), 0n)
          const coins = records.map(futures.futuresBalanceOf)
          return { name: futuresWallets[line], equity: unitsText(sum), coins }
        }),
      ])
      return [
        ...lines,
        ...(access.seesSpot
          ? [{ name: 'spot', equity: equity.get('spot') ?? '', coins: spot.map(pairs.spotBalanceOf) } as const]
          : []),
        ...(margin === undefined ? [] : [{ ...margin, equity: equity.get('margin') ?? '' }]),
      ]
    },

    async maxOrder({ instrument, side, marginMode }: MaxOrderQuery): Promise<MaxOrder> {
      if (isFutures(instrument)) {
        const { crossedMaxAvailable, isolatedMaxAvailable } = await access.setting(instrument)
        const available = units(marginMode === 'crossed' ? crossedMaxAvailable : isolatedMaxAvailable)
        return { available, withLoans: available, most: undefined }
      }
      const coin = side === 'buy' ? instrument.quote : instrument.base
      if (instrument.kind === 'spot') {
        const [found] = await access.caller.get<{ available: string }[]>('/api/v2/spot/account/assets', { coin })
        const available = units(found?.available)
        return { available, withLoans: available, most: undefined }
      }
      const [found, borrowable] = await Promise.all([
        access.caller.get<{ available: string }[]>('/api/v2/margin/crossed/account/assets', { coin }),
        mostBorrowable(access, coin),
      ])
      const available = units(found[0]?.available)
      return { available, withLoans: available + units(borrowable), most: undefined }
    },

    async relatives(): Promise<Relative[]> {
      if (access.parentUid !== '') return []
      const { subAccountList } = await access.caller.get<{
        readonly subAccountList: readonly { subAccountUid: string; subAccountName: string; accountType: string }[]
      }>('/api/v2/user/virtual-subaccount-list', { limit: 100 })
      return subAccountList.map(({ subAccountUid: uid, subAccountName: name, accountType }) => {
        return { uid, name: name || uid, wallets: accountType === 'classic' ? subWallets : (['uta', 'spot'] as const) }
      })
    },

    /** Those of pairs and contracts that both wallets take: a futures wallet takes the margin coins of its line. */
    async transferableCoins(from: WalletName, to: WalletName): Promise<readonly string[]> {
      const taken = (wallet: WalletName): Set<string> => {
        const line = futuresLines.find((candidate) => futuresWallets[candidate] === wallet)
        const all = [...access.instruments.values()]
        return new Set(
          line === undefined
            ? all.flatMap(({ base, settle, quote }) => (quote === 'USD' ? [base] : [base, settle]))
            : access.listed(line).map(({ settle }) => settle),
        )
      }
      const takes = taken(to)
      return [...taken(from)].filter((coin) => takes.has(coin)).sort(byUse)
    },

    async mostTransferable(wallet: WalletName, coin: string): Promise<string | undefined> {
      const line = futuresLines.find((candidate) => futuresWallets[candidate] === wallet)
      if (line !== undefined) {
        const path = '/api/v2/mix/account/accounts'
        const records = await access.caller.get<futures.AssetRecord[]>(path, { productType: line })
        return records.find(({ marginCoin }) => marginCoin === coin)?.maxTransferOut ?? '0'
      }
      if (wallet === 'crossed_margin') {
        const path = '/api/v2/margin/crossed/account/max-transfer-out-amount'
        return (await access.caller.get<{ maxTransferOutAmount: string }>(path, { coin })).maxTransferOutAmount
      }
      if (wallet !== 'spot') return undefined
      const [found] = await access.caller.get<{ available: string }[]>('/api/v2/spot/account/assets', { coin })
      return found?.available ?? '0'
    },

    async transfer({ coin, amount, from, to, clientOid }: Transfer): Promise<void> {
      const common = { fromType: from.wallet, toType: to.wallet, amount, coin, clientOid }
      if (from.uid === to.uid && from.uid === access.uid) {
        await access.caller.post('/api/v2/spot/wallet/transfer', common)
        return
      }
      const ends = { fromUserId: from.uid, toUserId: to.uid }
      await access.caller.post('/api/v2/spot/wallet/subaccount-transfer', { ...common, ...ends })
    },

    borrowable(): readonly string[] {
      const margin = [...access.instruments.values()].filter(({ kind }) => kind === 'margin')
      return access.seesMargin ? [...new Set(margin.flatMap(({ base, quote }) => [quote, base]))].sort(byUse) : []
    },

    mostBorrowable: (coin) => mostBorrowable(access, coin),

    async borrow(coin: string, borrowAmount: string): Promise<void> {
      await access.caller.post('/api/v2/margin/crossed/account/borrow', { coin, borrowAmount })
    },

    async setCoinLeverage(): Promise<void> {
      throw new VenueError('40812', t.venue.noCoinLeverage)
    },

    async repay(coin: string, repayAmount: string): Promise<string> {
      const path = '/api/v2/margin/crossed/account/repay'
      const repaid = await access.caller.post<{ repayAmount: string; remainDebtAmount: string }>(path, {
        coin,
        repayAmount,
      })
      return t.told.repaidLeft(repaid.repayAmount, coin, repaid.remainDebtAmount)
    },

    async interestDueAt(): Promise<undefined> {
      return undefined
    },
  }
}

async function marginWallet(access: Access): Promise<Wallet> {
  const [records, { riskRateRatio }] = await Promise.all([
    access.caller.get<pairs.MarginBalanceRecord[]>('/api/v2/margin/crossed/account/assets'),
    access.caller.get<{ riskRateRatio: string }>('/api/v2/margin/crossed/account/risk-rate'),
  ])
  const marginState = { initialMargin: '', maintenanceMargin: '', marginRatio: riskRateRatio }
  return { name: 'crossed_margin', equity: '', coins: records.map(pairs.marginBalanceOf), marginState }
}

/** By part of the account. */
function equityReader(access: Access): () => Promise<ReadonlyMap<string, string>> {
  let readAt = 0
  let byPart: ReadonlyMap<string, string> = new Map()
  return async () => {
    if (!access.seesSpot || Date.now() - readAt < equityEveryMs) return byPart
    readAt = Date.now()
    const path = '/api/v2/account/all-account-balance'
    const parts = await access.caller.get<{ accountType: string; usdtBalance: string }[]>(path)
    byPart = new Map(parts.map((part) => [part.accountType, part.usdtBalance]))
    return byPart
  }
}

async function mostBorrowable(access: Access, coin: string): Promise<string> {
  const path = '/api/v2/margin/crossed/account/max-borrowable-amount'
  return (await access.caller.get<{ maxBorrowableAmount: string }>(path, { coin })).maxBorrowableAmount
}

/** Dollars first. */
function byUse(a: string, b: string): number {
  const rank = (coin: string) => (coin === 'USDT' ? 0 : coin === 'USDC' ? 1 : 2)
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}
