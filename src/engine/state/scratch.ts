/**
 * Memory that rules fill anew for each order: what a sweep of a book comes to, the equities of a unified account, exposures as
 * they would be if some of them were otherwise.
 *
 * Holds     nothing that is saved, and nothing that decides anything later: a part is read before it is begun again
 * Checked   each part counts how often it was begun (`generation`), or knows whose it is; who reads it too late stops the command
 * Why       every order asks for these: made anew each time they would be most of what an order allocates
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
