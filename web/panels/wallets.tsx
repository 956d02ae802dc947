/** Wallets: what each has, coin by coin, the margin that its positions need, and ways to move money. */
import { amount, direction, grouped, money, percent, signed } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { wallets } from '../store/account.ts'
import { dialog } from '../store/view.ts'
import type { CoinBalance, Wallet, WalletName } from '../venue/account-records.ts'
import { walletTitles } from './names.tsx'

const columns = {
  coin: { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
  equity: { title: 'Equity', number: true, cell: ({ equity }) => <Amount exact={equity} /> },
  balance: { title: 'Balance', number: true, cell: ({ balance }) => <Amount exact={balance} /> },
  available: { title: 'Available', number: true, cell: ({ available }) => <Amount exact={available} /> },
  held: { title: 'Held', number: true, cell: ({ held }) => <Amount exact={held} /> },
  debt: {
    title: 'Debt',
    number: true,
    cell: ({ debt }) => <span class={Number(debt) > 0 ? 'down' : ''}>{grouped(debt)}</span>,
  },
  pnl: {
    title: 'PnL',
    number: true,
    cell: ({ marginState }) => (
      <span class={direction(marginState?.unrealizedPnl)}>{signed(marginState?.unrealizedPnl)}</span>
    ),
  },
  ratio: { title: 'Margin ratio', number: true, cell: ({ marginState }) => percent(marginState?.marginRatio) },
  usdValue: { title: 'Value', number: true, cell: ({ usd }) => money(usd, 'USD') },
} satisfies Record<string, Column<CoinBalance>>

const { coin, equity, balance, available, held, debt, pnl, ratio, usdValue } = columns
const ofFutures = [coin, equity, available, held, pnl, ratio]

const columnsOf: Readonly<Record<WalletName, readonly Column<CoinBalance>[]>> = {
  uta: [coin, equity, balance, available, held, debt, usdValue],
  spot: [coin, balance, available, held],
  p2p: [coin, balance, available],
  crossed_margin: [coin, equity, balance, available, held, debt],
  usdt_futures: ofFutures,
  coin_futures: ofFutures,
  usdc_futures: ofFutures,
}

function Amount({ exact }: { exact: string }) {
  return <span title={grouped(exact)}>{amount(exact)}</span>
}

export function Wallets() {
  const found = wallets.value
  if (found === undefined) return <p class="empty">Reading …</p>
  return (
    <>
      <div class="rows-head">
        <dl class="figures">
          {found.map((wallet) => (
            <WalletFigures key={wallet.name} wallet={wallet} />
          ))}
        </dl>
        <button type="button" class="quiet-button" onClick={() => (dialog.value = 'chain')}>
          Deposit, withdraw
        </button>
        <button type="button" class="quiet-button" onClick={() => (dialog.value = 'transfer')}>
          Transfer
        </button>
        <button type="button" class="quiet-button" onClick={() => (dialog.value = 'loans')}>
          Borrow, repay
        </button>
      </div>
      <div class="wallets">
        {found.map(({ name, coins }) => (
          <div key={name} class={name === 'uta' ? 'roomy-wallet' : ''}>
            <h3 class="rows-title">{walletTitles[name]}</h3>
            <Rows
              caption={walletTitles[name]}
              columns={columnsOf[name]}
              rows={coins}
              keyOf={(row) => row.coin}
              empty="Empty."
            />
          </div>
        ))}
      </div>
    </>
  )
}

/** What all coins of a wallet come to. */
function WalletFigures({ wallet: { name, equity: total, marginState } }: { wallet: Wallet }) {
  if (name === 'uta') {
    return (
      <>
        <Figure title="Equity" value={money(total, 'USD')} />
        <Figure title="Initial margin" value={money(marginState?.initialMargin, 'USD')} />
        <Figure title="Maintenance margin" value={money(marginState?.maintenanceMargin, 'USD')} />
        <Figure title="Margin ratio" value={percent(marginState?.marginRatio)} />
      </>
    )
  }
  return (
    <>
      {total !== '' && (
        <Figure title={walletTitles[name].replace(/ \(.*\)| wallet/g, '')} value={money(total, 'USDT')} />
      )}
      {marginState !== undefined && <Figure title="Risk of loans" value={percent(marginState.marginRatio)} />}
    </>
  )
}
