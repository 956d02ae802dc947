/** The language: that of this browser where there are words for it, else English, until somebody chooses. */
import { effect } from '@preact/signals'
import { type Language, languages, speak, spokenTag } from '../words/languages.ts'
import { kept } from './kept.ts'

const known = Object.keys(languages) as Language[]

function languageOfBrowser(): Language {
  return known.find((name) => navigator.language.toLowerCase().startsWith(name)) ?? 'en'
}

export const language = kept<Language>('language', languageOfBrowser(), known)

/** Settles when the first words are there. Where they cannot be loaded English stays. */
export async function firstWords(): Promise<void> {
  await speak(language.peek()).catch(() => {})
}

effect(() => void speak(language.value).catch(() => {}))

effect(() => {
  document.documentElement.lang = spokenTag()
})
