/** The guide at /docs/guide in a browser: read, searched, and followed to the reference; its policy stops nothing of it. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { englishOn, sizes } from './page.ts'

let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

/** A page, and what it complained of. */
async function opened(path: string, colorScheme: 'dark' | 'light'): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ colorScheme })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${venue.url}${path}`)
  return { page, complaints }
}

test('from the index to a page and to a section of it, light and dark', async () => {
  const { page, complaints } = await opened('/docs/guide', 'light')
  await page.locator('main').getByRole('link', { name: 'Streams' }).click()
  await page.getByRole('heading', { level: 1, name: 'Streams' }).waitFor()
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'What holds' }).click()
  expect(new URL(page.url()).hash).toBe('#what-holds-sequence-and-checksum')
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.getByRole('button', { name: 'Dark or light' }).click()
  expect(await ground()).not.toBe(light)
  expect(complaints).toEqual([])
  await page.close()
})

test('on a phone the title is in the first view, below a list of sections that scrolls', async () => {
  const page = await browser.newPage({ viewport: sizes.phone })
  await page.goto(`${venue.url}/docs/guide/risk`)
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').nth(20).waitFor()
  const title = await page.getByRole('heading', { level: 1 }).boundingBox()
  expect((title?.y ?? 0) + (title?.height ?? 0)).toBeLessThan(sizes.phone.height / 2 + 100)
  await page.close()
})

test('the search finds sections, calls and channels, and leads to them', async () => {
  const { page, complaints } = await opened('/docs/guide/risk', 'dark')
  const search = page.getByLabel('Search')
  const found = page.locator('#search li a')
  await page.keyboard.press('/')
  await search.fill('bankruptcy price')
  await found.first().waitFor()
  expect(await found.first().getAttribute('href')).toMatch(/^\/docs\/guide\//)
  await search.fill('positions-history')
  await found.filter({ hasText: 'Channel over WebSocket' }).first().waitFor()
  await search.fill('v3 trade place-order')
  await found.filter({ hasText: 'POST /api/v3/trade/place-order' }).first().click()
  await page.locator('#operations-v3_trade-postV3TradePlaceOrder').getByText('Execute').waitFor()
  expect(complaints).toEqual([])
  await page.close()
})

test('in Chinese around the text, which stays English and says so', async () => {
  const context = await browser.newContext({ locale: 'zh-CN' })
  const page = await context.newPage()
  await page.goto(`${venue.url}/docs/guide/risk`)
  const search = page.getByRole('searchbox', { name: '搜索' })
  await search.waitFor()
  expect(await page.title()).toBe('Margin, liquidation, funding, loans · Tidemark 指南')
  expect(await page.locator('main').getAttribute('lang')).toBe('en')
  await search.fill('qqqqxxxx')
  await page.getByText('没有找到').waitFor()
  await search.fill('place-order')
  await page.locator('#search li a').filter({ hasText: 'HTTP 接口' }).first().waitFor()
  expect(await englishOn(page)).toEqual([])
  await page.getByLabel('语言').selectOption('en')
  await page.locator('#search li a').filter({ hasText: 'Call over HTTP' }).first().waitFor()
  await page.reload()
  await page.getByRole('searchbox', { name: 'Search' }).waitFor()
  await context.close()
})

test('nothing that is found is said so', async () => {
  const { page } = await opened('/docs/guide', 'dark')
  await page.getByLabel('Search').fill('qqqqxxxx')
  await page.getByText('Nothing found').waitFor()
  await page.getByLabel('Search').press('Escape')
  expect(await page.getByLabel('Search').inputValue()).toBe('')
  await page.close()
})
