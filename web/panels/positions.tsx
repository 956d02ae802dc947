/** Open positions: what they are worth now, how near liquidation is, and what can be done with them. */
import { useState } from 'preact/hooks'
import { direction, grouped, money, percent, shown, signed, signedPercent } from '../numbers/format.ts'
import { type Column, Rows } from '../parts/rows.tsx'
import { positions, wallets } from '../store/account.ts'
import { instrumentNamed, precisionOf, tickers } from '../store/market.ts'
import { session } from '../store/session.ts'
import { profitAt } from '../trading/profit.ts'
import type { Position } from '../venue/account-records.ts'
import { Side, Symbol } from './names.tsx'
import { ClosePosition, GuardPosition, PositionMargin, ReversePosition } from './position-dialogs.tsx'

type Action = 'close' | 'reverse' | 'margin' | 'guard'

export function Positions() {
  const [open, setOpen] = useState<{ action: Action; key: string } | undefined>(undefined)
  const chosen = positions.value.find(({ key }) => key === open?.key)
  const close = () => setOpen(undefined)
  const columns: Column<Position>[] = [
    { title: 'Contract', head: true, cell: (one) => <Symbol category={one.category} symbol={one.symbol} /> },
    { title: 'Side', cell: (one) => <SideAndMode one={one} /> },
    { title: 'Size', number: true, cell: (one) => `${grouped(one.quantity)} ${unitOf(one)}` },
    {
      title: 'Entry, mark',
      number: true,
      cell: (one) => <Stacked first={priceText(one, one.entryPrice)} second={priceText(one, markNow(one))} />,
    },
    {
      title: 'Liquidation',
      number: true,
      cell: (one) => (
        <span class="warn">{Number(one.liquidationPrice) > 0 ? grouped(one.liquidationPrice) : 'none'}</span>
      ),
    },
    {
      title: 'Margin, ratio',
      number: true,
      cell: (one) => <Stacked first={money(one.margin, one.marginCoin)} second={percent(marginRatioOf(one))} />,
    },
    { title: 'PnL, realized', number: true, cell: (one) => <Profit one={one} /> },
    {
      title: 'Actions',
      actions: true,
      cell: (one) => (
        <>
          <button type="button" data-action="close" onClick={() => setOpen({ action: 'close', key: one.key })}>
            Close
          </button>
          <button type="button" data-action="reverse" onClick={() => setOpen({ action: 'reverse', key: one.key })}>
            Reverse
          </button>
          <button type="button" data-action="guard" onClick={() => setOpen({ action: 'guard', key: one.key })}>
            TP/SL
          </button>
          {one.marginMode === 'isolated' && (
            <button type="button" data-action="margin" onClick={() => setOpen({ action: 'margin', key: one.key })}>
              Margin
            </button>
          )}
        </>
      ),
    },
  ]
  return (
    <>
      <Rows
        caption="Open positions"
        columns={columns}
        rows={positions.value}
        keyOf={({ key }) => key}
        empty="No open positions."
      />
      {chosen !== undefined && open?.action === 'close' && <ClosePosition position={chosen} onClose={close} />}
      {chosen !== undefined && open?.action === 'reverse' && <ReversePosition position={chosen} onClose={close} />}
      {chosen !== undefined && open?.action === 'margin' && <PositionMargin position={chosen} onClose={close} />}
      {chosen !== undefined && open?.action === 'guard' && <GuardPosition position={chosen} onClose={close} />}
    </>
  )
}

function SideAndMode({ one }: { one: Position }) {
  const mode = one.marginMode === 'crossed' ? 'Cross' : 'Isolated'
  return (
    <span class="stacked">
      <Side side={one.side} />{' '}
      <span class="quiet">
        {mode} {one.leverage}x
      </span>
    </span>
  )
}

/** Two figures over each other; on a phone beside each other. */
function Stacked({ first, second, tone = '' }: { first: string; second: string; tone?: string }) {
  return (
    <span class="stacked">
      <span class={tone}>{first}</span> <span class="quiet">{second}</span>
    </span>
  )
}

function Profit({ one }: { one: Position }) {
  const pnl = profitAt(one, markNow(one))
  const share = Number(one.margin) > 0 ? String(Number(pnl) / Number(one.margin)) : ''
  const text = `${signed(cents(pnl, one.marginCoin))} (${signedPercent(share)})`
  return (
    <span data-testid="position-pnl">
      <Stacked first={text} second={signed(one.realizedPnl, one.marginCoin)} tone={direction(pnl)} />
    </span>
  )
}

/** Dollars in cents, coins in full. */
function cents(text: string, coin: string): string {
  return coin.startsWith('USD') ? Number(text).toFixed(2) : text
}

function priceText({ category, symbol }: Position, text: string): string {
  return shown(text, precisionOf(category, symbol).price)
}

function unitOf({ category, symbol }: Position): string {
  return instrumentNamed(category, symbol)?.quantityUnit ?? ''
}

function markNow({ category, symbol, markPrice }: Position): string {
  return tickers.value.get(`${category}/${symbol}`)?.mark ?? markPrice
}

/** Isolated: of the position's own margin; cross: of the wallet that carries it, or of its coin there. */
function marginRatioOf(one: Position): string {
  if (one.marginMode === 'crossed') {
    const name = session.value?.account.walletOf(one.category)
    const wallet = wallets.value?.find((found) => found.name === name)
    const coin = wallet?.coins.find((found) => found.coin === one.marginCoin)
    return (wallet?.standing ?? coin?.carries)?.marginRatio ?? ''
  }
  const equity = Number(one.margin) + Number(profitAt(one, markNow(one)))
  const inverse = one.category === 'COIN-FUTURES'
  const mark = Number(markNow(one))
  const value = inverse ? Number(one.quantity) / mark : Number(one.quantity) * mark
  const fee = Number(instrumentNamed(one.category, one.symbol)?.takerFeeRate ?? 0n) / 1e8
  return equity <= 0 ? '1' : String(Math.min(1, (value * (Number(one.maintenanceRate) + fee)) / equity))
}
