/**
 * Accounts that become unified, or classic again.
 *
 * May      without open orders, positions and debt
 * Minute   of the change: neither orders, settings, loans nor transfers; reads see the mode that is left
 * Moves    all wallets into `uta`, or `uta` into `spot`
 * Source   design.md §3
 */
import { debtOf } from './debts.ts'
import type { Answer, Command, SetAccountMode } from './commands.ts'
import { type Account, positionsOf, type World } from './world.ts'

const changeMs = 60_000

export function setAccountMode(world: World, { owner, unified }: SetAccountMode): Answer {
  const account = world.account(owner)
  if (account.changing) return 'account-changing-mode'
  if (account.unified === unified) return 'accepted'
  if (!isFlat(world, owner)) return 'account-not-flat'
  account.changing = true
  world.setTimer({ kind: 'mode', at: world.at + changeMs, account })
  return 'accepted'
}

function isFlat(world: World, name: string): boolean {
  const own = ({ owner }: { readonly owner: string }) => owner === name
  if (world.orders.some(own) || world.triggers.some(own)) return false
  if (world.desks.some((desk) => own(desk) && positionsOf(desk).length > 0)) return false
  return !world.purses.some((purse) => own(purse) && !debtOf(world, purse).isZero())
}

export function finishModeChange(world: World, account: Account): void {
  const { name, unified } = account
  const target = unified ? 'spot' : 'uta'
  const leaving = world.purses.filter(
    ({ owner, wallet }) => owner === name && (unified ? wallet === 'uta' : wallet !== 'uta'),
  )
  for (const purse of leaving) {
    const into = world.purse(name, target, purse.coin)
    into.balance = into.balance.plus(purse.balance)
    purse.balance = purse.balance.minus(purse.balance)
  }
  account.unified = !unified
  account.changing = false
}

/** What an account does by its wallets waits; money from and to outside by the operator does not, nor what is taken back. */
const goesOn: ReadonlySet<Command['kind']> = new Set([
  'cancel',
  'cancel-all',
  'amend',
  'replace',
  'cancel-trigger',
  'change-trigger',
  'cancel-withdrawal',
  'reject-withdrawal',
  // These look for themselves.
  'request-withdrawal',
  'transfer',
  'send-deposit',
  'choose-wallet',
  'deposit',
  'withdraw',
  'change-trailing',
  'set-account-mode',
])

/** Whether a command has to wait until the mode of its account has changed. */
export function waitsForMode(world: World, command: Command): boolean {
  if (goesOn.has(command.kind) || !('owner' in command)) return false
  return world.account(command.owner).changing
}
