/**
 * Answers that are JSON already: lists of rows of which each text was made before, put into an envelope as they are.
 *
 * Data   the type names what the text says; the schema of an endpoint holds for it as for any other answer
 */
declare const says: unique symbol

export class JsonText<Data> {
  declare readonly [says]: Data
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A list of texts, each of one row. */
export function listText<Row>(texts: readonly string[]): JsonText<Row[]> {
  return new JsonText(`[${texts.join(',')}]`)
}

/** An object, of which some fields are texts already. */
export function objectText<Data extends object>(
  fields: {
    readonly [Name in keyof Data]: Data[Name] | JsonText<Data[Name]>
  },
): JsonText<Data> {
  const written = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`)
  return new JsonText(`{${written.join(',')}}`)
}

/** JSON of an answer or a part of one. */
export function jsonOf(data: unknown): string {
  return data instanceof JsonText ? data.text : JSON.stringify(data ?? null)
}

/** The data of an answer, for whoever does not want it as text. */
export function dataOf(answer: unknown): unknown {
  return answer instanceof JsonText ? JSON.parse(answer.text) : answer
}
