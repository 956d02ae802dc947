/** Borrowing and repaying: what is owed, what it costs by the hour, how much more there is. */
import { useEffect, useState } from 'preact/hooks'
import { borrow, repay } from '../actions/money.ts'
import { setCoinLeverage } from '../actions/settings.ts'
import { parseUnits } from '../numbers/decimal.ts'
import { amountFault } from '../numbers/faults.ts'
import { grouped, money, percent } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField, SelectField } from '../parts/field.tsx'
import { useAct } from '../parts/use-act.ts'
import { owes, settings, wallets } from '../store/account.ts'
import { session } from '../store/session.ts'
import { closeDialog } from '../store/view.ts'
import { dateTime, zoneName } from '../store/times.ts'
import { publicGet } from '../venue/rest.ts'
import { t } from '../words/words.ts'

interface LoanTerms {
  readonly dailyInterest: string
  readonly limit: string
}

export function LoansDialog() {
  const coins = (session.value?.account.borrowable() ?? []).map((coin) => [coin, coin] as const)
  return (
    <Dialog title={t.loans.title} onClose={closeDialog} wide>
      <div class="two">
        {coins.length === 0 ? <p class="quiet">{t.loans.marginAlone}</p> : <Borrow coins={coins} />}
        <Repay />
      </div>
    </Dialog>
  )
}

type Coins = readonly (readonly [string, string])[]

function Borrow({ coins }: { coins: Coins }) {
  const [coin, setCoin] = useState('USDT')
  const [amount, setAmount] = useState('')
  const [terms, setTerms] = useState<LoanTerms | undefined>(undefined)
  const [most, setMost] = useState<string | undefined>(undefined)
  const { isUnderWay, begin } = useAct()
  const account = session.value?.account
  useEffect(() => {
    setTerms(undefined)
    setMost(undefined)
    void publicGet<LoanTerms>('/api/v3/market/margin-loans', { coin })
      .then(setTerms)
      .catch(() => {})
    void account
      ?.mostBorrowable(coin)
      .then(setMost)
      .catch(() => {})
  }, [coin, account])
  const leverage = settings.value?.coinLeverages.find((entry) => entry.coin === coin)?.leverage
  const wanted = parseUnits(amount)
  const fault = amountFault(amount, most)
  const ready = wanted !== undefined && fault === undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (!ready) return
    begin(
      () => borrow(coin, amount),
      () => setAmount(''),
    )
  }
  return (
    <form onSubmit={submit}>
      <h3>{t.loans.borrow}</h3>
      <SelectField label={t.common.coin} name="borrowCoin" value={coin} options={coins} onChange={setCoin} />
      <NumberField
        label={t.common.amount}
        name="borrowAmount"
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
      <p class="quiet">{t.loans.interest(percent(terms?.dailyInterest, 4))}</p>
      {leverage !== undefined && (
        <SelectField
          label={t.loans.leverage}
          value={leverage}
          options={['1', '2', '3', '4', '5', '10'].map((times) => [times, `${times}x`] as const)}
          onChange={(times) => void setCoinLeverage(coin, times)}
        />
      )}
      <button type="submit" class="primary wide" disabled={!ready || isUnderWay}>
        {t.loans.borrow}
      </button>
    </form>
  )
}

function Repay() {
  const debts = owes()
  const [coin, setCoin] = useState('')
  const [payment, setPayment] = useState('')
  const [due, setDue] = useState<number | undefined>(undefined)
  const { isUnderWay, begin } = useAct()
  const account = session.value?.account
  useEffect(() => {
    void account
      ?.interestDueAt()
      .then(setDue)
      .catch(() => {})
  }, [account, debts.length])
  const owed = debts.find((debt) => debt.coin === coin) ?? debts[0]
  if (owed === undefined) {
    return (
      <div>
        <h3>{t.loans.repay}</h3>
        <p class="quiet">{t.loans.nothing}</p>
      </div>
    )
  }
  const lender = wallets.value?.find(({ coins }) => coins.some(({ debt }) => Number(debt) > 0))
  const held = (lender?.coins ?? []).filter(({ balance }) => Number(balance) > 0)
  const withCoins = account?.repaysWith === 'coins'
  const chosen = held.some((has) => has.coin === payment) ? payment : owed.coin
  const options = [...new Set([owed.coin, ...held.map((has) => has.coin)])]
  const payable = lender?.coins.find((balance) => balance.coin === owed.coin)?.balance
  const fault = withCoins ? undefined : amountFault(payment, payable)
  const submit = (event: Event) => {
    event.preventDefault()
    if (fault !== undefined) return
    begin(
      () => repay(owed.coin, withCoins ? chosen : payment || owed.debt),
      () => setPayment(''),
    )
  }
  return (
    <form onSubmit={submit}>
      <h3>{t.loans.repay}</h3>
      <SelectField
        label={t.loans.debt}
        name="repayCoin"
        value={owed.coin}
        options={debts.map(({ coin: name, debt }) => [name, `${grouped(debt)} ${name}`] as const)}
        onChange={(name) => {
          setCoin(name)
          setPayment('')
        }}
      />
      {withCoins ? (
        <SelectField
          label={t.loans.with}
          name="repayWith"
          value={chosen}
          options={options.map((name) => {
            const has = held.find((balance) => balance.coin === name)?.balance ?? '0'
            return [name, name === owed.coin ? t.loans.itself(name, money(has)) : t.loans.soldFor(name)] as const
          })}
          onChange={setPayment}
        />
      ) : (
        <NumberField
          label={t.loans.withItself}
          name="repayAmount"
          unit={owed.coin}
          placeholder={t.loans.all}
          value={payment}
          fault={fault}
          onChange={setPayment}
        />
      )}
      {due !== undefined && <p class="quiet">{t.loans.due(dateTime(due), zoneName(due))}</p>}
      <button type="submit" class="primary wide" data-testid="repay" disabled={fault !== undefined || isUnderWay}>
        {t.loans.repay}
      </button>
    </form>
  )
}
