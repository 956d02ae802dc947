/**
 * Explanations: the worked numbers of the formula sheet stand in their lines, exact and rounded; and whatever the state of
 * an exchange, every line agrees with the function that decides (a line that does not is an error, engine/explain).
 * Source  risk-engine §5, §6, §7, §8, §9, §12, §15, §16, §17
 */
import { expect, test } from 'vitest'
import type { Explained, ExplainLine, ExplainSubject } from '../../src/engine/protocol/explanation.ts'
import type { PositionSide } from '../../src/engine/vocabulary.ts'
import { tries } from '../support/depth.ts'
import { admitRandomTraders, RandomTraders, fillFunds } from './support/random-traders.ts'
import { coinId, Exchange } from './support/exchange.ts'
import { share, units } from './support/figures.ts'
import type { MarketName } from './support/listings.ts'
import { hedgers, traders } from './support/people.ts'
import { scenario } from './support/table.ts'

function ask(exchange: Exchange, subject: ExplainSubject): Explained {
  return exchange.query({ kind: 'explain', subject }) as Explained
}

function account(exchange: Exchange, who: string): Explained {
  return ask(exchange, { kind: 'account', uid: exchange.uid(who) })
}

function position(exchange: Exchange, who: string, market: MarketName, side?: PositionSide): Explained {
  const instrument = exchange.instrument(market).id
  return ask(exchange, { kind: 'position', uid: exchange.uid(who), instrument, side })
}

function contract(exchange: Exchange, market: MarketName): Explained {
  return ask(exchange, { kind: 'instrument', instrument: exchange.instrument(market).id })
}

function lineOf({ lines }: Explained, name: string, of = ''): ExplainLine {
  const found = lines.find((line) => line.name === name && line.of.includes(of))
  if (found === undefined) throw new Error(`no line ${name} of ${of} in ${lines.map((line) => line.name).join(', ')}`)
  return found
}

/** `exact -> result`, the exact value with as many decimals as the sheet shows of one that goes on. */
function worked(explained: Explained, name: string, of = ''): string {
  const { exact, rounding, result } = lineOf(explained, name, of)
  const shown = exact.endsWith('…') ? `${exact.slice(0, exact.indexOf('.') + 7)}…` : exact
  return rounding === 'none' ? result : `${shown} ${rounding} ${result}`
}

function inputOf({ inputs }: Explained, name: string, of = ''): string | undefined {
  return inputs.find((input) => input.name === name && input.of.includes(of))?.value
}

function leverage(exchange: Exchange, who: string, market: MarketName, times: number): void {
  const version = exchange.account(who).mode === 'classic' ? ('v2' as const) : ('v3' as const)
  const settings = { interface: version, positionSide: undefined, marginMode: undefined, leverage: times } as const
  const { id } = exchange.instrument(market)
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(who), instrument: id, ...settings })
}

function insure(exchange: Exchange, amount: string): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units(amount) })
}

scenario('§5: an isolated position, long 0.5 at 60,000 with 1,500', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
  exchange.prices({ BTC: '58000' })
  const explanation = position(exchange, 'alice', 'BTCUSDT')
  expect(worked(explanation, 'entryPrice')).toBe('60000 nearest 60000')
  expect(worked(explanation, 'unrealizedPnl')).toBe('-1000 down -1000')
  expect(worked(explanation, 'maintenanceMargin')).toBe('133.4 up 133.4')
  expect(worked(explanation, 'equity')).toBe('500')
  expect(worked(explanation, 'marginRatio')).toBe('0.2668 up 0.2668')
  expect(worked(explanation, 'liquidationPrice')).toBe('57263.411693… up 57263.5')
  expect(worked(explanation, 'bankruptcyPrice')).toBe('57034.220532… up 57034.3')
  expect(lineOf(explanation, 'liquidationPrice')).toMatchObject({
    source: 'docs/risk.md § Isolated',
    formula: 'P_liq = (M + cum − s·q·E) / (q·(mmr + f − s))',
    values: { M: '1500', '−s·q·E': '-30000', q: '0.5', s: '+1', 'mmr + f': '0.0046', cum: '0', tier: '1' },
    fraction: '95000000/1659',
    step: '0.1',
    unit: 'USDT',
  })
})

scenario('§5: a short, a second tier, a break-even price (§9)', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '40000 USDT' } }).market = 'BTCUSDT'
  leverage(exchange, 'alice', 'BTCUSDT', 10)
  exchange.given('bob: buy 6 @ 60000', 'alice: sell 6 isolated @ 60000')
  const explanation = position(exchange, 'alice', 'BTCUSDT')
  expect(worked(explanation, 'liquidationPrice')).toBe('65665.605940… down 65665.6')
  expect(worked(explanation, 'bankruptcyPrice')).toBe('65960.423745… down 65960.4')
  expect(worked(explanation, 'maintenance tier 1')).toBe('920 nearest 920')
  expect(worked(explanation, 'maintenance tier 2')).toBe('896 nearest 896')
  expect(worked(explanation, 'maintenanceMargin')).toBe('1816 up 1816')
  // 216 of fees: (360,000 − 216) / (6 × 1.0006)
  expect(worked(explanation, 'breakEvenPrice')).toBe('59928.043174… down 59928')
})

scenario('§6: two cross positions on a wallet of 5,000', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '5036 USDT' } })
  exchange.given('bob: sell 0.5 BTCUSDT @ 60000', 'alice: buy 0.5 BTCUSDT @ 60000')
  exchange.given('bob: buy 10 ETHUSDT @ 3000', 'alice: sell 10 ETHUSDT @ 3000')
  exchange.prices({ BTC: '59400', ETH: '3060' })
  const explanation = account(exchange, 'alice')
  const cross = 'cross usdt_futures USDT'
  expect(inputOf(explanation, 'wallet W', cross)).toBe('5000')
  expect(worked(explanation, 'unrealizedPnl BTCUSDT long', cross)).toBe('-300 down -300')
  expect(worked(explanation, 'unrealizedPnl ETHUSDT short', cross)).toBe('-600 down -600')
  expect(worked(explanation, 'maintenanceMargin BTCUSDT', cross)).toBe('136.62 up 136.62')
  expect(worked(explanation, 'maintenanceMargin ETHUSDT', cross)).toBe('140.76 up 140.76')
  expect(worked(explanation, 'equity', cross)).toBe('4100')
  expect(worked(explanation, 'maintenanceMargin', cross)).toBe('277.38')
  expect(worked(explanation, 'initialMargin', cross)).toBe('3015')
  expect(worked(explanation, 'marginRatio', cross)).toBe('0.067653… up 0.06765366')
  expect(worked(explanation, 'available', 'wallet usdt_futures USDT')).toBe('1085')
  const btc = position(exchange, 'alice', 'BTCUSDT')
  expect(lineOf(btc, 'liquidationPrice').values).toMatchObject({ X: '4259.24', W: '5000' })
  expect(worked(btc, 'liquidationPrice')).toBe('51719.429375… up 51719.5')
  const eth = position(exchange, 'alice', 'ETHUSDT')
  expect(lineOf(eth, 'liquidationPrice').values).toMatchObject({ X: '4563.38' })
  expect(worked(eth, 'liquidationPrice')).toBe('3440.511646… down 3440.51')
})

scenario('§7: both sides of one contract on a wallet of 2,000', (exchange) => {
  hedgers(exchange, 'bob', 'alice')
  // 0.06 % of 48,000 and 18,300, and all but 2,000 taken away
  const more = exchange.balance('alice', 'usdt_futures', 'USDT').balance - units('8000')
  const out = { uid: exchange.uid('alice'), wallet: 'usdt_futures', coin: coinId('USDT') } as const
  exchange.must({ kind: 'withdraw', ...out, amount: more as never })
  exchange.given('bob: sell 0.8 open BTCUSDT @ 60000', 'alice: buy 0.8 open BTCUSDT @ 60000')
  exchange.given('bob: buy 0.3 open BTCUSDT @ 61000', 'alice: sell 0.3 open BTCUSDT @ 61000')
  const left = exchange.balance('alice', 'usdt_futures', 'USDT').balance - units('2000')
  leverage(exchange, 'alice', 'BTCUSDT', 100)
  exchange.must({ kind: 'withdraw', ...out, amount: left as never })
  const explanation = position(exchange, 'alice', 'BTCUSDT', 'long')
  expect(lineOf(explanation, 'liquidationPrice')).toMatchObject({
    source: 'docs/risk.md § Hedge mode',
    values: { X: '2000', 'F_L + F_S': '-29700', q_L: '0.8', q_S: '0.3' },
  })
  expect(worked(explanation, 'liquidationPrice')).toBe('55810.767246… up 55810.8')
})

scenario('§8: an inverse position, long 30,000 USD at 60,000 with 0.05 BTC', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { coin_futures: '1 BTC' } }).market = 'BTCUSD'
  leverage(exchange, 'alice', 'BTCUSD', 10)
  exchange.given('bob: sell 30000 @ 60000', 'alice: buy 30000 isolated @ 60000')
  const explanation = position(exchange, 'alice', 'BTCUSD')
  expect(worked(explanation, 'liquidationPrice')).toBe('54796.363636… up 54796.4')
  expect(worked(explanation, 'bankruptcyPrice')).toBe('54578.181818… up 54578.2')
  expect(worked(explanation, 'breakEvenPrice')).toBe('60072.043225… up 60072.1')
  expect(worked(explanation, 'maintenanceMargin')).toBe('0.0023 up 0.0023')
})

scenario('§12: the mark is the median of three', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  exchange.given('bob: sell 0.1 @ 60031.5', 'alice: buy 0.1 @ 60031.5')
  exchange.given('alice: buy 1 @ 60000', 'bob: sell 1 @ 60048.4').wait(300_000)
  exchange.runTimers()
  exchange.prices({ BTC: '60000' })
  const explanation = contract(exchange, 'BTCUSDT')
  expect(worked(explanation, 'p1')).toBe('60031.5')
  expect(worked(explanation, 'p3')).toBe('60024.2 nearest 60024.2')
  expect(lineOf(explanation, 'markPrice')).toMatchObject({
    values: { p1: '60031.5', p2: '60000', p3: '60024.2' },
    result: '60024.2',
  })
  expect(inputOf(explanation, 'mark made by command')).toBe(String(exchange.applied.length))
  expect(worked(explanation, 'tier 4 cum')).toBe('55200 nearest 55200')
  expect(inputOf(explanation, 'frozen')).toBe('no')
  exchange.prices({ USDT: '0.1' })
  expect(inputOf(contract(exchange, 'BTCUSDT'), 'frozen')).toBe('suspect')
  expect(inputOf(contract(exchange, 'BTCUSDT'), 'heldBack USDT')).toBe('0.1')
})

scenario('§13: a funding rate from its premiums', (exchange) => {
  const explanation = contract(exchange, 'BTCUSDT')
  expect(worked(explanation, 'fundingRate')).toBe('0.0001 nearest 0.0001')
  expect(lineOf(explanation, 'fundingRate').values).toMatchObject({ cap: '0.003', Nh: '8' })
})

scenario('§15: the queue of auto-deleveraging', (exchange) => {
  traders(exchange, 'maker').join('amy', { funds: { usdt_futures: '4000 USDT' } })
  exchange.join('ben', { funds: { usdt_futures: '10000 USDT' } }).market = 'BTCUSDT'
  exchange.given('maker: buy 0.5 @ 63000', 'amy: sell 0.5 isolated @ 63000')
  exchange.given('maker: buy 0.5 @ 58000', 'ben: sell 0.5 isolated @ 58000')
  exchange.prices({ BTC: '57000' }).wait(2000).runTimers()
  const amy = position(exchange, 'amy', 'BTCUSDT')
  expect(worked(amy, 'adl pnl')).toMatch(/^0\.09\d+… toward zero /)
  expect(inputOf(amy, 'side')).toBe('short')
  expect(worked(amy, 'adl rank')).toBe('1')
  expect(worked(position(exchange, 'ben', 'BTCUSDT'), 'adl rank')).toBe('2')
})

scenario('§16: a unified account on BTC and ETH, with a loss in USDT', (exchange) => {
  const shared = { borrowable: false, dailyInterestRate: share('0'), marginLeverageMax: 3 } as const
  const rates = { debtInitialRate: share('0.1'), debtMaintenanceRate: share('0.04') } as const
  const none = { borrowLimit: units('0'), lendingPoolLimit: units('0') } as const
  const slices = (first: string) => [{ to: units('2000000'), ratio: share(first) }]
  const coin = (name: string, price: string, ratio: string) =>
    exchange.must({
      kind: 'list-coin',
      coin: { name, listingPriceE8: units(price), collateral: slices(ratio), ...shared, ...rates, ...none },
    })
  coin('XBT', '60000', '0.98')
  coin('XETH', '3000', '0.95')
  traders(exchange, 'bob').join('alice', { mode: 'unified', funds: { uta: '372 USDT' } }).market = 'BTCUSDT'
  const uid = exchange.uid('alice')
  exchange.must({ kind: 'deposit', uid, wallet: 'uta', coin: 5, amount: units('1.5') })
  exchange.must({ kind: 'deposit', uid, wallet: 'uta', coin: 6, amount: units('20') })
  leverage(exchange, 'alice', 'BTCUSDT', 10)
  // Ten at 62,000 with the mark at 60,000: 20,000 of loss, and the fee takes the 372.
  exchange.given('bob: sell 10 @ 62000', 'alice: buy 10 @ 62000')
  const explanation = account(exchange, 'alice')
  expect(worked(explanation, 'collateral XBT slice 1')).toBe('88200 down 88200')
  expect(worked(explanation, 'collateral XETH slice 1')).toBe('57000 down 57000')
  expect(worked(explanation, 'owed USDT')).toBe('20000 up 20000')
  expect(worked(explanation, 'debtInitial USDT')).toBe('2000 up 2000')
  expect(worked(explanation, 'debtMaintenance USDT')).toBe('800 up 800')
  expect(worked(explanation, 'initialMargin BTCUSDT')).toBe('60000 up 60000')
  expect(worked(explanation, 'maintenanceMargin BTCUSDT')).toBe('3160 up 3160')
  expect(worked(explanation, 'adj')).toBe('125200')
  expect(worked(explanation, 'IMR')).toBe('0.495207… up 0.49520767')
  expect(worked(explanation, 'MMR')).toBe('0.031629… up 0.0316294')
  expect(lineOf(explanation, 'breached').result).toBe('no')
})

function bitcoinOnLoan(exchange: Exchange): void {
  insure(exchange, '100000')
  traders(exchange, 'bob').join('alice', { funds: { crossed_margin: '10000 USDT' } }).market = 'BTC/USDT'
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 on-margin @ 60000')
}

scenario('§17: half a bitcoin on a loan of 20,000, 27 hours later', (exchange) => {
  bitcoinOnLoan(exchange)
  exchange.wait(26 * 3_600_000 + 600_000).prices({ BTC: '60000' })
  const explanation = account(exchange, 'alice')
  const wallet = 'wallet crossed_margin USDT'
  expect(worked(explanation, `loan ${firstLoan} hourly interest`, wallet)).toBe('0.1 up 0.1')
  // One hour is booked, the others have begun and wait for their timer.
  expect(inputOf(explanation, 'interest booked', wallet)).toBe('0.1')
  expect(inputOf(explanation, `loan ${firstLoan} hours pending`, wallet)).toBe('26')
  expect(worked(explanation, 'debt', wallet)).toBe('20002.7')
  expect(worked(explanation, 'assets BTC', 'cross margin')).toBe('29970')
  expect(worked(explanation, 'marginLevel')).toBe('1.498297… down 1.498297729806')
  expect(worked(explanation, 'liquidation price BTC')).toBe('44049.989989… up 44049.98998999')
  expect(lineOf(explanation, 'call price BTC').exact).toMatch(/^52059\.0790/)
  expect(lineOf(explanation, 'breached', 'cross margin').result).toBe('no')
})

const firstLoan = 6_000_000_000_000_001

/** The report of the last liquidation, with its orders, fills and postings found by its numbers. */
function lastLiquidation(exchange: Exchange): Explained {
  const events = exchange.applied.flatMap((step) => step.events)
  const past = events.findLast((event) => event.kind === 'liquidation' || event.kind === 'margin-liquidation')
  if (past === undefined) throw new Error('nobody was liquidated')
  const isIts = (orderId: number) => orderId >= past.firstOrder && orderId <= past.lastOrder
  const [from, to] =
    past.kind === 'liquidation' ? [past.firstFlow, past.liquidationId] : [past.liquidationId, past.lastFlow]
  const aftermath = {
    orders: events.flatMap((event) =>
      event.kind === 'order-ended' && isIts(event.order.orderId) ? [event.order] : [],
    ),
    fills: events.filter((event) => event.kind === 'fill').filter((fill) => isIts(fill.orderId)),
    insurance: events.filter((event) => event.kind === 'insurance').filter((paid) => paid.id >= from && paid.id <= to),
  }
  return ask(exchange, { kind: 'liquidation', past, aftermath })
}

function isolatedLong(exchange: Exchange, fund: string): void {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  if (fund !== '0') insure(exchange, fund)
  exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
}

scenario('§14: an isolated liquidation at 57,150, and what is left over', (exchange) => {
  isolatedLong(exchange, '1000000')
  exchange.given('bob: buy 0.5 @ 57150')
  exchange.prices({ BTC: '57000' }).wait(2000).runTimers()
  const explanation = lastLiquidation(exchange)
  expect(inputOf(explanation, 'uid')).toBe(String(exchange.uid('alice')))
  expect(inputOf(explanation, 'markPrice BTCUSDT long')).toBe(inputOf(explanation, 'markPrice', 'step 1'))
  expect(lineOf(explanation, 'breached').result).toBe('yes')
  expect(lineOf(explanation, 'equity').values).toMatchObject({ M: '1500' })
  expect(worked(explanation, 'bankruptcyPrice', 'step 1: close')).toBe('57034.220532… up 57034.3')
  expect(worked(explanation, 'notional', 'fill')).toBe('28575 down 28575')
  expect(worked(explanation, 'fee', 'fill')).toBe('17.145 up 17.145')
  expect(worked(explanation, 'insurance fund USDT')).toBe('-57.855')
})

scenario('§14, §15: nobody buys and the fund is empty: counterparties are named', (exchange) => {
  isolatedLong(exchange, '0')
  exchange.prices({ BTC: '50000' }).wait(2000).runTimers()
  const explanation = lastLiquidation(exchange)
  expect(inputOf(explanation, 'uid', 'adl counterparty')).toBe(String(exchange.uid('bob')))
  expect(inputOf(explanation, 'price', 'adl counterparty')).toBe('57034.3')
  expect(inputOf(explanation, 'cause', 'forced order')).toBe('liquidation')
  expect(lineOf(explanation, 'fee', 'fill').result).toBe('17.11029')
  expect(worked(explanation, 'insurance fund USDT')).toBe('-0.03971')
})

scenario('§6, §14: a cross liquidation, step by step', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '140000 USDT' } }).market = 'BTCUSDT'
  insure(exchange, '10000000')
  exchange.given('bob: sell 40 @ 60000', 'alice: buy 40 @ 60000', 'bob: buy 40 @ 57100')
  exchange.prices({ BTC: '57000' }).wait(2000).runTimers()
  const explanation = lastLiquidation(exchange)
  expect(inputOf(explanation, 'pool')).toBe('cross')
  expect(lineOf(explanation, 'breached').result).toBe('yes')
  expect(inputOf(explanation, 'what', 'step 1: reduce BTCUSDT long')).toContain('cut down')
  expect(lineOf(explanation, 'bankruptcyPrice', 'step 1').values['V/ΣV']).toMatch(/^(\d+)\/\1$/)
  expect(inputOf(explanation, 'cause', 'forced order')).toBe('reduce')
})

scenario('§17: a liquidated margin wallet', (exchange) => {
  bitcoinOnLoan(exchange)
  exchange.wait(26 * 3_600_000 + 600_000).runTimers()
  exchange.given('bob: buy 1 @ 44000')
  exchange.prices({ BTC: '44000' })
  const explanation = lastLiquidation(exchange)
  // 0.4995 × 44,000 over 20,002.7
  expect(worked(explanation, 'assets')).toBe('21978 down 21978')
  expect(worked(explanation, 'debt')).toBe('20002.7 down 20002.7')
  expect(worked(explanation, 'marginLevel')).toBe('1.098751… down 1.098751668524')
  expect(lineOf(explanation, 'breached').result).toBe('yes')
  expect(lineOf(explanation, 'fees').result).toBe('439.56')
  expect(worked(explanation, 'insurance fund USDT')).toBe('-439.56')
})

scenario('a live order: what it holds, and what it would hold now (§11)', (exchange) => {
  traders(exchange, 'alice').market = 'BTCUSDT'
  exchange.given('alice: buy 0.5 oid:mine @ 60500')
  const reference = { orderId: undefined, clientOid: 'mine' }
  const order = exchange.query({ kind: 'order', uid: exchange.uid('alice'), order: reference })
  const explanation = ask(exchange, { kind: 'live-order', orderId: order?.orderId ?? 0, fills: [] })
  expect(worked(explanation, 'order margin now')).toBe('1512.5 up 1512.5')
  expect(worked(explanation, 'order fee now')).toBe('18.15 up 18.15')
  expect(worked(explanation, 'openLoss now')).toBe('250')
  expect(worked(explanation, 'freeze now')).toBe('1780.65')
  expect(worked(explanation, 'held')).toBe('1780.65')
})

scenario('who is not there is undefined', (exchange) => {
  expect(exchange.query({ kind: 'explain', subject: { kind: 'account', uid: 7 } })).toBeUndefined()
  const subject = { kind: 'live-order', orderId: 7, fills: [] } as const
  expect(exchange.query({ kind: 'explain', subject })).toBeUndefined()
})

test('whatever random traders do, all of it can be explained, and explaining changes nothing', () => {
  for (let seed = 1; seed <= tries(12); seed++) {
    const exchange = new Exchange()
    admitRandomTraders(exchange)
    if (seed % 2 === 0) fillFunds(exchange)
    const randomTraders = new RandomTraders(exchange, seed)
    for (let count = 1; count <= 400; count++) {
      exchange.apply(randomTraders.next())
      if (count % 20 === 0) explainAll(exchange, seed)
      explainEvents(exchange)
    }
  }
}, 120_000)

function explainAll(exchange: Exchange, seed: number): void {
  const before = exchange.save()
  const { instruments } = exchange.query({ kind: 'catalog' })
  try {
    for (const { id } of instruments) ask(exchange, { kind: 'instrument', instrument: id })
    for (const { uid } of exchange.query({ kind: 'accounts' })) {
      ask(exchange, { kind: 'account', uid })
      for (const { id, kind } of instruments) {
        if (kind !== 'spot') ask(exchange, { kind: 'position', uid, instrument: id, side: undefined })
      }
      const everything = { interface: 'v2', category: undefined, instrument: undefined } as const
      for (const { orderId } of exchange.query({ kind: 'open-orders', uid, ...everything })) {
        ask(exchange, { kind: 'live-order', orderId, fills: [] })
      }
    }
  } catch (error) {
    throw new Error(`seed ${seed}, after ${exchange.applied.length} commands`, { cause: error })
  }
  expect(exchange.save().equals(before)).toBe(true)
}

/** Explains every order and liquidation among the events of the last command. */
function explainEvents(exchange: Exchange): void {
  const events = exchange.lastEvents
  const fills = events.filter((event) => event.kind === 'fill')
  for (const event of events) {
    if (event.kind === 'order-ended') {
      const { order } = event
      ask(exchange, { kind: 'ended-order', order, fills: fills.filter((fill) => fill.orderId === order.orderId) })
    }
    if (event.kind === 'liquidation' || event.kind === 'margin-liquidation') lastLiquidation(exchange)
  }
}
