/** What an operator does to accounts: makes them, gives them keys, pays in and out. */
import { useState } from 'preact/hooks'
import { grouped } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Check, FieldGroup, NumberField, SelectField, TextField } from '../parts/field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import { at, go } from './place.ts'
import type { Account, CoinConserved, Holdings, KeyMade } from './records.ts'
import { useRead } from './use-read.ts'
import { desk } from '../words/desk.ts'
import { choices, named, t } from '../words/words.ts'

export function CreateAccount({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<'main' | 'sub'>('main')
  const [mode, setMode] = useState<'unified' | 'hybrid' | 'classic'>('unified')
  const [parentUid, setParentUid] = useState('')
  const [name, setName] = useState('')
  const create = async () => {
    const { uid } = await act<{ uid: string }>('accounts', {
      kind,
      mode,
      name,
      parentUid: kind === 'sub' ? parentUid.trim() : null,
    })
    go(at('accounts', uid))
    return desk.accounts.made(uid)
  }
  return (
    <ActDialog title={desk.accounts.create} verb={desk.accounts.verb} run={create} onClose={onClose}>
      <Choice label={desk.accounts.kind} value={kind} options={choices(desk.accounts.kindsToMake)} onChange={setKind} />
      {kind === 'sub' && (
        <TextField label={desk.accounts.parentUid} name="parentUid" value={parentUid} onChange={setParentUid} />
      )}
      <SelectField
        label={desk.accounts.mode}
        name="mode"
        value={mode}
        options={choices(desk.accounts.modes)}
        onChange={setMode}
      />
      <TextField label={desk.accounts.name} name="name" value={name} onChange={setName} />
    </ActDialog>
  )
}

const allWallets = ['uta', 'spot', 'p2p', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin']

/** The wallets that an account may have money in, the one that trades first; others have all. Sub-accounts have no p2p. */
const walletsOfMode: Record<string, readonly string[]> = {
  unified: allWallets.slice(0, 3),
  classic: allWallets.slice(1),
}

export function walletsOf({ mode, kind }: Account): readonly string[] {
  return (walletsOfMode[mode] ?? allWallets).filter((wallet) => kind === 'main' || wallet !== 'p2p')
}

interface MoveMoneyProps {
  readonly account: Account
  readonly way: 'deposit' | 'withdraw'
  readonly onClose: () => void
}

export function MoveMoney({ account, way, onClose }: MoveMoneyProps) {
  const { uid, name } = account
  const who = name || uid
  const wallets = walletsOf(account)
  const [wallet, setWallet] = useState(wallets[0] ?? 'uta')
  const [coin, setCoin] = useState('USDT')
  const [amount, setAmount] = useState('')
  const coins = useRead<readonly Pick<CoinConserved, 'coin'>[]>('coins').data ?? []
  const holdings = useRead<Holdings>('accounts/holdings', { uid }).data
  const paysIn = way === 'deposit'
  // Debts and positions may keep a part of it: the venue says so.
  const available = holdings?.wallets.find((one) => one.wallet === wallet && one.coin === coin)?.available ?? '0'
  const move = async () => {
    await act(paysIn ? 'deposits' : 'withdrawals', { uid, wallet, coin, amount })
    const told = paysIn ? desk.accounts.paidIn : desk.accounts.paidOut
    return told(`${amount} ${coin}`, named(t.wallets, wallet), who)
  }
  return (
    <ActDialog
      title={paysIn ? desk.accounts.depositTo(who) : desk.accounts.withdrawFrom(who)}
      verb={paysIn ? desk.accounts.payIn : desk.accounts.payOut}
      danger={!paysIn}
      run={move}
      onClose={onClose}
    >
      <NumberField
        label={t.common.amount}
        name="amount"
        value={amount}
        onChange={setAmount}
        unit={coin}
        aside={
          !paysIn &&
          holdings !== undefined && (
            <button type="button" class="link" data-action="all" onClick={() => setAmount(available)}>
              {t.money.available} {grouped(available)}
            </button>
          )
        }
      />
      <div class="pair">
        <SelectField
          label={t.common.coin}
          name="coin"
          value={coin}
          options={coins.map(({ coin: symbol }) => [symbol, symbol] as const)}
          onChange={setCoin}
        />
        <SelectField
          label={desk.accounts.wallet}
          name="wallet"
          value={wallet}
          options={wallets.map((option) => [option, named(t.wallets, option)] as const)}
          onChange={setWallet}
        />
      </div>
    </ActDialog>
  )
}

/** Those that trade: `withdraw` is given by `tidemark keys create` alone. */
const permissions = [
  'read',
  'uta_trade',
  'uta_mgt',
  'spot_trade',
  'margin_trade',
  'contract_trade',
  'transfer',
] as const

interface CreateKeyProps {
  readonly uid: string
  /** The account as people call it. */
  readonly who: string
  readonly onClose: () => void
}

export function CreateKey({ uid, who, onClose }: CreateKeyProps) {
  const [chosen, setChosen] = useState<readonly string[]>(permissions)
  const [addresses, setAddresses] = useState('')
  const [label, setLabel] = useState('')
  const [made, setMade] = useState<KeyMade | undefined>(undefined)
  if (made !== undefined) return <KeyShown made={made} onClose={onClose} />
  const create = async () => {
    const ipList = addresses.split(/[\s,]+/).filter((address) => address !== '')
    setMade(await act<KeyMade>('keys', { uid, permissions: chosen, ipList, label }))
    return undefined
  }
  return (
    <ActDialog title={desk.keys.newOf(who)} verb={desk.accounts.verb} run={create} onClose={onClose}>
      <FieldGroup legend={desk.keys.itMay} name="permissions" class="checks">
        {permissions.map((permission) => (
          <Check
            key={permission}
            label={desk.keys.permissions[permission]}
            checked={chosen.includes(permission)}
            onChange={(checked) =>
              setChosen(checked ? [...chosen, permission] : chosen.filter((other) => other !== permission))
            }
          />
        ))}
      </FieldGroup>
      <TextField label={desk.keys.ipList} name="ipList" value={addresses} onChange={setAddresses} />
      <TextField label={desk.keys.label} name="label" value={label} onChange={setLabel} />
    </ActDialog>
  )
}

function KeyShown({ made, onClose }: { made: KeyMade; onClose: () => void }) {
  return (
    <Dialog title={desk.keys.made} onClose={onClose}>
      <p class="warn">{desk.keys.once}</p>
      <dl class="secrets">
        {(['apiKey', 'secret', 'passphrase'] as const).map((name) => (
          <div key={name}>
            <dt lang="en">{name}</dt>
            <dd>
              <code data-testid={name}>{made[name]}</code>
            </dd>
          </div>
        ))}
      </dl>
      <div class="dialog-ends">
        <button
          type="button"
          class="quiet-button"
          onClick={() => void navigator.clipboard.writeText(JSON.stringify(made, undefined, 2))}
        >
          {desk.keys.copy}
        </button>
        <button type="button" class="primary" onClick={onClose}>
          {desk.keys.keptIt}
        </button>
      </div>
    </Dialog>
  )
}
