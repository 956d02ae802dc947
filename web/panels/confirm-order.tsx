/** The order once more before it goes, for those who want to be asked. */
import { grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Figure } from '../parts/figure.tsx'
import { ticket } from '../store/ticket.ts'
import type { OrderDraft } from '../venue/account.ts'
import { PreviewFigures } from './preview-figures.tsx'
import { t } from '../words/words.ts'

interface ConfirmOrderProps {
  readonly draft: OrderDraft
  readonly onSend: () => void
  readonly onClose: () => void
}

function termsOf(draft: OrderDraft): (readonly [name: string, value: string | undefined])[] {
  const { trigger, takeProfit, stopLoss, posSide } = draft
  return [
    [t.ticket.orderType, t.orderKinds[draft.orderType]],
    [t.ticket.price, draft.price],
    [t.ticket.timeInForce, draft.orderType === 'limit' ? t.timesInForce[draft.timeInForce] : ''],
    [trigger?.callback === undefined ? t.ticket.trigger : t.ticket.activation, trigger?.price],
    [t.ticket.callback, trigger?.callback && `${trigger.callback} %`],
    [t.tpsl.takeProfit, takeProfit?.price],
    [t.tpsl.stopLoss, stopLoss?.price],
    [t.ticket.reduceOnly, draft.reduces ? t.ticket.yes : ''],
    [t.ticket.position, posSide && t.sides[posSide]],
  ]
}

export function ConfirmOrder({ draft, onSend, onClose }: ConfirmOrderProps) {
  const { side, quantity, instrument } = draft
  const send = () => {
    onClose()
    onSend()
  }
  return (
    <Dialog
      title={t.ticket.confirm(t.sides[side], `${grouped(quantity)} ${ticket.countedIn.value}${instrument.symbol}`)}
      onClose={onClose}
    >
      <dl class="figures preview">
        {termsOf(draft)
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([name, value]) => (
            <Figure key={name} title={name} value={value} />
          ))}
      </dl>
      <PreviewFigures />
      <button type="button" class={`send ${side}`} autoFocus onClick={send}>
        {t.sides[side]}
      </button>
    </Dialog>
  )
}
