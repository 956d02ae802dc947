/** Funding: what the contract in view has settled at, and what the account paid or got. */
import { useEffect, useState } from 'preact/hooks'
import { dateTime, direction, percent, signed } from '../numbers/format.ts'
import { Pages } from '../parts/pages.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { historyCategory } from '../store/history-category.ts'
import { instrument, ticker } from '../store/market.ts'
import type { FundingPayment } from '../venue/account-records.ts'
import { isFutures } from '../venue/instruments.ts'
import { publicGet } from '../venue/rest.ts'

interface Rate {
  readonly symbol: string
  readonly fundingRate: string
  readonly fundingRateTimestamp: string
}

const rateColumns: Column<Rate>[] = [
  { title: 'Settled', head: true, cell: (one) => dateTime(Number(one.fundingRateTimestamp)) },
  {
    title: 'Rate',
    number: true,
    cell: (one) => <span class={direction(one.fundingRate)}>{percent(one.fundingRate, 4)}</span>,
  },
]

const paymentColumns: Column<FundingPayment>[] = [
  { title: 'Contract', head: true, cell: (one) => one.symbol },
  {
    title: 'Paid (−) or got',
    number: true,
    cell: (one) => <span class={direction(one.amount)}>{signed(one.amount, one.coin)}</span>,
  },
  { title: 'Time', number: true, cell: (one) => dateTime(one.at) },
]

export function Funding() {
  const category = historyCategory(true).value
  return (
    <div class="two">
      <div>
        <h3 class="rows-title">Paid and got</h3>
        <Pages
          caption="Funding payments"
          columns={paymentColumns}
          keyOf={({ id }) => id}
          empty="No funding has been settled for you."
          when={[category]}
          read={async (account) => ({ rows: await account.fundingPayments(category), next: undefined })}
        />
      </div>
      <Rates />
    </div>
  )
}

function Rates() {
  const [rates, setRates] = useState<readonly Rate[]>([])
  const one = instrument.value
  useEffect(() => {
    setRates([])
    if (one === undefined || !isFutures(one)) return
    const query = { category: one.category, symbol: one.symbol, limit: 50 }
    void publicGet<{ resultList: Rate[] }>('/api/v3/market/history-fund-rate', query)
      .then(({ resultList }) => setRates(resultList))
      .catch(() => {})
  }, [one])
  if (one === undefined || !isFutures(one)) return null
  return (
    <div>
      <h3 class="rows-title">
        Rates of {one.symbol}, now {percent(ticker.value?.fundingRate, 4)}
      </h3>
      <Rows
        caption={`Funding rates of ${one.symbol}`}
        columns={rateColumns}
        rows={rates}
        keyOf={({ fundingRateTimestamp }) => fundingRateTimestamp}
        empty="Nothing has been settled yet."
      />
    </div>
  )
}
