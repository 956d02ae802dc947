/**
 * The money of the bot's account: what is free of it goes, and comes back.
 */
import type { Scene } from '../scene.ts'

interface Asset {
  readonly coin: string
  readonly balance: string
  readonly available: string
}

const settled = 'USDT'
/** What is left above what positions and orders hold. */
const leftOver = 1

/** Answers how to give it back. Other coins go first: they are collateral, too. */
export async function takeFreeBalance(scene: Scene): Promise<() => Promise<void>> {
  const { role: uid } = scene
  const before = await assetsOf(scene)
  const set = (coin: string, amount: string) => scene.tried({ balance: { uid, wallet: 'uta', coin, amount } })
  for (const { coin } of before) if (coin !== settled) await set(coin, '0')
  const left = (await assetsOf(scene)).find(({ coin }) => coin === settled)
  if (left !== undefined) {
    const needed = Number(left.balance) - Number(left.available) + leftOver
    await set(settled, needed.toFixed(2))
  }
  return async () => {
    for (const { coin, balance } of before) await set(coin, balance)
  }
}

async function assetsOf({ role, venue }: Scene): Promise<readonly Asset[]> {
  const { assets } = await venue.request<{ readonly assets: readonly Asset[] }>(role, 'GET', '/api/v3/account/assets')
  return assets
}
