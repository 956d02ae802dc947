/** What can be done with a position: closing a part of it, adding margin, its take-profit and stop-loss. */
import { useState } from 'preact/hooks'
import { changeMargin, closePosition, reversePosition, setPositionTpsl } from '../actions/positions.ts'
import { divFloor, floorTo, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { amountFault, priceFault } from '../numbers/faults.ts'
import { direction, grouped, money, signed } from '../numbers/format.ts'
import { profitAt } from '../trading/profit.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { tpslOf, wallets } from '../store/account.ts'
import { instrumentNamed, tickers } from '../store/market.ts'
import { session } from '../store/session.ts'
import type { Position } from '../venue/account-records.ts'
import { t } from '../words/words.ts'

interface PositionDialogProps {
  readonly position: Position
  readonly onClose: () => void
}

function nameOf({ side, symbol }: Position): string {
  return t.positionNamed(t.sides[side], symbol)
}

export function ClosePosition({ position, onClose }: PositionDialogProps) {
  const [how, setHow] = useState<'market' | 'limit'>('market')
  const [quantity, setQuantity] = useState(position.quantity)
  const [price, setPrice] = useState(position.markPrice)
  const instrument = instrumentNamed(position.category, position.symbol)
  const wanted = parseUnits(quantity)
  const most = units(position.quantity)
  const fault =
    wanted === undefined || wanted <= 0n || wanted > most ? t.faults.aboveZeroAtMost(position.quantity) : undefined
  const wrongPrice =
    how === 'limit' ? priceFault(price, instrument?.priceStep ?? 1n, instrument?.quote ?? '') : undefined
  const isReady = fault === undefined && wrongPrice === undefined && !(how === 'limit' && price === '')
  const mark = tickers.value.get(`${position.category}/${position.symbol}`)?.mark ?? position.markPrice
  const profit = isReady ? profitAt({ ...position, quantity }, how === 'limit' ? price : mark) : '0'
  const share = (part: bigint) =>
    setQuantity(unitsText(floorTo(divFloor(most * part, 100n), instrument?.quantityStep ?? 1n)))
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const part = how === 'limit' ? { quantity, price } : wanted === most ? undefined : { quantity }
    if (await closePosition(position, part)) onClose()
  }
  return (
    <Dialog title={t.positions.closeTitle(nameOf(position))} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
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
          disabled={!isReady}
        >
          {t.positions.closeButton(`${grouped(quantity)} ${instrument?.quantityUnit ?? ''}`)}
        </button>
      </form>
    </Dialog>
  )
}

export function ReversePosition({ position, onClose }: PositionDialogProps) {
  const instrument = instrumentNamed(position.category, position.symbol)
  const size = `${grouped(position.quantity)} ${instrument?.quantityUnit ?? ''}`
  const away = position.side === 'long' ? 'short' : 'long'
  const reverse = async () => {
    if (await reversePosition(position)) onClose()
  }
  return (
    <Dialog title={t.positions.reverseTitle(nameOf(position))} onClose={onClose}>
      <p>{t.positions.reverses(size, away)}</p>
      <button
        type="button"
        class={`send ${away === 'long' ? 'buy' : 'sell'}`}
        data-testid="reverse-position"
        autoFocus
        onClick={() => void reverse()}
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
  const wanted = parseUnits(amount)
  const there = operation === 'add' ? availableFor(position) : position.margin
  const fault = amountFault(amount, there)
  const ready = wanted !== undefined && fault === undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    if (ready && (await changeMargin(position, operation, amount))) onClose()
  }
  return (
    <Dialog title={t.positions.marginTitle(nameOf(position))} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="quiet">{t.positions.marginNow(money(position.margin, position.marginCoin))}</p>
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
        <button type="submit" class="primary wide" disabled={!ready}>
          {operation === 'add' ? t.positions.addMargin : t.positions.takeMargin}
        </button>
      </form>
    </Dialog>
  )
}

/** Of its margin coin in the wallet that it is traded from; undefined: not read yet. */
function availableFor({ category, marginCoin }: Position): string | undefined {
  const name = session.value?.account.walletOf(category)
  const wallet = wallets.value?.find((found) => found.name === name)
  return wallet && (wallet.coins.find(({ coin }) => coin === marginCoin)?.available ?? '0')
}

export function PositionTpsl({ position, onClose }: PositionDialogProps) {
  const there = tpslOf(position)
  const [takeProfit, setTakeProfit] = useState(there.takeProfit)
  const [stopLoss, setStopLoss] = useState(there.stopLoss)
  const instrument = instrumentNamed(position.category, position.symbol)
  const step = instrument?.priceStep ?? 1n
  const unit = instrument?.quote ?? ''
  const faults = {
    takeProfit: priceFault(takeProfit, step, unit),
    stopLoss: priceFault(stopLoss, step, unit),
  }
  const isWrong = faults.takeProfit !== undefined || faults.stopLoss !== undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isWrong) return
    if (await setPositionTpsl(position, { takeProfit, stopLoss })) onClose()
  }
  return (
    <Dialog title={t.positions.tpslTitle(nameOf(position))} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="quiet">{t.positions.tpslAbout(grouped(position.entryPrice), grouped(position.markPrice))}</p>
        <NumberField
          label={t.tpsl.takeProfit}
          unit={unit}
          value={takeProfit}
          step={step}
          fault={faults.takeProfit}
          onChange={setTakeProfit}
        />
        <NumberField
          label={t.tpsl.stopLoss}
          unit={unit}
          value={stopLoss}
          step={step}
          fault={faults.stopLoss}
          onChange={setStopLoss}
        />
        <button type="submit" class="primary wide" disabled={isWrong || (takeProfit === '' && stopLoss === '')}>
          {t.common.set}
        </button>
      </form>
    </Dialog>
  )
}
