/** One account: its equity and margin ratio, what it has, its bills and keys, and what can be done to it. */
import { useState } from 'preact/hooks'
import { grouped, money, percent } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { dateTime } from '../store/times.ts'
import { AccountBills } from './account-bills.tsx'
import { CreateKey, MoveMoney, walletsOf } from './account-dialogs.tsx'
import { AccountHoldings } from './account-holdings.tsx'
import { CancelAll, FreezeAccount } from './account-stops.tsx'
import { KeyRows } from './key-rows.tsx'
import { ratioTone } from './margin-pool.tsx'
import { at } from './place.ts'
import type { Account, AccountPage, Holdings, KeyPage } from './records.ts'
import { useRead } from './use-read.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

const everyMs = 5_000

export function AccountPanel({ uid }: { uid: string }) {
  const { data: holdings, fault } = useRead<Holdings>('accounts/holdings', { uid }, everyMs)
  const page = useRead<AccountPage>('accounts', { after: Number(uid) - 1, limit: 1 }).data
  const keys = useRead<KeyPage>('keys', { uid }).data?.keys ?? []
  const account = page?.accounts.find((listed) => listed.uid === uid)
  return (
    <section class="panel detail scrolls" aria-label={desk.accounts.named(uid)}>
      <AccountHead uid={uid} account={account} holdings={holdings} />
      {holdings === undefined ? (
        <p class="empty">{fault || t.common.reading}</p>
      ) : (
        <AccountHoldings holdings={holdings} />
      )}
      {holdings !== undefined && account !== undefined && (
        <AccountBills uid={uid} wallets={filledFirst(walletsOf(account), holdings)} />
      )}
      <h3 class="rows-title">{desk.keys.ofAccount}</h3>
      <KeyRows keys={keys} empty={desk.accounts.noKeys} />
    </section>
  )
}

/** Where there is something comes before where there is nothing. */
function filledFirst(wallets: readonly string[], { wallets: balances }: Holdings): readonly string[] {
  const isFilled = (wallet: string) => balances.some((balance) => balance.wallet === wallet)
  return [...wallets.filter(isFilled), ...wallets.filter((wallet) => !isFilled(wallet))]
}

type Open = 'deposit' | 'withdraw' | 'key' | 'freeze' | 'cancel' | undefined

interface AccountHeadProps {
  readonly uid: string
  readonly account: Account | undefined
  readonly holdings: Holdings | undefined
}

function AccountHead({ uid, account, holdings }: AccountHeadProps) {
  const [open, setOpen] = useState<Open>(undefined)
  const close = () => setOpen(undefined)
  return (
    <header class="account-head">
      <a class="back" href={at('accounts')} aria-label={desk.accounts.all}>
        ‹
      </a>
      <div class="who">
        <h2>{account?.name || uid}</h2>
        <span class="quiet">
          {uid} {account?.frozen === true && <span class="badge tone-down">{frozenText(account)}</span>}
        </span>
      </div>
      <dl class="figures">
        <Figure
          title={t.money.equity}
          value={<strong data-testid="equity">{money(holdings?.equityUsdt, 'USDT')}</strong>}
        />
        <Figure title={t.money.marginRatio} value={<MarginRatio holdings={holdings} />} />
        {account !== undefined && (
          <>
            <Figure title={desk.accounts.mode} value={named(t.accountModes, account.mode)} />
            {account.parentUid !== null && (
              <Figure
                title={desk.accounts.subOf}
                value={<a href={at('accounts', account.parentUid)}>{account.parentUid}</a>}
              />
            )}
            {account.channelCode !== null && <Figure title={desk.accounts.broker} value={account.channelCode} />}
            {account.copyTraderSymbols !== null && (
              <Figure title={desk.accounts.copyTrader} value={account.copyTraderSymbols.join(', ')} />
            )}
            <Figure title={desk.accounts.ordersToday} value={grouped(String(account.dailyOrders))} />
            <Figure title={desk.accounts.since} value={dateTime(account.createdAt)} />
          </>
        )}
      </dl>
      <div class="deeds">
        <button type="button" onClick={() => setOpen('deposit')}>
          {desk.accounts.deposit}
        </button>
        <button type="button" onClick={() => setOpen('withdraw')}>
          {desk.accounts.withdraw}
        </button>
        <button type="button" onClick={() => setOpen('key')}>
          {desk.keys.create}
        </button>
        <button type="button" data-action="freeze" disabled={account === undefined} onClick={() => setOpen('freeze')}>
          {account?.frozenByOperator === true ? desk.accounts.unfreeze : desk.accounts.freeze}
        </button>
        <button
          type="button"
          data-action="cancel-all"
          disabled={holdings === undefined || holdings.orders.length + holdings.triggers.length === 0}
          onClick={() => setOpen('cancel')}
        >
          {desk.accounts.cancelAll}
        </button>
        <a class="button" href={at('explain', '', { uid })}>
          {desk.page.explain}
        </a>
      </div>
      {(open === 'deposit' || open === 'withdraw') && account !== undefined && (
        <MoveMoney account={account} way={open} onClose={close} />
      )}
      {open === 'key' && <CreateKey uid={uid} who={account?.name || uid} onClose={close} />}
      {open === 'freeze' && account !== undefined && <FreezeAccount account={account} onClose={close} />}
      {open === 'cancel' && account !== undefined && holdings !== undefined && (
        <CancelAll account={account} holdings={holdings} onClose={close} />
      )}
    </header>
  )
}

function frozenText({ frozenByOperator }: Account): string {
  return frozenByOperator ? desk.accounts.frozenByOperator : desk.accounts.frozenByMain
}

/** That of the pool that is nearest to being liquidated. */
function MarginRatio({ holdings }: { holdings: Holdings | undefined }) {
  const ratios = (holdings?.pools ?? []).map(({ marginRatio }) => marginRatio)
  const [highest] = ratios.sort((first, second) => Number(second) - Number(first))
  if (highest === undefined) return <span data-testid="margin-ratio">–</span>
  return (
    <strong class={ratioTone(highest)} data-testid="margin-ratio">
      {percent(highest)}
    </strong>
  )
}
