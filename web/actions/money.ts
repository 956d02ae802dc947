/** Transfers, borrowing and repaying. The wallets are read anew after each. */
import { money } from '../numbers/format.ts'
import { readAnew } from '../store/account.ts'
import type { Transfer } from '../venue/account.ts'
import type { Withdrawal } from '../venue/chain.ts'
import { carryOut, newName, sentOnce } from './carry-out.ts'

export function transfer(asked: Omit<Transfer, 'clientOid'>): Promise<boolean> {
  return carryOut('Not transferred', async (account) => {
    const named = { ...asked, clientOid: newName() }
    await sentOnce(() => account.transfer(named))
    readAnew('wallets')
    return `${money(asked.amount)} ${asked.coin} transferred`
  })
}

export function withdraw(asked: Omit<Withdrawal, 'clientOid'>): Promise<boolean> {
  return carryOut('Not withdrawn', async (account) => {
    const named = { ...asked, clientOid: newName() }
    await sentOnce(() => account.chain.withdraw(named))
    readAnew('wallets')
    return `${money(asked.amount)} ${asked.coin} on their way`
  })
}

export function takeBackWithdrawal(id: string): Promise<boolean> {
  return carryOut('Not taken back', async (account) => {
    await account.chain.takeBack(id)
    readAnew('wallets')
    return 'Withdrawal taken back'
  })
}

export function borrow(coin: string, amount: string): Promise<boolean> {
  return carryOut('Not borrowed', async (account) => {
    await account.borrow(coin, amount)
    readAnew('wallets')
    return `${money(amount)} ${coin} borrowed`
  })
}

/** With another coin, or so much of the coin itself: as the account repays. */
export function repay(coin: string, payment: string): Promise<boolean> {
  return carryOut('Not repaid', async (account) => {
    const said = await account.repay(coin, payment)
    readAnew('wallets')
    return said
  })
}
