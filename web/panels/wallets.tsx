/** Wallets: what the unified account is worth, coin by coin, the funding wallet beside it, and ways to move money. */
import { useEffect, useState } from 'preact/hooks'
import { grouped, money, percent } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { assets } from '../store/account.ts'
import { session } from '../store/session.ts'
import { dialog } from '../store/view.ts'
import type { CoinBalance } from '../venue/account-records.ts'

const columns: Column<CoinBalance>[] = [
  { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
  { title: 'Equity', number: true, cell: ({ equity }) => grouped(equity) },
  { title: 'Balance', number: true, cell: ({ balance }) => grouped(balance) },
  { title: 'Available', number: true, cell: ({ available }) => grouped(available) },
  { title: 'Held', number: true, cell: ({ held }) => grouped(held) },
  {
    title: 'Debt',
    number: true,
    cell: ({ debt }) => <span class={Number(debt) > 0 ? 'down' : ''}>{grouped(debt)}</span>,
  },
  { title: 'Worth', number: true, cell: ({ usd }) => money(usd, 'USD') },
]

interface FundingBalance {
  readonly coin: string
  readonly available: string
  readonly frozen: string
  readonly balance: string
}

const fundingColumns: Column<FundingBalance>[] = [
  { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
  { title: 'Balance', number: true, cell: ({ balance }) => grouped(balance) },
  { title: 'Available', number: true, cell: ({ available }) => grouped(available) },
]

export function Wallets() {
  const worth = assets.value
  const account = session.value?.account
  const [funding, setFunding] = useState<readonly FundingBalance[]>([])
  useEffect(() => {
    void account
      ?.get<FundingBalance[]>('/api/v3/account/funding-assets')
      .then(setFunding)
      .catch(() => {})
  }, [account, worth?.equity, dialog.value])
  if (worth === undefined) return <p class="empty">Reading …</p>
  return (
    <>
      <div class="rows-head">
        <dl class="figures">
          <Figure title="Equity" value={money(worth.equity, 'USD')} />
          <Figure title="Initial margin" value={money(worth.initialMargin, 'USD')} />
          <Figure title="Maintenance margin" value={money(worth.maintenanceMargin, 'USD')} />
          <Figure title="Margin ratio" value={percent(worth.marginRatio)} />
        </dl>
        <button type="button" class="quiet-button" onClick={() => (dialog.value = 'transfer')}>
          Transfer
        </button>
        <button type="button" class="quiet-button" onClick={() => (dialog.value = 'loans')}>
          Borrow, repay
        </button>
      </div>
      <div class="two wide-first">
        <div>
          <h3 class="rows-title">Unified wallet</h3>
          <Rows
            caption="Unified wallet"
            columns={columns}
            rows={worth.coins}
            keyOf={({ coin }) => coin}
            empty="Empty."
          />
        </div>
        <div>
          <h3 class="rows-title">Spot (funding) wallet</h3>
          <Rows
            caption="Spot wallet"
            columns={fundingColumns}
            rows={funding}
            keyOf={({ coin }) => coin}
            empty="Empty."
          />
        </div>
      </div>
    </>
  )
}
