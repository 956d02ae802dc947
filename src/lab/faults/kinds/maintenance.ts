/**
 * Maintenance: the venue answers nobody for a while, then it is there again.
 *
 * Then      online as before, or every instrument that was online takes cancellations only (`then: cancel_only`)
 * Orders    stay, or are canceled when it begins (`cancelOrders`); both by ordinary commands
 * Source    lab.md §4.5
 */
import type { Command } from '../../../engine/protocol/command.ts'
import { body, optional, word } from '../../../operator/operator.ts'
import { speakersOf } from '../../things.ts'
import type { LabVenue } from '../../venue.ts'
import { atRead } from '../kind.ts'
import { calls, span, yesOrNo } from './fields.ts'

const msUsual = 120_000

export const maintenance = [
  atRead({
    name: 'maintenance',
    meaning: '503, sockets closed with 1012, then statuses ¦ orders as before, or canceled',
    point: 'venue',
    with: body({
      for: optional(span),
      // oxlint-disable-next-line unicorn/no-thenable -- the name of the field; nobody awaits a schema
      then: optional(word(['online', 'cancel_only'])),
      cancelOrders: optional(yesOrNo),
    }),
    over: calls,
    usual: 'any',
    lasts: (given) => given.for ?? msUsual,
    async begin({ given, venue }) {
      const { runtime, stream } = venue.parts
      const commands = given.cancelOrders === true ? cancellations(venue) : []
      await stream.beginAnew('close')
      if (commands.length > 0) await runtime.submitAll(commands)
    },
    async end({ given, venue }, isBack) {
      if (isBack || given.then !== 'cancel_only') return
      await venue.parts.runtime.submitAll(restrictions(venue))
    },
    strike: async ({ call }) => call.refusal('40015', { httpStatus: 503 }),
    mayOpen: () => false,
  }),
]

function cancellations({ parts: { runtime } }: LabVenue): readonly Command[] {
  return runtime.query({ kind: 'accounts' }).flatMap(({ uid, mode }) =>
    speakersOf(mode).flatMap((speaker): Command[] => {
      const asked = {
        kind: 'open-orders',
        uid,
        interface: speaker,
        category: undefined,
        instrument: undefined,
      } as const
      const categories = new Set(runtime.query(asked).map(({ category }) => category))
      return [...categories].map((category) => ({
        kind: 'cancel-orders',
        uid,
        interface: speaker,
        category,
        instrument: undefined,
      }))
    }),
  )
}

function restrictions({ parts: { runtime } }: LabVenue): readonly Command[] {
  const online = runtime.query({ kind: 'catalog' }).instruments.filter(({ status }) => status === 'online')
  const same = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  return online.map(({ id }) => ({ kind: 'set-instrument', instrument: id, status: 'cancel_only', ...same }))
}
