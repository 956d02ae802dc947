/**
 * What is wrong with a value, field by field: the answer of every schema check in this room.
 *
 * Rule   in plain words: the `description` of the field's schema; without one, the validator's own sentence
 * Holds  a field is named once, by its first fault, so that a person can put right everything in one go
 */
import type { Static, StaticDecode, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Clone, DecodeUnsafe } from 'typebox/value'

export interface Fault {
  /** Path of the field: `prices.BTC`, `tiers.0.from`; empty for the value as a whole. */
  readonly field: string
  readonly rule: string
}

/** Checks values against one schema; compiled once, when it is first needed. */
export class Checker<Schema extends TSchema> {
  readonly #schema: Schema
  #made: Validator<{}, Schema> | undefined

  constructor(schema: Schema) {
    this.#schema = schema
  }

  accepts(value: unknown): value is Static<Schema> {
    return this.#compiled.Check(value)
  }

  /** What a value means that has no faults; it stays as it is. */
  read(value: unknown): StaticDecode<Schema> {
    return DecodeUnsafe({}, this.#schema, Clone(value)) as StaticDecode<Schema>
  }

  faults(value: unknown): Fault[] {
    const found = new Map<string, string>()
    const add = (field: string, rule: string) => {
      if (!found.has(field)) found.set(field, rule)
    }
    for (const error of everyError(() => this.#compiled.Errors(value))) {
      const at = fieldOf(error.instancePath)
      if (error.keyword === 'required') {
        for (const missing of error.params.requiredProperties) add(join(at, missing), 'is required')
      } else if (error.keyword === 'additionalProperties') {
        for (const unknown of error.params.additionalProperties) add(join(at, unknown), 'is not known')
      } else if (error.keyword !== 'boolean') {
        add(at, this.#ruleAt(error.schemaPath) ?? error.message)
      }
    }
    return [...found].map(([field, rule]) => ({ field, rule }))
  }

  get #compiled() {
    return (this.#made ??= Compile(this.#schema))
  }

  /** The description nearest to the failing keyword, from the inside out. */
  #ruleAt(schemaPath: string): string | undefined {
    let at: unknown = this.#schema
    let rule: string | undefined
    for (const step of ['', ...schemaPath.split('/').slice(1)]) {
      if (step !== '') at = (at as Record<string, unknown> | undefined)?.[step]
      const description = (at as { description?: unknown } | undefined)?.description
      if (typeof description === 'string') rule = description
    }
    return rule === undefined ? undefined : `must be ${rule}`
  }
}

/** The library ends after eight, which is enough for whoever asks for the first (api/parsing/input.ts). */
function everyError<T>(errors: () => T): T {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: Number.MAX_SAFE_INTEGER })
  try {
    return errors()
  } finally {
    Settings.Set({ maxErrors })
  }
}

function fieldOf(instancePath: string): string {
  return instancePath.split('/').slice(1).join('.')
}

function join(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`
}
