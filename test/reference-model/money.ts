/**
 * Money from and to outside, between wallets and accounts, borrowed and repaid on request.
 *
 * Transfer  once per id between accounts: the same again changes nothing, the same id with other content is refused, whatever
 *           has become of the accounts since
 * Source    design.md §3, §4.14, §4.36; interface.md E9, E11
 */
import type { Answer, Loan, Move, Transfer } from './commands.ts'
import { debtOf, lend, payDebt } from './debts.ts'
import { borrowable, payWithIncoming, spendable, transferable } from './loans.ts'
import { least, zero } from './rational.ts'
import type { Account, Wallet, World } from './world.ts'

export function walletsOf({ unified, name, main }: Account): readonly Wallet[] {
  const classic = ['spot', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin'] as const
  if (!unified) return classic
  return name === main ? [...classic, 'uta'] : ['spot', 'uta']
}

/** A futures wallet takes the margin coins of its line only. */
export function takes(world: World, wallet: Wallet, coin: string): boolean {
  const lines = { usdt_futures: 'USDT-FUTURES', coin_futures: 'COIN-FUTURES', usdc_futures: 'USDC-FUTURES' } as const
  if (wallet === 'spot' || wallet === 'crossed_margin' || wallet === 'uta') return true
  return world.markets.some((market) => market.line === lines[wallet] && market.settle === coin)
}

export function moveOutside(world: World, command: Move): Answer {
  const { kind, owner, wallet, coin, money } = command
  if (money.sign() <= 0) return 'amount-not-positive'
  if (!walletsOf(world.account(owner)).includes(wallet)) return 'wallet-unsuitable'
  if (!takes(world, wallet, coin)) return 'coin-unsuitable'
  const incoming = kind === 'deposit'
  if (!incoming && money.isAbove(transferable(world, owner, wallet, coin))) return 'transferable-exceeded'
  const purse = world.purse(owner, wallet, coin)
  world.post('external', purse, incoming ? money : money.negative())
  if (incoming) payWithIncoming(world, purse, money)
  return 'accepted'
}

export function transfer(world: World, command: Transfer): Answer {
  const { from, fromWallet, to, toWallet, coin, money } = command
  const source = world.account(from)
  const target = world.account(to)
  const between = from !== to
  const key = `${source.main} ${command.id}`
  const content = `${from} ${fromWallet} ${to} ${toWallet} ${coin} ${money.toString()}`
  const known = between ? world.transfers.get(key) : undefined
  if (known !== undefined) return known === content ? 'accepted' : 'transfer-id-reused'
  if (source.main !== target.main) return 'transfer-unrelated'
  if (money.sign() <= 0) return 'amount-not-positive'
  if (source.changing || target.changing) return 'account-changing-mode'
  if (!walletsOf(source).includes(fromWallet) || !walletsOf(target).includes(toWallet)) return 'wallet-unsuitable'
  if (!takes(world, toWallet, coin)) return 'coin-unsuitable'
  if (!between && fromWallet === toWallet) return 'transfer-same-place'
  if (money.isAbove(transferable(world, from, fromWallet, coin))) return 'transferable-exceeded'

  if (between) world.transfers.set(key, content)
  const payer = world.purse(from, fromWallet, coin)
  const payee = world.purse(to, toWallet, coin)
  payer.balance = payer.balance.minus(money)
  payee.balance = payee.balance.plus(money)
  payWithIncoming(world, payee, money)
  return 'accepted'
}

export function borrow(world: World, { owner, coin, money }: Loan): Answer {
  const wallet = marginWallet(world, owner)
  const record = world.coin(coin)
  if (money.sign() <= 0) return 'amount-not-positive'
  if (!record.borrowable) return 'coin-not-borrowable'
  if (money.isAbove(borrowable(world, owner, wallet, record))) {
    const pool = record.poolLimit.plus(world.houseBalance('lendingPool', coin))
    return money.isAbove(pool) ? 'lending-pool-empty' : 'borrow-limit-exceeded'
  }
  lend(world, world.purse(owner, wallet, coin), money)
  return 'accepted'
}

export function repay(world: World, { owner, coin, money }: Loan): Answer {
  const wallet = marginWallet(world, owner)
  const purse = world.purse(owner, wallet, coin)
  if (money.sign() <= 0) return 'amount-not-positive'
  if (debtOf(world, purse).isZero()) return 'no-debt'
  const paid = least(money, debtOf(world, purse))
  if (paid.isAbove(spendable(world, owner, wallet, coin))) return 'repay-above-available'
  if (paid.isAbove(zero)) payDebt(world, purse, paid)
  return 'accepted'
}

function marginWallet(world: World, owner: string): Wallet {
  return world.account(owner).unified ? 'uta' : 'crossed_margin'
}
