/**
 * The order ticket. What it would take stands above its button, before anything is sent; Enter in any field sends it, and a
 * person may want to be asked once more.
 */
import { useState } from 'preact/hooks'
import { newName } from '../actions/carry-out.ts'
import { placeOrder } from '../actions/orders.ts'
import { floorTo, minOf, oneE8, units, unitsText } from '../numbers/decimal.ts'
import { grouped, money, titled } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Check, NumberField, SelectField } from '../parts/field.tsx'
import { isHedge, leverageOf, positionsOf } from '../store/account.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { confirmsOrders } from '../store/preferences.ts'
import { maxOrder } from '../store/max-order.ts'
import { session } from '../store/session.ts'
import { ticket } from '../store/ticket.ts'
import { dialog } from '../store/view.ts'
import type { OrderDraft } from '../venue/account.ts'
import { type Instrument, isFutures } from '../venue/instruments.ts'
import { ConfirmOrder } from './confirm-order.tsx'
import { TpslFields } from './tpsl.tsx'
import { PreviewFigures } from './preview-figures.tsx'

export function Ticket() {
  const instrument = currentInstrument.value
  const [asking, setAsking] = useState<OrderDraft | undefined>(undefined)
  const [sending, setSending] = useState(false)
  if (instrument === undefined) return <section class="panel ticket" aria-label="Order ticket" />
  const send = async (draft: OrderDraft) => {
    setSending(true)
    await placeOrder(draft)
    setSending(false)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (session.value === undefined) {
      dialog.value = 'sign-in'
      return
    }
    const draft = ticket.draft(newName())
    if (ticket.blockedBecause.value !== undefined || draft === undefined || sending) return
    if (confirmsOrders.value) setAsking(draft)
    else void send(draft)
  }
  return (
    <section class="panel ticket" aria-label="Order ticket">
      <form onSubmit={submit}>
        {isFutures(instrument) && <ContractTerms instrument={instrument} />}
        <Sides instrument={instrument} />
        <Choice
          label="Order type"
          class="plain"
          value={ticket.kind.value}
          options={ticket.orderCapabilities.value.kinds.map((kind) => [kind, titled(kind)] as const)}
          onChange={(value) => (ticket.kind.value = value)}
        />
        {ticket.kind.value === 'trigger' && <TriggerFields instrument={instrument} />}
        {ticket.hasLimitPrice.value && (
          <NumberField
            label="Price"
            name="price"
            unit={instrument.quote}
            value={ticket.price.value}
            step={instrument.priceStep}
            fault={ticket.faults.value.price}
            onChange={(value) => (ticket.price.value = value)}
            aside={<PriceShortcuts />}
          />
        )}
        <NumberField
          label={ticket.quoteSized.value ? 'Amount' : 'Quantity'}
          name="quantity"
          unit={ticket.quoteSized.value ? instrument.quote : instrument.quantityUnit}
          value={ticket.quantity.value}
          step={ticket.quoteSized.value ? oneE8 : instrument.quantityStep}
          fault={ticket.faults.value.quantity}
          onChange={(value) => (ticket.quantity.value = value)}
        />
        {ticket.orderCapabilities.value.coinStep !== undefined && (
          <p class="quiet">
            Ordered in steps of {unitsText(ticket.orderCapabilities.value.coinStep)} {instrument.base}: the contracts
            that fit in.
          </p>
        )}
        <Shares instrument={instrument} />
        {ticket.kind.value === 'limit' && (
          <SelectField
            label="Time in force"
            name="timeInForce"
            value={ticket.timeInForce.value}
            options={[
              ['gtc', 'Good till canceled'],
              ['post_only', 'Post only'],
              ['ioc', 'Immediate or cancel'],
              ['fok', 'Fill or kill'],
            ]}
            onChange={(value) => (ticket.timeInForce.value = value)}
          />
        )}
        <div class="checks">
          {isFutures(instrument) && !isHedge(instrument) && (
            <Check
              label="Reduce only"
              checked={ticket.reduceOnly.value}
              onChange={(checked) => (ticket.reduceOnly.value = checked)}
            />
          )}
          {!ticket.onlyReduces.value && ticket.orderCapabilities.value.tpslBy.length > 0 && (
            <Check
              label="Take profit, stop loss"
              checked={ticket.withTpsl.value}
              onChange={(checked) => (ticket.withTpsl.value = checked)}
            />
          )}
        </div>
        {ticket.bringsTpsl.value && <TpslFields instrument={instrument} />}
        <div class="ticket-foot">
          <PreviewFigures />
          <Send instrument={instrument} sending={sending} />
        </div>
      </form>
      {asking !== undefined && (
        <ConfirmOrder draft={asking} onSend={() => void send(asking)} onClose={() => setAsking(undefined)} />
      )}
    </section>
  )
}

function ContractTerms({ instrument }: { instrument: Instrument }) {
  const { leverage, marginMode } = leverageOf(instrument)
  const signedIn = session.value !== undefined
  return (
    <div class="terms">
      <button type="button" disabled={!signedIn} data-testid="leverage" onClick={() => (dialog.value = 'leverage')}>
        {signedIn ? `${marginMode === 'crossed' ? 'Cross' : 'Isolated'} · ${leverage}x` : 'Margin mode'}
        <span class="unseen">, change margin mode and leverage</span>
      </button>
      <button type="button" disabled={!signedIn} onClick={() => (dialog.value = 'settings')}>
        {isHedge(instrument) ? 'Hedge' : 'One-way'}
        <span class="unseen">, change the position mode</span>
      </button>
    </div>
  )
}

function Sides({ instrument }: { instrument: Instrument }) {
  const hedge = isFutures(instrument) && isHedge(instrument)
  const closes = ticket.closes.value
  return (
    <>
      {hedge && (
        <Choice
          label="Open or close"
          class="plain"
          value={closes ? 'close' : 'open'}
          options={[
            ['open', 'Open'],
            ['close', 'Close'],
          ]}
          onChange={(value) => (ticket.closes.value = value === 'close')}
        />
      )}
      <Choice
        label="Side"
        class="sides"
        value={ticket.side.value}
        options={[
          ['buy', hedge ? (closes ? 'Buy, close short' : 'Buy, open long') : 'Buy'],
          ['sell', hedge ? (closes ? 'Sell, close long' : 'Sell, open short') : 'Sell'],
        ]}
        onChange={(value) => (ticket.side.value = value)}
      />
    </>
  )
}

function TriggerFields({ instrument }: { instrument: Instrument }) {
  return (
    <>
      <NumberField
        label={ticket.trails.value ? 'Activation price (or at once)' : 'Trigger price'}
        name="triggerPrice"
        unit={instrument.quote}
        value={ticket.triggerPrice.value}
        step={instrument.priceStep}
        fault={ticket.faults.value.triggerPrice}
        onChange={(value) => (ticket.triggerPrice.value = value)}
      />
      <div class="pair">
        <SelectField
          label="Triggered by"
          value={ticket.triggerBy.value}
          options={[
            ['market', 'Last price'],
            ['mark', 'Mark price'],
          ]}
          onChange={(value) => (ticket.triggerBy.value = value)}
        />
        <SelectField
          label="Then"
          name="triggered"
          value={ticket.triggered.value}
          options={[
            ['market', 'Market order'],
            ['limit', 'Limit order'],
            ...(isFutures(instrument) ? ([['trailing', 'Trailing, at market']] as const) : []),
          ]}
          onChange={(value) => (ticket.triggered.value = value)}
        />
      </div>
      {ticket.trails.value && (
        <NumberField
          label="Callback"
          name="callback"
          unit="%"
          value={ticket.callback.value}
          step={1_000_000n}
          fault={ticket.faults.value.callback}
          onChange={(value) => (ticket.callback.value = value)}
        />
      )}
    </>
  )
}

function PriceShortcuts() {
  const now = ticker.value
  const take = (text: string | undefined) => {
    if (text !== undefined && text !== '') ticket.price.value = text
  }
  return (
    <span class="shortcuts">
      <button type="button" class="link" onClick={() => take(now?.bid)}>
        Bid
      </button>
      <button type="button" class="link" onClick={() => take(now?.last)}>
        Last
      </button>
      <button type="button" class="link" onClick={() => take(now?.ask)}>
        Ask
      </button>
    </span>
  )
}

const shares = [25n, 50n, 75n, 100n] as const

/** What can be ordered, and parts of it. */
function Shares({ instrument }: { instrument: Instrument }) {
  const most = mostToOrder(instrument)
  const found = maxOrder.value
  return (
    <div class="shares">
      <div class="share-buttons" role="group" aria-label="Part of the most that can be ordered">
        {shares.map((share) => (
          <button
            key={String(share)}
            type="button"
            disabled={most === undefined || most === 0n}
            onClick={() => most !== undefined && ticket.takeShare(most, share)}
          >
            {String(share)}%
          </button>
        ))}
      </div>
      <input
        type="range"
        name="share"
        min="0"
        max="100"
        value={String(shareOf(most))}
        disabled={most === undefined || most === 0n}
        aria-label="Part of the most that can be ordered, in per cent"
        aria-valuetext={`${shareOf(most)}%`}
        onInput={(event) => most !== undefined && ticket.takeShare(most, BigInt(event.currentTarget.value))}
      />
      <dl class="figures small">
        <div>
          <dt>Available</dt>
          <dd>{found === undefined ? '–' : money(unitsText(found.available), availableCoin(instrument))}</dd>
        </div>
        <div>
          <dt>Most</dt>
          <dd>
            {most === undefined
              ? '–'
              : `${grouped(unitsText(floorTo(most, ticket.quoteSized.value ? oneE8 / 100n : instrument.quantityStep)))} ${
                  ticket.quoteSized.value ? instrument.quote : instrument.quantityUnit
                }`}
          </dd>
        </div>
      </dl>
      <CappedBecause instrument={instrument} />
    </div>
  )
}

/** What is written of the most, in whole per cent. */
function shareOf(most: bigint | undefined): number {
  const written = units(ticket.quantity.value)
  if (most === undefined || most === 0n || written <= 0n) return 0
  return Number(minOf(100n, (written * 100n + most / 2n) / most))
}

/** Why the most is less than what there is would open. */
function CappedBecause({ instrument }: { instrument: Instrument }) {
  const cap = ticket.tierCap(maxOrder.value?.available ?? 0n)
  if (cap === undefined || ticket.onlyReduces.value) return null
  const { leverage } = leverageOf(instrument)
  return (
    <p class="quiet" data-testid="capped">
      At {leverage}x a position goes up to {grouped(unitsText(cap))} {instrument.quote}. A lower leverage allows more.
    </p>
  )
}

function availableCoin(instrument: Instrument): string {
  if (isFutures(instrument)) return 'USD' === instrument.quote ? instrument.settle : instrument.quote
  return ticket.side.value === 'buy' ? instrument.quote : instrument.base
}

/** In what the quantity is written in. */
function mostToOrder(instrument: Instrument): bigint | undefined {
  if (isFutures(instrument) && ticket.onlyReduces.value) {
    const closing = ticket.side.value === 'buy' ? 'short' : 'long'
    return units(positionsOf(instrument).find(({ side }) => side === closing)?.quantity)
  }
  if (maxOrder.value === undefined) return undefined
  if (isFutures(instrument))
    return maxOrder.value.most?.[ticket.side.value] ?? ticket.mostReckoned(maxOrder.value.available)
  const spendable = maxOrder.value.withLoans
  if (ticket.side.value === 'sell' || ticket.quoteSized.value) return spendable
  return ticket.orderPrice.value === 0n ? undefined : (spendable * oneE8) / ticket.orderPrice.value
}

function Send({ instrument, sending }: { instrument: Instrument; sending: boolean }) {
  const signedIn = session.value !== undefined
  const blockedBecause = ticket.blockedBecause.value
  const side = ticket.side.value
  const what = isFutures(instrument) && ticket.onlyReduces.value ? 'to close' : ''
  const text =
    blockedBecause ??
    `${titled(side)} ${grouped(ticket.quantity.value)} ${ticket.countedIn.value}${instrument.base} ${what}`
  return (
    <button
      type="submit"
      class={`send ${side}`}
      data-testid="send"
      disabled={signedIn && (blockedBecause !== undefined || sending)}
      aria-keyshortcuts="Alt+Enter"
    >
      {sending ? 'Sending …' : text}
    </button>
  )
}
