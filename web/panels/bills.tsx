/** Every change of a balance, with what moved it and the balance after it. */
import { direction } from '../numbers/format.ts'
import { CauseLink } from '../parts/cause-link.tsx'
import { SelectField } from '../parts/field.tsx'
import { amounts } from '../parts/numbers.tsx'
import { Pages } from '../parts/pages.tsx'
import type { Column } from '../parts/rows.tsx'
import { historyChanges } from '../store/account.ts'
import { billCategory } from '../store/history-category.ts'
import { session } from '../store/session.ts'
import { dateTime } from '../store/times.ts'
import { type Bill, type BillCategory, billTold } from '../venue/bills.ts'
import { t } from '../words/words.ts'
import { HistoryFilter } from './history-filter.tsx'

const columns = (): Column<Bill>[] => [
  {
    title: t.columns.what,
    head: true,
    cell: ({ type }) => {
      const { text, cause } = billTold(type)
      return (
        <>
          {cause !== undefined && t.causes[cause].name === text ? '' : text} <CauseLink cause={cause} />
        </>
      )
    },
  },
  { title: t.columns.symbol, cell: ({ symbol }) => symbol || '–' },
  amounts({
    title: t.common.amount,
    of: ({ amount }) => amount,
    coin: ({ coin }) => coin,
    signed: true,
    tone: ({ amount }) => direction(amount),
  }),
  amounts({
    title: t.columns.fee,
    of: ({ fee }) => (Number(fee) === 0 ? '' : fee),
    coin: ({ coin }) => coin,
    bare: true,
    signed: true,
  }),
  amounts({ title: t.bills.balanceAfter, of: ({ balance }) => balance, coin: ({ coin }) => coin, cut: true }),
  { title: t.columns.time, time: true, number: true, cell: ({ at }) => dateTime(at) },
]

function nameOfBills(category: BillCategory): string {
  return category === 'OTHER' ? t.bills.other : t.categories[category]
}

export function Bills() {
  const offered = session.value?.account.billCategories ?? []
  const category = offered.includes(billCategory.value) ? billCategory.value : (offered[0] ?? 'SPOT')
  return (
    <>
      <div class="rows-head">
        <SelectField
          label={t.bills.of}
          compact
          value={category}
          options={offered.map((one) => [one, nameOfBills(one)] as const)}
          onChange={(chosen) => (billCategory.value = chosen)}
        />
        <HistoryFilter />
      </div>
      <Pages
        caption={t.account.bills}
        columns={columns()}
        keyOf={({ id }) => id}
        empty={t.bills.none(nameOfBills(category))}
        askedBy={({ symbol, at }) => ({ symbol: symbol ?? '', at })}
        when={[category, historyChanges.value]}
        read={(account, cursor) => account.bills(category, cursor)}
      />
    </>
  )
}
