/**
 * The limit of all calls of an address in a minute, where the venue has one.
 *
 * Source  wire/rate-limits-and-filters.md §1 "overall"; design §4.19
 */
import { refuses, row, stage, succeeds } from './conformance.ts'

const at = stage({ rateLimits: true, environment: { TIDEMARK_CALLS_PER_ADDRESS_PER_MINUTE_MAX: '12' } })

row(
  'wire/rate-limits §1',
  'calls of one address count together, whatever they ask and whoever signs them',
  async () => {
    const alice = await at.person('Alice')
    const asks = [
      () => at.venue.get('/api/v2/public/time'),
      () => at.venue.get('/api/v3/market/instruments', { category: 'SPOT' }),
      () => alice.get('/api/v3/account/settings'),
    ]
    const answered = []
    for (let count = 0; count < 13; count++) answered.push(await asks[count % 3]())
    for (const answer of answered.slice(0, 12)) succeeds(answer)
    refuses(answered[12], '429', 429)
  },
)
