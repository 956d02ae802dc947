/**
 * What a page of the guide does besides being read: it is dark or light, as the terminal of the same browser, and can be searched.
 *
 *   search.ts  the box at the top
 */
import { toggleTheme } from '../store/theme.ts'
import { openSearch } from './search.ts'

const look = document.querySelector<HTMLButtonElement>('#look')!
look.addEventListener('click', toggleTheme)
look.hidden = false

openSearch(document.querySelector<HTMLFormElement>('#search')!)
