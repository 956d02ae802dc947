/**
 * What a page of the guide does besides being read: it is dark or light and speaks the language of the terminal of the same browser, and
 * can be searched. The text itself is English.
 *
 *   search.ts  the box at the top
 */
import { effect } from '@preact/signals'
import { offerLanguages, say } from '../parts/say.ts'
import { firstWords } from '../store/language.ts'
import { toggleTheme } from '../store/theme.ts'
import { docs } from '../words/docs.ts'
import { openSearch } from './search.ts'

const [title] = document.title.split(' · ')
effect(() => {
  document.title = `${title} · ${docs.guide.title}`
})
say(() => ({
  texts: {
    'header a[href="/docs/guide"]': docs.pages.guide,
    'header a[href="/docs"]': docs.pages.reference,
    'header a[href="/"]': docs.pages.terminal,
    '#search label span': docs.guide.search,
    '#look': docs.pages.look,
  },
  labels: { 'header nav': docs.pages.label, '#contents': docs.guide.contents, '#language': docs.pages.language },
  placeholders: { '#search input': docs.guide.searchFor },
}))
void firstWords()
offerLanguages(document.querySelector<HTMLSelectElement>('#language')!)

const look = document.querySelector<HTMLButtonElement>('#look')!
look.addEventListener('click', toggleTheme)
look.hidden = false

openSearch(document.querySelector<HTMLFormElement>('#search')!)
