/**
 * What axe finds against WCAG 2.1 AA in the terminal, on the desk, in the reference and in the guide, signed in and out, dark and light, on a desk and on a phone: nothing.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { violations } from './axe.ts'
import { launchBrowser } from './browser.ts'
import { Desk, type Size, sizes, Terminal } from './page.ts'

let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue({ simulator: true })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

const looks: readonly (readonly [Size, 'dark' | 'light'])[] = [
  ['wide', 'dark'],
  ['desktop', 'light'],
  ['phone', 'dark'],
  ['phone', 'light'],
]

describe.each(looks)('the terminal, %s, %s', (size, theme) => {
  let terminal: Terminal

  beforeAll(async () => {
    terminal = await Terminal.open(browser, venue.url, size, theme)
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('before anybody signs in', async () => {
    await terminal.page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    expect(await violations(terminal.page)).toEqual([])
    await terminal.page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
    await terminal.page.getByRole('dialog').waitFor()
    expect(await violations(terminal.page)).toEqual([])
    await terminal.page.keyboard.press('Escape')
  })

  test('every tab of an account that has traded', async () => {
    await terminal.signInAs('unified-main')
    await terminal.order({ side: 'Buy', type: 'Market', quantity: '0.01' })
    await terminal.order({ side: 'Buy', type: 'Limit', price: '40000', quantity: '0.01' })
    await terminal.show('account')
    const tabs = terminal.page.locator('[role="tab"][data-tab]')
    const names = await tabs.evaluateAll((found) => found.map((tab) => tab.getAttribute('data-tab') ?? ''))
    expect(names.length).toBeGreaterThan(5)
    const found: string[] = []
    for (const name of names) {
      await terminal.showTab(name)
      found.push(...(await violations(terminal.page)).map((line) => `${name}: ${line}`))
    }
    expect(found).toEqual([])
  })

  test('how the account has done, and scaled orders', async () => {
    const { page } = terminal
    await page.locator('[data-page="performance"]').click()
    await page.getByTestId('performance-figures').waitFor()
    const found = await violations(page)
    await page.keyboard.press('b')
    await terminal.show('trade')
    await terminal.choose('Order type', 'Limit')
    await page.getByTestId('scaled').click()
    await page.getByRole('dialog').waitFor()
    found.push(...(await violations(page)))
    await page.keyboard.press('Escape')
    await page.getByLabel('Take profit, stop loss').check()
    found.push(...(await violations(page)))
    await page.getByLabel('Take profit, stop loss').uncheck()
    expect(found).toEqual([])
  })

  test('what opens by a key', async () => {
    const { page } = terminal
    const found: string[] = []
    for (const key of ['?', '/', ',', 'a']) {
      await page.locator('body').press('Escape')
      await page.keyboard.press(key)
      // It opens with a frame of its own, and what closes it before that closes nothing.
      await page.locator('dialog[open]').waitFor()
      found.push(...(await violations(page)).map((line) => `${key}: ${line}`))
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
    }
    expect(found).toEqual([])
  })

  test.runIf(size === 'phone')('each view of a phone', async () => {
    const found: string[] = []
    for (const view of ['chart', 'book', 'trade', 'account'] as const) {
      await terminal.show(view)
      found.push(...(await violations(terminal.page)).map((line) => `${view}: ${line}`))
    }
    expect(found).toEqual([])
  })
})

test('by keyboard alone, focus stays near what goes: a form, a row, a list', async () => {
  const { key } = await venue.person('at-the-keyboard', { funds: { uta: { USDT: '100000' } } })
  const terminal = await Terminal.open(browser, venue.url, 'desktop')
  const { page } = terminal
  const focused = (): Promise<string> =>
    page.evaluate("`${document.activeElement.localName} ${document.activeElement.dataset.action ?? ''}`.trim()")
  try {
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().focus()
    await page.keyboard.press('Enter')
    // It has the focus a frame after it opens.
    await page.locator('dialog[open] :focus').waitFor()
    for (const name of ['apiKey', 'secret', 'passphrase'] as const) {
      const field = page.locator(`input[name="${name}"]:focus`)
      // Between two fields other controls may stand.
      while ((await field.count()) === 0) await page.keyboard.press('Tab')
      await page.keyboard.insertText(key[name])
    }
    await page.keyboard.press('Enter')
    await page.getByTestId('account').waitFor()
    await expect.poll(focused).toBe('button')

    for (const price of ['40000', '41000'])
      await terminal.order({ side: 'Buy', type: 'Limit', price, quantity: '0.01' })
    await terminal.showTab('orders')
    const cancels = page.locator('[data-action="cancel"]')
    await expect.poll(() => cancels.count()).toBe(2)
    await page.locator('[data-action="edit"]').first().focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('button cancel')
    await page.keyboard.press('Enter')
    await expect.poll(() => cancels.count()).toBe(1)
    // The first control of the row that is left, from which the others are reached.
    await expect.poll(() => page.locator('tbody tr :focus').count()).toBe(1)
    for (const action of ['edit', 'cancel']) {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(`button ${action}`)
    }
    await page.keyboard.press('Enter')
    // The part of the page that the list stood in.
    await page.locator(':focus', { hasText: 'No open orders.' }).waitFor()
  } finally {
    await terminal.close()
  }
})

// Swagger-ui puts a button and a link into each line that opens, and gives the body of a request no label: that is its own.
const ofSwaggerUi = /^(nested-interactive|label: textarea)/
test.each(looks.slice(1, 3))('the reference, %s, %s', async (size, theme) => {
  const page = await browser.newPage({ viewport: sizes[size], colorScheme: theme })
  await page.goto(`${venue.url}/docs`)
  await page.locator('#operations-tag-v3_trade').click()
  await page.locator('[data-path="/api/v3/trade/place-order"]').click()
  await page.getByRole('button', { name: 'Execute' }).waitFor()
  expect((await violations(page)).filter((line) => !ofSwaggerUi.test(line))).toEqual([])
  await page.close()
})

test.each(looks)('the guide, %s, %s', async (size, theme) => {
  const page = await browser.newPage({ viewport: sizes[size], colorScheme: theme })
  await page.goto(`${venue.url}/docs/guide/risk`)
  await page.getByLabel('Search').fill('margin')
  await page.locator('#search li a').first().waitFor()
  expect(await violations(page)).toEqual([])
  await page.close()
})

describe.each(looks)("the operator's desk, %s, %s", (size, theme) => {
  test('each view', async () => {
    const desk = await Desk.open(browser, venue.operatorUrl, size, theme)
    try {
      expect(await violations(desk.page)).toEqual([])
      await desk.signIn(venue.operatorToken)
      const nav = size === 'phone' ? '.views' : '.links'
      await desk.page.locator(`${nav} [data-view]`).first().waitFor()
      const views = await desk.page
        .locator(`${nav} [data-view]`)
        .evaluateAll((found) => found.map((view) => view.getAttribute('data-view') ?? ''))
      const found: string[] = []
      for (const view of views) {
        await desk.show(view)
        found.push(...(await violations(desk.page)).map((line) => `${view}: ${line}`))
      }
      expect(found).toEqual([])
    } finally {
      await desk.close()
    }
  })
})
