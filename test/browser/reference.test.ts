/** The reference at /docs in a browser: it shows the endpoints, and its own policy stops nothing of it. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'

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

test('the page finds an endpoint and opens it', async () => {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${venue.url}/docs`)
  await page.locator('#operations-tag-v3_trade').click()
  await page.locator('[data-path="/api/v3/trade/place-order"]').click()
  await page.getByText('clientOid').first().waitFor()
  expect(complaints).toEqual([])
  await page.close()
})
