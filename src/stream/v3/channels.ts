/**
 * Which channels v3 has, and what an argument of a subscription means.
 *
 * Spelling  any case is understood; pushes repeat the argument's own
 * Interval  counts for candles alone: clients send one with every unsubscription
 * Default   the symbol `default` means what no symbol means
 * Source    wire/websocket.md §2, §3, §4
 */
import type { CatalogIndex, PrivateAccess } from '../../api/api.ts'
import { type Category, type Instrument, productLines } from '../../engine/catalog/catalog.ts'
import { intervalNamed } from '../../market/market.ts'
import type { Argument } from '../requests.ts'
import type { Channel, PrivateChannel, Shown } from '../socket-protocol.ts'
import { accountRows, positionRows } from './account.ts'
import { adlRow, fastFillRow, fillRow, orderRow, triggerRow } from './orders.ts'

export function channelOf(argument: Argument, catalog: CatalogIndex): Channel | undefined {
  const instType = (argument['instType'] ?? '').toUpperCase()
  const topic = (argument['topic'] ?? '').toLowerCase()
  if (instType === 'UTA') return privateChannels.find(({ key }) => key === `v3 ${topic}`)
  const category = (['SPOT', ...productLines] as const).find((candidate) => candidate === instType)
  const show = shownBy(topic, argument['interval'] ?? '')
  return category && show && publicChannel(category, show, (argument['symbol'] ?? '').toUpperCase(), catalog)
}

/** Liquidations alone are of contracts, and without a symbol of all contracts of the line. */
function publicChannel(
  category: Exclude<Category, 'MARGIN'>,
  show: Shown,
  symbol: string,
  catalog: CatalogIndex,
): Channel | undefined {
  const named = { scope: 'public', version: 'v3', show } as const
  const key = `v3 ${JSON.stringify(show)}`
  if (show.kind === 'liquidations') {
    if (category === 'SPOT') return undefined
    if (symbol === '' || symbol === 'DEFAULT') return { ...named, key: `${key} ${category}`, about: category }
  }
  const instrument: Instrument | undefined = catalog.find(category, symbol)
  return instrument && { ...named, key: `${key} ${instrument.id}`, about: instrument }
}

/** Clients take what has an interval for a candle. */
export function echo({ instType, topic, symbol, interval }: Argument): string {
  return JSON.stringify(
    topic?.toLowerCase() === 'kline' ? { instType, topic, symbol, interval } : { instType, topic, symbol },
  )
}

function shownBy(topic: string, intervalName: string): Shown | undefined {
  if (topic === 'ticker') return { kind: 'ticker' }
  if (topic === 'publictrade') return { kind: 'trades' }
  if (topic === 'liquidation') return { kind: 'liquidations' }
  const book = /^(?<rpi>rpi-(?!books15))?books(?<levels>1|5|15|50)?$/.exec(topic)?.groups
  if (book !== undefined) return shownBook(book)
  const interval = topic === 'kline' ? intervalNamed(intervalName) : undefined
  return interval && { kind: 'candles', interval }
}

function shownBook({ rpi, levels }: { readonly [name: string]: string | undefined }): Shown {
  const told = { rpi: rpi !== undefined }
  return levels === undefined ? { kind: 'books', ...told } : { kind: 'top', levels: Number(levels), ...told }
}

function privateChannel(
  topic: string,
  permission: PrivateAccess['permission'],
  shows: Pick<PrivateChannel, 'state' | 'pushesClosed' | 'rowOf' | 'action'>,
): PrivateChannel {
  return { scope: 'private', version: 'v3', key: `v3 ${topic}`, access: { permission, level: 'read' }, ...shows }
}

const privateChannels: readonly PrivateChannel[] = [
  privateChannel('account', 'uta_mgt', { state: accountRows }),
  privateChannel('position', 'uta_trade', { state: positionRows, pushesClosed: ({ wallet }) => wallet === 'uta' }),
  privateChannel('order', 'uta_trade', { rowOf: orderRow }),
  privateChannel('strategy-order', 'uta_trade', { rowOf: triggerRow }),
  privateChannel('fill', 'uta_trade', { rowOf: fillRow }),
  privateChannel('fast-fill', 'uta_trade', { rowOf: fastFillRow }),
  privateChannel('adl-notification', 'uta_trade', { rowOf: adlRow, action: 'update' }),
]
