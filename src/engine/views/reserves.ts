/**
 * What the venue owes its accounts and what it has.
 *
 * Owed   balances and isolated margin, less debt, with the entry value of positions. Summed over all accounts, entry value is
 *        what longs and shorts have won from each other, whatever the price
 * Holds  per coin, the sum over accounts is what came in, less the house's own: fees, interest, insurance, rounding, and
 *        what it took in conversions (negative: gave)
 */
import type { CoinId, FuturesInstrument } from '../catalog/catalog.ts'
import type { ReservesView } from '../protocol/query.ts'
import type { Reading } from '../state/state.ts'

/** Units owed to every account with money, and what came in of each coin and did not leave. */
export function reserves(reading: Reading): ReservesView {
  const { accounts, catalog, futures, ledger } = reading
  const everyone = accounts.all()
  const owed = everyone.map(() => new Map<CoinId, bigint>())
  const add = (handle: number, coin: CoinId, units: bigint) => {
    const of = owed[handle - 1]
    of.set(coin, (of.get(coin) ?? 0n) + units)
  }
  for (let row = 1; row < ledger.rows; row++) {
    add(ledger.account[row], ledger.coinOf(row), ledger.balance[row] - ledger.debtOf(row))
  }
  for (const { account, instrument, long, short } of futures.all()) {
    const { settle } = reading.instrument(instrument) as FuturesInstrument
    for (const position of [long, short]) {
      if (position !== undefined) add(account, settle, position.margin + position.entryValue)
    }
  }
  return {
    accounts: everyone
      .map(({ uid }, index) => ({ uid, units: new Map([...owed[index]].filter(([, units]) => units !== 0n)) }))
      .filter(({ units }) => units.size > 0),
    inside: catalog.coins.map(({ id }) => -ledger.houseBalance('external', id)),
  }
}
