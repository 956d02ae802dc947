/**
 * The order ticket. What it would take stands above its button, before anything is sent; Enter in any field sends it, and a
 * person may want to be asked once more.
 */
import { useState } from 'preact/hooks'
import { newName } from '../actions/carry-out.ts'
import { placeOrder } from '../actions/orders.ts'
import { fixedText, floorTo, minOf, oneE8, units, unitsText } from '../numbers/decimal.ts'
import { grouped, money } from '../numbers/format.ts'
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
import { KeptSizes, ValueField } from './sizes.tsx'
import { TpslFields } from './tpsl.tsx'
import { PreviewFigures } from './preview-figures.tsx'
import { choices, t } from '../words/words.ts'

export function Ticket() {
  const instrument = currentInstrument.value
  const [asking, setAsking] = useState<OrderDraft | undefined>(undefined)
  const [sending, setSending] = useState(false)
  if (instrument === undefined) return <section class="panel ticket" aria-label={t.ticket.label} />
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
    <section class="panel ticket" aria-label={t.ticket.label}>
      <form onSubmit={submit}>
        {isFutures(instrument) && <ContractTerms instrument={instrument} />}
        <Sides instrument={instrument} />
        <Choice
          label={t.ticket.orderType}
          class="plain"
          value={ticket.kind.value}
          options={ticket.orderCapabilities.value.kinds.map((kind) => [kind, t.orderKinds[kind]] as const)}
          onChange={(value) => (ticket.kind.value = value)}
        />
        {ticket.kind.value === 'trigger' && <TriggerFields instrument={instrument} />}
        {ticket.hasLimitPrice.value && (
          <NumberField
            label={t.ticket.price}
            name="price"
            unit={instrument.quote}
            value={ticket.price.value}
            step={instrument.priceStep}
            fault={ticket.faults.value.price}
            onChange={(value) => (ticket.price.value = value)}
            aside={<PriceShortcuts />}
          />
        )}
        <div class={ticket.quoteSized.value ? '' : 'pair'}>
          <NumberField
            label={ticket.quoteSized.value ? t.ticket.amount : t.ticket.quantity}
            name="quantity"
            unit={ticket.quoteSized.value ? instrument.quote : instrument.quantityUnit}
            value={ticket.quantity.value}
            step={ticket.quoteSized.value ? oneE8 : instrument.quantityStep}
            fault={ticket.faults.value.quantity}
            onChange={(value) => (ticket.quantity.value = value)}
          />
          {!ticket.quoteSized.value && <ValueField instrument={instrument} />}
        </div>
        {ticket.orderCapabilities.value.coinStep !== undefined && (
          <p class="quiet">{t.ticket.coinSteps(unitsText(ticket.orderCapabilities.value.coinStep), instrument.base)}</p>
        )}
        <Shares instrument={instrument} />
        <KeptSizes instrument={instrument} />
        {ticket.kind.value === 'limit' && (
          <SelectField
            label={t.ticket.timeInForce}
            name="timeInForce"
            value={ticket.timeInForce.value}
            options={choices(t.timesInForce)}
            onChange={(value) => (ticket.timeInForce.value = value)}
          />
        )}
        <div class="checks">
          {isFutures(instrument) && !isHedge(instrument) && (
            <Check
              label={t.ticket.reduceOnly}
              checked={ticket.reduceOnly.value}
              onChange={(checked) => (ticket.reduceOnly.value = checked)}
            />
          )}
          {!ticket.onlyReduces.value && ticket.orderCapabilities.value.tpslBy.length > 0 && (
            <Check
              label={t.ticket.tpsl}
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
        {signedIn ? `${t.marginModes[marginMode]} · ${leverage}x` : t.ticket.marginMode}
        <span class="unseen">{t.ticket.changeTerms}</span>
      </button>
      <button type="button" disabled={!signedIn} onClick={() => (dialog.value = 'settings')}>
        {t.holdModes[isHedge(instrument) ? 'hedge_mode' : 'one_way_mode']}
        <span class="unseen">{t.ticket.changeMode}</span>
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
          label={t.ticket.openOrClose}
          class="plain"
          value={closes ? 'close' : 'open'}
          options={[
            ['open', t.ticket.open],
            ['close', t.ticket.close],
          ]}
          onChange={(value) => (ticket.closes.value = value === 'close')}
        />
      )}
      <Choice
        label={t.ticket.side}
        class="sides"
        value={ticket.side.value}
        options={[
          ['buy', hedge ? (closes ? t.ticket.closeShort : t.ticket.openLong) : t.sides.buy],
          ['sell', hedge ? (closes ? t.ticket.closeLong : t.ticket.openShort) : t.sides.sell],
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
        label={ticket.trails.value ? t.ticket.activationOrNow : t.ticket.trigger}
        name="triggerPrice"
        unit={instrument.quote}
        value={ticket.triggerPrice.value}
        step={instrument.priceStep}
        fault={ticket.faults.value.triggerPrice}
        onChange={(value) => (ticket.triggerPrice.value = value)}
      />
      <div class="pair">
        <SelectField
          label={t.ticket.triggeredBy}
          value={ticket.triggerBy.value}
          options={choices(t.prices)}
          onChange={(value) => (ticket.triggerBy.value = value)}
        />
        <SelectField
          label={t.ticket.becomes}
          name="triggered"
          value={ticket.triggered.value}
          options={[
            ['market', t.ticket.thenMarket],
            ['limit', t.ticket.thenLimit],
            ...(isFutures(instrument) ? ([['trailing', t.ticket.thenTrailing]] as const) : []),
          ]}
          onChange={(value) => (ticket.triggered.value = value)}
        />
      </div>
      {ticket.trails.value && (
        <NumberField
          label={t.ticket.callback}
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
        {t.ticket.bid}
      </button>
      <button type="button" class="link" onClick={() => take(now?.last)}>
        {t.ticket.last}
      </button>
      <button type="button" class="link" onClick={() => take(now?.ask)}>
        {t.ticket.ask}
      </button>
      <button type="button" class="link" data-testid="scaled" onClick={() => (dialog.value = 'scaled')}>
        {t.ticket.scaled}
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
      <div class="share-buttons" role="group" aria-label={t.ticket.share}>
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
        aria-label={t.ticket.sharePercent}
        aria-valuetext={`${shareOf(most)}%`}
        onInput={(event) => most !== undefined && ticket.takeShare(most, BigInt(event.currentTarget.value))}
      />
      <dl class="figures small">
        <div>
          <dt>{t.ticket.available}</dt>
          <dd>{found === undefined ? '–' : money(unitsText(found.available), availableCoin(instrument))}</dd>
        </div>
        <div>
          <dt>{t.ticket.most}</dt>
          <dd>
            {most === undefined
              ? '–'
              : ticket.quoteSized.value
                ? `${grouped(fixedText(most, 2))} ${instrument.quote}`
                : `${grouped(fixedText(floorTo(most, instrument.quantityStep), instrument.quantityPrecision))} ${instrument.quantityUnit}`}
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
      {t.ticket.capped(String(leverage), `${grouped(unitsText(cap))} ${instrument.quote}`)}
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
  const said = isFutures(instrument) && ticket.onlyReduces.value ? t.ticket.sendToClose : t.ticket.send
  const what = `${grouped(ticket.quantity.value)} ${ticket.countedIn.value}${instrument.base}`
  const text = blockedBecause ?? said(t.sides[side], what)
  return (
    <button
      type="submit"
      class={`send ${side}`}
      data-testid="send"
      disabled={signedIn && (blockedBecause !== undefined || sending)}
      aria-keyshortcuts="Alt+Enter"
    >
      {sending ? t.common.sending : text}
    </button>
  )
}
