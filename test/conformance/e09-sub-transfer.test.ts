/**
 * E9: moving assets between a main account and its sub-accounts.
 *
 * Source  interface.md E9, Limits; design §3, §4.14, §4.36; risk-engine.md §21
 */
import { expect } from 'vitest'
import type { Answer } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import {
  futuresAccount,
  paths,
  setLeverage,
  spotAsset,
  taken,
  takenInBatch,
  btcSpot,
  unifiedAsset,
} from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

interface Family {
  readonly main: Person
  readonly unified: Person
  readonly classic: Person
}

function personOf(people: Family, name: string): Person {
  return people[name as keyof Family]
}

/** A unified main account with a unified and a classic sub-account, each with a thousand of everything it may hold. */
async function family(): Promise<Family> {
  const all = { USDT: '1000', BTC: '2' }
  const main = await at.person('Main', { funds: { uta: all, spot: all, p2p: all } })
  const unified = await at.person('Unified', { parent: main, mode: 'unified', funds: { uta: all, spot: all } })
  const futures = { usdt_futures: { USDT: '1000' }, coin_futures: { BTC: '2' }, usdc_futures: { USDC: '1000' } }
  const classicFunds = { spot: all, crossed_margin: all, ...futures }
  const classic = await at.person('Classic', { parent: main, mode: 'classic', funds: classicFunds })
  return { main, unified, classic }
}

let lastId = 0

interface Move {
  readonly from: Person
  readonly to: Person
  readonly fromType: string
  readonly toType: string
  readonly coin?: string
  readonly amount?: unknown
  readonly clientOid?: string | undefined
  readonly key?: Person
}

function body({ from, to, fromType, toType, coin = 'USDT', amount = '10', clientOid }: Move) {
  return { fromType, toType, amount, coin, fromUserId: from.uid, toUserId: to.uid, clientOid }
}

function move(main: Person, terms: Move): Promise<Answer> {
  lastId += 1
  const clientOid = 'clientOid' in terms ? terms.clientOid : `move-${lastId}`
  return main.post(paths.subTransfer, body({ ...terms, clientOid }))
}

row('E9 response', 'transferId and clientOid, both texts', async () => {
  const { main, unified } = await family()
  const answer = succeeds(
    await move(main, { from: main, to: unified, fromType: 'uta', toType: 'uta', clientOid: 'first' }),
  )
  expect(answer.data).toEqual({ transferId: expect.stringMatching(/^\d+$/), clientOid: 'first' })
})

row('E9', 'what leaves one account arrives at the other, to the last unit', async () => {
  const { main, unified } = await family()
  const amount = '123.45678901'
  succeeds(await move(main, { from: main, to: unified, fromType: 'uta', toType: 'uta', amount }))
  expect(await unifiedAsset(main, 'USDT')).toMatchObject({ available: '876.54321099' })
  expect(await unifiedAsset(unified, 'USDT')).toMatchObject({ available: '1123.45678901' })
})

row('E9', 'an amount as a JSON number, as clients send it', async () => {
  const { main, unified } = await family()
  succeeds(await move(main, { from: main, to: unified, fromType: 'uta', toType: 'uta', amount: 12.5 }))
  expect(await unifiedAsset(unified, 'USDT')).toMatchObject({ available: '1012.5' })
})

table(
  'E9 supported transfers',
  `
    case                                       | from    | to      | from type      | to type        | coin | expected
    main to unified sub, uta to uta            | main    | unified | uta            | uta            | USDT | ok
    main to unified sub, spot to uta           | main    | unified | spot           | uta            | USDT | ok
    main to unified sub, uta to spot           | main    | unified | uta            | spot           | BTC  | ok
    main to unified sub, p2p to spot           | main    | unified | p2p            | spot           | USDT | ok
    main to classic sub, spot to spot          | main    | classic | spot           | spot           | USDT | ok
    main to classic sub, uta to usdt_futures   | main    | classic | uta            | usdt_futures   | USDT | ok
    main to classic sub, uta to coin_futures   | main    | classic | uta            | coin_futures   | BTC  | ok
    main to classic sub, uta to crossed_margin | main    | classic | uta            | crossed_margin | USDT | ok
    unified sub to main                        | unified | main    | uta            | uta            | USDT | ok
    unified sub to main, spot to p2p           | unified | main    | spot           | p2p            | USDT | ok
    classic sub to main                        | classic | main    | usdt_futures   | spot           | USDT | ok
    unified sub to classic sub                 | unified | classic | uta            | usdt_futures   | USDT | ok
    classic sub to unified sub                 | classic | unified | crossed_margin | uta            | USDT | ok
    within the unified sub                     | unified | unified | uta            | spot           | USDT | ok
    within the classic sub                     | classic | classic | spot           | usdt_futures   | USDT | ok
    within the classic sub, USDC               | classic | classic | usdc_futures   | spot           | USDC | ok
    types in capitals                          | main    | unified | UTA            | SPOT           | usdt | ok
  `,
  async ({ from, to, fromType, toType, coin, expected }) => {
    const people = await family()
    const amount = coin === 'BTC' ? '0.1' : '10'
    answers(
      await move(people.main, {
        from: personOf(people, from),
        to: personOf(people, to),
        fromType,
        toType,
        coin,
        amount,
      }),
      expected,
    )
  },
)

table(
  'E9 account types',
  `
    case                                                  | from    | to      | from type | to type         | coin
    a unified sub has no usdt_futures                     | main    | unified | uta       | usdt_futures    | USDT
    a unified sub has no coin_futures                     | main    | unified | uta       | coin_futures    | BTC
    a unified sub has no usdc_futures                     | main    | unified | uta       | usdc_futures    | USDC
    a unified sub has no crossed_margin                   | main    | unified | uta       | crossed_margin  | USDT
    a unified sub has no p2p                              | main    | unified | uta       | p2p             | USDT
    nothing leaves a p2p that a sub does not have         | unified | main    | p2p       | uta             | USDT
    a classic sub has no uta                              | main    | classic | uta       | uta             | USDT
    a classic sub has no p2p                              | main    | classic | uta       | p2p             | USDT
    nothing leaves a uta that a classic sub does not have | classic | main    | uta       | spot            | USDT
    an unknown from type                                  | main    | unified | savings   | uta             | USDT
    an unknown to type                                    | main    | unified | uta       | savings         | USDT
    isolated margin is not offered                        | main    | classic | uta       | isolated_margin | USDT
  `,
  async ({ from, to, fromType, toType, coin }) => {
    const people = await family()
    const amount = coin === 'BTC' ? '0.1' : '10'
    const answer = await move(people.main, {
      from: personOf(people, from),
      to: personOf(people, to),
      fromType,
      toType,
      coin,
      amount,
    })
    refuses(answer, 'the account type or the wallet of a coin or the transferable amount')
  },
)

table(
  { rule: 'E9 within the main account', decision: 'refused: the wallet transfer endpoints do that (design §4.36)' },
  `
    case                     | from type | to type
    from its uta to its spot | uta       | spot
    from its spot to its uta | spot      | uta
    from a wallet to itself  | uta       | uta
  `,
  async ({ fromType, toType }) => {
    const { main } = await family()
    refuses(await move(main, { from: main, to: main, fromType, toType }), 'unrelated accounts or the account type')
  },
)

row('E9', 'within a sub, from a wallet to itself is refused', async () => {
  const { main, unified } = await family()
  refuses(
    await move(main, { from: unified, to: unified, fromType: 'uta', toType: 'uta' }),
    'the account type or unrelated accounts',
  )
})

row('E9 relationship', 'a stranger’s account can neither give nor take', async () => {
  const { main } = await family()
  const stranger = await at.person('Stranger', { funds: { uta: { USDT: '1000' } } })
  refuses(await move(main, { from: main, to: stranger, fromType: 'uta', toType: 'uta' }), 'unrelated accounts')
  refuses(await move(main, { from: stranger, to: main, fromType: 'uta', toType: 'uta' }), 'unrelated accounts')
  expect(await unifiedAsset(stranger, 'USDT')).toMatchObject({ available: '1000' })
})

row('E9 relationship', 'neither can a stranger’s sub-account', async () => {
  const { main, unified } = await family()
  const stranger = await at.person('Stranger')
  const cousin = await at.person('Cousin', { parent: stranger, funds: { uta: { USDT: '1000' } } })
  refuses(await move(main, { from: cousin, to: unified, fromType: 'uta', toType: 'uta' }), 'unrelated accounts')
  refuses(await move(main, { from: unified, to: cousin, fromType: 'uta', toType: 'uta' }), 'unrelated accounts')
})

row('E9 main-account key only', 'a sub-account’s key moves nothing, not even its own', async () => {
  const { main, unified } = await family()
  const own = { from: unified, to: main, fromType: 'uta', toType: 'uta' }
  refuses(await move(unified, own), 'no main account')
  refuses(await move(unified, { ...own, to: unified, toType: 'spot' }), 'no main account')
  expect(await unifiedAsset(unified, 'USDT')).toMatchObject({ available: '1000' })
})

row('E9 main-account key only', 'a classic main account is on v2: 40084', async () => {
  const main = await at.person('Main', { mode: 'classic', funds: { spot: { USDT: '100' } } })
  const sub = await at.person('Sub', { parent: main, mode: 'classic' })
  refuses(await move(main, { from: main, to: sub, fromType: 'spot', toType: 'spot' }), '40084')
})

row('E9 main-account key only', 'a hybrid main account may', async () => {
  const main = await at.person('Main', { mode: 'hybrid', funds: { usdt_futures: { USDT: '100' } } })
  const sub = await at.person('Sub', { parent: main, mode: 'classic' })
  succeeds(await move(main, { from: main, to: sub, fromType: 'usdt_futures', toType: 'usdt_futures' }))
})

table(
  'E9 required fields',
  ['fromType', 'toType', 'amount', 'coin', 'fromUserId', 'toUserId', 'clientOid'].map(
    (field) => [`without ${field}`, field] as const,
  ),
  async (field) => {
    const { main, unified } = await family()
    const whole = body({ from: main, to: unified, fromType: 'uta', toType: 'uta', clientOid: 'whole' })
    const answer = refuses(await main.post(paths.subTransfer, { ...whole, [field]: undefined }), 'a missing parameter')
    expect(answer.msg).toContain(field)
    refuses(
      await main.post(paths.subTransfer, { ...whole, [field]: '' }),
      'a parameter or the account type or unrelated accounts or an unknown coin',
    )
  },
)

table(
  'E9 table amount',
  `
    case                           | amount        | expected
    the smallest unit              | 0.00000001    | ok
    nine decimals                  | 0.000000001   | a parameter
    nine decimals, the last a zero | 0.100000000   | ok
    everything there is            | 1000          | ok
    a unit more than there is      | 1000.00000001 | the transferable amount
    far more than there is         | 99999999999   | the transferable amount or a parameter
  `,
  async ({ amount, expected }) => {
    const { main, unified } = await family()
    answers(await move(main, { from: main, to: unified, fromType: 'uta', toType: 'uta', amount }), expected)
  },
)

row('E9 table coin', 'an unknown coin is refused', async () => {
  const { main, unified } = await family()
  refuses(
    await move(main, { from: main, to: unified, fromType: 'uta', toType: 'uta', coin: 'NOSUCH' }),
    'an unknown coin',
  )
})

table(
  'E9 table clientOid',
  [
    ['64 characters', 'a'.repeat(64), 'ok'],
    ['65 characters', 'a'.repeat(65), 'a parameter'],
  ],
  async (clientOid, expected) => {
    const { main, unified } = await family()
    answers(await move(main, { from: main, to: unified, fromType: 'uta', toType: 'uta', clientOid }), expected)
  },
)

const idempotent = {
  rule: 'design §4.14',
  decision: 'idempotent on clientOid per main account: the same request again returns the first transferId',
} as const

row(idempotent, 'the same request three times moves once', async () => {
  const { main, unified } = await family()
  const transfer = { from: main, to: unified, fromType: 'uta', toType: 'uta', amount: '100', clientOid: 'once' }
  const first = succeeds(await move(main, transfer)).fields
  expect(succeeds(await move(main, transfer)).data).toEqual(first)
  expect(succeeds(await move(main, transfer)).data).toEqual(first)
  expect(await unifiedAsset(unified, 'USDT')).toMatchObject({ available: '1100' })
})

table(
  { rule: 'design §4.14', decision: 'the same clientOid with other content is refused' },
  [
    ['another amount', { amount: '101' }],
    ['another coin', { coin: 'BTC', amount: '1' }],
    ['another from type', { fromType: 'spot' }],
    ['another to type', { toType: 'spot' }],
  ],
  async (other) => {
    const { main, unified } = await family()
    const transfer = { from: main, to: unified, fromType: 'uta', toType: 'uta', amount: '100', clientOid: 'once' }
    succeeds(await move(main, transfer))
    refuses(await move(main, { ...transfer, ...other }), 'a used transfer id')
    expect(await unifiedAsset(unified, 'USDT')).toMatchObject({ available: '1100' })
  },
)

row(idempotent, '100 and 100.00 are the same content', async () => {
  const { main, unified } = await family()
  const transfer = { from: main, to: unified, fromType: 'uta', toType: 'uta', clientOid: 'once' }
  const first = succeeds(await move(main, { ...transfer, amount: '100' })).fields
  expect(succeeds(await move(main, { ...transfer, amount: '100.00' })).fields).toEqual(first)
})

row(idempotent, 'another main account may use the same id', async () => {
  const first = await family()
  const second = await family()
  succeeds(
    await move(first.main, { from: first.main, to: first.unified, fromType: 'uta', toType: 'uta', clientOid: 'once' }),
  )
  succeeds(
    await move(second.main, {
      from: second.main,
      to: second.unified,
      fromType: 'uta',
      toType: 'uta',
      clientOid: 'once',
    }),
  )
})

row(idempotent, 'a refused transfer leaves its id free', async () => {
  const { main, unified } = await family()
  const transfer = { from: main, to: unified, fromType: 'uta', toType: 'uta', clientOid: 'again' }
  refuses(await move(main, { ...transfer, amount: '5000' }), 'the transferable amount')
  succeeds(await move(main, { ...transfer, amount: '500' }))
})

const margin = {
  rule: 'design §4.14',
  decision: 'open margin counts: only what no position or order needs can leave',
} as const

row(margin, 'what an open order holds cannot leave', async () => {
  const { main, unified } = await family()
  await takenInBatch(unified, 'buy 0.01 @ 59000', btcSpot)
  const transfer = { from: unified, to: main, fromType: 'uta', toType: 'uta' }
  refuses(await move(main, { ...transfer, amount: '410.00000001' }), 'the transferable amount')
  succeeds(await move(main, { ...transfer, amount: '410' }))
})

row(margin, 'what a position needs cannot leave', async () => {
  const { main, classic } = await family()
  const bob = await at.person('Bob', { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } })
  await setLeverage(classic, 10)
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(classic, 'buy 0.1 @ 60000')
  const { maxTransferOut = '' } = await futuresAccount(classic)
  expect(Number(maxTransferOut)).toBeLessThanOrEqual(1000 - 600 - 3.6)
  const transfer = { from: classic, to: main, fromType: 'usdt_futures', toType: 'spot' }
  refuses(await move(main, { ...transfer, amount: '500' }), 'the transferable amount')
  succeeds(await move(main, { ...transfer, amount: maxTransferOut }))
})

row('E9', 'the spot wallet of a classic sub', async () => {
  const { main, classic } = await family()
  succeeds(await move(main, { from: classic, to: main, fromType: 'spot', toType: 'spot', amount: '1' }))
  expect(await spotAsset(classic, 'USDT')).toMatchObject({ available: '999' })
})
