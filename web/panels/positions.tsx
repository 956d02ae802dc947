/** Open positions: their profit now, how near liquidation is, and what can be done with them. */
import { useEffect, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { coinPlaces } from '../numbers/columns.ts'
import { direction, percent, signedPercent } from '../numbers/format.ts'
import { Aligned, numbers } from '../parts/numbers.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { positions, tpslOf, wallets } from '../store/account.ts'
import { isLive } from '../store/connection.ts'
import { instrumentNamed, pricePlaces, quantityPlaces, tickers } from '../store/market.ts'
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
  // A position that ended while its dialog was open has none when there is one of its contract again.
  const isOver = open !== undefined && chosen === undefined
  useEffect(() => {
    if (isOver) close()
  }, [isOver])
  const columns: Column<Position>[] = [
    {
      title: t.columns.contract,
      head: true,
      cell: (position) => <Symbol category={position.category} symbol={position.symbol} />,
    },
    { title: t.columns.side, cell: (position) => <SideAndMode position={position} /> },
    numbers({ title: t.columns.size, places: quantityPlaces, of: ({ quantity }) => quantity, coin: unitOf }),
    {
      title: t.positions.entryMark,
      number: true,
      places: pricePlaces,
      cell: (position, widest) => (
        <Stacked
          first={<Aligned text={position.entryPrice} places={pricePlaces(position)} widest={widest} />}
          second={<Aligned text={markNow(position)} places={pricePlaces(position)} widest={widest} />}
        />
      ),
    },
    {
      title: t.positions.liquidation,
      number: true,
      places: pricePlaces,
      cell: (position, widest) =>
        Number(position.liquidationPrice) > 0 ? (
          <Aligned text={position.liquidationPrice} places={pricePlaces(position)} widest={widest} class="warn" />
        ) : (
          <span class="quiet">{t.common.none}</span>
        ),
    },
    {
      title: t.positions.marginRatio,
      number: true,
      places: ({ marginCoin }) => coinPlaces(marginCoin),
      cell: (position, widest) => (
        <Stacked
          first={<Aligned text={position.margin} places={coinPlaces(position.marginCoin)} widest={widest} />}
          second={`${position.marginCoin} · ${percent(marginRatioOf(position))}`}
        />
      ),
    },
    {
      title: t.positions.pnl,
      number: true,
      places: ({ marginCoin }) => coinPlaces(marginCoin),
      cell: (position, widest) => <Profit position={position} widest={widest} />,
    },
    {
      title: t.positions.tpsl,
      number: true,
      places: pricePlaces,
      cell: (position, widest) => {
        const { takeProfit, stopLoss } = tpslOf(position)
        return (
          <Stacked
            first={<Aligned text={takeProfit} places={pricePlaces(position)} widest={widest} />}
            second={<Aligned text={stopLoss} places={pricePlaces(position)} widest={widest} />}
          />
        )
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
          {position.marginMode === 'isolated' && (
            <button type="button" data-action="margin" onClick={() => setOpen({ action: 'margin', key: position.key })}>
              {t.positions.margin}
            </button>
          )}
          <button
            type="button"
            data-action="share"
            title={t.positions.picture}
            onClick={() => setOpen({ action: 'share', key: position.key })}
          >
            {t.positions.picture}
          </button>
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
function Stacked({ first, second }: { first: ComponentChildren; second: ComponentChildren }) {
  return (
    <span class="stacked">
      <span>{first}</span> <span class="quiet">{second}</span>
    </span>
  )
}

/** With its share of the margin, and what was realized; both in the coin that the margin is in. */
function Profit({ position, widest }: { position: Position; widest: number }) {
  const { marginCoin, realizedPnl } = position
  const pnl = profitAt(position, markNow(position))
  const share = Number(position.margin) > 0 ? String(Number(pnl) / Number(position.margin)) : ''
  const common = { places: coinPlaces(marginCoin), widest, signed: true }
  return (
    <span data-testid="position-pnl">
      <Stacked
        first={
          <span class={direction(pnl)}>
            {signedPercent(share)} <Aligned {...common} text={pnl} />
          </span>
        }
        second={<Aligned {...common} text={realizedPnl} />}
      />
    </span>
  )
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
