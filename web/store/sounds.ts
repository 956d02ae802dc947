/** Short tones, made by the browser itself: for fills, off until somebody wants them, and for price alerts. */
import { kept } from './kept.ts'

export const soundsFills = kept<boolean>('soundsFills', false)

const seconds = 0.18
const volume = 0.08
const pitches = { buy: [523, 784], sell: [784, 523], alert: [880, 880] } as const

let context: AudioContext | undefined

/** Two notes; a browser in which nobody has pressed anything yet stays silent. */
export function sound(name: keyof typeof pitches): void {
  context ??= new AudioContext()
  for (const [index, pitch] of pitches[name].entries()) {
    const tone = context.createOscillator()
    const level = context.createGain()
    const from = context.currentTime + index * seconds
    tone.frequency.value = pitch
    level.gain.setValueAtTime(volume, from)
    level.gain.exponentialRampToValueAtTime(0.0001, from + seconds)
    tone.connect(level).connect(context.destination)
    tone.start(from)
    tone.stop(from + seconds)
  }
}
