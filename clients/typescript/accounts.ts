/**
 * Orders, fills and positions of an account as its owner reads them: rows of the interface, with the category where that leaves
 * it away.
 *
 * Versions  v3 for unified roles, v2 for classic ones; a hybrid account has both, and so two of everything
 * Orders    open and ended ones, newest first within a list; margin orders of v2 only with their symbol
 * Limits    count these reads as they count the bot's own
 */
import type { Calls, Key } from './calls.ts'

/** A row as the interface gives it: texts. */
export type Row = Readonly<Record<string, string>>

/** `open` alone is ours; each other field is compared with the row's. */
export interface Filter {
  /** True: open orders only. False: ended ones only. */
  readonly open?: boolean
  readonly category?: string
  readonly symbol?: string
  readonly [field: string]: string | boolean | undefined
}

interface List {
  readonly path: string
  /** Absent: every category. */
  readonly category?: string
  readonly query?: Readonly<Record<string, string>>
  /** Where the rows are; absent: they are the data. */
  readonly rows?: string
  readonly isOpen?: boolean
  readonly needsSymbol?: true
}

const futures = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES'] as const
const everyCategory = ['SPOT', 'MARGIN', ...futures] as const

const lists: Readonly<Record<'orders' | 'fills' | 'positions', Readonly<Record<'v2' | 'v3', readonly List[]>>>> = {
  orders: {
    v3: [
      { path: '/api/v3/trade/unfilled-orders', rows: 'list', isOpen: true },
      ...everyCategory.map((category): List => {
        return { path: '/api/v3/trade/history-orders', category, query: { category }, rows: 'list', isOpen: false }
      }),
    ],
    v2: [
      { path: '/api/v2/spot/trade/unfilled-orders', category: 'SPOT', isOpen: true },
      { path: '/api/v2/spot/trade/history-orders', category: 'SPOT', isOpen: false },
      ...margin('open-orders', 'orderList', true),
      ...margin('history-orders', 'orderList', false),
      ...futures.flatMap((category): readonly List[] => [
        { ...contracts('/api/v2/mix/order/orders-pending', category), isOpen: true },
        { ...contracts('/api/v2/mix/order/orders-history', category), isOpen: false },
      ]),
    ],
  },
  fills: {
    v3: [{ path: '/api/v3/trade/fills', rows: 'list' }],
    v2: [
      { path: '/api/v2/spot/trade/fills', category: 'SPOT' },
      ...margin('fills', 'fills'),
      ...futures.map((category) => ({ ...contracts('/api/v2/mix/order/fills', category), rows: 'fillList' })),
    ],
  },
  positions: {
    v3: futures.map((category): List => {
      return { path: '/api/v3/position/current-position', category, query: { category }, rows: 'list' }
    }),
    v2: futures.map((category): List => {
      return { path: '/api/v2/mix/position/all-position', category, query: { productType: category } }
    }),
  },
}

function contracts(path: string, category: string): List {
  return { path, category, query: { productType: category }, rows: 'entrustedList' }
}

function margin(name: string, rows: string, isOpen?: boolean): readonly List[] {
  const list: List = { path: `/api/v2/margin/crossed/${name}`, category: 'MARGIN', rows, needsSymbol: true }
  return [isOpen === undefined ? list : { ...list, isOpen }]
}

/** Of the account that a role has. */
export async function read(
  what: keyof typeof lists,
  calls: Calls,
  role: string,
  key: Key,
  { open, ...filter }: Filter = {},
): Promise<Row[]> {
  const { category, symbol } = filter
  const versions = role === 'hybrid-main' ? (['v3', 'v2'] as const) : ([isUnified(role) ? 'v3' : 'v2'] as const)
  const wanted = versions
    .flatMap((version) => lists[what][version])
    .filter((list) => open === undefined || list.isOpen === undefined || list.isOpen === open)
    .filter((list) => category === undefined || list.category === undefined || list.category === category)
    .filter(({ needsSymbol }) => !needsSymbol || symbol !== undefined)
  const rows = await Promise.all(wanted.map((list) => rowsOf(calls, key, list, list.needsSymbol ? symbol : undefined)))
  return rows
    .flat()
    .filter((row) => Object.entries(filter).every(([field, value]) => value === undefined || row[field] === value))
}

async function rowsOf(calls: Calls, key: Key, list: List, symbol: string | undefined): Promise<Row[]> {
  const query = new URLSearchParams({
    ...list.query,
    ...(symbol !== undefined && { symbol }),
    ...(list.path.includes('position') ? {} : { limit: '100' }),
  })
  // An instrument that is no pair of margin has no orders there.
  const data = await calls.signed(key, 'GET', `${list.path}?${query.toString()}`)
  const rows = list.rows === undefined ? data : (data as Readonly<Record<string, unknown>> | null)?.[list.rows]
  return ((rows ?? []) as Row[]).map((row) => (list.category === undefined ? row : { ...row, category: list.category }))
}

function isUnified(role: string): boolean {
  return role.startsWith('unified-') || role === 'read-only'
}
