/**
 * The runs: who trades what, with how much money, in which mood.
 */
import type { Person, Scene } from './random-traders.ts'

type Money = Person['money']

function person(name: string, money: Money, shape: Partial<Person> = {}): Person {
  return { name, main: name, unified: false, hedged: false, money, ...shape }
}

const habits = {
  cancel: 40,
  amend: 14,
  replace: 14,
  'cancel-all': 4,
  deposit: 4,
  withdraw: 6,
  transfer: 6,
  'set-price': 40,
  'run-timers': 15,
}

/** Of pairs; what their orders receive gets take-profits and stop-losses, too. */
const plans = { plan: 14, 'change-trigger': 10, 'cancel-trigger': 6 }
const conversions = { quote: 20, convert: 12 }
const chains = {
  'send-deposit': 10,
  'request-withdrawal': 14,
  'cancel-withdrawal': 4,
  'reject-withdrawal': 2,
  'choose-wallet': 2,
}

const spotMoney: Money = [
  ['spot', 'BTC', '1.5'],
  ['spot', 'ETH', '20'],
  ['spot', 'USDT', '60000'],
  ['spot', 'USDC', '9000'],
]

const spot: Scene = {
  name: 'spot',
  lives: 50,
  commands: 1000,
  atLeast: {
    'fill user': 5000,
    'place refused': 1000,
    'convert accepted': 400,
    'withdrawal success': 300,
    'withdrawal cancel': 100,
    'withdrawal fail': 40,
    'deposit success': 500,
    'fill trigger': 150,
    'fill take-profit': 100,
    'fill stop-loss': 100,
    'change-trigger accepted': 300,
  },
  markets: ['BTC/USDT', 'ETH/USDT', 'BTC/USDC'],
  people: [
    person('ann', spotMoney),
    person('ella', spotMoney, { main: 'ann' }),
    person('ben', spotMoney),
    person('cy', [
      ['spot', 'USDT', '300'],
      ['spot', 'BTC', '0.01'],
    ]),
  ],
  habits: { ...habits, ...plans, ...conversions, ...chains },
  values: [10, 300, 3000, 20_000],
  marginShare: 0.1,
  step: 50,
  leap: 1500,
  fund: {},
}

const futuresHabits = {
  ...habits,
  'set-leverage': 10,
  'set-line-leverage': 3,
  'set-margin-mode': 10,
  'set-position-margin': 8,
  'set-auto-margin': 3,
  'set-hold-mode': 4,
  plan: 12,
  protect: 18,
  trail: 10,
  'trail-stop': 10,
  'change-trailing': 8,
  'change-trigger': 10,
  'cancel-trigger': 6,
  'settle-funding': 5,
}

/** Four traders of a line: one-way and hedged, a family of two, little money and much. */
function traders(wallet: Money[number][0], coins: Readonly<Record<string, readonly string[]>>): Person[] {
  const money = (place: number): Money =>
    Object.entries(coins).map(([coin, sums]) => [wallet, coin, sums[place]] as const)
  return [
    person('ann', money(0)),
    person('ella', money(1), { main: 'ann', hedged: true }),
    person('ben', money(2), { hedged: true }),
    person('cy', money(3)),
    person('deb', money(4)),
  ]
}

const linear: Scene = {
  name: 'linear',
  lives: 20,
  commands: 1000,
  atLeast: {
    'fill user': 8000,
    'fill liquidation': 30,
    'set-leverage accepted': 200,
    'settle-funding accepted': 100,
    cut: 50,
    'trigger executed': 300,
    'trigger failed': 10,
    'fill trailing-plan': 60,
    'fill trailing-stop': 60,
    'change-trailing accepted': 50,
    'amend accepted': 150,
    'replace accepted': 150,
  },
  markets: ['BTCUSDT', 'ETHUSDT'],
  people: traders('usdt_futures', { USDT: ['100000', '30000', '400000', '5000', '1000000'] }),
  habits: futuresHabits,
  values: [10, 3000, 20_000, 100_000],
  marginShare: 0,
  step: 60,
  leap: 1500,
  fund: { USDT: '1000' },
}

const usdc: Scene = {
  name: 'usdc',
  lives: 13,
  commands: 1000,
  atLeast: { 'fill user': 4000, 'fill liquidation': 15 },
  markets: ['BTCPERP', 'ETHPERP'],
  people: traders('usdc_futures', { USDC: ['100000', '30000', '400000', '5000', '1000000'] }),
  habits: futuresHabits,
  values: [30, 3000, 20_000, 100_000],
  marginShare: 0,
  step: 60,
  leap: 1500,
  fund: { USDC: '1000000' },
}

const inverse: Scene = {
  name: 'inverse',
  lives: 20,
  commands: 1000,
  atLeast: {
    'fill user': 8000,
    'fill liquidation': 30,
    'trigger executed': 300,
    'fill trailing-plan': 60,
    'fill trailing-stop': 60,
  },
  markets: ['BTCUSD', 'ETHUSD'],
  people: traders('coin_futures', { BTC: ['2', '0.5', '7', '0.1', '20'], ETH: ['40', '10', '140', '2', '400'] }),
  habits: futuresHabits,
  values: [10, 3000, 20_000, 100_000],
  marginShare: 0,
  step: 60,
  leap: 1500,
  fund: { BTC: '0.1', ETH: '1000' },
}

/** Much is at stake and prices run: liquidation, takeover and deleveraging. */
const stormHabits = { ...futuresHabits, 'set-price': 70, withdraw: 2, deposit: 12 }

const linearStorm: Scene = {
  ...linear,
  name: 'linear in a storm',
  lives: 36,
  commands: 600,
  atLeast: { 'fill user': 5000, 'fill liquidation': 100, 'fill adl': 5, 'fill offset': 10, 'fill reduce': 1 },
  people: traders('usdt_futures', { USDT: ['150000', '6000', '300000', '2000', '600000'] }),
  habits: stormHabits,
  values: [3000, 200_000, 1_000_000, 2_500_000],
  step: 150,
  leap: 3000,
  fund: {},
}

const usdcStorm: Scene = {
  ...usdc,
  name: 'usdc in a storm',
  lives: 22,
  commands: 600,
  atLeast: { 'fill user': 4000, 'fill liquidation': 50, 'fill adl': 5 },
  people: traders('usdc_futures', { USDC: ['20000', '6000', '90000', '2000', '300000'] }),
  habits: stormHabits,
  values: [3000, 20_000, 100_000],
  step: 150,
  leap: 3000,
  fund: {},
}

const inverseStorm: Scene = {
  ...inverse,
  name: 'inverse in a storm',
  lives: 36,
  commands: 600,
  atLeast: { 'fill user': 5000, 'fill liquidation': 100, 'fill adl': 5, 'fill reduce': 1 },
  people: traders('coin_futures', { BTC: ['2.5', '0.1', '7', '0.05', '15'], ETH: ['50', '2', '140', '1', '300'] }),
  habits: { ...stormHabits, amend: 5, replace: 5, trail: 4, 'trail-stop': 4, 'change-trailing': 3 },
  values: [3000, 100_000, 600_000, 1_500_000],
  step: 150,
  leap: 3000,
  fund: {},
}

const marginMoney = (usdt: string, btc: string, eth: string): Money => [
  ['crossed_margin', 'USDT', usdt],
  ['crossed_margin', 'BTC', btc],
  ['crossed_margin', 'ETH', eth],
]

const margin: Scene = {
  name: 'margin',
  lives: 16,
  commands: 1000,
  atLeast: {
    'fill user': 2000,
    loan: 1000,
    'repay accepted': 15,
    'flash-repay accepted': 30,
    'fill trigger': 30,
    'fill take-profit': 20,
    'change-trigger accepted': 50,
    'deposit success': 100,
    'withdrawal success': 25,
    'amend accepted': 120,
    'replace accepted': 120,
  },
  markets: ['BTC/USDT', 'ETH/USDT'],
  people: [
    person('ann', marginMoney('10000', '0.1', '2')),
    person('ella', marginMoney('30000', '0.5', '0.01'), { main: 'ann' }),
    person('ben', marginMoney('100', '0.02', '5')),
    person('cy', [...marginMoney('1000', '1', '1'), ['crossed_margin', 'USDC', '3000']]),
    person('deb', [
      ['spot', 'USDT', '500000'],
      ['spot', 'BTC', '10'],
      ['spot', 'ETH', '100'],
    ]),
  ],
  habits: { ...habits, ...plans, ...chains, borrow: 12, repay: 8, 'flash-repay': 8, deposit: 8, 'set-price': 60 },
  values: [10, 1000, 8000, 40_000],
  marginShare: 0.95,
  step: 100,
  leap: 2500,
  fund: {},
}

const unifiedMoney = (usdt: string, btc: string, eth: string, dollars: string): Money => [
  ['uta', 'USDT', usdt],
  ['uta', 'BTC', btc],
  ['uta', 'ETH', eth],
  ['uta', 'USDC', dollars],
]

const unified: Scene = {
  name: 'unified',
  lives: 6,
  commands: 800,
  atLeast: { 'fill user': 1200, loan: 100, 'trigger executed': 100, 'convert accepted': 4 },
  markets: ['BTC/USDT', 'ETH/USDT', 'BTCUSDT', 'ETHPERP', 'BTCUSD'],
  people: [
    person('uma', unifiedMoney('20000', '0.2', '3', '1000'), { unified: true }),
    person('una', unifiedMoney('3000', '1', '0.1', '20000'), { main: 'uma', unified: true, hedged: true }),
    person('vic', unifiedMoney('200', '0.02', '40', '10'), { unified: true, hedged: true }),
    person('wim', unifiedMoney('300000', '8', '100', '100000'), { unified: true }),
  ],
  habits: {
    ...futuresHabits,
    ...conversions,
    ...chains,
    borrow: 8,
    repay: 6,
    'flash-repay': 4,
    deposit: 8,
    'set-price': 60,
  },
  values: [10, 1000, 20_000, 100_000],
  marginShare: 0.7,
  step: 100,
  leap: 2000,
  fund: { USDT: '1000', BTC: '1' },
}

const marginStorm: Scene = {
  ...margin,
  name: 'margin in a storm',
  lives: 16,
  commands: 1000,
  atLeast: { 'fill user': 1500, loan: 1000, 'margin-liquidation': 10, 'fill liquidation': 15 },
  habits: {
    ...habits,
    ...plans,
    ...chains,
    borrow: 25,
    repay: 4,
    'flash-repay': 4,
    withdraw: 2,
    deposit: 6,
    'set-price': 80,
  },
  values: [1000, 8000, 20_000],
  step: 300,
  leap: 5000,
}

/** Accounts become unified and classic again, with all that they may do in between. */
const modes: Scene = {
  ...unified,
  name: 'modes',
  lives: 10,
  commands: 800,
  atLeast: { 'set-account-mode accepted': 80, 'mode unified': 15, 'mode classic': 5, 'fill user': 1500 },
  markets: ['BTC/USDT', 'ETH/USDT', 'BTCUSDT', 'BTCUSD'],
  people: [
    person('uma', unifiedMoney('20000', '0.2', '3', '1000'), { unified: true }),
    person('ann', [['usdt_futures', 'USDT', '50000'], ...marginMoney('9000', '0.5', '2')], { main: 'uma' }),
    person('ben', [['coin_futures', 'BTC', '2'], ...spotMoney]),
    person('wim', unifiedMoney('300000', '8', '100', '100000'), { unified: true, hedged: true }),
    person('deb', [['usdt_futures', 'USDT', '300000'], ['coin_futures', 'BTC', '9'], ...spotMoney]),
  ],
  habits: { ...unified.habits, 'set-account-mode': 30 },
}

const unifiedStorm: Scene = {
  ...unified,
  name: 'unified in a storm',
  lives: 14,
  commands: 600,
  atLeast: { 'fill user': 1200, loan: 100, 'fill liquidation': 10 },
  people: [
    person('uma', unifiedMoney('2000', '0.02', '3', '100'), { unified: true }),
    person('una', unifiedMoney('300', '0.1', '0.1', '2000'), { main: 'uma', unified: true, hedged: true }),
    person('vic', unifiedMoney('200', '0.02', '40', '10'), { unified: true, hedged: true }),
    person('wim', unifiedMoney('300000', '8', '100', '100000'), { unified: true }),
  ],
  habits: {
    ...stormHabits,
    ...conversions,
    ...chains,
    borrow: 8,
    repay: 3,
    'flash-repay': 2,
    deposit: 8,
    'set-price': 80,
  },
  values: [1000, 20_000, 100_000],
  step: 200,
  leap: 3500,
  fund: { USDT: '1000', BTC: '1' },
}

/** Spot, margin and unified accounts; one scene of contracts more, so that the files of both take as long. */
export const spotScenes: readonly Scene[] = [spot, margin, marginStorm, unified, modes, unifiedStorm, usdcStorm]
/** Contracts in the wallets of their lines. */
export const contractScenes: readonly Scene[] = [linear, linearStorm, usdc, inverse, inverseStorm]
export const scenes: readonly Scene[] = [...spotScenes, ...contractScenes]
