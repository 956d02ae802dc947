/**
 * What all calls of a classic account share: its key and what that may read, the instruments, and its positions as they were
 * last read or pushed.
 *
 * Keys    read and trade by field (spot, margin, futures): what a key may not read is left out
 * Source  wire/client-endpoints.md §4
 */
import type { HoldMode, MarginMode, Order, Position, WalletName } from '../account-records.ts'
import { type Category, type FuturesLine, futuresLines } from '../categories.ts'
import type { Instrument } from '../instruments.ts'
import type { Query } from '../query.ts'
import type { Caller } from '../rest.ts'
import { sizeText } from './contracts.ts'
import * as futures from './futures-records.ts'
import { MarginLists } from './margin-lists.ts'
import { contractNamed } from './order-requests.ts'
import { t } from '../../words/words.ts'

export const futuresWallets = {
  'USDT-FUTURES': 'usdt_futures',
  'COIN-FUTURES': 'coin_futures',
  'USDC-FUTURES': 'usdc_futures',
} as const satisfies Record<FuturesLine, WalletName>

/** What a key needs to read, and to trade, in a category. */
const permissions: Readonly<Record<Category, string>> = {
  SPOT: 'spot_trade',
  MARGIN: 'margin_trade',
  'USDT-FUTURES': 'contract_trade',
  'COIN-FUTURES': 'contract_trade',
  'USDC-FUTURES': 'contract_trade',
}

export interface Info {
  readonly userId: string
  /** Of a main account its own. */
  readonly parentId: number
  readonly authorities: readonly string[]
}

interface ContractSetting {
  readonly crossedMaxAvailable: string
  readonly isolatedMaxAvailable: string
  readonly crossedMarginLeverage: number
  readonly isolatedLongLever: number
  readonly marginMode: MarginMode
  readonly posMode: HoldMode
}

export class Access {
  readonly caller: Caller
  readonly uid: string
  /** Empty: a main account. */
  readonly parentUid: string
  readonly readOnly: boolean
  readonly instruments: ReadonlyMap<string, Instrument>
  /** Futures lines that the key may read. */
  readonly lines: readonly FuturesLine[]
  readonly seesSpot: boolean
  readonly seesMargin: boolean
  readonly margin: MarginLists
  /** Of a size of a coin-margined contract, by symbol. */
  readonly #sizeDecimals: ReadonlyMap<string, number>
  readonly #positions = new Map<FuturesLine, readonly Position[]>()

  constructor(
    caller: Caller,
    { userId, parentId, authorities }: Info,
    instruments: readonly Instrument[],
    sizeDecimals: ReadonlyMap<string, number>,
  ) {
    this.caller = caller
    this.uid = userId
    this.parentUid = String(parentId) === userId ? '' : String(parentId)
    this.instruments = new Map(instruments.map((instrument) => [instrument.key, instrument]))
    this.#sizeDecimals = sizeDecimals
    const sees = (category: Category) => authorities.includes('read') || authorities.includes(permissions[category])
    this.readOnly = !Object.values(permissions).some((permission) => authorities.includes(permission))
    this.lines = futuresLines.filter(sees)
    this.seesSpot = sees('SPOT')
    this.seesMargin = sees('MARGIN')
    this.margin = new MarginLists(
      caller,
      this.listed('MARGIN').map(({ symbol }) => symbol),
    )
  }

  setting(instrument: Instrument): Promise<ContractSetting> {
    return this.caller.get('/api/v2/mix/account/account', contractNamed(instrument))
  }

  instrument(category: Category, symbol: string): Instrument {
    const found = this.instruments.get(`${category}/${symbol}`)
    if (found === undefined) throw new Error(t.venue.listedLater(symbol))
    return found
  }

  listed(category: Category): Instrument[] {
    return [...this.instruments.values()].filter((instrument) => instrument.category === category)
  }

  /** Records of instruments that the page knows. */
  read<Row extends { readonly symbol?: string; readonly instId?: string }, T>(
    line: FuturesLine,
    rows: readonly Row[],
    read: (instrument: Instrument, row: Row) => T,
  ): T[] {
    return rows.flatMap((row) => {
      const instrument = this.instruments.get(`${line}/${futures.symbolOf(row)}`)
      return instrument === undefined ? [] : [read(instrument, row)]
    })
  }

  /** Reads an order with the entry price of the position that it would close. */
  orderReader(line: FuturesLine) {
    return (instrument: Instrument, row: futures.OrderRecord): Order => {
      const closes = row.posSide === 'net' ? (row.side === 'sell' ? 'long' : 'short') : row.posSide
      return futures.orderOf(line, instrument, row, this.entryPrice(line, instrument.symbol, closes))
    }
  }

  keepPositions(line: FuturesLine, rows: readonly futures.PositionRecord[]): void {
    this.#positions.set(
      line,
      this.read(line, rows, (instrument, row) => futures.positionOf(line, instrument, row)),
    )
  }

  allPositions(): Position[] {
    return [...this.#positions.values()].flat()
  }

  /** `side` empty: whichever is there. */
  entryPrice(category: Category, symbol: string, side: string): string | undefined {
    return this.allPositions().find(
      (position) =>
        position.category === category && position.symbol === symbol && (side === '' || position.side === side),
    )?.entryPrice
  }

  /** As v2 counts it, at the price that the venue turns it at. */
  size(instrument: Instrument, quantity: string, price: bigint): string {
    return sizeText(instrument, quantity, price, this.decimalsOf(instrument.symbol))
  }

  decimalsOf(symbol: string): number {
    return this.#sizeDecimals.get(symbol) ?? 8
  }

  /** Lists of futures orders and plans. */
  async entrusted<Row>(path: string, query: Query): Promise<Row[]> {
    return (await this.caller.get<{ entrustedList: Row[] | null }>(path, query)).entrustedList ?? []
  }
}
