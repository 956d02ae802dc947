/** Wallets: what each has, coin by coin, the margin that its positions need, and ways to move money. */
import { coinPlaces } from '../numbers/columns.ts'
import { direction, money, percent } from '../numbers/format.ts'
import { Figure } from '../parts/figure.tsx'
import { amounts, numbers } from '../parts/numbers.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { wallets } from '../store/account.ts'
import { dialog } from '../store/view.ts'
import type { CoinBalance, Wallet, WalletName } from '../venue/account-records.ts'
import { t } from '../words/words.ts'

/** Cut to the decimals of the coin; the pointer shows all. */
const ofCoin = (title: string, of: (row: CoinBalance) => string): Column<CoinBalance> =>
  amounts({ title, of, coin: ({ coin }) => coin, bare: true, cut: true })

const columns = () =>
  ({
    coin: { title: t.common.coin, head: true, cell: ({ coin }) => <strong>{coin}</strong> },
    equity: ofCoin(t.money.equity, ({ equity }) => equity),
    balance: ofCoin(t.money.balance, ({ balance }) => balance),
    available: ofCoin(t.money.available, ({ available }) => available),
    held: ofCoin(t.money.held, ({ held }) => held),
    debt: amounts({
      title: t.money.debt,
      of: ({ debt }) => debt,
      coin: ({ coin }) => coin,
      bare: true,
      tone: ({ debt }) => (Number(debt) > 0 ? 'down' : ''),
    }),
    pnl: amounts({
      title: t.columns.pnl,
      of: ({ marginState }) => marginState?.unrealizedPnl,
      coin: ({ coin }) => coin,
      bare: true,
      signed: true,
      tone: ({ marginState }) => direction(marginState?.unrealizedPnl),
    }),
    ratio: { title: t.money.marginRatio, number: true, cell: ({ marginState }) => percent(marginState?.marginRatio) },
    usdValue: numbers({
      title: t.money.value,
      places: () => coinPlaces('USD'),
      of: ({ usd }) => usd,
      coin: () => 'USD',
    }),
  }) satisfies Record<string, Column<CoinBalance>>

type ColumnName = keyof ReturnType<typeof columns>
const ofFutures = ['coin', 'equity', 'available', 'held', 'pnl', 'ratio'] as const

const namesOf: Readonly<Record<WalletName, readonly ColumnName[]>> = {
  uta: ['coin', 'equity', 'balance', 'available', 'held', 'debt', 'usdValue'],
  spot: ['coin', 'balance', 'available', 'held'],
  p2p: ['coin', 'balance', 'available'],
  crossed_margin: ['coin', 'equity', 'balance', 'available', 'held', 'debt'],
  usdt_futures: ofFutures,
  coin_futures: ofFutures,
  usdc_futures: ofFutures,
}

function columnsOf(wallet: WalletName): Column<CoinBalance>[] {
  const all = columns()
  return namesOf[wallet].map((name) => all[name])
}

export function Wallets() {
  const found = wallets.value
  if (found === undefined) return <p class="empty">{t.common.reading}</p>
  return (
    <>
      <div class="rows-head">
        <dl class="figures">
          {found.map((wallet) => (
            <WalletFigures key={wallet.name} wallet={wallet} />
          ))}
        </dl>
        <div class="rows-acts">
          <button type="button" class="quiet-button" onClick={() => (dialog.value = 'chain')}>
            {t.money.chain}
          </button>
          <button type="button" class="quiet-button" onClick={() => (dialog.value = 'transfer')}>
            {t.money.transfer}
          </button>
          <button type="button" class="quiet-button" onClick={() => (dialog.value = 'loans')}>
            {t.money.loans}
          </button>
        </div>
      </div>
      <div class="wallets">
        {found.map(({ name, coins }) => (
          <div key={name} class={name === 'uta' ? 'roomy-wallet' : ''}>
            <h3 class="rows-title">{t.wallets[name]}</h3>
            <Rows
              caption={t.wallets[name]}
              columns={columnsOf(name)}
              rows={coins}
              keyOf={(row) => row.coin}
              empty={t.money.empty}
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
        <Figure title={t.money.equity} value={money(total, 'USD')} />
        <Figure title={t.money.initialMargin} value={money(marginState?.initialMargin, 'USD')} />
        <Figure title={t.money.maintenanceMargin} value={money(marginState?.maintenanceMargin, 'USD')} />
        <Figure title={t.money.marginRatio} value={percent(marginState?.marginRatio)} />
      </>
    )
  }
  return (
    <>
      {total !== '' && <Figure title={t.walletsShort[name]} value={money(total, 'USDT')} />}
      {marginState !== undefined && <Figure title={t.money.loanRisk} value={percent(marginState.marginRatio)} />}
    </>
  )
}
