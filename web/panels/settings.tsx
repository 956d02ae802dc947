/** Settings of the account, which the venue keeps, and of this browser. */
import { useEffect, useState } from 'preact/hooks'
import { setHoldMode, setStpMode } from '../actions/settings.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, SelectField } from '../parts/field.tsx'
import { Figure } from '../parts/figure.tsx'
import { settings } from '../store/account.ts'
import { confirmsOrders, ownStpMode } from '../store/preferences.ts'
import { session } from '../store/session.ts'
import { soundsFills } from '../store/sounds.ts'
import { theme } from '../store/theme.ts'
import { zone } from '../store/times.ts'
import { closeDialog } from '../store/view.ts'
import type { HoldMode } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'
import { choices, languages, named, t } from '../words/words.ts'
import { language } from '../store/language.ts'
import { TabAccounts } from './tab-accounts.tsx'

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
    <Dialog title={t.common.settings} onClose={closeDialog}>
      <TabAccounts />
      {here !== undefined && now !== undefined && (
        <>
          <dl class="figures preview">
            <Figure title={t.settings.account} value={here.uid} />
            {here.parentUid !== '' && <Figure title={t.settings.subOf} value={here.parentUid} />}
            <Figure title={t.settings.mode} value={named(t.accountModes, here.mode)} />
            <Figure title={t.settings.keyMay} value={here.readOnly ? t.settings.read : t.settings.readAndTrade} />
            {ordersToday !== undefined && <Figure title={t.settings.ordersToday} value={ordersToday} />}
          </dl>
          <h3>{t.settings.positions}</h3>
          {now.holdModes.map(({ lines, mode }) => (
            <PositionMode key={lines.join()} lines={lines} mode={mode} alone={now.holdModes.length === 1} />
          ))}
          <p class="quiet">{t.settings.hedge}</p>
          <SelectField
            label={t.settings.stp}
            value={stpMode ?? ownStpMode.value}
            options={choices<string>(t.stpModes)}
            onChange={(mode) => {
              if (stpMode === undefined) ownStpMode.value = mode
              else void setStpMode(mode)
            }}
          />
          {stpMode === undefined && <p class="quiet">{t.settings.stpOwn}</p>}
        </>
      )}
      <h3>{t.settings.browser}</h3>
      <Setting
        label={t.settings.language}
        value={language.value}
        options={choices(languages)}
        onChange={(chosen) => (language.value = chosen)}
      />
      <Setting
        label={t.settings.colours}
        value={theme.value}
        options={[
          ['dark', t.settings.dark],
          ['light', t.settings.light],
        ]}
        onChange={(chosen) => (theme.value = chosen)}
      />
      <Setting
        label={t.settings.times}
        value={zone.value}
        options={[
          ['local', t.settings.ofDevice],
          ['utc', t.settings.utc],
        ]}
        onChange={(chosen) => (zone.value = chosen)}
      />
      <Check
        label={t.settings.asks}
        checked={confirmsOrders.value}
        onChange={(checked) => (confirmsOrders.value = checked)}
      />
      <Check
        label={t.settings.sounds}
        checked={soundsFills.value}
        onChange={(checked) => (soundsFills.value = checked)}
      />
    </Dialog>
  )
}

interface SettingProps<T extends string> {
  readonly label: string
  /** Seen in place of the label, which is read; none: it is seen in a title above. */
  readonly seen?: string
  readonly value: T
  readonly options: readonly (readonly [value: T, text: string])[]
  readonly onChange: (value: T) => void
}

/** One of a few, with what it is beside it. */
function Setting<T extends string>({ label, seen = label, ...choice }: SettingProps<T>) {
  return (
    <div class="setting">
      {seen !== '' && (
        <span class="quiet" aria-hidden="true">
          {seen}
        </span>
      )}
      <Choice label={label} class="plain" {...choice} />
    </div>
  )
}

interface PositionModeProps {
  readonly lines: readonly Category[]
  readonly mode: HoldMode
  /** There is but one for all contracts. */
  readonly alone: boolean
}

function PositionMode({ lines, mode, alone }: PositionModeProps) {
  const names = lines.map((line) => t.categories[line]).join(', ')
  return (
    <Setting
      label={alone ? t.settings.positionMode : t.settings.positionModeOf(names)}
      seen={alone ? '' : names}
      value={mode}
      options={choices(t.holdModes)}
      onChange={(chosen) => void setHoldMode(lines, chosen)}
    />
  )
}
