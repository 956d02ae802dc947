/**
 * Deposits and withdrawals over the venue's networks, by their blocks; and withdrawals to another account, at once.
 *
 * Block       n begins at n × its time; what is sent stands in the next one, and is there when enough have begun
 * Deposit     external → in transit → the wallet that the account chose, else `uta` or `spot`
 * Withdrawal  wallets → in transit, each what it can; thirty seconds later → external, the fee → fees. Until then its
 *             owner takes it back, or the operator refuses it
 * Own         to an address of the venue it is a deposit of its owner, less the fee, in the same block
 * Inside      to an account number at once and without a fee
 * Repeat      with the same id and content changes nothing
 * Left out    tags, the limit of a day, terms that change
 * Source      docs/decisions/0027-simulated-chain.md
 */
import type { Chain, Network } from './catalog.ts'
import type { Answer, ChooseWallet, SendDeposit, TakeBack, Withdrawal } from './commands.ts'
import { payWithIncoming, transferable } from './loans.ts'
import { takes, walletsOf } from './money.ts'
import { downTo, type Fraction, least, sum, zero } from './rational.ts'
import type { Wallet, World } from './world.ts'

const reviewMs = 30_000
const rememberedMs = 90 * 86_400_000

const blockMs: Readonly<Record<Network, number>> = { BTC: 600_000, ERC20: 12_000, TRC20: 3_000, SOL: 400 }

/** On its way over a network. */
export interface Transit {
  readonly id: string
  readonly owner: string
  readonly direction: 'deposit' | 'withdrawal'
  readonly coin: string
  readonly money: Fraction
  readonly fee: Fraction
  readonly chain: Chain
  /** Of a withdrawal what each wallet gave, and whose address of the venue it goes to. */
  readonly given: readonly (readonly [Wallet, Fraction])[]
  readonly receiver: string | undefined
  /** Undefined: it was not sent yet. */
  block: number | undefined
  dueAt: number
}

function chainOf(world: World, coin: string, network: Network): Chain | undefined {
  return world.coin(coin).chains.find((chain) => chain.network === network)
}

function isTooFine({ step }: Chain, money: Fraction): boolean {
  return !downTo(step, money).equals(money)
}

function start(world: World, transit: Transit): void {
  world.transits.push(transit)
  world.setTimer({ kind: 'transit', at: transit.dueAt, transit })
}

function nextBlock(network: Network, at: number): number {
  return Math.floor(at / blockMs[network]) + 1
}

function begins(network: Network, block: number): number {
  return block * blockMs[network]
}

export function sendDeposit(world: World, { owner, coin, network, money }: SendDeposit): Answer {
  const chain = chainOf(world, coin, network)
  if (chain === undefined) return 'network-unknown'
  if (money.sign() <= 0) return 'amount-not-positive'
  if (isTooFine(chain, money)) return 'amount-too-fine'
  if (money.isBelow(chain.depositMin)) return 'deposit-below-minimum'
  world.postHouse('external', 'inTransit', coin, money)
  startDeposit(world, owner, coin, chain, money, nextBlock(network, world.at))
  return 'accepted'
}

function startDeposit(world: World, owner: string, coin: string, chain: Chain, money: Fraction, block: number): void {
  const dueAt = begins(chain.network, block + chain.depositBlocks - 1)
  const none = { id: '', fee: zero, given: [], receiver: undefined }
  start(world, { ...none, owner, direction: 'deposit', coin, money, chain, block, dueAt })
}

export function withdraw(world: World, command: Withdrawal): Answer {
  const { owner, id, wallets, coin, money, to } = command
  const key = `${owner} ${id}`
  const content = `${wallets.join()} ${coin} ${money.toString()} ${JSON.stringify(to)}`
  const known = world.withdrawals.get(key)
  if (id !== '' && known !== undefined && world.at < known.at + rememberedMs) {
    return known.content === content ? 'accepted' : 'withdrawal-id-reused'
  }
  if (money.sign() <= 0) return 'amount-not-positive'
  if (world.account(owner).changing) return 'account-changing-mode'
  const chain = to.by === 'network' ? chainOf(world, coin, to.network) : undefined
  if (to.by === 'network' && chain === undefined) return 'network-unknown'
  if (to.by === 'account' && to.receiver === owner) return 'withdrawal-to-self'
  if (chain !== undefined && isTooFine(chain, money)) return 'amount-too-fine'
  if (chain !== undefined && money.isBelow(chain.withdrawalMin)) return 'withdrawal-below-minimum'
  if (wallets.some((wallet) => !walletsOf(world.account(owner)).includes(wallet))) return 'wallet-unsuitable'
  const given = sources(world, owner, wallets, coin, money)
  if (sum(given.map(([, part]) => part)).isBelow(money)) return 'insufficient-available'

  if (id !== '') world.withdrawals.set(key, { at: world.at, content })
  for (const [wallet, part] of given) world.post('inTransit', world.purse(owner, wallet, coin), part.negative())
  if (chain === undefined) {
    if (to.by !== 'account') throw new Error('only inside the venue there is no network')
    world.endedTransits.push({ owner, direction: 'withdrawal', status: 'success', money })
    arrive(world, to.receiver, coin, money)
    return 'accepted'
  }
  const fee = chain.withdrawalFee
  const shared = { id, owner, direction: 'withdrawal', coin, money, fee, chain, given, receiver: to.receiver } as const
  start(world, { ...shared, block: undefined, dueAt: world.at + reviewMs })
  return 'accepted'
}

/** Each gives what may leave it, in the order that was asked for. */
function sources(
  world: World,
  owner: string,
  wallets: readonly Wallet[],
  coin: string,
  money: Fraction,
): (readonly [Wallet, Fraction])[] {
  let left = money
  return wallets.flatMap((wallet) => {
    const part = least(left, transferable(world, owner, wallet, coin))
    left = left.minus(part)
    return part.isZero() ? [] : [[wallet, part] as const]
  })
}

/** By its owner, or by the operator. */
export function takeBack(world: World, { kind, owner, id }: TakeBack): Answer {
  const meant = world.transits.find((other) => other.owner === owner && other.id === id && id !== '')
  if (meant === undefined) return 'withdrawal-unknown'
  if (meant.block !== undefined) return 'withdrawal-sent'
  const { coin, money, given } = meant
  world.transits = world.transits.filter((other) => other !== meant)
  world.dropTimer((timer) => timer.kind === 'transit' && timer.transit === meant)
  for (const [wallet, part] of given) {
    const purse = world.purse(owner, wallet, coin)
    world.post('inTransit', purse, part)
    payWithIncoming(world, purse, part)
  }
  const status = kind === 'cancel-withdrawal' ? 'cancel' : 'fail'
  world.endedTransits.push({ owner, direction: 'withdrawal', status, money })
  return 'accepted'
}

/** The next step of what is on its way, at the time that it was due. */
export function advance(world: World, transit: Transit): void {
  const { owner, direction, coin, money, fee, chain, receiver } = transit
  if (transit.block === undefined) {
    transit.block = nextBlock(chain.network, transit.dueAt)
    transit.dueAt = begins(chain.network, transit.block + chain.withdrawalBlocks - 1)
    world.postHouse('inTransit', 'fees', coin, fee)
    if (receiver === undefined) world.postHouse('inTransit', 'external', coin, money.minus(fee))
    world.setTimer({ kind: 'transit', at: transit.dueAt, transit })
    if (receiver !== undefined) startDeposit(world, receiver, coin, chain, money.minus(fee), transit.block)
    return
  }
  world.transits = world.transits.filter((other) => other !== transit)
  if (direction === 'deposit') arrive(world, owner, coin, money)
  else world.endedTransits.push({ owner, direction, status: 'success', money })
}

function arrive(world: World, owner: string, coin: string, money: Fraction): void {
  const account = world.account(owner)
  const chosen = world.depositWallets.get(`${owner} ${coin}`)
  const usual = account.unified ? 'uta' : 'spot'
  const wallet = chosen !== undefined && walletsOf(account).includes(chosen) ? chosen : usual
  const purse = world.purse(owner, wallet, coin)
  world.post('inTransit', purse, money)
  world.endedTransits.push({ owner, direction: 'deposit', status: 'success', money })
  payWithIncoming(world, purse, money)
}

/** Where deposits of a coin go. */
export function chooseWallet(world: World, { owner, coin, wallet }: ChooseWallet): Answer {
  if (!walletsOf(world.account(owner)).includes(wallet)) return 'wallet-unsuitable'
  if (!takes(world, wallet, coin)) return 'coin-unsuitable'
  world.depositWallets.set(`${owner} ${coin}`, wallet)
  return 'accepted'
}
