/**
 * Inserts the rows of one table, each with the statement of its words.
 *
 * Words       are written into the statement and all other cells bound to it: there are few combinations of them, and to
 *             bind a text to SQLite takes longer than to put it into the row
 * Statements  are found word by word along a tree, and begun anew when there are too many of them
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Cell } from './columns.ts'
import type { Table } from './tables.ts'

/** Of a table: more than a venue has in use, and a few megabytes at most. */
const statementsMax = 500

type Tree = Map<string, Tree | StatementSync>

export class RowInserter {
  readonly #file: DatabaseSync
  readonly #table: string
  readonly #names: readonly string[]
  readonly #wordPlaces: readonly number[]
  readonly #boundPlaces: readonly number[]
  #statements: Tree = new Map()
  #count = 0

  constructor(file: DatabaseSync, { name, names, kinds }: Pick<Table, 'name' | 'names' | 'kinds'>) {
    this.#file = file
    this.#table = name
    this.#names = names
    this.#wordPlaces = names
      .keys()
      .filter((place) => kinds[place] === 'word')
      .toArray()
    this.#boundPlaces = names
      .keys()
      .filter((place) => kinds[place] !== 'word')
      .toArray()
  }

  /** Cells in the order of the table's columns. */
  insert(cells: readonly Cell[]): void {
    this.#statementOf(cells).run(...this.#boundPlaces.map((place) => cells[place]))
  }

  #statementOf(cells: readonly Cell[]): StatementSync {
    let found: Tree | StatementSync | undefined = this.#statements
    for (const place of this.#wordPlaces) found = (found as Tree | undefined)?.get(cells[place] as string)
    return (found as StatementSync | undefined) ?? this.#addStatement(cells)
  }

  #addStatement(cells: readonly Cell[]): StatementSync {
    if (this.#count === statementsMax) {
      this.#statements = new Map()
      this.#count = 0
    }
    this.#count += 1
    const words = this.#wordPlaces.map((place) => cells[place] as string)
    let branch = this.#statements
    for (const word of words.slice(0, -1)) {
      const next: Tree = (branch.get(word) as Tree | undefined) ?? new Map()
      branch.set(word, next)
      branch = next
    }
    const statement = this.#prepare(words)
    branch.set(words.at(-1) as string, statement)
    return statement
  }

  #prepare(words: readonly string[]): StatementSync {
    const values = this.#names.map((_name, place) => {
      const word = words[this.#wordPlaces.indexOf(place)]
      return word === undefined ? '?' : `'${word.replaceAll("'", "''")}'`
    })
    return this.#file.prepare(`insert into ${this.#table} (${this.#names.join(', ')}) values (${values.join(', ')})`)
  }
}
