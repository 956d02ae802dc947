/**
 * How far a long piece of work has come, on standard error and only on a terminal; nowhere else is anything written.
 *
 * Own     a bar of the libraries takes the keyboard and the signals for itself, and with them a venue that starts in the
 *         background; this one writes one line again and again
 * Pace    at most ten times a second, so that it costs nothing; it also shows in work that never yields
 */
const everyMs = 100
const barWidth = 24

export interface Progress {
  /** `share` from 0 to 1; `detail` in a few words. */
  at(share: number, detail: string): void
  /** Takes the line away. */
  end(): void
}

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export function openProgress(
  what: string,
  terminal: Terminal = process.stderr,
  now = () => performance.now(),
): Progress {
  if (!terminal.isTTY) return { at() {}, end() {} }
  let shownMs = Number.NEGATIVE_INFINITY
  return {
    at(share, detail) {
      if (now() - shownMs < everyMs) return
      shownMs = now()
      const line = `${what} ${bar(share)} ${String(Math.floor(share * 100)).padStart(3)} %  ${detail}`
      terminal.write(`\r\x1b[2K${line.slice(0, (terminal.columns || 80) - 1)}`)
    },
    end() {
      if (shownMs > 0) terminal.write('\r\x1b[2K')
    },
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * barWidth)
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`
}
