/** What an operator does to accounts: makes them, gives them keys, pays in and out. */
import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { Check, NumberField, SelectField, TextField } from '../parts/field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import { at, go } from './place.ts'
import type { Account, CoinConserved, KeyMade } from './records.ts'
import { useRead } from './use-read.ts'

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
    return `Account ${uid} is there`
  }
  return (
    <ActDialog title="New account" verb="Create" run={create} onClose={onClose}>
      <Choice
        label="Kind"
        value={kind}
        options={[
          ['main', 'Main account'],
          ['sub', 'Sub-account'],
        ]}
        onChange={setKind}
      />
      {kind === 'sub' && (
        <TextField label="Number of its main account" name="parentUid" value={parentUid} onChange={setParentUid} />
      )}
      <SelectField
        label="Mode"
        name="mode"
        value={mode}
        options={[
          ['unified', 'Unified: everything in one wallet'],
          ['hybrid', 'Hybrid: unified, with classic wallets beside'],
          ['classic', 'Classic: a wallet for each product'],
        ]}
        onChange={setMode}
      />
      <TextField label="Name, to know it by" name="name" value={name} onChange={setName} />
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
  const wallets = walletsOf(account)
  const [wallet, setWallet] = useState(wallets[0] ?? 'uta')
  const [coin, setCoin] = useState('USDT')
  const [amount, setAmount] = useState('')
  const coins = useRead<readonly Pick<CoinConserved, 'coin'>[]>('coins').data ?? []
  const paysIn = way === 'deposit'
  const move = async () => {
    await act(paysIn ? 'deposits' : 'withdrawals', { uid, wallet, coin, amount })
    return `${amount} ${coin} paid ${paysIn ? 'into' : 'out of'} ${wallet} of ${name || uid}`
  }
  return (
    <ActDialog
      title={`${paysIn ? 'Deposit to' : 'Withdraw from'} ${name || uid}`}
      verb={paysIn ? 'Pay in' : 'Pay out'}
      danger={!paysIn}
      run={move}
      onClose={onClose}
    >
      <NumberField label="Amount" name="amount" value={amount} onChange={setAmount} unit={coin} />
      <div class="pair">
        <SelectField
          label="Coin"
          name="coin"
          value={coin}
          options={coins.map(({ coin: symbol }) => [symbol, symbol] as const)}
          onChange={setCoin}
        />
        <SelectField
          label="Wallet"
          name="wallet"
          value={wallet}
          options={wallets.map((option) => [option, option] as const)}
          onChange={setWallet}
        />
      </div>
    </ActDialog>
  )
}

const permissions = [
  ['read', 'Read'],
  ['uta_trade', 'Trade, unified'],
  ['uta_mgt', 'Manage, unified'],
  ['spot_trade', 'Trade spot'],
  ['margin_trade', 'Trade on margin'],
  ['contract_trade', 'Trade contracts'],
  ['transfer', 'Transfer'],
] as const

export function CreateKey({ uid, onClose }: { uid: string; onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly string[]>(permissions.map(([name]) => name))
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
    <ActDialog title={`New key of ${uid}`} verb="Create" run={create} onClose={onClose}>
      <fieldset class="checks">
        <legend class="quiet">It may</legend>
        {permissions.map(([permission, text]) => (
          <Check
            key={permission}
            label={text}
            checked={chosen.includes(permission)}
            onChange={(checked) =>
              setChosen(checked ? [...chosen, permission] : chosen.filter((other) => other !== permission))
            }
          />
        ))}
      </fieldset>
      <TextField
        label="From these addresses alone, separated by commas; empty: from any"
        name="ipList"
        value={addresses}
        onChange={setAddresses}
      />
      <TextField label="Label" name="label" value={label} onChange={setLabel} />
    </ActDialog>
  )
}

function KeyShown({ made, onClose }: { made: KeyMade; onClose: () => void }) {
  return (
    <Dialog title="The key is made" onClose={onClose}>
      <p class="warn">The secret is shown this once. Nobody can show it again.</p>
      <dl class="secrets">
        {(['apiKey', 'secret', 'passphrase'] as const).map((name) => (
          <div key={name}>
            <dt>{name}</dt>
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
          Copy as JSON
        </button>
        <button type="button" class="primary" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  )
}
