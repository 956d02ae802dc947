/** What can be done with a position: closing a part of it, adding margin, its take-profit and stop-loss. */
import { useState } from 'preact/hooks'
import { changeMargin, closePosition, reversePosition, setPositionTpsl } from '../actions/positions.ts'
import { divFloor, floorTo, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { amountFault, priceFault } from '../numbers/faults.ts'
import { grouped, money, titled } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { triggers, wallets } from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import { session } from '../store/session.ts'
import type { Position } from '../venue/account-records.ts'

interface PositionDialogProps {
  readonly position: Position
  readonly onClose: () => void
}

function named({ side, symbol }: Position): string {
  return `${titled(side)} ${symbol}`
}

export function ClosePosition({ position, onClose }: PositionDialogProps) {
  const [how, setHow] = useState<'market' | 'limit'>('market')
  const [quantity, setQuantity] = useState(position.quantity)
  const [price, setPrice] = useState(position.markPrice)
  const instrument = instrumentNamed(position.category, position.symbol)
  const wanted = parseUnits(quantity)
  const most = units(position.quantity)
  const fault =
    wanted === undefined || wanted <= 0n || wanted > most ? `Above zero, at most ${position.quantity}` : undefined
  const wrongPrice =
    how === 'limit' ? priceFault(price, instrument?.priceStep ?? 1n, instrument?.quote ?? '') : undefined
  const isReady = fault === undefined && wrongPrice === undefined && !(how === 'limit' && price === '')
  const share = (part: bigint) =>
    setQuantity(unitsText(floorTo(divFloor(most * part, 100n), instrument?.quantityStep ?? 1n)))
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const part = how === 'limit' ? { quantity, price } : wanted === most ? undefined : { quantity }
    if (await closePosition(position, part)) onClose()
  }
  return (
    <Dialog title={`Close ${named(position)}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Choice
          label="How"
          class="plain"
          value={how}
          options={[
            ['market', 'At market'],
            ['limit', 'At a price'],
          ]}
          onChange={setHow}
        />
        {how === 'limit' && (
          <NumberField
            label="Price"
            name="closePrice"
            unit={instrument?.quote ?? ''}
            value={price}
            step={instrument?.priceStep ?? 1n}
            fault={wrongPrice}
            onChange={setPrice}
          />
        )}
        <NumberField
          label="Quantity"
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
        <button
          type="submit"
          class={`send ${position.side === 'long' ? 'sell' : 'buy'}`}
          data-testid="close-position"
          disabled={!isReady}
        >
          Close {grouped(quantity)} {instrument?.quantityUnit}
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
    <Dialog title={`Reverse ${named(position)}`} onClose={onClose}>
      <p>
        Closes {size} at market and opens a {away} of {size}.
      </p>
      <button
        type="button"
        class={`send ${away === 'long' ? 'buy' : 'sell'}`}
        data-testid="reverse-position"
        autoFocus
        onClick={() => void reverse()}
      >
        Reverse
      </button>
    </Dialog>
  )
}

export function PositionMargin({ position, onClose }: PositionDialogProps) {
  const [operation, setOperation] = useState<'add' | 'remove'>('add')
  const [amount, setAmount] = useState('')
  const wanted = parseUnits(amount)
  const there = operation === 'add' ? availableFor(position) : position.margin
  const fault = amountFault(amount, there)
  const ready = wanted !== undefined && fault === undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    if (ready && (await changeMargin(position, operation, amount))) onClose()
  }
  return (
    <Dialog title={`Margin of ${named(position)}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="quiet">It has {money(position.margin, position.marginCoin)}.</p>
        <Choice
          label="Add or take"
          class="plain"
          value={operation}
          options={[
            ['add', 'Add'],
            ['remove', 'Take back'],
          ]}
          onChange={setOperation}
        />
        <NumberField
          label="Amount"
          name="margin"
          unit={position.marginCoin}
          value={amount}
          fault={fault}
          onChange={setAmount}
        />
        <button type="submit" class="primary wide" disabled={!ready}>
          {operation === 'add' ? 'Add margin' : 'Take margin back'}
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
  const other = position.side === 'long' ? 'short' : 'long'
  const there = triggers.value.filter(
    ({ category, symbol, kind, posSide }) =>
      kind === 'tpsl' && category === position.category && symbol === position.symbol && posSide !== other,
  )
  const first = (name: 'takeProfit' | 'stopLoss') => there.find((trigger) => trigger[name] !== '')?.[name] ?? ''
  const [takeProfit, setTakeProfit] = useState(first('takeProfit'))
  const [stopLoss, setStopLoss] = useState(first('stopLoss'))
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
    <Dialog title={`Take profit and stop loss of ${named(position)}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="quiet">
          Close the whole position at market when the last price is reached. Entry {grouped(position.entryPrice)}, mark{' '}
          {grouped(position.markPrice)}.
        </p>
        <NumberField
          label="Take profit"
          unit={unit}
          value={takeProfit}
          step={step}
          fault={faults.takeProfit}
          onChange={setTakeProfit}
        />
        <NumberField
          label="Stop loss"
          unit={unit}
          value={stopLoss}
          step={step}
          fault={faults.stopLoss}
          onChange={setStopLoss}
        />
        <button type="submit" class="primary wide" disabled={isWrong || (takeProfit === '' && stopLoss === '')}>
          Set
        </button>
      </form>
    </Dialog>
  )
}
