/** The chart fills the page, and the screen where the browser gives it. */
import { signal } from '@preact/signals'

export const chartFills = signal(false)

export function toggleFullScreen(): void {
  chartFills.value = !chartFills.value
  if (chartFills.value) void document.documentElement.requestFullscreen?.().catch(() => {})
  else if (document.fullscreenElement !== null) void document.exitFullscreen().catch(() => {})
}

// Escape leaves it in the browser's own way.
document.addEventListener('fullscreenchange', () => {
  if (document.fullscreenElement === null) chartFills.value = false
})
