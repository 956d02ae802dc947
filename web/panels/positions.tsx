/** Open positions: their profit now, how near liquidation is, and what can be done with them. */
import { useState } from 'preact/hooks'
import { direction, grouped, money, percent, shown, signed, signedPercent } from '../numbers/format.ts'
import { type Column, Rows } from '../parts/rows.tsx'
import { positions, tpslOf, wallets } from '../store/account.ts'
import { isLive } from '../store/connection.ts'
import { instrumentNamed, precisionOf, tickers } from '../store/market.ts'
import { session } from '../store/session.ts'
import { profitAt } from '../trading/profit.ts'
import type { Position } from '../venue/account-records.ts'
import { Side, Symbol } from './names.tsx'
import { SharePosition } from './share-position.tsx'
import { ClosePosition, PositionMargin, PositionTpsl, ReversePosition } from './position-dialogs.tsx'
import { t } from '../words/words.ts'

type Action = 'close' | 'reverse' | 'margin' | 'tpsl' | 'share'

export function Positions() {
  const [open, setOpen] = useState<{ action: Action; key: string } | undefined>(undefined)
  const chosen = positions.value.find(({ key }) => key === open?.key)
  const close = () => setOpen(undefined)
  const columns: Column<Position>[] = [
    {
      title: t.columns.contract,
      head: true,
      cell: (position) => <Symbol category={position.category} symbol={position.symbol} />,
    },
    { title: t.columns.side, cell: (position) => <SideAndMode position={position} /> },
    { title: t.columns.size, number: true, cell: (position) => `${grouped(position.quantity)} ${unitOf(position)}` },
    {
      title: t.positions.entryMark,
      number: true,
      cell: (position) => (
        <Stacked first={priceText(position, position.entryPrice)} second={priceText(position, markNow(position))} />
      ),
    },
    {
      title: t.positions.liquidation,
      number: true,
      cell: (position) => (
        <span class="warn">
          {Number(position.liquidationPrice) > 0 ? grouped(position.liquidationPrice) : t.common.none}
        </span>
      ),
    },
    {
      title: t.positions.marginRatio,
      number: true,
      cell: (position) => (
        <Stacked first={money(position.margin, position.marginCoin)} second={percent(marginRatioOf(position))} />
      ),
    },
    { title: t.positions.pnl, number: true, cell: (position) => <Profit position={position} /> },
    {
      title: t.positions.tpsl,
      number: true,
      cell: (position) => {
        const { takeProfit, stopLoss } = tpslOf(position)
        return <Stacked first={grouped(takeProfit) || '–'} second={grouped(stopLoss) || '–'} />
      },
    },
    {
      title: t.common.actions,
      actions: true,
      cell: (position) => (
        <>
          <button
            type="button"
            data-action="close"
            disabled={!isLive.value}
            onClick={() => setOpen({ action: 'close', key: position.key })}
          >
            {t.positions.close}
          </button>
          <button
            type="button"
            data-action="reverse"
            disabled={!isLive.value}
            onClick={() => setOpen({ action: 'reverse', key: position.key })}
          >
            {t.positions.reverse}
          </button>
          <button type="button" data-action="tpsl" onClick={() => setOpen({ action: 'tpsl', key: position.key })}>
            {t.positions.tpslButton}
          </button>
          <button type="button" data-action="share" onClick={() => setOpen({ action: 'share', key: position.key })}>
            {t.positions.picture}
          </button>
          {position.marginMode === 'isolated' && (
            <button type="button" data-action="margin" onClick={() => setOpen({ action: 'margin', key: position.key })}>
              {t.positions.margin}
            </button>
          )}
        </>
      ),
    },
  ]
  return (
    <>
      <Rows
        caption={t.positions.caption}
        columns={columns}
        rows={positions.value}
        keyOf={({ key }) => key}
        empty={t.positions.empty}
      />
      {chosen !== undefined && open?.action === 'close' && <ClosePosition position={chosen} onClose={close} />}
      {chosen !== undefined && open?.action === 'reverse' && <ReversePosition position={chosen} onClose={close} />}
      {chosen !== undefined && open?.action === 'share' && (
        <SharePosition position={chosen} mark={markNow(chosen)} onClose={close} />
      )}
      {chosen !== undefined && open?.action === 'margin' && <PositionMargin position={chosen} onClose={close} />}
      {chosen !== undefined && open?.action === 'tpsl' && <PositionTpsl position={chosen} onClose={close} />}
    </>
  )
}

function SideAndMode({ position }: { position: Position }) {
  return (
    <span class="stacked">
      <Side side={position.side} />{' '}
      <span class="quiet">
        {t.marginModes[position.marginMode]} {position.leverage}x
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

function Profit({ position }: { position: Position }) {
  const pnl = profitAt(position, markNow(position))
  const share = Number(position.margin) > 0 ? String(Number(pnl) / Number(position.margin)) : ''
  const text = `${signed(cents(pnl, position.marginCoin))} (${signedPercent(share)})`
  return (
    <span data-testid="position-pnl">
      <Stacked first={text} second={signed(position.realizedPnl, position.marginCoin)} tone={direction(pnl)} />
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

/** Isolated: of the position's own margin; cross: of the wallet that backs it, or of its coin there. */
function marginRatioOf(position: Position): string {
  if (position.marginMode === 'crossed') {
    const name = session.value?.account.walletOf(position.category)
    const wallet = wallets.value?.find((found) => found.name === name)
    const coin = wallet?.coins.find((found) => found.coin === position.marginCoin)
    return (wallet?.marginState ?? coin?.marginState)?.marginRatio ?? ''
  }
  const equity = Number(position.margin) + Number(profitAt(position, markNow(position)))
  const inverse = position.category === 'COIN-FUTURES'
  const mark = Number(markNow(position))
  const value = inverse ? Number(position.quantity) / mark : Number(position.quantity) * mark
  const fee = Number(instrumentNamed(position.category, position.symbol)?.takerFeeRate ?? 0n) / 1e8
  return equity <= 0 ? '1' : String(Math.min(1, (value * (Number(position.maintenanceRate) + fee)) / equity))
}
