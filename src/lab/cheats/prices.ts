/**
 * Index prices as a test wants them, and moved until an account is liquidated.
 *
 * Breaker     an update that jumps too far is held back; the same one once more confirms it (docs/risk.md)
 * Liquidation the index goes step by step toward the liquidation price of a position, a little beyond it at last. An account without
 *             positions that owes something: the coin that it owes goes up
 * Source      lab.md §4.2 (cheats)
 */
import {
  type Coin,
  type CoinId,
  type FuturesInstrument,
  type Instrument,
  isFutures,
  productLines,
} from '../../engine/catalog/catalog.ts'
import { formatDecimal } from '../../engine/numbers/numbers.ts'
import type { AccountView, OpenPositionView } from '../../engine/protocol/query.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import { inDollars } from '../../house-book/house-book.ts'
import { LabRefusal } from '../refusals.ts'
import type { Rehearsal } from '../rehearsal.ts'
import { priceText, speakersOf } from '../things.ts'

const stepsMax = 400
/** Of a step, in thousandths of the price. */
const stepPermille = 50n

/** In USD of 1e-8. */
export function setIndexPrice(rehearsal: Rehearsal, coin: CoinId, priceE8: bigint): void {
  const command = { kind: 'set-index-prices', prices: [[coin, priceE8]] } as const
  if (rehearsal.submit(command).kind === 'prices-held-back') rehearsal.submit(command)
}

export function indexPrice(of: Pick<Rehearsal, 'query'>, coin: CoinId): bigint {
  return of.query({ kind: 'index-prices' })[coin]
}

export function setCoinPrice(rehearsal: Rehearsal, coin: Coin, priceE8: bigint) {
  setIndexPrice(rehearsal, coin.id, priceE8)
  return { coin: coin.name, indexPrice: formatDecimal(indexPrice(rehearsal, coin.id), 8) }
}

/** The index of an instrument, in its quote: the price of its base in USD follows from that of the quote. */
export function setSymbolPrice(rehearsal: Rehearsal, instrument: Instrument, priceE8: bigint) {
  setIndexPrice(rehearsal, instrument.base, inDollars(rehearsal, instrument, priceE8))
  const { indexPrice: index, markPrice, indexHalt } = rehearsal.query({ kind: 'prices', instrument: instrument.id })
  if (indexHalt !== undefined) {
    throw new LabRefusal(409, 'price-not-carried', `price: with it the index of ${instrument.symbol} is ${indexHalt}`)
  }
  const { symbol } = instrument
  return { symbol, indexPrice: priceText(instrument, index), markPrice: priceText(instrument, markPrice) }
}

export function liquidate(rehearsal: Rehearsal, account: AccountView, instrument: FuturesInstrument | undefined) {
  const held = positions(rehearsal, account, instrument)
  const chosen = held.filter(({ position }) => position.liquidationPrice > 0).sort(byRisk)[0]
  if (chosen !== undefined) approach(rehearsal, account, chosen)
  else if (held.length > 0) {
    throw nothing(`no price of ${held.map(({ contract }) => contract.symbol).join(', ')} alone liquidates it`)
  } else if (instrument !== undefined) throw nothing(`it has no position in ${instrument.symbol}`)
  else raiseDebt(rehearsal, account)
  const prices = rehearsal.query({ kind: 'index-prices' })
  const { coins } = rehearsal.query({ kind: 'catalog' })
  const moved = new Set(
    rehearsal.commands.flatMap((command) =>
      command.kind === 'set-index-prices' ? command.prices.map(([coin]) => coin) : [],
    ),
  )
  return {
    uid: String(account.uid),
    liquidations: rehearsal.events.filter((event) => isOf(event, account.uid)).length,
    indexPrices: Object.fromEntries([...moved].map((coin) => [coins[coin].name, formatDecimal(prices[coin], 8)])),
  }
}

interface Held {
  readonly contract: FuturesInstrument
  readonly position: OpenPositionView
}

function approach(rehearsal: Rehearsal, account: AccountView, { contract, position }: Held): void {
  const { side, positionId } = position
  for (let step = 1; step <= stepsMax; step++) {
    const open = positions(rehearsal, account, contract).find((held) => held.position.positionId === positionId)
    if (open === undefined) break
    const { liquidationPrice } = open.position
    if (liquidationPrice === 0) break
    const now = indexPrice(rehearsal, contract.base)
    const beyond = Math.max(1, Math.ceil(liquidationPrice * 0.0005))
    const goal = inDollars(
      rehearsal,
      contract,
      tickE8(contract) * BigInt(liquidationPrice + (side === 'long' ? -beyond : beyond)),
    )
    const next =
      side === 'long'
        ? most(goal, (now * (1000n - stepPermille)) / 1000n)
        : least(goal, (now * (1000n + stepPermille)) / 1000n)
    const isOnTheWay = side === 'long' ? next < now : next > now
    // The mark may lag behind the index: then that goes on.
    const further = side === 'long' ? (now * 995n) / 1000n : (now * 1005n) / 1000n
    setIndexPrice(rehearsal, contract.base, isOnTheWay ? next : further)
    if (rehearsal.events.some((event) => isOf(event, account.uid))) return
  }
  throw new LabRefusal(409, 'not-liquidated', `liquidate: no price of ${contract.symbol} within reach liquidates it`)
}

function raiseDebt(rehearsal: Rehearsal, { uid, mode }: AccountView): void {
  const wallets = mode === 'classic' ? (['crossed_margin'] as const) : (['uta', 'crossed_margin'] as const)
  const owed = wallets
    .flatMap((wallet) => rehearsal.query({ kind: 'balances', uid, wallet }))
    .find(({ principal, interest }) => principal + interest > 0n)
  if (owed === undefined) throw nothing('it has neither a position nor a debt')
  for (let step = 0; step < stepsMax; step++) {
    setIndexPrice(rehearsal, owed.coin, (indexPrice(rehearsal, owed.coin) * (1000n + stepPermille)) / 1000n)
    if (rehearsal.events.some((event) => isOf(event, uid))) return
  }
  throw new LabRefusal(409, 'not-liquidated', 'liquidate: no price of what it owes liquidates it')
}

function positions(
  rehearsal: Rehearsal,
  { uid, mode }: AccountView,
  of: FuturesInstrument | undefined,
): readonly Held[] {
  const { instruments } = rehearsal.query({ kind: 'catalog' })
  return speakersOf(mode).flatMap((speaker) =>
    productLines.flatMap((line) =>
      rehearsal
        .query({ kind: 'positions', uid, interface: speaker, line, instrument: of?.id })
        .flatMap((position): Held[] => {
          const contract = instruments[position.instrument]
          const isMeant = of === undefined || of.id === contract.id
          return isMeant && isFutures(contract) && contract.category === line ? [{ contract, position }] : []
        }),
    ),
  )
}

/** The nearest to its end first. */
function byRisk(a: Held, b: Held): number {
  if (a.position.marginRatio === b.position.marginRatio) return a.position.positionId - b.position.positionId
  return a.position.marginRatio > b.position.marginRatio ? -1 : 1
}

function isOf(event: Rehearsal['events'][number], uid: Uid): boolean {
  return (event.kind === 'liquidation' || event.kind === 'margin-liquidation') && event.uid === uid
}

function tickE8({ priceStep, priceDecimals }: Instrument): bigint {
  return BigInt(priceStep) * 10n ** BigInt(8 - priceDecimals)
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function nothing(why: string): LabRefusal {
  return new LabRefusal(409, 'nothing-to-liquidate', `liquidate: ${why}`)
}
