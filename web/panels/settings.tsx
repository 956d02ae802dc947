/** Settings of the account, which the venue keeps, and of this browser. */
import { useEffect, useState } from 'preact/hooks'
import { titled } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, SelectField } from '../parts/field.tsx'
import { Figure } from '../parts/figure.tsx'
import { settings } from '../store/account.ts'
import { confirmsOrders } from '../store/preferences.ts'
import { session } from '../store/session.ts'
import { theme } from '../store/theme.ts'
import { closeDialog } from '../store/view.ts'
import { setHoldMode, setStpMode } from '../trading/actions.ts'

export function SettingsDialog() {
  const here = session.value
  const now = settings.value
  const [ordersToday, setOrdersToday] = useState('')
  useEffect(() => {
    void here?.account
      .get<{ orderCount: string }>('/api/v3/account/order-count')
      .then(({ orderCount }) => setOrdersToday(orderCount))
      .catch(() => {})
  }, [here])
  return (
    <Dialog title="Settings" onClose={closeDialog}>
      {here !== undefined && now !== undefined && (
        <>
          <dl class="figures preview">
            <Figure title="Account" value={here.uid} />
            {here.parentUid !== '' && <Figure title="Sub-account of" value={here.parentUid} />}
            <Figure title="Mode" value={titled(now.accountMode)} />
            <Figure title="The key may" value={here.readOnly ? 'read' : 'read and trade'} />
            <Figure title="Orders today" value={ordersToday === '' ? '–' : ordersToday} />
          </dl>
          <h3>Positions</h3>
          <Choice
            label="Position mode"
            class="plain"
            value={now.holdMode}
            options={[
              ['one_way_mode', 'One-way'],
              ['hedge_mode', 'Hedge'],
            ]}
            onChange={(mode) => void setHoldMode(mode)}
          />
          <p class="quiet">
            Hedge: long and short of a contract at once. It can change while no position and no order is open.
          </p>
          <SelectField
            label="Self-trade prevention"
            value={now.stpMode}
            options={[
              ['none', 'None'],
              ['cancel_taker', 'Cancel the new order'],
              ['cancel_maker', 'Cancel the resting order'],
              ['cancel_both', 'Cancel both'],
            ]}
            onChange={(mode) => void setStpMode(mode)}
          />
        </>
      )}
      <h3>This browser</h3>
      <Choice
        label="Colours"
        class="plain"
        value={theme.value}
        options={[
          ['dark', 'Dark'],
          ['light', 'Light'],
        ]}
        onChange={(one) => (theme.value = one)}
      />
      <Check
        label="Ask once more before an order is sent"
        checked={confirmsOrders.value}
        onChange={(checked) => (confirmsOrders.value = checked)}
      />
    </Dialog>
  )
}
