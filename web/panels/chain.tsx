/** Deposits and withdrawals over networks: an address to pay to, a form to pay out, and what is under way. */
import { useEffect, useState } from 'preact/hooks'
import { takeBackWithdrawal, withdraw } from '../actions/money.ts'
import { parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { amountFault } from '../numbers/faults.ts'
import { grouped } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField, SelectField, TextField } from '../parts/field.tsx'
import { useAct } from '../parts/use-act.ts'
import { Figure } from '../parts/figure.tsx'
import { amounts } from '../parts/numbers.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { wallets } from '../store/account.ts'
import { session } from '../store/session.ts'
import { dateTime } from '../store/times.ts'
import { closeDialog } from '../store/view.ts'
import type { Account } from '../venue/account.ts'
import type { WalletName } from '../venue/account-records.ts'
import {
  type ChainTransfer,
  type CoinNetworks,
  type DepositAddress,
  loadNetworks,
  type Network,
} from '../venue/chain.ts'
import { named, t } from '../words/words.ts'

const readEveryMs = 2_000
const paying: readonly WalletName[] = ['spot', 'p2p', 'uta']

export function ChainDialog() {
  const account = session.value?.account
  const [way, setWay] = useState<'deposit' | 'withdraw'>('deposit')
  const [known, setKnown] = useState<readonly CoinNetworks[]>([])
  const [coin, setCoin] = useState('USDT')
  const [name, setName] = useState('')
  useEffect(() => void loadNetworks().then(setKnown, () => {}), [])
  const networks = known.find((found) => found.coin === coin)?.networks ?? []
  const network = networks.find((found) => found.name === name) ?? networks[0]
  if (account === undefined) return null
  return (
    <Dialog title={t.chain.title} onClose={closeDialog} wide>
      <Choice
        label={t.chain.way}
        class="plain"
        value={way}
        options={[
          ['deposit', t.chain.deposit],
          ['withdraw', t.chain.withdraw],
        ]}
        onChange={setWay}
      />
      <div class="pair">
        <SelectField
          label={t.common.coin}
          name="chainCoin"
          value={coin}
          options={known.map((found) => [found.coin, found.coin] as const)}
          onChange={setCoin}
        />
        <SelectField
          label={t.chain.network}
          name="network"
          value={network?.name ?? ''}
          options={networks.map((found) => [found.name, found.name] as const)}
          onChange={setName}
        />
      </div>
      {network !== undefined && way === 'deposit' && <Deposit account={account} coin={coin} network={network} />}
      {network !== undefined && way === 'withdraw' && (
        <Withdraw key={`${coin} ${network.name}`} account={account} coin={coin} network={network} />
      )}
      <Transfers account={account} />
    </Dialog>
  )
}

interface WayProps {
  readonly account: Account
  readonly coin: string
  readonly network: Network
}

function Deposit({ account, coin, network }: WayProps) {
  const [found, setFound] = useState<DepositAddress | undefined>(undefined)
  useEffect(() => {
    setFound(undefined)
    void account.chain.address(coin, network.name).then(setFound, () => {})
  }, [account, coin, network.name])
  if (!network.takesDeposits) return <p class="quiet">{t.chain.noDeposits}</p>
  return (
    <>
      <dl class="figures preview">
        <Figure title={t.chain.address} value={<code data-testid="address">{found?.address ?? '–'}</code>} />
        {found !== undefined && found.tag !== '' && <Figure title={t.chain.tag} value={<code>{found.tag}</code>} />}
        <Figure title={t.chain.atLeast} value={`${grouped(network.depositMin)} ${coin}`} />
        <Figure title={t.chain.thereAfter} value={t.chain.blocks(network.confirmations)} />
      </dl>
      <p class="quiet">{t.chain.simulated}</p>
    </>
  )
}

function Withdraw({ account, coin, network }: WayProps) {
  const [address, setAddress] = useState('')
  const [tag, setTag] = useState('')
  const [amount, setAmount] = useState('')
  const { isUnderWay, begin } = useAct()
  const most = availableOf(account, coin)
  const below = amount !== '' && units(amount) < units(network.withdrawalMin)
  const fault =
    amountFault(amount, most) ?? (below ? t.faults.atLeast(`${grouped(network.withdrawalMin)} ${coin}`) : undefined)
  const ready =
    parseUnits(amount) !== undefined &&
    fault === undefined &&
    address.trim() !== '' &&
    (!network.needsTag || tag.trim() !== '')
  if (account.parentUid !== '') return <p class="quiet">{t.chain.mainAlone}</p>
  if (!network.sendsWithdrawals) return <p class="quiet">{t.chain.noWithdrawals}</p>
  const submit = (event: Event) => {
    event.preventDefault()
    if (!ready) return
    const asked = { coin, network: network.name, address: address.trim(), tag: tag.trim(), amount }
    begin(
      () => withdraw(asked),
      () => setAmount(''),
    )
  }
  return (
    <form onSubmit={submit}>
      <TextField label={t.chain.address} name="address" value={address} onChange={setAddress} />
      {network.needsTag && <TextField label={t.chain.tag} name="tag" value={tag} onChange={setTag} />}
      <NumberField
        label={t.common.amount}
        name="withdrawalAmount"
        unit={coin}
        value={amount}
        fault={fault}
        onChange={setAmount}
        aside={
          <button type="button" class="link" onClick={() => setAmount(most)}>
            {t.common.atMost(grouped(most))}
          </button>
        }
      />
      <p class="quiet">
        {t.chain.fee(`${grouped(network.fee)} ${coin}`)}
        {ready && t.chain.arrive(`${grouped(unitsText(units(amount) - units(network.fee)))} ${coin}`)}
      </p>
      <button type="submit" class="primary wide" data-testid="withdraw" disabled={!ready || isUnderWay}>
        {t.chain.withdraw}
      </button>
    </form>
  )
}

/** Of the wallets that withdrawals leave. */
function availableOf(account: Account, coin: string): string {
  const meant = account.mode === 'classic' ? ['spot'] : paying
  const found = (wallets.value ?? []).filter(({ name }) => meant.includes(name)).flatMap(({ coins }) => coins)
  return unitsText(found.reduce((sum, has) => (has.coin === coin ? sum + units(has.available) : sum), 0n))
}

const columns = (): Column<ChainTransfer>[] => [
  { title: t.columns.what, head: true, cell: ({ kind }) => t.chain.kinds[kind] },
  amounts({ title: t.common.amount, of: ({ amount }) => amount, coin: ({ coin }) => coin }),
  { title: t.chain.network, cell: ({ network }) => network },
  { title: t.chain.state, cell: ({ status }) => named(t.chain.states, status) },
  { title: t.columns.time, time: true, number: true, cell: ({ at }) => dateTime(at) },
  {
    title: t.common.actions,
    actions: true,
    cell: ({ id, kind, status }) =>
      kind === 'withdrawal' &&
      status === 'pending' && (
        <button type="button" data-action="take-back" onClick={() => void takeBackWithdrawal(id)}>
          {t.chain.takeBack}
        </button>
      ),
  },
]

function Transfers({ account }: { account: Account }) {
  const [rows, setRows] = useState<readonly ChainTransfer[]>([])
  useEffect(() => {
    const read = () => void account.chain.transfers().then(setRows, () => {})
    read()
    const timer = setInterval(read, readEveryMs)
    return () => clearInterval(timer)
  }, [account])
  return <Rows caption={t.chain.caption} columns={columns()} rows={rows} keyOf={({ id }) => id} empty={t.chain.empty} />
}
