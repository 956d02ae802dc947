/**
 * Rows as comma-separated values, as RFC 4180 has them: for spreadsheets and programs.
 *
 * Columns  the fields of all rows, in the order in which they come; nothing that a row lacks is made up
 * Times    fields called `at`, and those that end in `At`, in ISO 8601, UTC
 * Safe     a text that a spreadsheet would take for a formula is told as a text; numbers are left as they are
 */
export function csvOf(rows: readonly object[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => names.map((name) => cell(name, (row as Record<string, unknown>)[name])).join(','))
  return [names.join(','), ...lines, ''].join('\r\n')
}

function cell(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' && /(^at|At)$/.test(name)) return new Date(value).toISOString()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=@\t\r]|^[+-](?![\d.])/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
