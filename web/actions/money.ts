/** Transfers, borrowing and repaying. The wallets are read anew after each. */
import { money } from '../numbers/format.ts'
import { readAnew } from '../store/account.ts'
import type { Transfer } from '../venue/account.ts'
import type { Withdrawal } from '../venue/chain.ts'
import { carryOut, newName, sentOnce } from './carry-out.ts'
import { t } from '../words/words.ts'

export function transfer(asked: Omit<Transfer, 'clientOid'>): Promise<boolean> {
  return carryOut(t.told.notTransferred, async (account) => {
    const named = { ...asked, clientOid: newName() }
    await sentOnce(() => account.transfer(named))
    readAnew('wallets')
    return t.told.transferred(`${money(asked.amount)} ${asked.coin}`)
  })
}

export function withdraw(asked: Omit<Withdrawal, 'clientOid'>): Promise<boolean> {
  return carryOut(t.told.notWithdrawn, async (account) => {
    const named = { ...asked, clientOid: newName() }
    await sentOnce(() => account.chain.withdraw(named))
    readAnew('wallets')
    return t.told.onTheirWay(`${money(asked.amount)} ${asked.coin}`)
  })
}

export function takeBackWithdrawal(id: string): Promise<boolean> {
  return carryOut(t.told.notTakenBack, async (account) => {
    await account.chain.takeBack(id)
    readAnew('wallets')
    return t.told.takenBack
  })
}

export function borrow(coin: string, amount: string): Promise<boolean> {
  return carryOut(t.told.notBorrowed, async (account) => {
    await account.borrow(coin, amount)
    readAnew('wallets')
    return t.told.borrowed(`${money(amount)} ${coin}`)
  })
}

/** With another coin, or so much of the coin itself: as the account repays. */
export function repay(coin: string, payment: string): Promise<boolean> {
  return carryOut(t.told.notRepaid, async (account) => {
    const said = await account.repay(coin, payment)
    readAnew('wallets')
    return said
  })
}
