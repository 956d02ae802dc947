/** The order once more before it goes, for those who want to be asked. */
import { grouped, titled } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Figure } from '../parts/figure.tsx'
import { ticket } from '../store/ticket.ts'
import type { OrderDraft } from '../venue/account.ts'
import { PreviewFigures } from './preview-figures.tsx'

interface ConfirmOrderProps {
  readonly draft: OrderDraft
  readonly onSend: () => void
  readonly onClose: () => void
}

function termsOf(draft: OrderDraft): (readonly [name: string, value: string | undefined])[] {
  const { trigger, takeProfit, stopLoss, posSide } = draft
  return [
    ['Order type', draft.orderType],
    ['Price', draft.price],
    ['Time in force', draft.orderType === 'limit' ? draft.timeInForce.replace('_', ' ') : ''],
    [trigger?.callback === undefined ? 'Trigger price' : 'Activation price', trigger?.price],
    ['Callback', trigger?.callback && `${trigger.callback} %`],
    ['Take profit', takeProfit?.price],
    ['Stop loss', stopLoss?.price],
    ['Reduce only', draft.reduces ? 'yes' : ''],
    ['Position', posSide],
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
      title={`${titled(side)} ${grouped(quantity)} ${ticket.countedIn.value}${instrument.symbol}?`}
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
        {titled(side)}
      </button>
    </Dialog>
  )
}
