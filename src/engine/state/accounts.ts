/**
 * Accounts: who trades, in which mode, with which settings.
 *
 * Holds     a sub-account has a main account as parent · modes and wallets fit as design.md §3
 *           · a client order id is known while its order is live and for 24 hours after its end (design §4.6)
 * Layout    rows of a table (account-table.ts), saved as an object of each account
 * Not here  balances (ledger.ts), positions (exposures.ts)
 * Source    interface.md "Account settings", E9; design.md §3, §4.18, §4.20
 */
import type { Millis } from '../numbers/numbers.ts'
import type { Row } from '../storage/storage.ts'
import type { AccountHandle, AccountMode, OrderId, Uid } from '../vocabulary.ts'
import { AccountRow, AccountTable, uidBase } from './account-table.ts'
import type { Account } from './account.ts'

/** How long the client order id of an ended order stays taken. */
const clientOidHeldMs = 24 * 3_600_000
const dayMs = 86_400_000

/** One column each: as entries of their own they would take four times the room, and there are as many as orders in a day. */
interface EndedIds {
  accounts: AccountHandle[]
  clientOids: string[]
  takenUntil: Millis[]
}

export class Accounts {
  readonly #table = new AccountTable()
  /** Client order ids of ended orders, oldest first. */
  ended: EndedIds = { accounts: [], clientOids: [], takenUntil: [] }
  endedFrom = 0
  channels = new Map<string, AccountHandle>()
  /** Sub-accounts by main account, oldest first. */
  subs = new Map<AccountHandle, AccountHandle[]>()

  byUid(uid: Uid): AccountRow | undefined {
    const handle = this.handleOf(uid)
    return handle === 0 ? undefined : this.byHandle(handle)
  }

  /** Zero: nobody has this number. */
  handleOf(uid: Uid): AccountHandle {
    const handle = uid - uidBase
    return Number.isInteger(handle) && handle > 0 && handle < this.#table.rows ? handle : 0
  }

  /** Of nobody, too. */
  newestOrderOf(handle: AccountHandle): Row {
    return this.#table.newestOrderOf(handle)
  }

  byHandle(handle: AccountHandle): AccountRow {
    return new AccountRow(this.#table, handle)
  }

  /** The handle that writes, of an account that rules have read: it is the same one. */
  rowOf(account: Account): AccountRow {
    return account as AccountRow
  }

  get count(): number {
    return this.#table.rows - 1
  }

  /** By its place among all, of which the oldest has 0. */
  at(place: number): AccountRow | undefined {
    return place >= 0 && place < this.count ? this.byHandle(place + 1) : undefined
  }

  /** Every account, oldest first. */
  all(): AccountRow[] {
    return this.#table.details.map((_, index) => this.byHandle(index + 1))
  }

  /** Sub-accounts of a main account, oldest first. */
  subsOf(main: Account): readonly AccountRow[] {
    return (this.subs.get(main.handle) ?? []).map((handle) => this.byHandle(handle))
  }

  create(
    kind: Account['kind'],
    parent: Account | undefined,
    mode: AccountMode,
    { name, note = '' }: { readonly name: string; readonly note?: string },
    at: Millis,
  ): AccountRow {
    const account = this.#table.add({
      main: parent?.handle ?? this.#table.rows,
      mode,
      leavesHybrid: undefined,
      frozenByOwner: false,
      frozenByOperator: undefined,
      stpMode: 'none',
      holdMode: { 'USDT-FUTURES': 'one_way_mode', 'COIN-FUTURES': 'one_way_mode', 'USDC-FUTURES': 'one_way_mode' },
      collateral: 'all',
      copyTrader: undefined,
      clientOids: undefined,
      openFutures: 0,
      openSpot: 0,
      firstOrder: 0,
      ordersDay: 0,
      ordersOfDay: 0,
      kind,
      name,
      note,
      createdAt: at,
      updatedAt: at,
      permissions: undefined,
      broker: undefined,
      boundAt: undefined,
    })
    if (parent !== undefined) {
      const siblings = this.subs.get(parent.handle)
      if (siblings === undefined) this.subs.set(parent.handle, [account.handle])
      else siblings.push(account.handle)
    }
    return account
  }

  /** Orders of the family on the current UTC day. */
  ordersToday(account: Account, at: Millis): number {
    const main = this.byHandle(account.main)
    return main.ordersDay === Math.floor(at / dayMs) ? main.ordersOfDay : 0
  }

  countOrder(account: Account, at: Millis): number {
    const main = this.byHandle(account.main)
    const count = this.ordersToday(account, at) + 1
    main.ordersDay = Math.floor(at / dayMs)
    main.ordersOfDay = count
    return count
  }

  takeClientOid(account: AccountRow, clientOid: string, id: OrderId): void {
    account.clientOids ??= new Map()
    account.clientOids.set(clientOid, id)
  }

  /** The client order id stays taken for a day from now. */
  retireClientOid(account: Account, clientOid: string, at: Millis): void {
    this.ended.accounts.push(account.handle)
    this.ended.clientOids.push(clientOid)
    this.ended.takenUntil.push(at + clientOidHeldMs)
  }

  /** Client order ids whose day is over are free again. */
  forgetClientOids(at: Millis): void {
    const { accounts, clientOids, takenUntil } = this.ended
    while (this.endedFrom < takenUntil.length && takenUntil[this.endedFrom] < at) {
      const account = this.byHandle(accounts[this.endedFrom])
      account.clientOids?.delete(clientOids[this.endedFrom])
      if (account.clientOids?.size === 0) account.clientOids = undefined
      this.endedFrom++
    }
    if (this.endedFrom > 4096 && this.endedFrom * 2 > takenUntil.length) {
      this.ended = {
        accounts: accounts.slice(this.endedFrom),
        clientOids: clientOids.slice(this.endedFrom),
        takenUntil: takenUntil.slice(this.endedFrom),
      }
      this.endedFrom = 0
    }
  }

  save(): Record<string, unknown> {
    const { ended, endedFrom, channels, subs } = this
    return { list: this.all().map(plain), ended, endedFrom, channels, subs }
  }

  load({ list, ...saved }: Record<string, unknown>): void {
    Object.assign(this, saved)
    for (const account of list as Saved[]) this.#table.add({ ...account, frozenByOwner: account.frozen })
    // States that were saved before there were columns have entries.
    if (Array.isArray(saved['ended'])) this.ended = columnsOf(saved['ended'] as [AccountHandle, string, Millis][])
  }
}

/** As it is saved, `frozen` is what its main account has said. */
type Saved = Omit<Account, 'frozenByOwner'>

function plain(account: Account): Omit<Saved, 'leavesHybrid' | 'frozenByOperator'> & Partial<Saved> {
  return {
    handle: account.handle,
    uid: account.uid,
    kind: account.kind,
    main: account.main,
    name: account.name,
    note: account.note,
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
    frozen: account.frozenByOwner,
    // Where the operator has frozen nobody, the bytes are those from before there was such a thing.
    ...(account.frozenByOperator && { frozenByOperator: true }),
    permissions: account.permissions,
    mode: account.mode,
    ...(account.leavesHybrid && { leavesHybrid: true }),
    stpMode: account.stpMode,
    collateral: account.collateral,
    holdMode: account.holdMode,
    broker: account.broker,
    boundAt: account.boundAt,
    copyTrader: account.copyTrader,
    openFutures: account.openFutures,
    openSpot: account.openSpot,
    firstOrder: account.firstOrder,
    ordersDay: account.ordersDay,
    ordersOfDay: account.ordersOfDay,
    clientOids: account.clientOids ?? new Map(),
  }
}

function columnsOf(entries: readonly (readonly [AccountHandle, string, Millis])[]): EndedIds {
  return {
    accounts: entries.map(([account]) => account),
    clientOids: entries.map(([, clientOid]) => clientOid),
    takenUntil: entries.map(([, , until]) => until),
  }
}
