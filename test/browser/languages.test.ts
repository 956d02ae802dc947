/**
 * The terminal and the operator's desk in Chinese, as a person sees them: every view, tab and dialog, at a desk and on a phone.
 * Nothing of it is English but names, and axe finds nothing wrong.
 *
 * English   a text with two Latin letters that are no symbol, coin, unit or name
 * Typed     what stands in the ticket outlives another language
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { violations } from './axe.ts'
import { launchBrowser } from './browser.ts'
import { Desk, englishOn, type Size, sizes, Terminal } from './page.ts'

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

/** What is English of what is shown, and how far it is wider than the page. */
async function wordsOf(page: Page, where: string): Promise<string[]> {
  const wider = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  const found = [...(await englishOn(page)), ...(wider > 0 ? [`${wider} px too wide`] : [])]
  return found.map((line) => `${where}: ${line}`)
}

/** And what axe finds. Dialogs are made as in English, which accessibility.test.ts judges. */
async function faultsOf(page: Page, where: string): Promise<string[]> {
  return [...(await wordsOf(page, where)), ...(await violations(page)).map((line) => `${where}: ${line}`)]
}

/** Keeps what is written on canvases, where the chart has its words. */
const keepWritten = `(() => {
  window.written = new Set()
  const { prototype } = CanvasRenderingContext2D
  const { fillText } = prototype
  prototype.fillText = function (text, ...where) {
    window.written.add(text)
    return fillText.call(this, text, ...where)
  }
})()`

async function isWritten(page: Page, text: string): Promise<boolean> {
  return page.evaluate<boolean>(`window.written.has(${JSON.stringify(text)})`)
}

async function openPage(size: Size, theme: 'dark' | 'light', locale: string): Promise<Page> {
  const context = await browser.newContext({
    locale,
    viewport: sizes[size],
    colorScheme: theme,
    hasTouch: size === 'phone',
  })
  await context.addInitScript(keepWritten)
  return context.newPage()
}

async function open(size: Size, theme: 'dark' | 'light', locale: string): Promise<Terminal> {
  return Terminal.at(await openPage(size, theme, locale), venue.url, size)
}

describe.each([
  ['wide', 'dark', 'unified-main'],
  ['phone', 'light', 'classic-main'],
] as const)('in Chinese, %s, %s, %s', (size, theme, role) => {
  let terminal: Terminal
  let page: Page

  beforeAll(async () => {
    terminal = await open(size, theme, 'zh-CN')
    page = terminal.page
  })

  afterAll(async () => {
    await terminal?.close()
  })

  test('a browser that likes Chinese gets it, signed out as well', async () => {
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    const found = await faultsOf(page, 'signed out')
    await page.getByRole('button', { name: '登录', exact: true }).first().click()
    found.push(...(await faultsOf(page, 'sign in')))
    await terminal.shot('zh-sign-in')
    await page.locator(`[data-role="${role}"]`).click()
    await page.getByTestId('account').waitFor()
    expect(found).toEqual([])
  })

  test('orders are written, placed and refused in it', async () => {
    await terminal.show('trade')
    await terminal.choose('委托类型', '市价')
    await terminal.field('quantity').fill('0.02')
    await page.getByTestId('send').click()
    await page.locator('.notice').filter({ hasText: '已买入 BTCUSDT' }).waitFor()
    await terminal.choose('委托类型', '限价')
    await terminal.field('price').fill('40000')
    await terminal.field('quantity').fill('0.01')
    await page.getByLabel('止盈止损').check()
    const found = await faultsOf(page, 'ticket')
    await terminal.shot('zh-ticket')
    await page.getByLabel('止盈止损').uncheck()
    await page.getByTestId('send').click()
    await page.locator('.notice').filter({ hasText: '买入 0.01 BTCUSDT：已委托' }).waitFor()
    await terminal.field('price').fill('40000')
    await terminal.field('quantity').fill('99999')
    await page.getByTestId('send').click()
    const refused = page.locator('.notice.bad')
    await refused.waitFor()
    expect(await refused.locator('strong').textContent()).toContain('未委托成功')
    expect(await refused.locator('p').textContent()).toMatch(/^[\p{Script=Han}、，。]+$/u)
    await terminal.field('quantity').fill('')
    await terminal.choose('委托类型', '计划委托')
    found.push(...(await faultsOf(page, 'trigger')))
    await terminal.choose('委托类型', '限价')
    expect(found).toEqual([])
  })

  test('every tab of the account', async () => {
    await terminal.show('account')
    const tabs = page.locator('[role="tab"][data-tab]')
    const tabNames = await tabs.evaluateAll((found) => found.map((tab) => tab.getAttribute('data-tab') ?? ''))
    expect(tabNames.length).toBeGreaterThan(5)
    const found: string[] = []
    for (const name of tabNames) {
      await terminal.showTab(name)
      await page.locator('#account-panel .empty').getByText('加载中').waitFor({ state: 'detached' })
      found.push(...(await faultsOf(page, name)))
      await terminal.shot(`zh-${name}`)
    }
    await terminal.showTab('funding')
    await page.locator('[data-cause="funding"]').first().click()
    await page.getByRole('heading', { name: '资金费用如何结算' }).waitFor()
    found.push(...(await faultsOf(page, 'cause')))
    await page.keyboard.press('Escape')
    expect(found).toEqual([])
  })

  test('what can be done with a position and an order', async () => {
    const found: string[] = []
    await terminal.showTab('positions')
    for (const action of ['close', 'reverse', 'tpsl', 'share']) {
      await page.locator(`[data-action="${action}"]`).first().click()
      await page.getByRole('dialog').waitFor()
      found.push(...(await wordsOf(page, action)))
      if (action === 'close') await terminal.shot('zh-close')
      await page.keyboard.press('Escape')
    }
    await terminal.showTab('orders')
    await page.locator('[data-action="edit"]').first().click()
    await page.getByRole('dialog').waitFor()
    found.push(...(await wordsOf(page, 'edit')))
    await page.keyboard.press('Escape')
    expect(found).toEqual([])
  })

  test('every page and dialog', async () => {
    const found: string[] = []
    await page.locator('[data-page="performance"]').click()
    await page.getByTestId('performance-figures').waitFor()
    found.push(...(await faultsOf(page, 'performance')))
    await terminal.shot('zh-performance')
    await page.keyboard.press('p')
    for (const key of ['?', '/', ',', 'a', 'i', 'w', 'x', 'c']) {
      await page.locator('body').press('Escape')
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      found.push(...(await wordsOf(page, key)))
      if (key === ',' || key === '?') await terminal.shot(`zh-key-${key === ',' ? 'settings' : 'keys'}`)
      await page.keyboard.press('Escape')
    }
    await terminal.showTab('wallets')
    for (const name of ['充币、提币', '借币、还币']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').waitFor()
      found.push(...(await wordsOf(page, name)))
      await page.keyboard.press('Escape')
    }
    await terminal.show('trade')
    await page.getByTestId('scaled').click()
    await page.getByRole('dialog').waitFor()
    found.push(...(await wordsOf(page, 'scaled')))
    await page.keyboard.press('Escape')
    await page.getByTestId('leverage').click()
    await page.getByRole('dialog').waitFor()
    found.push(...(await wordsOf(page, 'leverage')))
    await page.keyboard.press('Escape')
    await page.locator('body').press('Escape')
    await page.keyboard.press(',')
    await page.getByLabel('下单前再次确认').check()
    await page.keyboard.press('Escape')
    await terminal.field('quantity').fill('0.01')
    await page.getByTestId('send').click()
    await page.getByRole('heading', { name: '确认买入 0.01 BTCUSDT？' }).waitFor()
    found.push(...(await wordsOf(page, 'confirm')))
    await page.keyboard.press('Escape')
    await terminal.show('chart')
    await page.getByRole('button', { name: '关于' }).click()
    found.push(...(await wordsOf(page, 'about')))
    await page.keyboard.press('Escape')
    await terminal.choose('图表', '深度')
    found.push(...(await wordsOf(page, 'depth')))
    await terminal.choose('图表', 'K线')
    await terminal.shot('zh-chart')
    await terminal.show('book')
    found.push(...(await wordsOf(page, 'book')))
    await terminal.shot('zh-book')
    expect(found).toEqual([])
    expect(terminal.faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })
})

describe.each([
  ['wide', 'light', 'unified-main'],
  ['phone', 'dark', 'classic-main'],
] as const)('the desk in Chinese, %s, %s', (size, theme, role) => {
  let desk: Desk
  let page: Page

  beforeAll(async () => {
    page = await openPage(size, theme, 'zh-CN')
    desk = await Desk.at(page, venue.operatorUrl, size)
  })

  afterAll(async () => {
    await desk?.close()
  })

  test('who has the wrong token is told so in it, and signs in', async () => {
    await page.getByRole('heading', { name: '运营台' }).waitFor()
    const found = await faultsOf(page, 'sign in')
    await desk.shot('zh-sign-in')
    await desk.signIn('ab'.repeat(32))
    const alert = page.getByRole('alert')
    // The venue's own sentence, and what it means.
    await alert.getByText('token-wrong').getByText('令牌不属于本平台').waitFor()
    await desk.signIn(venue.operatorToken)
    await page.getByTestId('mode').getByText('正常接收命令').waitFor()
    desk.faults.splice(0)
    expect(found).toEqual([])
  })

  test('every view', async () => {
    const found: string[] = []
    for (const view of [
      'overview',
      'instruments',
      'accounts',
      'keys',
      'risk',
      'controls',
      'trail',
      'hours',
      'explain',
    ]) {
      await desk.show(view)
      await page.locator(`.view[data-view="${view}"] .panel`).first().waitFor()
      await expect.poll(() => page.locator('.view').getByText('加载中').count(), { timeout: 10_000 }).toBe(0)
      found.push(...(await faultsOf(page, view)), ...(await desk.cut()).map((line) => `${view}: cut ${line}`))
      await desk.shot(`zh-${view}`)
    }
    expect(found).toEqual([])
  })

  test('an account, its dialogs, and why its numbers are what they are', async () => {
    const { uid } = venue.as(role)
    const found: string[] = []
    await page.evaluate(`location.hash = '#/accounts/${uid}'`)
    await page.getByRole('table', { name: '钱包' }).waitFor()
    found.push(...(await faultsOf(page, 'account')))
    await desk.shot('zh-account')
    for (const name of ['充值', '提取', '新建密钥', '冻结']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').waitFor()
      found.push(...(await wordsOf(page, name)))
      await page.keyboard.press('Escape')
    }
    await page.getByRole('button', { name: '提取', exact: true }).click()
    await desk.field('amount').fill('99999999')
    await desk.act()
    await page.getByRole('alert').getByText('transferable-exceeded').getByText('最多可转出').waitFor()
    await page.locator('.fault').getByText('最多可转出').waitFor()
    await page.keyboard.press('Escape')
    desk.faults.splice(0)
    await page.locator('.account-head a.button').click()
    await page.locator('[data-line]').first().waitFor()
    found.push(...(await faultsOf(page, 'explanation')))
    await desk.shot('zh-explain')
    expect(found).toEqual([])
  })

  test('the dialogs of controls and instruments', async () => {
    const found: string[] = []
    const look = async (action: string) => {
      await page.locator(`[data-action="${action}"]:enabled`).first().click()
      await page.getByRole('dialog').waitFor()
      found.push(...(await wordsOf(page, action)))
      await desk.shot(`zh-${action}`)
      await page.keyboard.press('Escape')
    }
    await desk.show('controls')
    for (const action of ['begin-scenario', 'new-coin', 'price']) await look(action)
    await page.locator('[data-action="new-coin"]').click()
    await page.locator('[data-action="more-collateral"]').click()
    await desk.act()
    await page.locator('.fault').nth(3).waitFor()
    const rules = await page.locator('.fault').allTextContents()
    expect(rules.filter((rule) => !rule.startsWith('必须是'))).toEqual([])
    await desk.shot('zh-coin-wrong')
    await page.keyboard.press('Escape')
    desk.faults.splice(0)
    await desk.show('instruments')
    for (const action of ['new-instrument', 'halt', 'cancel-only']) await look(action)
    await desk.show('risk')
    await look('fill')
    await page.locator('body').press('?')
    await page.getByRole('dialog').waitFor()
    found.push(...(await wordsOf(page, 'keyboard')))
    await page.keyboard.press('Escape')
    await desk.field('language').selectOption('en')
    await page.getByTestId('mode').getByText('Takes commands').waitFor()
    expect(await page.title()).toBe('Tidemark desk')
    expect(found).toEqual([])
    expect(desk.faults).toEqual([])
  })
})

test('another language is there at once, outlives the page, and what is typed stays', async () => {
  const terminal = await open('desktop', 'dark', 'en-US')
  try {
    const { page } = terminal
    const words: string[] = []
    page.on('request', (request) => {
      if (/\/zh-[\w-]+\.js/.test(request.url())) words.push(request.url())
    })
    await page.locator('.bids .level:not(.void)').nth(2).waitFor({ state: 'attached' })
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(words).toEqual([])
    await terminal.field('price').fill('54321.5')
    await terminal.field('quantity').fill('0.037')
    await expect.poll(() => isWritten(page, 'Volume: ')).toBe(true)
    await page.locator('body').press('Escape')
    await page.keyboard.press(',')
    await page.getByRole('radio', { name: '中文' }).click()
    await page.getByRole('heading', { name: '设置' }).waitFor()
    await page.keyboard.press('Escape')
    expect(words).toHaveLength(1)
    await expect.poll(() => isWritten(page, '成交量: ')).toBe(true)
    expect(await isWritten(page, 'VOLUME: ')).toBe(false)
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    expect(await terminal.field('price').inputValue()).toBe('54321.5')
    expect(await terminal.field('quantity').inputValue()).toBe('0.037')
    expect(await page.getByTestId('send').textContent()).toBe('登录后交易')
    const asked = page.waitForRequest((request) => request.url().includes('/api/v3/market/tickers'))
    await page.reload()
    expect((await asked).headers()['locale']).toBe('zh-CN')
    await page.getByTestId('send').getByText('登录后交易').waitFor()
    await page.keyboard.press(',')
    await page.getByRole('radio', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(terminal.faults).toEqual([])
  } finally {
    await terminal.close()
  }
})
