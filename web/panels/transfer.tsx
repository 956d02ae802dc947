/** Money from one wallet to another: of this account, or of the family where the key is the main account's. */
import { useEffect, useState } from 'preact/hooks'
import { parseUnits } from '../numbers/decimal.ts'
import { grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField, SelectField } from '../parts/field.tsx'
import { session } from '../store/session.ts'
import { closeDialog } from '../store/view.ts'
import { transfer } from '../trading/actions.ts'
import type { Account } from '../venue/rest.ts'

interface Place {
  readonly uid: string
  readonly wallet: string
}

const walletNames: Readonly<Record<string, string>> = {
  uta: 'unified wallet',
  spot: 'spot (funding) wallet',
  p2p: 'P2P wallet',
  usdt_futures: 'USDT futures wallet',
  coin_futures: 'coin futures wallet',
  usdc_futures: 'USDC futures wallet',
  crossed_margin: 'cross margin wallet',
}
const unifiedMain = ['uta', 'spot', 'p2p']
const unifiedSub = ['uta', 'spot']
const classicMain = ['usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin']
const classicSub = ['spot', ...classicMain]

interface SubAccount {
  readonly subUid: string
  readonly username: string
  readonly accountMode: string
}

export function TransferDialog() {
  const here = session.value
  const [subs, setSubs] = useState<readonly SubAccount[]>([])
  const [from, setFrom] = useState(`${here?.uid}/spot`)
  const [to, setTo] = useState(`${here?.uid}/uta`)
  const [coin, setCoin] = useState('USDT')
  const [coins, setCoins] = useState<readonly string[]>(['USDT'])
  const [amount, setAmount] = useState('')
  const [most, setMost] = useState<string | undefined>(undefined)
  const account = here?.account
  useEffect(() => {
    if (here === undefined || here.parentUid !== '') return
    void here.account
      .get<{ list: SubAccount[] }>('/api/v3/user/sub-list', { limit: 100 })
      .then(({ list }) => setSubs(list))
      .catch(() => {}) // a key that may not see them moves money between its own wallets
  }, [account])
  useEffect(() => {
    if (account === undefined) return
    const query = { fromType: placeOf(from).wallet, toType: placeOf(to).wallet }
    const ends = [...new Set(Object.values(query))]
    if (ends.length < 2) return
    void account
      .get<string[]>('/api/v3/account/transferable-coins', query)
      .then(setCoins)
      .catch(() => {})
  }, [account, from, to])
  useEffect(() => {
    setMost(undefined)
    if (account !== undefined && placeOf(from).uid === here?.uid) {
      void mostOf(account, placeOf(from).wallet, coin)
        .then(setMost)
        .catch(() => {})
    }
  }, [account, from, coin])
  if (here === undefined) return null

  const own = here.parentUid === '' ? [...unifiedMain, ...(here.mode === 'hybrid' ? classicMain : [])] : unifiedSub
  const places = [
    ...own.map((wallet) => [`${here.uid}/${wallet}`, `This account: ${walletNames[wallet]}`] as const),
    ...subs.flatMap(({ subUid, username, accountMode }) =>
      (accountMode === 'classic' ? classicSub : unifiedSub).map(
        (wallet) => [`${subUid}/${wallet}`, `${username}: ${walletNames[wallet]}`] as const,
      ),
    ),
    ...(here.parentUid === '' ? [] : [[`${here.parentUid}/uta`, 'Main account: unified wallet'] as const]),
    ...(here.parentUid === '' ? [] : [[`${here.parentUid}/spot`, 'Main account: spot (funding) wallet'] as const]),
  ]
  const wanted = parseUnits(amount)
  const fault = amount !== '' && (wanted === undefined || wanted <= 0n) ? 'An amount is a number above zero' : undefined
  const ready = wanted !== undefined && fault === undefined && from !== to
  const submit = async (event: Event) => {
    event.preventDefault()
    if (ready && (await transfer({ coin, amount, from: placeOf(from), to: placeOf(to) }))) closeDialog()
  }
  const swap = () => {
    setFrom(to)
    setTo(from)
  }
  return (
    <Dialog title="Transfer" onClose={closeDialog}>
      <form onSubmit={(event) => void submit(event)}>
        <SelectField label="From" name="from" value={from} options={places} onChange={setFrom} />
        <button type="button" class="quiet-button swap" onClick={swap}>
          ⇅ Swap
        </button>
        <SelectField label="To" name="to" value={to} options={places} onChange={setTo} />
        <SelectField
          label="Coin"
          name="coin"
          value={coin}
          options={coins.map((one) => [one, one] as const)}
          onChange={setCoin}
        />
        <NumberField
          label="Amount"
          name="amount"
          unit={coin}
          value={amount}
          fault={fault}
          onChange={setAmount}
          aside={
            most !== undefined && (
              <button type="button" class="link" onClick={() => setAmount(most)}>
                at most {grouped(most)}
              </button>
            )
          }
        />
        <button type="submit" class="primary wide" data-testid="transfer" disabled={!ready}>
          Transfer
        </button>
      </form>
    </Dialog>
  )
}

function placeOf(text: string): Place {
  const [uid = '', wallet = ''] = text.split('/')
  return { uid, wallet }
}

/** What may leave a wallet of this account; undefined where the venue has no word for it. */
async function mostOf(account: Account, wallet: string, coin: string): Promise<string | undefined> {
  if (wallet === 'uta') {
    return (await account.get<{ maxTransfer: string }>('/api/v3/account/max-transferable', { coin })).maxTransfer
  }
  if (wallet !== 'spot') return undefined
  const found = await account.get<{ available: string }[]>('/api/v3/account/funding-assets', { coin })
  return found[0]?.available ?? '0'
}
