/**
 * Which channels v3 has, and what an argument of a subscription means.
 *
 * Spelling  any case is understood; pushes repeat the argument's own
 * Interval  counts for candles alone: clients send one with every unsubscription
 * Source    wire/websocket.md §2, §3, §4
 */
import type { CatalogIndex, PrivateAccess } from '../../api/api.ts'
import { type Instrument, productLines } from '../../engine/catalog/catalog.ts'
import { intervalNamed } from '../../market/market.ts'
import type { Argument } from '../requests.ts'
import type { Channel, PrivateChannel, Shown } from '../socket-protocol.ts'
import { accountRows, positionRows } from './account.ts'
import { fillRow, orderRow, triggerRow } from './orders.ts'

export function channelOf(argument: Argument, catalog: CatalogIndex): Channel | undefined {
  const instType = (argument['instType'] ?? '').toUpperCase()
  const topic = (argument['topic'] ?? '').toLowerCase()
  if (instType === 'UTA') return privateChannels.find(({ key }) => key === `v3 ${topic}`)
  const category = (['SPOT', ...productLines] as const).find((candidate) => candidate === instType)
  const show = shownBy(topic, argument['interval'] ?? '')
  if (category === undefined || show === undefined) return undefined
  const instrument: Instrument | undefined = catalog.find(category, (argument['symbol'] ?? '').toUpperCase())
  if (instrument === undefined || (show.kind === 'liquidations' && instrument.kind === 'spot')) return undefined
  const key = `v3 ${JSON.stringify(show)} ${instrument.id}`
  return { scope: 'public', version: 'v3', key, instrument, show }
}

/** Clients take what has an interval for a candle. */
export function echo({ instType, topic, symbol, interval }: Argument): string {
  return JSON.stringify(
    topic?.toLowerCase() === 'kline' ? { instType, topic, symbol, interval } : { instType, topic, symbol },
  )
}

function shownBy(topic: string, intervalName: string): Shown | undefined {
  if (topic === 'ticker' || topic === 'books') return { kind: topic }
  if (topic === 'publictrade') return { kind: 'trades' }
  if (topic === 'liquidation') return { kind: 'liquidations' }
  if (/^books(?:1|5|15|50)$/.test(topic)) return { kind: 'top', levels: Number(topic.slice('books'.length)) }
  const interval = topic === 'kline' ? intervalNamed(intervalName) : undefined
  return interval && { kind: 'candles', interval }
}

function privateChannel(
  topic: string,
  permission: PrivateAccess['permission'],
  shows: Pick<PrivateChannel, 'state' | 'pushesClosed' | 'rowOf'>,
): PrivateChannel {
  return { scope: 'private', version: 'v3', key: `v3 ${topic}`, access: { permission, level: 'read' }, ...shows }
}

const privateChannels: readonly PrivateChannel[] = [
  privateChannel('account', 'uta_mgt', { state: accountRows }),
  privateChannel('position', 'uta_trade', { state: positionRows, pushesClosed: ({ wallet }) => wallet === 'uta' }),
  privateChannel('order', 'uta_trade', { rowOf: orderRow }),
  privateChannel('strategy-order', 'uta_trade', { rowOf: triggerRow }),
  privateChannel('fill', 'uta_trade', { rowOf: fillRow }),
  privateChannel('fast-fill', 'uta_trade', { rowOf: fillRow }),
]
