/**
 * Deposits and withdrawals over networks, which the venue simulates: addresses, requests, records. Both versions have the same
 * under other paths.
 *
 * Names   a withdrawal has a client order id of its own: the same request again is answered as the first
 * Source  docs/interface.md, deposits and withdrawals; docs/decisions/0027-simulated-chain.md
 */
import { publicGet, type Caller } from './rest.ts'

export interface CoinNetworks {
  readonly coin: string
  readonly networks: readonly Network[]
}

export interface Network {
  readonly name: string
  readonly needsTag: boolean
  readonly takesDeposits: boolean
  readonly sendsWithdrawals: boolean
  readonly depositMin: string
  readonly withdrawalMin: string
  /** Of each withdrawal, taken out of its amount. */
  readonly fee: string
  /** Blocks until a deposit is there. */
  readonly confirmations: string
}

export interface DepositAddress {
  readonly address: string
  /** Empty: none is needed. */
  readonly tag: string
}

export interface ChainTransfer {
  readonly id: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly coin: string
  readonly network: string
  readonly amount: string
  readonly address: string
  readonly status: string
  readonly at: number
}

export interface Withdrawal {
  readonly coin: string
  readonly network: string
  readonly address: string
  readonly tag: string
  readonly amount: string
  readonly clientOid: string
}

export interface Chain {
  address(coin: string, network: string): Promise<DepositAddress>
  /** The newest of both kinds, newest first. */
  transfers(): Promise<ChainTransfer[]>
  withdraw(withdrawal: Withdrawal): Promise<void>
  /** One that was not sent yet. */
  takeBack(id: string): Promise<void>
}

/** Coins that have a network. */
export async function loadNetworks(): Promise<CoinNetworks[]> {
  const coins =
    await publicGet<
      {
        readonly coin: string
        readonly chains: readonly (Readonly<Record<'chain' | 'needTag' | 'rechargeable' | 'withdrawable', string>> &
          Readonly<Record<'minDepositAmount' | 'minWithdrawAmount' | 'withdrawFee' | 'depositConfirm', string>>)[]
      }[]
    >('/api/v2/spot/public/coins')
  const found = coins.map(({ coin, chains }) => ({
    coin,
    networks: chains.map((chain) => ({
      name: chain.chain,
      needsTag: chain.needTag === 'true',
      takesDeposits: chain.rechargeable === 'true',
      sendsWithdrawals: chain.withdrawable === 'true',
      depositMin: chain.minDepositAmount,
      withdrawalMin: chain.minWithdrawAmount,
      fee: chain.withdrawFee,
      confirmations: chain.depositConfirm,
    })),
  }))
  return found.filter(({ networks }) => networks.length > 0)
}

interface TransferRecord {
  readonly orderId: string
  readonly coin: string
  readonly chain: string
  readonly size: string
  readonly toAddress: string
  readonly status: string
  readonly cTime?: string
  readonly createdTime?: string
}

const roots = { v2: '/api/v2/spot/wallet', v3: '/api/v3/account' } as const

export function chainOf(caller: Caller, version: 'v2' | 'v3'): Chain {
  const root = roots[version]
  const read = async (kind: ChainTransfer['kind']): Promise<ChainTransfer[]> => {
    const query = version === 'v2' ? { limit: 50, startTime: 0, endTime: Date.now() } : { limit: 50 }
    const rows = await caller.get<TransferRecord[]>(`${root}/${kind}-records`, query)
    return rows.map(({ orderId: id, coin, chain: network, size: amount, toAddress: address, status, ...times }) => {
      return { id, kind, coin, network, amount, address, status, at: Number(times.cTime ?? times.createdTime) }
    })
  }
  return {
    address: (coin, chain) => caller.get<DepositAddress>(`${root}/deposit-address`, { coin, chain }),
    async transfers() {
      const found = await Promise.all([read('deposit'), read('withdrawal')])
      return found.flat().sort((a, b) => b.at - a.at)
    },
    async withdraw({ coin, network: chain, address, tag, amount: size, clientOid }) {
      const named = { coin, chain, address, size, clientOid, ...(tag === '' ? {} : { tag }) }
      await caller.post(`${root}/withdrawal`, { transferType: 'on_chain', ...named })
    },
    async takeBack(orderId) {
      await caller.post(`${root}/cancel-withdrawal`, { orderId })
    },
  }
}
