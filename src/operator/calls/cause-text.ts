/** What a row of the history says happened, in one short line with plain decimals. */
import { type Catalog, isFutures } from '../../engine/catalog/catalog.ts'
import { formatDecimal } from '../../engine/numbers/numbers.ts'
import type { Event, OrderRecord } from '../../engine/protocol/event.ts'
import type { Cause } from '../../history/history.ts'

export function causeText(catalog: Catalog, { event }: Pick<Cause, 'event'>): string {
  const known = event as Event | OrderRecord
  if (!('kind' in known)) return orderText(catalog, known)
  const coin = (id: number) => catalog.coins[id].name
  const settle = (id: number) => {
    const instrument = catalog.instruments[id]
    return coin(isFutures(instrument) ? instrument.settle : instrument.base)
  }
  const symbol = (id: number) => catalog.instruments[id].symbol
  switch (known.kind) {
    case 'fill': {
      const { bookSide, quantity, price, instrument, fee, feeCoin, cause, realizedPnl, effect } = known
      const why = cause === 'user' ? '' : ` (${cause})`
      const won = effect === 'close' ? `, realized ${plain(realizedPnl)}` : ''
      const trade = `${bookSide} ${quantityOf(catalog, instrument, quantity)} ${symbol(instrument)}`
      return `fill${why}: ${trade} at ${priceOf(catalog, instrument, price)}, fee ${plain(fee)} ${coin(feeCoin)}${won}`
    }
    case 'funding-payment':
      return `funding of ${symbol(known.instrument)} ${known.positionSide}: ${plain(known.amount)} ${settle(known.instrument)}`
    case 'position-closed':
      return `position closed: ${symbol(known.instrument)} ${known.side}, realized ${plain(known.realizedPnl)}`
    case 'liquidation':
      return `liquidation ${known.liquidationId} of ${known.pool} ${known.wallet}: ${known.positions.map((position) => symbol(position.instrument)).join(', ')}`
    case 'margin-liquidation':
      return `liquidation ${known.liquidationId} of ${known.wallet}: assets ${plain(known.assetsUsd)} USD, debt ${plain(known.debtUsd)} USD`
    case 'deposit':
    case 'withdrawal':
      return `${known.kind} ${known.wallet}: ${plain(known.amount)} ${coin(known.coin)}`
    case 'chain-transfer': {
      const { direction, network, status, toAddress } = known
      const way = network === '' ? `${direction} inside the venue` : `${direction} over ${network}`
      return `${way} (${status}) to ${toAddress}: ${plain(known.amount)} ${coin(known.coin)}, fee ${plain(known.fee)}`
    }
    case 'transfer': {
      const way = `${known.fromUid} ${known.fromWallet} to ${known.toUid} ${known.toWallet}`
      return `transfer from ${way}: ${plain(known.amount)} ${coin(known.coin)}`
    }
    case 'loan':
      return `loan (${known.cause}) ${known.wallet}: ${plain(known.amount)} ${coin(known.coin)}`
    case 'repayment': {
      const paid = `principal ${plain(known.principal)}, interest ${plain(known.interest)}`
      return `repayment (${known.cause}) ${known.wallet}: ${paid} ${coin(known.coin)}`
    }
    case 'interest':
      return `interest (${known.cause}) of loan ${known.loanId}: ${plain(known.amount)} ${coin(known.coin)}`
    case 'insurance':
      return `insurance fund ${known.wallet}: ${plain(known.amount)} ${coin(known.coin)}`
    case 'rebate':
      return `rebate of order ${known.orderId}: ${plain(known.amount)} ${coin(known.coin)}`
    default:
      return known.kind
  }
}

function orderText(
  catalog: Catalog,
  { status, cause, cancelReason, bookSide, instrument, filled }: OrderRecord,
): string {
  const why = cause === 'user' ? '' : ` (${cause})`
  const reason = cancelReason === '' ? '' : `, ${cancelReason}`
  const { symbol } = catalog.instruments[instrument]
  return `order ${status}${why}${reason}: ${bookSide} ${quantityOf(catalog, instrument, filled)} ${symbol} filled`
}

function plain(units: bigint): string {
  return formatDecimal(units, 8)
}

function priceOf(catalog: Catalog, instrument: number, ticks: number): string {
  const { priceStep, priceDecimals } = catalog.instruments[instrument]
  return formatDecimal(BigInt(ticks) * BigInt(priceStep), priceDecimals)
}

function quantityOf(catalog: Catalog, instrument: number, lots: number): string {
  const { quantityStep, quantityDecimals } = catalog.instruments[instrument]
  return formatDecimal(BigInt(lots) * BigInt(quantityStep), quantityDecimals)
}
