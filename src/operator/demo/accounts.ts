/**
 * Who is at the demo venue when its doors open: one account for every role that a client can have, with funds.
 *
 * Funds    each main account 1,000,000 USDT, 20 BTC, 200 ETH and 100,000 USDC, each sub-account 100,000 USDT, 2 BTC and
 *          10,000 USDC: something in every wallet that its mode trades from, and some in `spot`
 * Source   design.md §3 (which mode trades from which wallet), §6
 */
import type { WalletType } from '../../engine/vocabulary.ts'

export interface DemoAccount {
  readonly role: string
  readonly mode: 'unified' | 'hybrid' | 'classic'
  /** The role of its main account, for a sub-account. */
  readonly parent?: string
  readonly funds: Funds
}

/** Coin and amount by wallet. */
type Funds = Readonly<Partial<Record<WalletType, Readonly<Record<string, string>>>>>

const unifiedMain: Funds = {
  uta: { USDT: '900000', BTC: '18', ETH: '180', USDC: '90000' },
  spot: { USDT: '100000', BTC: '2', ETH: '20', USDC: '10000' },
}

const hybridMain: Funds = {
  uta: { USDT: '400000', BTC: '8', ETH: '80', USDC: '40000' },
  usdt_futures: { USDT: '200000' },
  coin_futures: { BTC: '4', ETH: '40' },
  usdc_futures: { USDC: '30000' },
  crossed_margin: { USDT: '100000', BTC: '2', ETH: '20', USDC: '10000' },
  spot: { USDT: '300000', BTC: '6', ETH: '60', USDC: '20000' },
}

const classicMain: Funds = {
  usdt_futures: { USDT: '400000' },
  coin_futures: { BTC: '5', ETH: '50' },
  usdc_futures: { USDC: '70000' },
  crossed_margin: { USDT: '200000', BTC: '5', ETH: '50', USDC: '10000' },
  spot: { USDT: '400000', BTC: '10', ETH: '100', USDC: '20000' },
}

const unifiedSub: Funds = {
  uta: { USDT: '90000', BTC: '1.8', USDC: '9000' },
  spot: { USDT: '10000', BTC: '0.2', USDC: '1000' },
}

const classicSub: Funds = {
  usdt_futures: { USDT: '40000' },
  coin_futures: { BTC: '0.5' },
  usdc_futures: { USDC: '7000' },
  crossed_margin: { USDT: '20000', BTC: '0.5', USDC: '1000' },
  spot: { USDT: '40000', BTC: '1', USDC: '2000' },
}

export const demoAccounts: readonly DemoAccount[] = [
  { role: 'unified-main', mode: 'unified', funds: unifiedMain },
  { role: 'unified-sub', mode: 'unified', parent: 'unified-main', funds: unifiedSub },
  { role: 'classic-sub', mode: 'classic', parent: 'unified-main', funds: classicSub },
  { role: 'hybrid-main', mode: 'hybrid', funds: hybridMain },
  { role: 'classic-main', mode: 'classic', funds: classicMain },
  { role: 'broker-main', mode: 'classic', funds: classicMain },
  { role: 'broker-sub', mode: 'classic', parent: 'broker-main', funds: classicSub },
  { role: 'copy-trader', mode: 'classic', funds: classicMain },
  { role: 'unified-peer', mode: 'unified', funds: unifiedMain },
]

/** A second key of an account, with fewer permissions. */
export const readOnlyKey = { role: 'read-only', of: 'unified-main' } as const

export const demoBroker = { role: 'broker-main', channelCode: 'demo-broker', rebateRate: '0.2' } as const
export const demoCopyTrader = { role: 'copy-trader', symbols: ['BTCUSDT', 'ETHUSDT'] } as const

/** Deep pockets of the simulated agents: they quote every instrument, and no client can empty them in a day. */
const agentFunds: Funds = {
  uta: {
    USDT: '1000000000',
    USDC: '500000000',
    BTC: '20000',
    ETH: '400000',
    SOL: '5000000',
    XRP: '1000000000',
    DOGE: '4000000000',
  },
}

/** There only once the simulator was on; they have no keys. All of them are different main accounts. */
export const simulatorMakers = ['simulator-maker-1', 'simulator-maker-2'].map(agent)
export const simulatorTakers = ['simulator-taker-1', 'simulator-taker-2'].map(agent)
export const simulatorArbitrageur = agent('simulator-arbitrageur')
export const simulatorWhale = agent('simulator-whale')
/** These begin with nothing: they are topped up when they trade. */
export const simulatorTraders = [1, 2, 3, 4].map((number) => poorAgent(`simulator-trader-${number}`))
export const simulatorGambler = poorAgent('simulator-gambler')

function agent(role: string): DemoAccount {
  return { role, mode: 'unified', funds: agentFunds }
}

function poorAgent(role: string): DemoAccount {
  return { role, mode: 'unified', funds: {} }
}
