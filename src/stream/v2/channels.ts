/**
 * Which channels v2 has, and what an argument of a subscription means.
 *
 * Spelling  any case is understood; pushes repeat the argument's own
 * Books     ccxt asks for books50 on either version, so it is here too
 * Source    wire/websocket.md §2, §3, §4
 */
import type { CatalogIndex } from '../../api/api.ts'
import { type Category, productLines } from '../../engine/catalog/catalog.ts'
import { intervalNamed } from '../../market/market.ts'
import type { Argument } from '../requests.ts'
import type { Channel, PrivateChannel, Shown } from '../socket-protocol.ts'
import { accountChannel, equityChannel } from './account.ts'
import { deleveragingChannel, fillChannel, orderChannel, triggerChannel } from './orders.ts'
import { closedPositionChannel, positionChannel } from './positions.ts'
import type { Scope } from './scope.ts'

export function channelOf(argument: Argument, catalog: CatalogIndex): Channel | undefined {
  const category = categoryOf(argument['instType'] ?? '')
  if (category === undefined) return undefined
  const show = shownBy(argument['channel'] ?? '')
  if (show !== undefined) return publicChannel(category, show, argument, catalog)
  const scope = scopeOf(category, argument, catalog)
  return scope && privateChannel((argument['channel'] ?? '').toLowerCase(), scope)
}

/** Accounts are asked for by coin; nothing else that was sent makes a spelling of its own. */
export function echo({ instType, channel, instId, coin }: Argument): string {
  const account = channel?.toLowerCase().startsWith('account') ?? false
  return JSON.stringify(account ? { instType, channel, instId, coin } : { instType, channel, instId })
}

function categoryOf(instType: string): Category | undefined {
  const upper = instType.toUpperCase()
  return (['SPOT', 'MARGIN', ...productLines] as const).find((category) => category === upper)
}

/** Index prices are those of margin pairs too, and of a whole category; auctions are of pairs. */
function publicChannel(
  category: Category,
  show: Shown,
  { instId = '' }: Argument,
  catalog: CatalogIndex,
): Channel | undefined {
  const named = { scope: 'public', version: 'v2', show } as const
  const key = `v2 ${JSON.stringify(show)}`
  const symbol = instId.toUpperCase()
  if (show.kind === 'index-prices' && symbol === 'DEFAULT')
    return { ...named, key: `${key} ${category}`, about: category }
  if (show.kind === 'auction' && category !== 'SPOT') return undefined
  const instrument = show.kind !== 'index-prices' && category === 'MARGIN' ? undefined : catalog.find(category, symbol)
  return instrument && { ...named, key: `${key} ${instrument.id}`, about: instrument }
}

function shownBy(channel: string): Shown | undefined {
  const name = channel.toLowerCase()
  if (name === 'ticker') return { kind: 'ticker' }
  if (name === 'books') return { kind: 'books', rpi: false }
  if (name === 'trade') return { kind: 'trades' }
  if (name === 'index-price') return { kind: 'index-prices' }
  if (name === 'auction') return { kind: 'auction' }
  if (/^books(?:1|5|15|50)$/.test(name)) return { kind: 'top', levels: Number(name.slice('books'.length)), rpi: false }
  const interval = name.startsWith('candle') ? intervalNamed(channel.slice('candle'.length)) : undefined
  return interval && { kind: 'candles', interval }
}

/** Cross margin has channels of its own names; undefined: the category has no such channel. */
function privateChannel(name: string, scope: Scope): PrivateChannel | undefined {
  const margin = scope.category === 'MARGIN'
  switch (name) {
    case 'account':
    case 'account-crossed':
      return (name === 'account-crossed') === margin ? accountChannel(scope) : undefined
    case 'orders':
    case 'orders-crossed':
      return (name === 'orders-crossed') === margin ? orderChannel(scope) : undefined
    case 'orders-algo':
      return margin ? undefined : triggerChannel(scope)
    case 'fill':
      return margin ? undefined : fillChannel(scope)
    case 'equity':
      return equityChannel(scope)
    case 'adl-noti':
      return deleveragingChannel(scope)
    case 'positions':
      return positionChannel(scope)
    case 'positions-history':
      return closedPositionChannel(scope)
    default:
      return undefined
  }
}

/** `default` is everything of the category; undefined: it names something that is not there. */
function scopeOf(
  category: Category,
  { instId = 'default', coin = 'default' }: Argument,
  catalog: CatalogIndex,
): Scope | undefined {
  const symbol = instId.toUpperCase()
  const coinName = coin.toUpperCase()
  const instrument = symbol === 'DEFAULT' ? undefined : catalog.find(category, symbol)
  const found = coinName === 'DEFAULT' ? undefined : catalog.coinNamed(coinName)
  if (symbol !== 'DEFAULT' && instrument === undefined) return undefined
  if (coinName !== 'DEFAULT' && found === undefined) return undefined
  return { category, instrument: instrument?.id, coin: found?.id }
}
