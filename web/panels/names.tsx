/** How instruments, sides and wallets are named. */
import { choose, instrumentNamed } from '../store/market.ts'
import { view } from '../store/view.ts'
import type { WalletName } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'

const badges: Readonly<Record<Category, string>> = {
  SPOT: 'Spot',
  MARGIN: 'Margin',
  'USDT-FUTURES': 'USDT',
  'COIN-FUTURES': 'Coin',
  'USDC-FUTURES': 'USDC',
}

export const walletTitles: Readonly<Record<WalletName, string>> = {
  uta: 'Unified wallet',
  spot: 'Spot (funding) wallet',
  p2p: 'P2P wallet',
  crossed_margin: 'Cross margin wallet',
  usdt_futures: 'USDT futures wallet',
  coin_futures: 'Coin futures wallet',
  usdc_futures: 'USDC futures wallet',
}

/** A press on it shows its chart. */
export function Symbol({ category, symbol }: { category: Category; symbol: string }) {
  const instrument = instrumentNamed(category, symbol)
  return (
    <span class="symbol">
      <button
        type="button"
        class="link strong"
        disabled={instrument === undefined}
        onClick={() => {
          if (instrument !== undefined) choose(instrument)
          view.value = 'chart'
        }}
      >
        {symbol}
      </button>
      <span class="badge">{badges[category]}</span>
    </span>
  )
}

export function Side({ side, text = side }: { side: string; text?: string }) {
  const tone = side === 'buy' || side === 'long' ? 'up' : 'down'
  return <span class={tone}>{text.slice(0, 1).toUpperCase() + text.slice(1)}</span>
}
