/**
 * Where a replay goes another way: of all that is found the difference of the earliest request is the one that is told.
 *
 * Source  lab.md §4.8
 */
export interface Difference {
  /** `request 12 (POST /api/v3/trade/place-order)`, `socket 3, answer 5`, `the end`. */
  readonly where: string
  readonly field: string
  readonly expected: string
  readonly got: string
}

export class Differences {
  #first: (Difference & { readonly order: number }) | undefined

  get first(): Difference | undefined {
    return this.#first
  }

  /** `order` is the number of the request that it belongs to, or of the one before it. */
  tell(where: string, field: string, expected: string, got: string, order: number): void {
    if (this.#first !== undefined && this.#first.order <= order) return
    this.#first = { where, field, expected, got, order }
  }
}
