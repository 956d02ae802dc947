/** What can be done with a position: closing a part of it, adding margin, its take-profit and stop-loss. */
import { useEffect, useState } from 'preact/hooks'
import { changeMargin, closePosition, reversePosition, setPositionTpsl } from '../actions/positions.ts'
import { coinPlaces } from '../numbers/columns.ts'
import { divFloor, fixedText, floorTo, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { amountFault, priceFault } from '../numbers/faults.ts'
import { direction, grouped, money, signed } from '../numbers/format.ts'
import { isolatedLiquidation } from '../trading/liquidation.ts'
import { spareMargin } from '../trading/position-margin.ts'
import { profitAt } from '../trading/profit.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { Figure } from '../parts/figure.tsx'
import { useAct } from '../parts/use-act.ts'
import { tpslPrices, wallets, wholeTpslOf } from '../store/account.ts'
import { instrumentNamed, tickers } from '../store/market.ts'
import { session } from '../store/session.ts'
import type { Position } from '../venue/account-records.ts'
import { loadTiers, type Tier } from '../venue/instruments.ts'
import { t } from '../words/words.ts'

interface PositionDialogProps {
  readonly position: Position
  readonly onClose: () => void
}

function nameOf({ side, symbol }: Position): string {
  return t.positionNamed(t.sides[side], symbol)
}

function markOf({ category, symbol, markPrice }: Position): string {
  return tickers.value.get(`${category}/${symbol}`)?.mark ?? markPrice
}

export function ClosePosition({ position, onClose }: PositionDialogProps) {
  const [how, setHow] = useState<'market' | 'limit'>('market')
  const [quantity, setQuantity] = useState(position.quantity)
  const [price, setPrice] = useState(position.markPrice)
  const { isUnderWay, begin } = useAct()
  const instrument = instrumentNamed(position.category, position.symbol)
  const wanted = parseUnits(quantity)
  const most = units(position.quantity)
  const fault =
    wanted === undefined || wanted <= 0n || wanted > most ? t.faults.aboveZeroAtMost(position.quantity) : undefined
  const wrongPrice =
    how === 'limit' ? priceFault(price, instrument?.priceStep ?? 1n, instrument?.quote ?? '') : undefined
  const isReady = fault === undefined && wrongPrice === undefined && !(how === 'limit' && price === '')
  const profit = isReady ? profitAt({ ...position, quantity }, how === 'limit' ? price : markOf(position)) : '0'
  const share = (part: bigint) =>
    setQuantity(unitsText(floorTo(divFloor(most * part, 100n), instrument?.quantityStep ?? 1n)))
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const part = how === 'limit' ? { quantity, price } : wanted === most ? undefined : { quantity }
    begin(() => closePosition(position, part), onClose)
  }
  return (
    <Dialog title={t.positions.closeTitle(nameOf(position))} onClose={onClose}>
      <form onSubmit={submit}>
        <Choice
          label={t.positions.how}
          class="plain"
          value={how}
          options={[
            ['market', t.positions.atMarket],
            ['limit', t.positions.atPrice],
          ]}
          onChange={setHow}
        />
        {how === 'limit' && (
          <NumberField
            label={t.columns.price}
            name="closePrice"
            unit={instrument?.quote ?? ''}
            value={price}
            step={instrument?.priceStep ?? 1n}
            fault={wrongPrice}
            onChange={setPrice}
          />
        )}
        <NumberField
          label={t.columns.quantity}
          name="closeQuantity"
          unit={instrument?.quantityUnit ?? ''}
          value={quantity}
          step={instrument?.quantityStep ?? 1n}
          fault={fault}
          onChange={setQuantity}
        />
        <div class="share-buttons">
          {[25n, 50n, 75n, 100n].map((part) => (
            <button key={String(part)} type="button" onClick={() => share(part)}>
              {String(part)}%
            </button>
          ))}
        </div>
        {isReady && (
          <p data-testid="close-profit">
            {how === 'market' ? t.positions.marketMakes : t.positions.limitMakes}
            <span class={direction(profit)}>{signed(profit, position.marginCoin)}</span>
            {t.positions.makesAfter}
          </p>
        )}
        <button
          type="submit"
          class={`send ${position.side === 'long' ? 'sell' : 'buy'}`}
          data-testid="close-position"
          disabled={!isReady || isUnderWay}
        >
          {t.positions.closeButton(`${grouped(quantity)} ${instrument?.quantityUnit ?? ''}`)}
        </button>
      </form>
    </Dialog>
  )
}

export function ReversePosition({ position, onClose }: PositionDialogProps) {
  const instrument = instrumentNamed(position.category, position.symbol)
  const profit = profitAt(position, markOf(position))
  const size = `${grouped(position.quantity)} ${instrument?.quantityUnit ?? ''}`
  const away = position.side === 'long' ? 'short' : 'long'
  const { isUnderWay, begin } = useAct()
  return (
    <Dialog title={t.positions.reverseTitle(nameOf(position))} onClose={onClose}>
      <p>{t.positions.reverses(size, away)}</p>
      <p data-testid="reverse-profit">
        {t.positions.marketMakes}
        <span class={direction(profit)}>{signed(profit, position.marginCoin)}</span>
        {t.positions.makesAfter}
      </p>
      <button
        type="button"
        class={`send ${away === 'long' ? 'buy' : 'sell'}`}
        data-testid="reverse-position"
        autoFocus
        disabled={isUnderWay}
        onClick={() => begin(() => reversePosition(position), onClose)}
      >
        {t.positions.reverse}
      </button>
    </Dialog>
  )
}

interface PositionMarginProps extends PositionDialogProps {
  /** What is written there at first. */
  readonly operation?: 'add' | 'remove'
  readonly amount?: string
}

export function PositionMargin({ position, onClose, ...first }: PositionMarginProps) {
  const [operation, setOperation] = useState(first.operation ?? 'add')
  const [amount, setAmount] = useState(first.amount ?? '')
  const { isUnderWay, begin } = useAct()
  const wanted = parseUnits(amount)
  const there = operation === 'add' ? availableFor(position) : unitsText(spareMargin(position, markOf(position)))
  const fault = amountFault(amount, there)
  const ready = wanted !== undefined && fault === undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (ready) begin(() => changeMargin(position, operation, amount), onClose)
  }
  return (
    <Dialog title={t.positions.marginTitle(nameOf(position))} onClose={onClose}>
      <form onSubmit={submit}>
        <Choice
          label={t.positions.addOrTake}
          class="plain"
          value={operation}
          options={[
            ['add', t.positions.add],
            ['remove', t.positions.take],
          ]}
          onChange={setOperation}
        />
        <NumberField
          label={t.common.amount}
          name="margin"
          unit={position.marginCoin}
          value={amount}
          fault={fault}
          onChange={setAmount}
        />
        <MarginFigures
          position={position}
          operation={operation}
          most={there}
          change={ready ? (operation === 'add' ? wanted : -wanted) : 0n}
        />
        <button type="submit" class="primary wide" disabled={!ready || isUnderWay}>
          {operation === 'add' ? t.positions.addMargin : t.positions.takeMargin}
        </button>
      </form>
    </Dialog>
  )
}

interface MarginFiguresProps {
  readonly position: Position
  readonly operation: 'add' | 'remove'
  readonly most: string | undefined
  /** What would be added, below zero what would be taken. */
  readonly change: bigint
}

/** Cut, never rounded up: the most that is shown is there. */
function MarginFigures({ position, operation, most, change }: MarginFiguresProps) {
  const { marginCoin, margin, side, quantity, entryPrice } = position
  const instrument = instrumentNamed(position.category, position.symbol)
  const [tiers, setTiers] = useState<readonly Tier[]>([])
  useEffect(() => {
    // Without them that price stays a dash.
    if (instrument !== undefined) void loadTiers(instrument).then(setTiers, () => undefined)
  }, [instrument])
  const amount = (text: string | undefined) =>
    text === undefined ? '–' : `${grouped(fixedText(units(text), coinPlaces(marginCoin)))} ${marginCoin}`
  const open = { side, quantity: units(quantity), entryPrice: units(entryPrice) }
  const then =
    instrument === undefined || tiers.length === 0
      ? undefined
      : (isolatedLiquidation(instrument, open, units(margin) + change, tiers) ?? 'none')
  return (
    <dl class="figures preview">
      <Figure title={t.positions.marginNow} value={amount(margin)} />
      <Figure title={operation === 'add' ? t.positions.mostToAdd : t.positions.mostToTake} value={amount(most)} />
      <Figure
        title={t.positions.liquidationThen}
        value={
          <span class="warn" data-testid="liquidation-then">
            {then === undefined ? '–' : then === 'none' ? t.common.none : grouped(unitsText(then))}
          </span>
        }
      />
    </dl>
  )
}

/** Of its margin coin in the wallet that it is traded from; undefined: not read yet. */
function availableFor({ category, marginCoin }: Position): string | undefined {
  const name = session.value?.account.walletOf(category)
  const wallet = wallets.value?.find((found) => found.name === name)
  return wallet && (wallet.coins.find(({ coin }) => coin === marginCoin)?.available ?? '0')
}

export function PositionTpsl({ position, onClose }: PositionDialogProps) {
  const there = tpslPrices(wholeTpslOf(position))
  const isThere = there.takeProfit !== '' || there.stopLoss !== ''
  const [takeProfit, setTakeProfit] = useState(there.takeProfit)
  const [stopLoss, setStopLoss] = useState(there.stopLoss)
  const { isUnderWay, begin } = useAct()
  const instrument = instrumentNamed(position.category, position.symbol)
  const step = instrument?.priceStep ?? 1n
  const unit = instrument?.quote ?? ''
  const faults = {
    takeProfit: priceFault(takeProfit, step, unit),
    stopLoss: priceFault(stopLoss, step, unit),
  }
  const isWrong = faults.takeProfit !== undefined || faults.stopLoss !== undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isWrong) begin(() => setPositionTpsl(position, { takeProfit, stopLoss }), onClose)
  }
  return (
    <Dialog title={t.positions.tpslTitle(nameOf(position))} onClose={onClose}>
      <form onSubmit={submit}>
        <p class="quiet">
          {t.positions.tpslAbout(grouped(position.entryPrice), grouped(markOf(position)))}
          {isThere && ` ${t.positions.tpslEmptied}`}
        </p>
        <NumberField
          label={t.tpsl.takeProfit}
          unit={unit}
          value={takeProfit}
          step={step}
          fault={faults.takeProfit}
          onChange={setTakeProfit}
        />
        {faults.takeProfit === undefined && <ProfitAt position={position} price={takeProfit} name="take-profit" />}
        <NumberField
          label={t.tpsl.stopLoss}
          unit={unit}
          value={stopLoss}
          step={step}
          fault={faults.stopLoss}
          onChange={setStopLoss}
        />
        {faults.stopLoss === undefined && <ProfitAt position={position} price={stopLoss} name="stop-loss" />}
        <button
          type="submit"
          class="primary wide"
          disabled={isWrong || (takeProfit === '' && stopLoss === '' && !isThere) || isUnderWay}
        >
          {t.common.set}
        </button>
      </form>
    </Dialog>
  )
}

/** What the whole position wins or loses at a price, before fees. */
function ProfitAt({ position, price, name }: { position: Position; price: string; name: string }) {
  if (price === '') return null
  const profit = profitAt(position, price)
  const says = profit.startsWith('-') ? t.tpsl.loses : t.tpsl.wins
  return (
    <p class={`below-field ${direction(profit)}`} data-testid={`position-${name}`}>
      {says(money(profit.replace('-', ''), position.marginCoin))}
    </p>
  )
}
