/**
 * The random traders of simulation.test.ts while the operator changes the rules of risk under them. Whatever the rules
 * become, books stay sound, twins agree, and nothing is held any more once everything is canceled. `SEED=n` runs one
 * seed alone.
 */
import { expect, test } from 'vitest'
import { isFutures } from '../../src/engine/catalog/catalog.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { tries } from '../support/depth.ts'
import { expectAudited } from './support/audit.ts'
import { admitRandomTraders, cancelEverything, RandomTraders, fillFunds, holdsLeft } from './support/random-traders.ts'
import { Exchange } from './support/exchange.ts'
import { share, units } from './support/figures.ts'
import { coinNames, tiers } from './support/listings.ts'
import { expectSound } from './support/soundness.ts'

/** Numbers from a seed, the same on any machine. */
function dice(seed: number): <Value>(choices: readonly Value[]) => Value {
  let state = BigInt(seed) * 2n + 1n
  return (choices) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
    return choices[Number((state >> 33n) % BigInt(choices.length))]
  }
}

function rule(exchange: Exchange, pick: ReturnType<typeof dice>): Command {
  const { instruments } = exchange.query({ kind: 'catalog' })
  const instrument = pick(instruments.filter(isFutures)).id
  const same = {
    status: undefined,
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  const steeper = tiers.map((tier) => ({ ...tier, leverageMax: 20, maintenanceRate: share('0.03') }))
  switch (pick([0, 1, 2, 3, 4, 5])) {
    case 0:
      return {
        kind: 'set-risk',
        adlStartShare: share(pick(['0', '0.5', '0.7', '0.89'])),
        adlEndShare: share(pick(['0.9', '1'])),
        orderMarginMarkup: share(pick(['0', '0.05', '1'])),
        orderFeeMarkup: share(pick(['0', '0.5', '1'])),
        profitAsMargin: pick([true, false]),
        reduceTiers: pick([0, 1, 2, 5]),
      }
    case 1:
      return {
        kind: 'set-collateral',
        coin: coinNames.indexOf(pick(coinNames)),
        collateral: pick([
          [{ to: units('10000000000'), ratio: share('1') }],
          [
            { to: units('1000'), ratio: share('0.9') },
            { to: units('1000000'), ratio: share('0.4') },
          ],
        ]),
        debtInitialRate: share(pick(['0.1', '0.5'])),
        debtMaintenanceRate: share(pick(['0.04', '0.1'])),
      }
    case 2:
      return { kind: 'set-instrument', instrument, ...same, tiers: pick([tiers, steeper]) }
    case 3:
      return { kind: 'set-instrument', instrument, ...same, takerFeeRate: share(pick(['0', '0.0006', '0.003'])) }
    case 4:
      return {
        kind: 'set-instrument',
        instrument,
        ...same,
        limitBand: share(pick(['0', '0.02', '0.2'])),
        marketBand: share(pick(['0', '0.01', '0.05'])),
      }
    default:
      return {
        kind: 'configure-pricing',
        jumpFactor: undefined,
        fundingShortfall: undefined,
        premiumMean: undefined,
        fundingInterestRate: share(pick(['0', '0.0001', '0.01'])),
        fundingClamp: share(pick(['0', '0.0005', '0.01'])),
        coins: [],
        instruments: [],
      }
  }
}

function simulate(seed: number): void {
  const exchange = new Exchange()
  admitRandomTraders(exchange)
  if (seed % 3 !== 0) fillFunds(exchange)
  const randomTraders = new RandomTraders(exchange, seed)
  const pick = dice(seed)
  try {
    for (let count = 1; count <= 400; count++) {
      exchange.apply(count % 12 === 0 ? rule(exchange, pick) : randomTraders.next())
      if (count % 10 === 0) expect(exchange.query({ kind: 'verify' }).faults).toEqual([])
    }
    fillFunds(exchange)
    cancelEverything(exchange)
    expect(holdsLeft(exchange)).toEqual([])
    expectAudited(exchange)
    expectSound(exchange)
  } catch (error) {
    const { command } = exchange.applied.at(-1) ?? {}
    throw new Error(`SEED=${seed}, after ${exchange.applied.length} commands, the last ${command?.kind}`, {
      cause: error,
    })
  }
}

const onlySeed = process.env['SEED']

test('books are sound while the rules change', { timeout: 120_000 }, () => {
  const seeds =
    onlySeed === undefined ? Array.from({ length: tries(30) }, (_, index) => 3000 + index) : [Number(onlySeed)]
  for (const seed of seeds) simulate(seed)
})
