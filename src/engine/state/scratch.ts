/**
 * Memory that is filled anew for each order. It holds the match of a sweep, the equities of a unified account, and exposures
 * as they would be if something were otherwise.
 *
 * Holds     nothing that is saved; each command uses it anew
 * Checked   a match, and a new supposed exposure before it is kept, by a generation; equities by their account. What a
 *           sweep has used belongs to the sweep begun last. Whatever is found out of date stops the command
 * Why       every order needs these: made anew each time they would be most of what an order allocates
 */
import type { CoinId } from '../catalog/catalog.ts'
import { assert } from '../numbers/numbers.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { SupposedExposures } from './supposed-exposures.ts'
import { Sweep } from './sweep.ts'

/** What one unified account has of each coin, less what it owes, with what its cross positions have won. */
export class Equities {
  #account: AccountHandle = 0
  /** Of the first `count` places of `coins` and `units`. */
  count = 0
  readonly coins: CoinId[] = []
  readonly units: bigint[] = []

  begin(account: AccountHandle): void {
    this.#account = account
    this.count = 0
  }

  add(coin: CoinId, units: bigint): void {
    const place = this.#placeOf(coin)
    if (place < this.count) this.units[place] += units
    else {
      this.coins[place] = coin
      this.units[place] = units
      this.count++
    }
  }

  /** Of a coin, zero where nothing was added. */
  of(coin: CoinId): bigint {
    const place = this.#placeOf(coin)
    return place < this.count ? this.units[place] : 0n
  }

  /** They are read as those of this account: nobody else's were counted since. */
  assertOf(account: AccountHandle): void {
    assert(this.#account === account, 'equities are read before those of another account are counted')
  }

  /** Of a coin without equity the next place. */
  #placeOf(coin: CoinId): number {
    let place = 0
    while (place < this.count && this.coins[place] !== coin) place++
    return place
  }
}

export class Scratch {
  readonly sweep = new Sweep()
  readonly equities = new Equities()
  readonly supposed = new SupposedExposures()
}
