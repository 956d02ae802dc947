/** Funding: what the contract in view has settled at, and what the account paid or got. */
import { useEffect, useState } from 'preact/hooks'
import { direction, percent } from '../numbers/format.ts'
import { CauseLink } from '../parts/cause-link.tsx'
import { amounts } from '../parts/numbers.tsx'
import { Pages } from '../parts/pages.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { historyCategory } from '../store/history-category.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { dateTime } from '../store/times.ts'
import type { FundingPayment } from '../venue/account-records.ts'
import { isFutures } from '../venue/instruments.ts'
import { publicGet } from '../venue/rest.ts'
import { t } from '../words/words.ts'
import { HistoryFilter } from './history-filter.tsx'

interface Rate {
  readonly symbol: string
  readonly fundingRate: string
  readonly fundingRateTimestamp: string
}

const rateColumns = (): Column<Rate>[] => [
  {
    title: t.funding.settled,
    time: true,
    head: true,
    cell: (settled) => dateTime(Number(settled.fundingRateTimestamp)),
  },
  {
    title: t.funding.rate,
    number: true,
    cell: (settled) => <span class={direction(settled.fundingRate)}>{percent(settled.fundingRate, 4)}</span>,
  },
]

const paymentColumns = (): Column<FundingPayment>[] => [
  { title: t.columns.contract, head: true, cell: (payment) => payment.symbol },
  amounts({
    title: t.funding.paidOrGot,
    of: ({ amount }) => amount,
    coin: ({ coin }) => coin,
    signed: true,
    tone: ({ amount }) => direction(amount),
  }),
  { title: t.columns.time, time: true, number: true, cell: (payment) => dateTime(payment.at) },
]

export function Funding() {
  const category = historyCategory(true).value
  return (
    <div class="two">
      <div>
        <h3 class="rows-title">
          {t.funding.title} <CauseLink cause="funding" />
        </h3>
        <div class="rows-head">
          <HistoryFilter />
        </div>
        <Pages
          caption={t.funding.caption}
          columns={paymentColumns()}
          keyOf={({ id }) => id}
          empty={t.funding.none}
          askedBy={(payment) => payment}
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
  const instrument = currentInstrument.value
  useEffect(() => {
    setRates([])
    if (instrument === undefined || !isFutures(instrument)) return
    const query = { category: instrument.category, symbol: instrument.symbol, limit: 50 }
    void publicGet<{ resultList: Rate[] }>('/api/v3/market/history-fund-rate', query)
      .then(({ resultList }) => setRates(resultList))
      .catch(() => {})
  }, [instrument])
  if (instrument === undefined || !isFutures(instrument)) return null
  return (
    <div>
      <h3 class="rows-title">{t.funding.rates(instrument.symbol, percent(ticker.value?.fundingRate, 4))}</h3>
      <Rows
        caption={t.funding.ratesCaption(instrument.symbol)}
        columns={rateColumns()}
        rows={rates}
        keyOf={({ fundingRateTimestamp }) => fundingRateTimestamp}
        empty={t.funding.noRates}
      />
    </div>
  )
}
