/** Money from one wallet to another: of this account, or of the family where the key is the main account's. */
import { useEffect, useState } from 'preact/hooks'
import { transfer } from '../actions/money.ts'
import { parseUnits } from '../numbers/decimal.ts'
import { amountFault } from '../numbers/faults.ts'
import { grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField, SelectField } from '../parts/field.tsx'
import { useAct } from '../parts/use-act.ts'
import { session } from '../store/session.ts'
import { closeDialog } from '../store/view.ts'
import { type WalletName, walletNames } from '../venue/account-records.ts'
import type { Place, Relative } from '../venue/account.ts'
import { t } from '../words/words.ts'

export function TransferDialog() {
  const account = session.value?.account
  const [relatives, setRelatives] = useState<readonly Relative[]>([])
  const [from, setFrom] = useState(`${account?.uid}/spot`)
  const [to, setTo] = useState(`${account?.uid}/${account?.walletOf('USDT-FUTURES')}`)
  const [coin, setCoin] = useState('USDT')
  const [coins, setCoins] = useState<readonly string[]>(['USDT'])
  const [amount, setAmount] = useState('')
  const [most, setMost] = useState<string | undefined>(undefined)
  const { isUnderWay, begin } = useAct()
  useEffect(() => {
    void account
      ?.relatives()
      .then(setRelatives)
      .catch(() => {}) // a key that may not see them moves money between its own wallets
  }, [account])
  useEffect(() => {
    const ends = [placeOf(from).wallet, placeOf(to).wallet] as const
    if (ends[0] === ends[1]) return
    void account
      ?.transferableCoins(...ends)
      .then((found) => {
        setCoins(found)
        if (!found.includes(coin)) setCoin(found[0] ?? '')
      })
      .catch(() => {})
  }, [account, from, to])
  useEffect(() => {
    setMost(undefined)
    if (account === undefined || coin === '' || placeOf(from).uid !== account.uid) return
    void account
      .mostTransferable(placeOf(from).wallet, coin)
      .then(setMost)
      .catch(() => {})
  }, [account, from, coin])
  if (account === undefined) return null

  const own = { uid: account.uid, name: t.money.thisAccount, wallets: account.wallets }
  const places = [own, ...relatives].flatMap(({ uid, name, wallets }) =>
    wallets.map((wallet) => [`${uid}/${wallet}`, t.money.place(name, t.wallets[wallet])] as const),
  )
  const wanted = parseUnits(amount)
  const fault = amountFault(amount, most)
  const ready = wanted !== undefined && fault === undefined && from !== to && coin !== ''
  const submit = (event: Event) => {
    event.preventDefault()
    if (ready) begin(() => transfer({ coin, amount, from: placeOf(from), to: placeOf(to) }), closeDialog)
  }
  const swap = () => {
    setFrom(to)
    setTo(from)
  }
  return (
    <Dialog title={t.money.transfer} onClose={closeDialog}>
      <form onSubmit={submit}>
        <SelectField label={t.money.from} name="from" value={from} options={places} onChange={setFrom} />
        <button type="button" class="quiet-button swap" onClick={swap}>
          {t.money.swap}
        </button>
        <SelectField label={t.money.to} name="to" value={to} options={places} onChange={setTo} />
        <SelectField
          label={t.common.coin}
          name="coin"
          value={coin}
          options={coins.map((name) => [name, name] as const)}
          onChange={setCoin}
        />
        <NumberField
          label={t.common.amount}
          name="amount"
          unit={coin}
          value={amount}
          fault={fault}
          onChange={setAmount}
          aside={
            most !== undefined && (
              <button type="button" class="link" onClick={() => setAmount(most)}>
                {t.common.atMost(grouped(most))}
              </button>
            )
          }
        />
        <button type="submit" class="primary wide" data-testid="transfer" disabled={!ready || isUnderWay}>
          {t.money.transfer}
        </button>
      </form>
    </Dialog>
  )
}

function placeOf(text: string): Place {
  const [uid = '', name] = text.split('/')
  const wallet: WalletName = walletNames.find((known) => known === name) ?? 'spot'
  return { uid, wallet }
}
