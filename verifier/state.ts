/**
 * What a snapshot's state says of money, positions and numbers given out, and what must hold within it.
 *
 * Worth  of a wallet in one coin: balance + isolated margin of its positions + their entry value, signed as money that came
 *        in. Opening and closing moves between the three, so worth changes only by what crosses the wallet's border: exact
 *        values of fills, fees, funding, transfers, loans. History's rows add up to it, however the engine rounds
 * Names  what is saved keeps its keys: the entry value of a position is `flow` there
 */
import type { Findings } from './findings.ts'
import type { Snapshot } from './snapshot.ts'

const wallets = ['spot', 'p2p', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin', 'uta']
const houseAccounts = [
  'external',
  'fees',
  'interest',
  'insurance',
  'lendingPool',
  'clearing',
  'isolatedMargin',
  'rounding',
]
/** Those that are saved with a list each, once they have been posted to. */
const laterAccounts = ['conversion', 'inTransit']

export interface Instrument {
  readonly id: number
  readonly symbol: string
  readonly kind: 'spot' | 'linear' | 'inverse'
  readonly base: number
  readonly quote: number
  readonly settle?: number
  readonly priceDecimals: number
  readonly priceStep: number
  readonly quantityDecimals: number
  readonly quantityStep: number
}

export interface VenueState {
  readonly file: string
  readonly sequence: number
  readonly instruments: readonly Instrument[]
  readonly counters: Readonly<Record<string, number>>
  /** By what `Totals` calls it: `worth 1000000001 uta 0`, `position 1000000001 uta 3 long`, … */
  /** Account, wallet and coin of each balance that is not zero. */
  readonly balances: ReadonlyMap<string, bigint>
  readonly totals: ReadonlyMap<string, bigint>
  readonly liveOrders: ReadonlySet<number>
  /** When the first account was made; undefined without accounts. */
  readonly begunAt: number | undefined
}

interface Columns {
  readonly rows: number
  readonly freed: readonly number[]
}

interface LedgerColumns extends Columns {
  readonly account: Int32Array
  readonly place: Int32Array
  readonly balance: BigInt64Array
  readonly held: BigInt64Array
  readonly principal: BigInt64Array
  readonly interest: BigInt64Array
  readonly house: readonly bigint[]
  readonly laterHouse?: ReadonlyMap<string, readonly bigint[]>
}

/** A deposit or withdrawal that is under way. */
interface OpenTransfer {
  readonly id: number
  readonly uid: number
  readonly direction: 'deposit' | 'withdrawal'
  readonly coin: number
  readonly amount: bigint
  readonly fee: bigint
  readonly status: string
  readonly wallets: readonly { readonly wallet: string; readonly amount: bigint }[]
}

interface ExposureColumns extends Columns {
  readonly account: Int32Array
  readonly wallet: Uint8Array
  readonly instrument: Int32Array
  /** Rows of positions, 0 without one. */
  readonly long: Int32Array
  readonly short: Int32Array
}

interface PositionColumns extends Columns {
  readonly quantity: Float64Array
  readonly flow: BigInt64Array
  readonly margin: BigInt64Array
}

interface SavedPosition {
  readonly quantity: number
  readonly flow: bigint
  readonly margin: bigint
}

/** What an account has in a contract. */
interface SavedExposure {
  readonly account: number
  readonly wallet: string
  readonly instrument: number
  readonly long: SavedPosition | undefined
  readonly short: SavedPosition | undefined
}

interface SavedState {
  readonly sequence: number
  readonly at: number
  readonly catalog: {
    readonly coins: readonly { readonly name: string }[]
    readonly instruments: readonly Instrument[]
  }
  readonly accounts: { readonly list: readonly { readonly uid: number; readonly createdAt: number }[] }
  readonly ledger: LedgerColumns
  readonly futures:
    | { readonly exposures: ExposureColumns; readonly positions: PositionColumns }
    /** As it was saved before there were columns. */
    | { readonly list: readonly SavedExposure[] }
  readonly counters: Readonly<Record<string, number>>
  readonly orders: Columns & { readonly id: Float64Array }
  readonly triggers: Columns & { readonly id: Float64Array }
  readonly chainTransfers?: { readonly nextId: number; readonly open: ReadonlyMap<number, OpenTransfer> }
}

export function readVenueState(snapshot: Snapshot, findings: Findings): VenueState | undefined {
  const { file, sequence } = snapshot
  const fault = (row: string, what: string) => findings.fault('state', { file, row }, what)
  try {
    const saved = snapshot.state as unknown as SavedState
    if (saved.sequence !== sequence) fault('sequence', `the state is of ${saved.sequence}, the file of ${sequence}`)
    const totals = new Map<string, bigint>()
    const add = (key: string, units: bigint) => totals.set(key, (totals.get(key) ?? 0n) + units)
    const sums = saved.catalog.coins.map(() => ({ wallets: 0n, principal: 0n, entryValue: 0n, margin: 0n }))
    const balances = new Map<string, bigint>()
    readWallets(saved, balances, add, sums, fault)
    readPositions(saved, add, sums, fault)
    readHouse(saved, add, sums, fault)
    const firstId = 9_000_000_000_000_001
    const { nextId, open } = saved.chainTransfers ?? { nextId: firstId, open: new Map<number, OpenTransfer>() }
    takeBackOpen([...open.values()], add)
    checkTransit(saved, [...open.values()], fault)
    return {
      file,
      sequence,
      instruments: saved.catalog.instruments,
      counters: { ...saved.counters, chain: nextId },
      totals,
      balances,
      liveOrders: new Set([...liveIds(saved.orders), ...liveIds(saved.triggers)]),
      begunAt: saved.accounts.list[0]?.createdAt,
    }
  } catch (error) {
    fault('state', `it is not laid out as expected: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

interface CoinSums {
  wallets: bigint
  principal: bigint
  entryValue: bigint
  margin: bigint
}

type Add = (key: string, units: bigint) => void
type Complain = (row: string, what: string) => void

function readWallets(
  { accounts, ledger }: SavedState,
  balances: Map<string, bigint>,
  add: Add,
  sums: CoinSums[],
  fault: Complain,
): void {
  for (let row = 1; row < ledger.rows; row++) {
    const { uid } = accounts.list[ledger.account[row] - 1]
    const coin = ledger.place[row] % 256
    const where = `${uid} ${wallets[Math.floor(ledger.place[row] / 256)]} ${coin}`
    const [balance, principal, interest] = [ledger.balance[row], ledger.principal[row], ledger.interest[row]]
    if (balance < 0n) fault(`wallet ${where}`, `its balance is ${balance}`)
    if (principal < 0n || interest < 0n || ledger.held[row] < 0n)
      fault(`wallet ${where}`, 'a hold or a debt is negative')
    sums[coin].wallets += balance
    sums[coin].principal += principal
    if (balance !== 0n) balances.set(where, balance)
    add(`worth ${where}`, balance)
    add(`principal ${where}`, principal)
    add(`interest ${where}`, interest)
  }
}

function readPositions(saved: SavedState, add: Add, sums: CoinSums[], fault: Complain): void {
  const net = new Map<number, number>()
  for (const { account, wallet, instrument, long, short } of exposuresOf(saved.futures)) {
    const { uid } = saved.accounts.list[account - 1]
    const { settle = -1 } = saved.catalog.instruments[instrument]
    for (const [side, position] of Object.entries({ long, short })) {
      if (position === undefined) continue
      if (position.quantity <= 0) fault(`position ${uid} ${wallet} ${instrument} ${side}`, 'it is empty')
      sums[settle].entryValue += position.flow
      sums[settle].margin += position.margin
      add(`worth ${uid} ${wallet} ${settle}`, position.flow + position.margin)
      add(`position ${uid} ${wallet} ${instrument} ${side}`, BigInt(position.quantity))
      net.set(instrument, (net.get(instrument) ?? 0) + (side === 'long' ? position.quantity : -position.quantity))
    }
  }
  for (const [instrument, lots] of net) {
    if (lots !== 0) fault(`instrument ${instrument}`, `longs and shorts differ by ${lots} lots`)
  }
}

function* exposuresOf(futures: SavedState['futures']): Iterable<SavedExposure> {
  if ('list' in futures) return yield* futures.list
  const { exposures, positions } = futures
  const positionIn = (row: number): SavedPosition | undefined =>
    row === 0
      ? undefined
      : { quantity: positions.quantity[row], flow: positions.flow[row], margin: positions.margin[row] }
  for (let row = 1; row < exposures.rows; row++) {
    yield {
      account: exposures.account[row],
      wallet: wallets[exposures.wallet[row]],
      instrument: exposures.instrument[row],
      long: positionIn(exposures.long[row]),
      short: positionIn(exposures.short[row]),
    }
  }
}

/** History knows of a transfer when it has ended: until then totals are as they were before it began. */
function takeBackOpen(open: readonly OpenTransfer[], add: Add): void {
  for (const { uid, direction, coin, amount, fee, status, wallets: parts } of open) {
    if (direction === 'deposit') {
      add(`external ${coin}`, amount)
      continue
    }
    for (const part of parts) add(`worth ${uid} ${part.wallet} ${coin}`, part.amount)
    if (status === 'pending') continue
    add(`external ${coin}`, fee - amount)
    add(`fees ${coin}`, -fee)
  }
}

/** What is in transit waits to be confirmed or sent. */
function checkTransit({ catalog, ledger }: SavedState, open: readonly OpenTransfer[], fault: Complain): void {
  catalog.coins.forEach(({ name }, coin) => {
    const waiting = open
      .filter((transfer) => transfer.coin === coin)
      .filter(({ direction, status }) => direction === 'deposit' || status === 'pending')
      .reduce((sum, { amount }) => sum + amount, 0n)
    const found = ledger.laterHouse?.get('inTransit')?.[coin] ?? 0n
    if (found !== waiting) fault(`coin ${name}`, `${found} is in transit, deposits and withdrawals wait for ${waiting}`)
  })
}

function readHouse({ catalog, ledger }: SavedState, add: Add, sums: readonly CoinSums[], fault: Complain): void {
  catalog.coins.forEach(({ name }, coin) => {
    const { wallets: inWallets, principal, entryValue, margin } = sums[coin]
    let sum = inWallets
    const house: Record<string, bigint> = {}
    houseAccounts.forEach((account, index) => {
      house[account] = ledger.house[coin * houseAccounts.length + index] ?? 0n
      sum += house[account]
    })
    for (const account of laterAccounts) {
      house[account] = ledger.laterHouse?.get(account)?.[coin] ?? 0n
      sum += house[account]
    }
    if (sum !== 0n) fault(`coin ${name}`, `wallets and house accounts are off by ${sum}`)
    if (house['lendingPool'] !== -principal) fault(`coin ${name}`, 'the lending pool is not the principal owed')
    if (house['clearing'] !== entryValue) fault(`coin ${name}`, 'clearing is not the entry value of the positions')
    if (house['isolatedMargin'] !== margin) fault(`coin ${name}`, 'isolated margin is not what positions keep')
    if (house['rounding'] < 0n) fault(`coin ${name}`, 'rounding gave money away')
    add(`fees ${coin}`, house['fees'])
    add(`interest paid ${coin}`, house['interest'])
    add(`external ${coin}`, house['external'])
    add(`insurance ${coin}`, house['insurance'])
    add(`conversion ${coin}`, house['conversion'])
    add(`rounding ${coin}`, house['rounding'])
  })
}

function liveIds({ rows, freed, id }: Columns & { readonly id: Float64Array }): number[] {
  const unused = new Set(freed)
  return Array.from({ length: rows - 1 }, (_, index) => index + 1)
    .filter((row) => !unused.has(row))
    .map((row) => id[row])
}
