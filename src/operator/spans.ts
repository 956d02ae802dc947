/** Lengths of time in words, for people: whole seconds, the two largest units, cut off. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** `1 d 2 h`, `3 min 0 s`, `0 s`; of what is negative its length. */
export function spanText(ms: number): string {
  // Two looks at a clock are a millisecond apart: a day is a day.
  const whole = Math.round(Math.abs(ms) / 1000) * 1000
  const first = units.findIndex(([, unitMs]) => whole >= unitMs)
  if (first === -1) return '0 s'
  const shown = units.slice(first, first + 2)
  return shown
    .map(([name, unitMs], place) => {
      const left = place === 0 ? whole : whole % units[first][1]
      return `${Math.floor(left / unitMs)} ${name}`
    })
    .join(' ')
}
