/** Settings of the account, which the venue keeps, and of this browser. */
import { useEffect, useState } from 'preact/hooks'
import { setHoldMode, setStpMode } from '../actions/settings.ts'
import { titled } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, SelectField } from '../parts/field.tsx'
import { Figure } from '../parts/figure.tsx'
import { settings } from '../store/account.ts'
import { confirmsOrders, ownStpMode } from '../store/preferences.ts'
import { session } from '../store/session.ts'
import { theme } from '../store/theme.ts'
import { zone } from '../store/times.ts'
import { closeDialog } from '../store/view.ts'
import type { HoldMode } from '../venue/account-records.ts'
import { type Category, categoryNames } from '../venue/categories.ts'

export function SettingsDialog() {
  const here = session.value?.account
  const now = settings.value
  const [ordersToday, setOrdersToday] = useState<string | undefined>(undefined)
  useEffect(() => {
    void here
      ?.ordersToday()
      .then(setOrdersToday)
      .catch(() => {})
  }, [here])
  const stpMode = now?.stpMode
  return (
    <Dialog title="Settings" onClose={closeDialog}>
      {here !== undefined && now !== undefined && (
        <>
          <dl class="figures preview">
            <Figure title="Account" value={here.uid} />
            {here.parentUid !== '' && <Figure title="Sub-account of" value={here.parentUid} />}
            <Figure title="Mode" value={titled(here.mode)} />
            <Figure title="The key may" value={here.readOnly ? 'read' : 'read and trade'} />
            {ordersToday !== undefined && <Figure title="Orders today" value={ordersToday} />}
          </dl>
          <h3>Positions</h3>
          {now.holdModes.map(({ lines, mode }) => (
            <PositionMode key={lines.join()} lines={lines} mode={mode} alone={now.holdModes.length === 1} />
          ))}
          <p class="quiet">
            Hedge: long and short of a contract at once. It can change while no position and no order is open.
          </p>
          <SelectField
            label="Self-trade prevention"
            value={stpMode ?? ownStpMode.value}
            options={[
              ['none', 'None'],
              ['cancel_taker', 'Cancel the new order'],
              ['cancel_maker', 'Cancel the resting order'],
              ['cancel_both', 'Cancel both'],
            ]}
            onChange={(mode) => {
              if (stpMode === undefined) ownStpMode.value = mode
              else void setStpMode(mode)
            }}
          />
          {stpMode === undefined && <p class="quiet">Said with each order that goes from this browser.</p>}
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
        onChange={(chosen) => (theme.value = chosen)}
      />
      <Choice
        label="Times"
        class="plain"
        value={zone.value}
        options={[
          ['local', 'Of this device'],
          ['utc', 'UTC'],
        ]}
        onChange={(chosen) => (zone.value = chosen)}
      />
      <Check
        label="Ask once more before an order is sent"
        checked={confirmsOrders.value}
        onChange={(checked) => (confirmsOrders.value = checked)}
      />
    </Dialog>
  )
}

interface PositionModeProps {
  readonly lines: readonly Category[]
  readonly mode: HoldMode
  /** There is but one for all contracts. */
  readonly alone: boolean
}

function PositionMode({ lines, mode, alone }: PositionModeProps) {
  const names = lines.map((line) => categoryNames[line]).join(', ')
  return (
    <div class="setting">
      {!alone && <span class="quiet">{names}</span>}
      <Choice
        label={alone ? 'Position mode' : `Position mode of ${names}`}
        class="plain"
        value={mode}
        options={[
          ['one_way_mode', 'One-way'],
          ['hedge_mode', 'Hedge'],
        ]}
        onChange={(chosen) => void setHoldMode(lines, chosen)}
      />
    </div>
  )
}
