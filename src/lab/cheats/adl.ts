/**
 * An account is deleveraged: somebody on the other side goes bankrupt while the insurance fund takes over nothing.
 *
 *   act      an account of the laboratory opens a position, isolated, against the house. The index moves against it until it is
 *            bankrupt, and further. What the book does not take, the fund takes over, or the queue has to
 *   first    two small acts, to and fro, if the fund stands at its highest: it buys dear and sells cheap, and is short of that
 *   then     deleveraging is set to begin below the fund's highest, and the act on the other side of the account is played
 *   at last  the start of deleveraging is what it was, and the fund is paid what it lost
 *
 * Moves    the index goes the account's way and back to where it was, then its way again
 * Tried    with smaller and larger moves and sizes on copies of the engine; the first that reaches the account is played
 * Cannot   where the book takes the bankrupt position, or others rank before the account
 * Source   lab.md §4.2 (cheats); docs/risk.md, auto-deleveraging
 */
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import { amount, type Lots, lots, rate, type Rate, rateOne } from '../../engine/numbers/numbers.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import type { Side, Uid } from '../../engine/vocabulary.ts'
import { worth } from '../../house-book/house-book.ts'
import { LabRefusal } from '../refusals.ts'
import type { Rehearsal } from '../rehearsal.ts'
import { checkBook, fund, labAccount, leastLots, positionsOf, setLeverage, shownPosition, trade } from './positions.ts'
import { indexPrice, setIndexPrice } from './prices.ts'

const leverages = [20, 10, 5, 2] as const
const sizes = ['position', 'open-interest'] as const

interface Attempt {
  readonly leverage: number
  readonly size: (typeof sizes)[number]
}

/** What is tried, one after the other. */
export function adlScenes(account: AccountView, contract: FuturesInstrument) {
  return leverages.flatMap((leverage) =>
    sizes.map((size) => (rehearsal: Rehearsal) => playAdl(rehearsal, account, contract, { leverage, size })),
  )
}

function playAdl(rehearsal: Rehearsal, account: AccountView, contract: FuturesInstrument, attempt: Attempt) {
  const held = positionsOf(rehearsal, account, contract)[0]
  if (held === undefined) throw new LabRefusal(409, 'no-position', `adl: it has no position in ${contract.symbol}`)
  const gambler = labAccount(rehearsal, 'lab-gambler')
  const { openInterest } = rehearsal.query({ kind: 'prices', instrument: contract.id })
  const quantity = lots(attempt.size === 'position' ? held.quantity : openInterest)
  const side = held.side === 'long' ? 'sell' : 'buy'
  const fundBefore = fundOf(rehearsal, contract)

  if (fundBefore.balance > 0n && fundBefore.balance >= fundBefore.highest) {
    const small = leastLots(rehearsal, contract)
    const home = indexPrice(rehearsal, contract.base)
    play(rehearsal, { gambler, contract, side, quantity: small, leverage: 20 })
    play(rehearsal, { gambler, contract, side: opposite(side), quantity: small, leverage: 20, to: home })
    const { balance, highest } = fundOf(rehearsal, contract)
    if (balance >= highest)
      throw notDone('the book takes over positions that go bankrupt, so that the fund loses nothing')
  }
  const { adlStartShare, adlEndShare } = rehearsal.query({ kind: 'settings' }).risk
  setShares(rehearsal, rate(rateOne), rate(rateOne))
  const since = rehearsal.events.length
  play(rehearsal, { gambler, contract, side, quantity, leverage: attempt.leverage })
  setShares(rehearsal, adlStartShare, adlEndShare)
  const lost = fundBefore.balance - fundOf(rehearsal, contract).balance
  if (lost > 0n) {
    rehearsal.submit({ kind: 'fund-house', account: 'insurance', coin: contract.settle, amount: amount(lost) })
  }

  const reached = rehearsal.events.slice(since).flatMap((event) => {
    return event.kind === 'fill' && event.cause === 'adl' ? [event.uid] : []
  })
  if (!reached.includes(account.uid)) {
    throw notDone(reached.length > 0 ? 'others rank before it' : 'the book takes over the position that goes bankrupt')
  }
  const left = positionsOf(rehearsal, account, contract).map((position) => shownPosition(contract, position))
  return { uid: String(account.uid), symbol: contract.symbol, positions: left }
}

interface Act {
  readonly gambler: Uid
  readonly contract: FuturesInstrument
  readonly side: Side
  readonly quantity: Lots
  readonly leverage: number
  /** Where the index goes; absent: three margins away. */
  readonly to?: bigint
}

function play(rehearsal: Rehearsal, { gambler: uid, contract, side, quantity, leverage, to }: Act): void {
  const { id: instrument, base, leverageMin, leverageMax } = contract
  const price = rehearsal.query({ kind: 'prices', instrument }).markPrice
  checkBook(rehearsal, contract, price)
  fund(rehearsal, uid, contract, worth(contract, price, quantity))
  const [setting] = rehearsal.query({ kind: 'symbol-settings', uid, interface: 'v3', instrument })
  if (setting?.marginMode !== 'isolated') {
    rehearsal.submit({ kind: 'set-margin-mode', uid, interface: 'v3', instrument, marginMode: 'isolated' })
  }
  const at = Math.min(leverageMax, Math.max(leverageMin, leverage))
  setLeverage(rehearsal, { uid, speaker: 'v3', instrument, leverage: at, marginMode: undefined })
  const by = { account: { uid }, speaker: 'v3', bookSide: side, order: { side } } as const
  trade(rehearsal, { ...by, instrument: contract, price, quantity })
  const now = indexPrice(rehearsal, base)
  const move = BigInt(Math.ceil(3_000 / at))
  const away = side === 'sell' ? (now * (1_000n + move)) / 1_000n : (now * 1_000n) / (1_000n + move)
  setIndexPrice(rehearsal, base, to ?? away)
}

function fundOf(rehearsal: Rehearsal, { settle }: FuturesInstrument) {
  const found = rehearsal.query({ kind: 'insurance-funds' }).find(({ coin }) => coin === settle)
  return { balance: found?.balance ?? 0n, highest: found?.highest ?? 0n }
}

function setShares(rehearsal: Rehearsal, adlStartShare: Rate, adlEndShare: Rate): void {
  rehearsal.submit({
    kind: 'set-risk',
    adlStartShare,
    adlEndShare,
    orderMarginMarkup: undefined,
    orderFeeMarkup: undefined,
    profitAsMargin: undefined,
    reduceTiers: undefined,
  })
}

function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}

function notDone(why: string): LabRefusal {
  return new LabRefusal(409, 'not-deleveraged', `adl: ${why}; cancel those orders or close those positions`)
}
