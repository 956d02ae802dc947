/** The `Date` of answers: made once a second. */
let text = ''
let textSecond = Number.NaN

/** A time in Unix milliseconds as HTTP writes it. */
export function httpDate(at: number): string {
  const second = Math.floor(at / 1_000)
  if (second !== textSecond) {
    textSecond = second
    text = new Date(at).toUTCString()
  }
  return text
}
