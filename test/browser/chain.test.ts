/** Deposits and withdrawals over the simulated networks, in the terminal: both versions of the interface. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { launchBrowser } from './browser.ts'
import { type Size, Terminal } from './page.ts'

let venue: Venue
let browser: Browser

beforeAll(async () => {
  venue = await startVenue({ rateLimits: true })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await venue?.remove()
})

describe.each<['unified' | 'classic', Size, 'dark' | 'light']>([
  ['unified', 'wide', 'dark'],
  ['classic', 'phone', 'light'],
])('a %s account, %s', (mode, size, theme) => {
  let terminal: Terminal
  let trader: Person

  beforeAll(async () => {
    const wallet = mode === 'unified' ? 'uta' : 'spot'
    trader = await venue.person('trader', { mode, funds: { [wallet]: { USDT: '500' } } })
    terminal = await Terminal.open(browser, venue.url, size, theme)
    await terminal.signInWith(trader.key)
    await terminal.showTab('wallets')
    await terminal.page.getByRole('button', { name: 'Deposit, withdraw' }).click()
  })

  afterAll(async () => {
    await terminal?.close()
  })

  const transfers = () => terminal.page.getByRole('table', { name: 'Deposits and withdrawals' })

  test('an address is shown for each network; what is paid to it is told as a deposit', async () => {
    const { page } = terminal
    await page
      .getByTestId('address')
      .filter({ hasText: /\w{20}/ })
      .waitFor()
    await terminal.field('network').selectOption('TRC20')
    await expect.poll(() => page.getByTestId('address').textContent()).toMatch(/^T\w{20}/)
    await venue.operator('chain/deposits', { uid: trader.uid, coin: 'USDT', chain: 'TRC20', amount: '120' })
    await transfers()
      .getByRole('row', { name: /Deposit/ })
      .getByText(/120\.0000\sUSDT/)
      .waitFor()
    await terminal.shot(`deposit-${mode}`)
  })

  test('no more is withdrawn than there is; a withdrawal is under way, and can be taken back', async () => {
    const { page } = terminal
    const other = await venue.person('other', { mode: 'classic' })
    const answer = await other.get('/api/v2/spot/wallet/deposit-address', { coin: 'USDT', chain: 'TRC20' })
    const { address } = answer.data as { address: string }
    await terminal.choose('Deposit or withdraw', 'Withdraw')
    await terminal.field('address').fill(address)
    await terminal.field('withdrawalAmount').fill('99999')
    await page.getByText(/More than there is: at most/).waitFor()
    expect(await page.getByTestId('withdraw').isDisabled()).toBe(true)
    await terminal.field('withdrawalAmount').fill('200')
    await page.getByText(/USDT arrive\.$/).waitFor()
    await terminal.shot(`withdraw-${mode}`)
    await page.getByTestId('withdraw').click()
    const row = transfers().getByRole('row', { name: /Withdrawal/ })
    await row.getByText('pending').waitFor()
    await row.locator('[data-action="take-back"]').click()
    await row.getByText('cancel').waitFor()
  })

  test('the page had no fault of its own, and everything has a name', async () => {
    expect(await terminal.nameless()).toEqual([])
    // A classic account is asked first whether it is a unified one.
    expect(terminal.faults.filter((fault) => mode === 'unified' || !/400/.test(fault))).toEqual([])
  })
})
