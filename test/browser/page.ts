/**
 * A person at the terminal or at the operator's desk: a page of a real browser on a venue, with what a person would look for.
 *
 * Faults   of the page itself (errors, refused requests, what its policy forbids) are kept: a test ends with none of them
 * Shots    go to artifacts/terminal/ and artifacts/desk/, so that somebody can look at what the tests have seen
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Key } from '../support/person.ts'

export const sizes = {
  wide: { width: 1440, height: 900 },
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const
export type Size = keyof typeof sizes

/** What is the same in every language: names, coins and symbols, units, keys, short terms that traders write so. */
const namesEverywhere =
  /\b(Tidemark|KLineChart|TradingView|tradingview|preact|Lightweight|Charts|Preact|signals|Copyright|lihu|Inc|Apache|License|Version|MIT|https?|www|com|English|Escape|Enter|Alt|Shift|btc|perp|[A-Z0-9]{2,}|[a-z]+-(main|peer|sub)|demo|copy-trader|simulator-[a-z]+(-\d+)?|read-only|Post only|Secret|Passphrase|x\d+|\d+x|\d+[HDWMm](utc)?|24h|UTC|tidemark dev|no-rate-limits|ms|s|[GMK]iB|p\d+|Key|WebSocket|decimal|time|id|word|number)\b/g

/** What a person reads or hears, as one text each; what is marked as English is meant to be. */
const saidOnPage = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest('script, noscript, code, .code, [lang="en"]') === null) found.push(node.textContent)
  }
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('[lang="en"]') !== null) continue
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext', 'alt', 'data-title']) {
      found.push(element.getAttribute(name) ?? '')
    }
  }
  return found
})()`

/** Texts of a page in another language that are English but for names. */
export async function englishOn(page: Page): Promise<string[]> {
  const said = await page.evaluate<string[]>(saidOnPage)
  return [...new Set(said)].filter((text) => /[A-Za-z]{2,}/.test(text.replaceAll(namesEverywhere, '')))
}

/** What there is on any page. */
class Visit {
  readonly page: Page
  readonly size: Size
  readonly faults: string[] = []
  readonly #shots: string

  constructor(page: Page, size: Size, shots: 'terminal' | 'desk') {
    this.page = page
    this.size = size
    this.#shots = fileURLToPath(new URL(`../../artifacts/${shots}`, import.meta.url))
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => this.faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text())
    })
    page.on('response', (response) => {
      if (response.status() >= 400) this.faults.push(`${response.status()} ${response.url()}`)
    })
  }

  async close(): Promise<void> {
    await this.page.context().close()
  }

  /** Chooses one of a few by its word; what the venue has to agree to is chosen only when it has. */
  async choose(group: string, word: string): Promise<void> {
    const radios = this.page.getByRole('group', { name: group, exact: true })
    await radios.getByRole('radio', { name: word, exact: true }).click()
    await radios.getByRole('radio', { name: word, exact: true, checked: true }).waitFor()
  }

  field(name: string): Locator {
    return this.page.locator(`input[name="${name}"], select[name="${name}"]`)
  }

  /** Numbers as the page shows them: `60,016.9`. */
  async number(locator: Locator): Promise<number> {
    return Number(((await locator.textContent()) ?? '').replaceAll(',', ''))
  }

  /** What a screen reader would have no word for: lines like `- button` in the tree that it reads. */
  async nameless(): Promise<string[]> {
    const tree = await this.page.locator('body').ariaSnapshot()
    return tree
      .split('\n')
      .filter((line) =>
        /^\s*- (?:button|link|textbox|combobox|radio|checkbox|tab|table|img|slider)(?: \[.*\])?:?$/.test(line),
      )
  }

  /** What sticks out at the right, where nobody can scroll to it: its text. */
  async cut(): Promise<string[]> {
    return this.page.evaluate<string[]>(`(() => {
      const isOut = (element) => element.getBoundingClientRect().right > innerWidth + 1
      const scrolls = (element) =>
        element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) ? element.scrollWidth > element.clientWidth : scrolls(element.parentElement))
      const all = [...document.querySelectorAll('.view :is(button, a, input, select, td, th, dd, h2, h3, p, .badge)')]
      return all.filter((element) => isOut(element) && !scrolls(element)).map(({ textContent }) => textContent)
    })()`)
  }

  /** Cells that show less than they have, stick out of their row, or lie under what can be done: their texts. */
  async cutCells(): Promise<string[]> {
    return this.page.evaluate<string[]>(`[...document.querySelectorAll('.rows tbody :is(td, th)')].flatMap((cell) => {
      const sticksOut = cell.getBoundingClientRect().right > cell.closest('tr').getBoundingClientRect().right + 1
      const hides = [cell, ...cell.querySelectorAll('a')].some((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
      const acts = [...cell.parentElement.querySelectorAll('.actions')].filter((other) => other !== cell && getComputedStyle(other).position === 'sticky')
      const isUnder = acts.some((other) => cell.getBoundingClientRect().right > other.getBoundingClientRect().left + 1)
      return sticksOut || hides || isUnder ? [cell.textContent] : []
    })`)
  }

  async shot(name: string): Promise<void> {
    mkdirSync(this.#shots, { recursive: true })
    await this.page.screenshot({ path: `${this.#shots}/${this.size}-${name}.png` })
  }
}

type Theme = 'dark' | 'light'

async function openPage(browser: Browser, size: Size, theme: Theme, zone?: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme: theme,
    hasTouch: size === 'phone',
    ...(zone === undefined ? {} : { timezoneId: zone }),
  })
  return context.newPage()
}

export class Terminal extends Visit {
  static async open(
    browser: Browser,
    url: string,
    size: Size,
    theme: Theme = 'dark',
    zone?: string,
  ): Promise<Terminal> {
    return Terminal.at(await openPage(browser, size, theme, zone), url, size)
  }

  /** In a browser of one's own making: of another language, say. */
  static async at(page: Page, url: string, size: Size): Promise<Terminal> {
    const terminal = new Terminal(page, size, 'terminal')
    await page.goto(url)
    return terminal
  }

  /** On a phone one view is shown at a time. */
  async show(view: 'chart' | 'book' | 'trade' | 'account'): Promise<void> {
    if (this.size === 'phone') await this.page.locator(`.views [data-view="${view}"]`).click()
  }

  async showTab(tab: string): Promise<void> {
    await this.show('account')
    await this.page.locator(`[role="tab"][data-tab="${tab}"]`).click()
  }

  async signInAs(role: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
    await this.page.locator(`[data-role="${role}"]`).click()
    await this.page.getByTestId('account').waitFor()
  }

  async signInWith({ apiKey, secret, passphrase }: Key): Promise<void> {
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
    for (const [name, text] of Object.entries({ apiKey, secret, passphrase })) await this.field(name).fill(text)
    await this.page.keyboard.press('Enter')
    await this.page.getByTestId('account').waitFor()
  }

  /** By keyboard alone. */
  async goTo(words: string, symbol: string): Promise<void> {
    const { page } = this
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search instruments' }).fill(words)
    await page.keyboard.press('Enter')
    await page.locator('.pick').getByText(symbol, { exact: true }).waitFor()
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
  }

  /** Writes an order and sends it; the venue has taken it when the ticket is empty again. */
  async order(order: {
    side: 'Buy' | 'Sell' | 'Buy, open long' | 'Sell, open short'
    type: 'Limit' | 'Market'
    price?: string
    quantity: string
  }): Promise<void> {
    await this.show('trade')
    await this.choose('Order type', order.type)
    await this.choose('Side', order.side)
    if (order.price !== undefined) await this.field('price').fill(order.price)
    await this.field('quantity').fill(order.quantity)
    await this.page.getByTestId('send').click()
    await expect.poll(() => this.field('quantity').inputValue(), { timeout: 10_000 }).toBe('')
  }

  /** Two orders of each kind that hedge mode has, on the long and the short position that there are; answers how they are listed. */
  async scaleInHedge(quantity: string): Promise<string[]> {
    const { page } = this
    await this.choose('Order type', 'Limit')
    for (const [what, side, from, to] of scaledInHedge) {
      await this.choose('Open or close', what)
      await this.choose('Side', side)
      await page.getByTestId('scaled').click()
      await page.getByRole('dialog', { name: `Scaled orders: ${side}` }).waitFor()
      for (const [field, text] of Object.entries({
        scaledFrom: from,
        scaledTo: to,
        scaledQuantity: quantity,
        scaledCount: '2',
      }))
        await this.field(field).fill(text)
      if (side === 'Sell, close long') await this.shot('scaled-hedge')
      await page.getByRole('button', { name: `${side} with 2 orders` }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await this.showTab('orders')
    await expect.poll(() => page.locator('[data-action="cancel"]').count(), { timeout: 10_000 }).toBe(8)
    const sides = await page.locator('td[data-title="Side"]').allTextContents()
    await page.keyboard.press('x')
    await page.getByTestId('cancel-all').click()
    await page.getByText('No open orders.').waitFor()
    return sides.sort()
  }
}

/** Each kind of order of hedge mode, with a first and a last price. */
const scaledInHedge = [
  ['Open', 'Buy, open long', '50000', '49000'],
  ['Open', 'Sell, open short', '80000', '81000'],
  ['Close', 'Sell, close long', '82000', '83000'],
  ['Close', 'Buy, close short', '48000', '47000'],
] as const

export class Desk extends Visit {
  static async open(browser: Browser, url: string, size: Size, theme: Theme = 'dark'): Promise<Desk> {
    return Desk.at(await openPage(browser, size, theme), url, size)
  }

  /** In a browser of one's own making. */
  static async at(page: Page, url: string, size: Size): Promise<Desk> {
    const desk = new Desk(page, size, 'desk')
    await desk.page.goto(url)
    return desk
  }

  async signIn(token: string): Promise<void> {
    await this.field('token').fill(token)
    await this.page.keyboard.press('Enter')
  }

  /** By the links at the top, or the bar at the bottom of a phone. */
  async show(view: string): Promise<void> {
    const nav = this.size === 'phone' ? '.views' : '.links'
    await this.page.locator(`${nav} [data-view="${view}"]`).click()
  }

  /** A row of a table by the text of its head. */
  row(table: string, name: RegExp): Locator {
    return this.page.getByRole('table', { name: table }).getByRole('row', { name })
  }

  /** Where what the first row of a table says begins, in pixels, each place once: on a phone its cells are under each other. */
  async startsOfCells(table: string): Promise<number[]> {
    return this.page.evaluate<number[]>(`(() => {
      const found = [...document.querySelectorAll('table')].find(({ caption }) => caption.textContent === ${JSON.stringify(table)})
      const starts = [...found.tBodies[0].rows[0].cells].map((cell) => cell.getBoundingClientRect().left + parseFloat(getComputedStyle(cell).paddingLeft))
      return [...new Set(starts.map(Math.round))]
    })()`)
  }

  /** Says yes to what was asked. */
  async act(): Promise<void> {
    await this.page.getByTestId('act').click()
  }
}
