/**
 * How a simulated venue begins: what is listed, who joins, and with how much money.
 *
 * Everybody   every mode and kind of account, one-way and hedge mode; some are rich, and some have next to nothing and the
 *             highest leverage, so that a small move of a price is their end
 */
import { isFutures } from '../../src/engine/catalog/catalog.ts'
import { amount } from '../../src/engine/numbers/numbers.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { Uid, WalletType } from '../../src/engine/vocabulary.ts'
import { share } from '../engine/support/figures.ts'
import { coinListings, markets } from '../engine/support/listings.ts'
import type { Floor } from './floor.ts'

/** Carries out a command that must not be refused. */
export type Must = (command: Command) => Promise<Reply>

export async function openMarkets(must: Must): Promise<void> {
  for (const coin of coinListings) await must({ kind: 'list-coin', coin })
  for (const instrument of Object.values(markets)) await must({ kind: 'list-instrument', instrument })
}

/** Funds in dollars by wallet; each goes into the coins that the wallet takes. */
const walletCoins: Partial<Record<WalletType, readonly number[]>> = {
  spot: [0, 1, 2, 3, 4],
  usdt_futures: [3],
  coin_futures: [0],
  usdc_futures: [4],
  crossed_margin: [0, 1, 3],
  uta: [0, 1, 2, 3, 4],
}

export async function admit(floor: Floor, must: Must, people: number, rich: boolean): Promise<void> {
  const { random } = floor
  const mains: Uid[] = []
  for (let person = 0; person < people; person++) {
    const parent = mains.length > 0 && random.happens(0.3) ? random.pick(mains) : undefined
    const mode =
      parent === undefined
        ? random.pick(['classic', 'classic', 'unified', 'unified', 'hybrid'] as const)
        : random.pick(['classic', 'unified'] as const)
    const account = parent === undefined ? 'main' : 'sub'
    const reply = await must({ kind: 'create-account', account, parentUid: parent, mode, name: `person ${person}` })
    if (reply.kind !== 'account-created') throw new Error('a person could not join')
    const { uid } = reply
    if (parent === undefined) mains.push(uid)
    const wallets: WalletType[] =
      mode === 'unified' ? ['uta', 'spot'] : ['spot', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin']
    if (mode === 'hybrid') wallets.push('uta')
    const dollars = BigInt(rich ? 50_000_000 : random.pick([300, 5_000, 50_000, 1_000_000, 20_000_000]))
    for (const wallet of wallets) {
      for (const coin of walletCoins[wallet] ?? []) {
        if (random.happens(0.2)) continue
        const units = (dollars * 10n ** 16n) / (coinListings[coin]?.listingPriceE8 ?? 1n)
        await must({ kind: 'deposit', uid, wallet, coin, amount: amount(units + 1n) })
      }
    }
    if (!rich && random.happens(0.3))
      await must({ kind: 'set-hold-mode', uid, line: undefined, holdMode: 'hedge_mode' })
    if (!rich && random.happens(0.3)) await dare(floor, must, uid, mode === 'classic' ? 'v2' : 'v3')
  }
  await must({ kind: 'set-broker', uid: mains[0], channelCode: 'broker-1', rebateRate: share('0.3') })
}

/** Leverage as high as it goes. */
async function dare(floor: Floor, must: Must, uid: Uid, speaks: 'v2' | 'v3'): Promise<void> {
  const marginMode = speaks === 'v2' ? floor.random.pick(['cross', 'isolated'] as const) : 'cross'
  for (const id of Object.keys(markets).keys()) {
    if (!isFutures(floor.ask({ kind: 'catalog' }).instruments[id])) continue
    await must({ kind: 'set-margin-mode', uid, interface: speaks, instrument: id, marginMode })
    const leverage = { leverage: 125, positionSide: undefined, marginMode: undefined }
    await must({ kind: 'set-leverage', uid, interface: speaks, instrument: id, ...leverage })
  }
}
