/**
 * H01 to H10: nobody told the bot what became of its order, or of its cancellation.
 */
import { type Hazard, hasEffect, second } from './hazard.ts'

const group = 'unknown outcome'
const place = { endpoint: 'place' } as const
const cancel = { endpoint: 'cancel' } as const

export const orderHazards: readonly Hazard[] = [
  {
    id: 'H01',
    group,
    name: 'ack lost, resting',
    says: 'The order rests in the book, and the connection breaks before its answer.',
    reached: 'the answer to an order that rests was lost',
    rules: ({ role }) => [{ fault: 'lost-ack', on: { ...place, role }, when: { nth: 1 } }],
    counts: ({ outcome }) => outcome === 'placed',
  },
  {
    id: 'H02',
    group,
    name: 'ack lost, filled',
    says: 'The order is filled, and the connection breaks before its answer.',
    reached: 'the answer to an order was lost, and the order was filled',
    rules: ({ role }) => [{ fault: 'lost-ack', on: { ...place, role }, when: { nth: 1 } }],
    counts: hasEffect,
    async follow(scene, { outcome }) {
      if (outcome === 'filled') return true
      scene.note('fills the order')
      return (await scene.takes(1)) !== undefined
    },
  },
  {
    id: 'H03',
    group,
    name: 'request lost',
    says: 'The connection breaks before the order is read: it does not exist.',
    reached: 'the request of an order was lost',
    rules: ({ role }) => [{ fault: 'lost-request', on: { ...place, role }, when: { nth: 1 } }],
  },
  {
    id: 'H04',
    group,
    name: '40010, live',
    says: 'The venue answers 40010 (time-out), and the order is live.',
    reached: 'an order was answered 40010',
    rules: ({ role }) => [
      { fault: 'unknown', on: { ...place, role }, when: { nth: 1 }, with: { code: '40010', order: 'live' } },
    ],
  },
  {
    id: 'H05',
    group,
    name: '40725, filled',
    says: 'The venue answers 40725 (service error), and the order is filled.',
    reached: 'an order was answered 40725',
    rules: ({ role }) => [
      { fault: 'unknown', on: { ...place, role }, when: { nth: 1 }, with: { code: '40725', order: 'filled' } },
    ],
  },
  {
    id: 'H06',
    group,
    name: '45001, dead',
    says: 'The venue answers 45001 (unknown error), and the order does not exist.',
    reached: 'an order was answered 45001',
    rules: ({ role }) => [
      { fault: 'unknown', on: { ...place, role }, when: { nth: 1 }, with: { code: '45001', order: 'dead' } },
    ],
  },
  {
    id: 'H07',
    group,
    name: '40010, lands later',
    says: 'The venue answers 40010, and the order arrives five seconds later.',
    reached: 'an order was answered 40010 and carried out later',
    rules: ({ role, ms }) => [
      {
        fault: 'late-request',
        on: { ...place, role },
        when: { nth: 1 },
        with: { ms: ms(5 * second), answer: '40010' },
      },
    ],
    lasts: 5 * second,
  },
  {
    id: 'H08',
    group,
    name: "cancel's ack lost",
    says: 'The order is canceled, and the connection breaks before the answer.',
    reached: 'the answer to a cancellation was lost',
    rules: ({ role }) => [{ fault: 'lost-ack', on: { ...cancel, role }, when: { nth: 1 } }],
  },
  {
    id: 'H09',
    group,
    name: 'cancel 40010, filled meanwhile',
    says: 'The cancellation is answered 40010 and comes to nothing: the order was filled before.',
    reached: 'a cancellation was answered 40010, and its order was filled',
    rules: ({ role }) => [
      { fault: 'unknown', on: { ...cancel, role }, when: { nth: 1 }, with: { code: '40010', order: 'filled' } },
    ],
  },
  {
    id: 'H10',
    group,
    name: 'batch half placed, ack lost',
    says: 'Of a batch one order is placed and one is refused, and the answer is lost.',
    reached: 'the answer to a batch was lost',
    rules: ({ role }) => {
      const on = { endpoint: 'batch', role }
      return [
        { fault: 'partial-batch', on, when: { nth: 1 }, with: { fail: [1] } },
        { fault: 'lost-ack', on, when: { nth: 1 } },
      ]
    },
    counts: ({ fault }) => fault === 'lost-ack',
  },
]
