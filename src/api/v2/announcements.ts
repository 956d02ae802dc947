/**
 * What the venue announces, from its own catalogue: which instruments it lists, and which have closed.
 *
 * Spelling   of the path is the interface's
 * Listing    one for each instrument, at the time at which it was listed; of one that is closed it is a delisting
 * Source     fidelity §2
 */
import Type from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { id, limit, oneOf, oneOfOr, timestamp } from '../parsing/fields.ts'
import { checkTimes } from '../parsing/time-window.ts'
import * as records from './records.ts'

const types = [
  'latest_news',
  'coin_listings',
  'trading_competitions_promotions',
  'maintenance_system_updates',
  'symbol_delisting',
] as const

const announcements = defineEndpoint({
  method: 'GET',
  path: '/api/v2/public/annoucements',
  summary: 'Instruments that were listed, and those that are halted, newest first',
  source: 'fidelity §2',
  access: 'public',
  limit: { perSecond: 20, per: 'ip' },
  request: Type.Object({
    annType: Type.Optional(oneOf(types)),
    language: oneOfOr(['en_US', 'zh_CN'], 'en_US'),
    startTime: Type.Optional(timestamp()),
    endTime: Type.Optional(timestamp()),
    cursor: Type.Optional(id({ description: 'annId of the last one of the page before' })),
    limit: limit(10, 10),
  }),
  response: Type.Array(records.Announcement),
  handle({ catalog }, { annType, language, startTime = 0, endTime = Number.MAX_SAFE_INTEGER, cursor, ...input }) {
    checkTimes({ startTime, endTime })
    return catalog.catalog.instruments
      .filter((instrument) => annType === undefined || annType === typeOf(instrument))
      .filter(({ listedAt }) => listedAt >= startTime && listedAt <= endTime)
      .toReversed()
      .filter((instrument) => cursor === undefined || numberOf(instrument) < cursor)
      .slice(0, input.limit)
      .map((instrument) => announcementOf(instrument, language))
  },
})

/** Instruments are numbered in the order in which they were listed. */
function numberOf({ id: number }: Instrument): number {
  return number + 1
}

function typeOf({ status }: Instrument): (typeof types)[number] {
  return status === 'halted' ? 'symbol_delisting' : 'coin_listings'
}

function announcementOf(instrument: Instrument, language: 'en_US' | 'zh_CN'): records.Announcement {
  const { symbol, category, listedAt } = instrument
  const isOpen = typeOf(instrument) === 'coin_listings'
  const [annTitle, annDesc] =
    language === 'en_US'
      ? [`${symbol} (${category}) is ${isOpen ? 'listed' : 'halted'}`, `${isOpen ? 'Open to' : 'Closed for'} orders`]
      : [`${symbol} (${category}) ${isOpen ? '已上线' : '已停止交易'}`, isOpen ? '可下单' : '暂停下单']
  return {
    annId: String(numberOf(instrument)),
    annTitle,
    annDesc,
    annType: typeOf(instrument),
    cTime: String(listedAt),
    language,
    annUrl: '',
  }
}

export const announcementEndpoints: readonly Endpoint[] = [announcements]
