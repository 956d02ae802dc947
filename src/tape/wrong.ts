/**
 * What is wrong with a recording, as one line: file, row, field and rule.
 */

/** Of a value that is wrong, so much is repeated. */
const shownMax = 40

export class TapeWrong extends Error {
  override name = 'TapeWrong'
}

/** `row` counts from 1 with the header. */
export function wrongField(file: string, row: number, field: string, text: string, rule: string): TapeWrong {
  const shown = JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)} …` : text)
  return new TapeWrong(`${file}, row ${row}: ${field} ${shown} ${rule}`)
}

/** Of what the system says about a file. */
export function wrongFile(file: string, cause: unknown): TapeWrong {
  if (cause instanceof TapeWrong) return cause
  const { code, message } = cause as Error & { readonly code?: string }
  if (code === 'ENOENT') return new TapeWrong(`${file}: there is no such file`, { cause })
  if (code === 'EISDIR') return new TapeWrong(`${file}: is a directory`, { cause })
  return new TapeWrong(`${file}: ${message}`, { cause })
}
