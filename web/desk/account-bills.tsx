/** What changed a wallet of an account, newest first, a page at a time. */
import { useState } from 'preact/hooks'
import { direction, money, signed, titled } from '../numbers/format.ts'
import { SelectField } from '../parts/field.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { billTold } from '../venue/bills.ts'
import type { Bill, BillPage } from './records.ts'
import { usePages } from './use-pages.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

const pageSize = 20

const columns = (): readonly Column<Bill>[] => [
  { title: t.columns.what, head: true, cell: ({ type }) => whatMoved(type) },
  { title: desk.page.instrument, cell: ({ symbol }) => symbol ?? '–' },
  {
    title: t.common.amount,
    number: true,
    cell: ({ amount, coin }) => <span class={direction(amount)}>{signed(amount, coin)}</span>,
  },
  { title: t.columns.fee, number: true, cell: ({ fee, coin }) => (Number(fee) === 0 ? '–' : signed(fee, coin)) },
  { title: t.bills.balanceAfter, number: true, cell: ({ balance, coin }) => money(balance, coin) },
  { title: t.columns.time, time: true, number: true, cell: ({ at }) => dateTime(at) },
]

/** The operator's call has names of its own beside those of the interface. */
function whatMoved(type: string): string {
  const kinds: Readonly<Record<string, string>> = desk.bills.kinds
  return kinds[type] ?? titled(billTold(type).text)
}

interface AccountBillsProps {
  readonly uid: string
  /** Those that it may have, the one to begin with first. */
  readonly wallets: readonly string[]
}

export function AccountBills({ uid, wallets }: AccountBillsProps) {
  const [chosen, setChosen] = useState('')
  const wallet = wallets.includes(chosen) ? chosen : (wallets[0] ?? '')
  const { rows, fault, more } = usePages(
    'accounts/bills',
    { uid, wallet, limit: pageSize },
    ({ bills, next }: BillPage) => ({ rows: bills, next }),
    'before',
  )
  return (
    <>
      <div class="rows-head">
        <h3>{desk.bills.title}</h3>
        <SelectField
          label={desk.bills.ofWallet}
          compact
          name="bills"
          value={wallet}
          options={wallets.map((option) => [option, named(t.walletsShort, option)] as const)}
          onChange={setChosen}
        />
      </div>
      <Rows
        caption={desk.bills.title}
        columns={columns()}
        rows={rows ?? []}
        keyOf={({ billId }) => billId}
        empty={rows === undefined ? fault || t.common.reading : desk.bills.none(named(t.walletsShort, wallet))}
      />
      {more !== undefined && (
        <button type="button" class="quiet-button more" onClick={more}>
          {desk.bills.older}
        </button>
      )}
    </>
  )
}
