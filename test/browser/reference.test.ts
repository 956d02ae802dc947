/** The reference at /docs in a browser: it shows the endpoints, and its own policy stops nothing of it. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { englishOn } from './page.ts'

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

test('the channels stand below the calls: filtered by a field, opened by their address', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(`${venue.url}/docs#v3-order`)
  const channel = page.locator('#v3-order')
  await channel.getByText('Subscribe:').waitFor()
  await channel.getByText('{"op":"subscribe","args":[{"instType":"UTA","topic":"order"}]}').waitFor()
  expect(await channel.locator('td', { hasText: 'Why the order ended' }).count()).toBe(1)
  await page.getByLabel('Filter the channels').fill('unrealizedPLR')
  await page.locator('#v2-positions').waitFor()
  expect(await page.locator('#channels details:visible').count()).toBe(1)
  expect(complaints).toEqual([])
  await page.close()
})

test('in Chinese around the documents, and back', async () => {
  const context = await browser.newContext({ locale: 'zh-CN' })
  const page = await context.newPage()
  await page.goto(`${venue.url}/docs`)
  await page.getByPlaceholder('按标签或路径筛选').waitFor()
  await page.getByText('私有接口会被拒绝。').waitFor()
  await page.getByRole('heading', { name: 'WebSocket 频道' }).waitFor()
  await page.locator('#channels summary').first().click()
  expect(await englishOn(page)).toEqual([])
  await page.locator('#operations-tag-v2_public').click()
  const call = page.locator('#operations-v2_public-getV2PublicTime')
  await call.locator('[data-path="/api/v2/public/time"]').click()
  await call.getByRole('button', { name: '执行' }).click()
  await call.getByText('平台响应').waitFor()
  await call.getByText('响应体').waitFor()
  await page.getByLabel('语言').selectOption('en')
  await call.getByText('Server response').waitFor()
  await call.getByRole('button', { name: 'Execute' }).waitFor()
  await page.getByRole('heading', { name: 'Channels over WebSocket' }).waitFor()
  expect(await page.locator('#channels details[open]').count()).toBe(1)
  await context.close()
})

test('a demo account is chosen, and a private call is signed as it is sent', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' })
  await page.goto(`${venue.url}/docs`)
  expect(await page.locator('html.dark-mode').count()).toBe(1)
  await page.getByText('Private calls are refused.').waitFor()
  await page.getByLabel('Account').selectOption('unified-main')
  await page.getByText('Execute signs each call.').waitFor()
  await page.locator('#operations-tag-v3_account').click()
  const call = page.locator('#operations-v3_account-getV3AccountSettings')
  await call.locator('[data-path="/api/v3/account/settings"]').click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await call.locator('.live-responses-table').getByText('"accountMode"').first().waitFor()
  await page.close()
})

test("a key of one's own signs, too", async () => {
  const person = await venue.person('reader', { mode: 'classic', funds: {} })
  const page = await browser.newPage()
  await page.goto(`${venue.url}/docs`)
  await page.getByLabel('Account').selectOption('own')
  await page.getByLabel('Key', { exact: true }).fill(person.key.apiKey)
  await page.getByLabel('Secret').fill(person.key.secret)
  await page.getByLabel('Passphrase').fill(person.key.passphrase)
  await page.getByLabel('Passphrase').press('Tab')
  await page.getByText('Execute signs each call.').waitFor()
  await page.locator('#operations-tag-v2_spot').click()
  const call = page.locator('#operations-v2_spot-getV2SpotAccountInfo')
  await call.locator('[data-path="/api/v2/spot/account/info"]').click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await call.locator('.live-responses-table').getByText('"userId"').first().waitFor()
  await page.close()
})
