/**
 * What a followed market says of one moment, in ticks and lots of the instrument that it is followed with.
 */
export interface Trade {
  readonly isBuy: boolean
  readonly price: number
  readonly lots: number
}

export interface Change {
  readonly isBid: boolean
  readonly price: number
  readonly lots: number
}

export interface MomentRows {
  /** Unix milliseconds, of the market that is followed. */
  readonly at: number
  readonly rows: number
  readonly trades: readonly Trade[]
  /** All levels go before the changes. */
  readonly isCleared: boolean
  readonly changes: readonly Change[]
  /** Of 1e-8; undefined: nothing new. */
  readonly index: number | undefined
  readonly mark: number | undefined
  /** Of 1e-12. */
  readonly funding: number | undefined
}
