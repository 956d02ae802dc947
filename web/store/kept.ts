/** A choice that this browser keeps: in local storage, never anything secret. */
import { effect, signal, type Signal } from '@preact/signals'

const prefix = 'tidemark.'

export function kept<T extends string | boolean>(name: string, first: T, allowed?: readonly T[]): Signal<T> {
  const choice = signal<T>(read(name, first, allowed))
  effect(() => {
    try {
      localStorage.setItem(prefix + name, JSON.stringify(choice.value))
    } catch {
      // a browser that keeps nothing: the choice holds until the page closes
    }
  })
  return choice
}

function read<T>(name: string, first: T, allowed?: readonly T[]): T {
  try {
    const value = JSON.parse(localStorage.getItem(prefix + name) ?? 'null') as T
    return typeof value === typeof first && (allowed?.includes(value) ?? true) ? value : first
  } catch {
    return first
  }
}
