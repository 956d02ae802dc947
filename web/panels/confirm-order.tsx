/** The order once more before it goes, for those who want to be asked. */
import { grouped, titled } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import type { OrderRequest } from '../store/ticket.ts'
import { PreviewFigures } from './preview-figures.tsx'

interface ConfirmOrderProps {
  readonly request: OrderRequest
  readonly onSend: () => void
  readonly onClose: () => void
}

const told = ['orderType', 'price', 'timeInForce', 'triggerPrice', 'takeProfit', 'stopLoss', 'reduceOnly', 'posSide']

export function ConfirmOrder({ request, onSend, onClose }: ConfirmOrderProps) {
  const { side = '', qty = '', symbol = '' } = request.body
  const send = () => {
    onClose()
    onSend()
  }
  return (
    <Dialog title={`${titled(side)} ${grouped(qty)} ${symbol}?`} onClose={onClose}>
      <dl class="figures preview">
        {told
          .filter((name) => request.body[name] !== undefined)
          .map((name) => (
            <div key={name}>
              <dt>{titled(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))}</dt>
              <dd>{request.body[name]?.replace('_', ' ')}</dd>
            </div>
          ))}
      </dl>
      <PreviewFigures />
      <button type="button" class={`send ${side}`} autoFocus onClick={send}>
        {titled(side)}
      </button>
    </Dialog>
  )
}
