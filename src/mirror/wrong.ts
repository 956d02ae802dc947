/**
 * What another venue said and cannot mean: one line with topic and field.
 */
export class MirrorWrong extends Error {
  override name = 'MirrorWrong'
}

/** A push of a book did not follow on, or its checksum is another: the book is to begin anew. */
export class BookBroken extends Error {
  override name = 'BookBroken'
}

/** `at`: topic and field, such as `books USDT-FUTURES BTCUSDT: data[0].b[3][1]`. */
export function wrong(at: string, value: unknown, rule: string): MirrorWrong {
  const text = JSON.stringify(value) ?? 'nothing'
  return new MirrorWrong(`${at}: ${text.length > shownMax ? `${text.slice(0, shownMax)}…` : text} ${rule}`)
}

const shownMax = 60
