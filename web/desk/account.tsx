/** One account: its equity, wallets, positions, orders and keys, and what can be done to it. */
import { useState } from 'preact/hooks'
import { direction, grouped, money, signed, titled } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { type Category, categoryNames } from '../venue/categories.ts'
import { CreateKey, MoveMoney } from './account-dialogs.tsx'
import { KeyRows } from './key-rows.tsx'
import { at } from './place.ts'
import type { Account, AccountPage, Balance, Holdings, KeyPage, OpenOrder, Position } from './records.ts'
import { useRead } from './use-read.ts'
import { dateTime } from '../store/times.ts'

const everyMs = 5_000

export function AccountPanel({ uid }: { uid: string }) {
  const { data: holdings, fault } = useRead<Holdings>('accounts/holdings', { uid }, everyMs)
  const page = useRead<AccountPage>('accounts', { after: Number(uid) - 1, limit: 1 }).data
  const keys = useRead<KeyPage>('keys', { uid }).data?.keys ?? []
  const account = page?.accounts.find((listed) => listed.uid === uid)
  return (
    <section class="panel detail scrolls" aria-label={`Account ${uid}`}>
      <AccountHead uid={uid} account={account} equityUsdt={holdings?.equityUsdt} />
      {holdings === undefined ? (
        <p class="empty">{fault || 'Reading …'}</p>
      ) : (
        <>
          <h3 class="rows-title">Wallets</h3>
          <Rows
            caption="Wallets"
            columns={walletColumns}
            rows={holdings.wallets}
            keyOf={({ wallet, coin }) => `${wallet}/${coin}`}
            empty="Nothing is in its wallets."
          />
          {holdings.positions.length > 0 && (
            <>
              <h3 class="rows-title">Positions</h3>
              <Rows
                caption="Positions"
                columns={positionColumns(uid)}
                rows={holdings.positions}
                keyOf={({ category, symbol, posSide, marginMode }) => `${category}/${symbol}/${posSide}/${marginMode}`}
                empty=""
              />
            </>
          )}
          {holdings.orders.length > 0 && (
            <>
              <h3 class="rows-title">Open orders ({holdings.orders.length})</h3>
              <Rows
                caption="Open orders"
                columns={orderColumns}
                rows={holdings.orders.slice(0, ordersMax)}
                keyOf={({ orderId }) => orderId}
                empty=""
              />
            </>
          )}
        </>
      )}
      <h3 class="rows-title">Keys</h3>
      <KeyRows keys={keys} empty="It has no keys." />
    </section>
  )
}

/** The newest of them are enough to look at. */
const ordersMax = 20

type Open = 'deposit' | 'withdraw' | 'key' | undefined

interface AccountHeadProps {
  readonly uid: string
  readonly account: Account | undefined
  readonly equityUsdt: string | undefined
}

function AccountHead({ uid, account, equityUsdt }: AccountHeadProps) {
  const [open, setOpen] = useState<Open>(undefined)
  const close = () => setOpen(undefined)
  return (
    <header class="account-head">
      <a class="back" href={at('accounts')} aria-label="All accounts">
        ‹
      </a>
      <div class="who">
        <h2>{account?.name || uid}</h2>
        <span class="quiet">{uid}</span>
      </div>
      <dl class="figures">
        <Figure title="Equity" value={<strong data-testid="equity">{money(equityUsdt, 'USDT')}</strong>} />
        {account !== undefined && (
          <>
            <Figure title="Mode" value={titled(account.mode)} />
            {account.parentUid !== null && (
              <Figure
                title="Sub-account of"
                value={<a href={at('accounts', account.parentUid)}>{account.parentUid}</a>}
              />
            )}
            {account.channelCode !== null && <Figure title="Broker" value={account.channelCode} />}
            {account.copyTraderSymbols !== null && (
              <Figure title="Copy trader of" value={account.copyTraderSymbols.join(', ')} />
            )}
            <Figure title="Orders today" value={grouped(String(account.dailyOrders))} />
            <Figure title="Since" value={dateTime(account.createdAt)} />
          </>
        )}
      </dl>
      <div class="deeds">
        <button type="button" onClick={() => setOpen('deposit')}>
          Deposit
        </button>
        <button type="button" onClick={() => setOpen('withdraw')}>
          Withdraw
        </button>
        <button type="button" onClick={() => setOpen('key')}>
          New key
        </button>
        <a class="button" href={at('explain', '', { uid })}>
          Explain
        </a>
      </div>
      {(open === 'deposit' || open === 'withdraw') && account !== undefined && (
        <MoveMoney account={account} way={open} onClose={close} />
      )}
      {open === 'key' && <CreateKey uid={uid} onClose={close} />}
    </header>
  )
}

const walletColumns: Column<Balance>[] = [
  {
    title: 'Coin',
    head: true,
    cell: ({ wallet, coin }) => (
      <span class="symbol">
        <strong>{coin}</strong> <span class="badge">{wallet}</span>
      </span>
    ),
  },
  { title: 'Balance', number: true, cell: ({ balance }) => grouped(balance) },
  { title: 'Held', number: true, cell: ({ held }) => grouped(held) },
  { title: 'Available', number: true, cell: ({ available }) => grouped(available) },
  {
    title: 'Debt',
    number: true,
    cell: ({ debt }) => <span class={debt === '0' ? '' : 'down'}>{grouped(debt)}</span>,
  },
]

function Named({ category, symbol }: { category: string; symbol: string }) {
  return (
    <span class="symbol">
      <strong>{symbol}</strong> <span class="badge">{categoryNames[category as Category]}</span>
    </span>
  )
}

function positionColumns(uid: string): Column<Position>[] {
  return [
    { title: 'Contract', head: true, cell: (position) => <Named {...position} /> },
    {
      title: 'Side',
      cell: ({ posSide, leverage, marginMode }) => (
        <span class={posSide === 'long' ? 'up' : 'down'}>
          {titled(posSide)} {leverage}× {marginMode === 'crossed' ? 'cross' : 'isolated'}
        </span>
      ),
    },
    { title: 'Size', number: true, cell: ({ total }) => grouped(total) },
    { title: 'Entry', number: true, cell: ({ avgPrice }) => grouped(avgPrice) },
    { title: 'Mark', number: true, cell: ({ markPrice }) => grouped(markPrice) },
    {
      title: 'Liquidation',
      number: true,
      cell: ({ liquidationPrice }) => (Number(liquidationPrice) > 0 ? grouped(liquidationPrice) : 'none'),
    },
    {
      title: 'Unrealized',
      number: true,
      cell: ({ unrealisedPnl, marginCoin }) => (
        <span class={direction(unrealisedPnl)}>{signed(unrealisedPnl, marginCoin)}</span>
      ),
    },
    {
      title: 'Why',
      actions: true,
      cell: ({ category, symbol, posSide }) => (
        <a href={at('explain', '', { uid, symbol, category, holdSide: posSide })}>Explain</a>
      ),
    },
  ]
}

const orderColumns: Column<OpenOrder>[] = [
  { title: 'Instrument', head: true, cell: (order) => <Named {...order} /> },
  { title: 'Side', cell: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{titled(side)}</span> },
  { title: 'Price', number: true, cell: ({ price }) => grouped(price) },
  {
    title: 'Filled / quantity',
    number: true,
    cell: ({ cumExecQty, qty }) => `${grouped(cumExecQty)} / ${grouped(qty)}`,
  },
  { title: 'Placed', time: true, number: true, cell: ({ createdTime }) => dateTime(Number(createdTime)) },
  {
    title: 'Why',
    actions: true,
    cell: ({ orderId }) => <a href={at('explain', '', { orderId })}>Explain</a>,
  },
]
