/**
 * What a request is tried with: values that a demo venue takes as they stand.
 *
 * Which  every field that is required, and those without which a call says little
 */
type Values = Readonly<Record<string, unknown>>

/** Of calls whose path fits; the first that has the name. */
const byCall: readonly (readonly [path: RegExp, values: Values])[] = [
  [/\/v2\/spot\/market\/(candles|history-candles)$/, { granularity: '1min' }],
  [/\/v3\/account\/(max-transferable|max-withdrawal)$/, { coin: 'USDT' }],
  [/\/v2\/margin\/market\/long-short-ratio$/, { coin: 'BTC' }],
  [/\/market\/(open-interest-limit|index-components)$/, { symbol: 'BTCUSDT' }],
  [/\/v3\/account\/transferable-coins$/, { fromType: 'spot', toType: 'uta' }],
  [/\/v2\/spot\/wallet\/transfer-coin-info$/, { fromType: 'spot', toType: 'usdt_futures' }],
  [
    /\/v2\/mix\/account\/(open-count|liq-price|max-open)$/,
    { openAmount: '0.01', openPrice: '60000', orderType: 'limit', price: '60000' },
  ],
  [/\/v2\/mix\/order\/orders-plan-(pending|history)$/, { planType: 'normal_plan' }],
  [/\/v3\/account\/max-open-available$/, { price: '60000' }],
  [/\/v2\/convert\/quoted-price$/, { fromCoin: 'USDT', toCoin: 'BTC', fromCoinSize: '100' }],
  [/\/v2\/spot\/wallet\/deposit-address$/, { coin: 'BTC', chain: 'BTC' }],
  [/deposit-address$/, { coin: 'USDT' }],
  [
    /\/v3\/trade\/place-order$/,
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '40000', qty: '0.001' },
  ],
  [
    /\/v2\/mix\/order\/place-order$/,
    { marginMode: 'crossed', side: 'buy', orderType: 'limit', force: 'gtc', price: '40000', size: '0.001' },
  ],
  [/\/v2\/spot\/trade\/place-order$/, { side: 'buy', orderType: 'limit', force: 'gtc', price: '40000', size: '0.001' }],
  [
    /\/v2\/margin\/crossed\/place-order$/,
    { side: 'buy', orderType: 'limit', force: 'gtc', price: '40000', baseSize: '0.001', loanType: 'normal' },
  ],
  [
    /\/v3\/trade\/place-strategy-order$/,
    { type: 'trigger', side: 'buy', qty: '0.001', triggerPrice: '40000', triggerOrderType: 'market' },
  ],
  [/\/v2\/mix\/account\/set-leverage$/, { leverage: '10' }],
  [/\/v3\/account\/set-leverage$/, { symbol: 'BTCUSDT', leverage: '10' }],
  [/\/v2\/user\/modify-virtual-subaccount$/, { status: 'normal' }],
  [/\/v3\/trade\/countdown-cancel-all$/, { countdown: '0' }],
  [/\/v3\/market\/position-tier$/, { symbol: 'BTCUSDT' }],
  [/\/v3\/user\/rate-limit-quota$/, { category: 'futures' }],
  [/\/v3\/account\/pre-set-leverage$/, { symbol: 'BTCUSDT', marginMode: 'cross', leverage: '10' }],
  // Demo accounts have these numbers on every venue.
  [/\/v2\/broker\//, { subUid: '1000000007' }],
  [/\/v2\/spot\/wallet\/subaccount/, { subUid: '1000000003' }],
]

const values: Values = {
  symbol: 'BTCUSDT',
  category: 'USDT-FUTURES',
  productType: 'USDT-FUTURES',
  marginCoin: 'USDT',
  coin: 'USDT',
  interval: '1m',
  granularity: '1m',
  businessType: 'mix',
  orderType: 'limit',
  side: 'buy',
  posSide: 'long',
  marginMode: 'crossed',
  leverage: '10',
  startTime: '1',
  subUid: '1000000002',
  subAccountUid: '1000000003',
}

/**
 * Whether a call names an order that its caller has made before. What is required of it alone says too little, and is no example.
 * @param path of the call
 */
export function namesAnOrder(path: string): boolean {
  return /\/(cancel-order|modify-order|modify-plan-order|modify-tpsl-order)$/.test(path)
}

/** Undefined: nothing is given. `required`: the call asks for it. */
export function exampleOf(path: string, field: string, required: boolean): unknown {
  for (const [paths, some] of byCall) {
    if (some[field] !== undefined && paths.test(path)) return some[field]
  }
  return required ? values[field] : undefined
}
