/**
 * What the operator of the simulated venue does: lists, halts, delivers, changes fees, tiers, bands and every other rule.
 *
 * Kept alive   what was halted is mostly brought back, and for a contract that was delivered another one is listed
 */
import { type Instrument, isFutures, type MaintenanceTier } from '../../src/engine/catalog/catalog.ts'
import { amount, type Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Command, ListInstrument } from '../../src/engine/protocol/command.ts'
import { share, units } from '../engine/support/figures.ts'
import { type FuturesRecord, markets, tiers } from '../engine/support/listings.ts'
import type { Floor } from './floor.ts'

const instrumentsMax = 20
const accountsMax = 30

const sameInstrument = {
  kind: 'set-instrument',
  status: undefined,
  tiers: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  marketBand: undefined,
} as const

const samePricing = {
  kind: 'configure-pricing',
  jumpFactor: undefined,
  fundingShortfall: undefined,
  premiumMean: undefined,
  fundingInterestRate: undefined,
  fundingClamp: undefined,
  coins: [],
  instruments: [],
} as const

/** How often what is done; the rarer, the more it changes. */
const duties = {
  reopen: 10,
  halt: 3,
  fees: 6,
  tiers: 4,
  bands: 4,
  deliver: 2,
  list: 4,
  fund: 8,
  loanTerms: 8,
  marginLevels: 3,
  collateral: 5,
  risk: 5,
  pricing: 6,
  freshness: 2,
  contract: 4,
  funding: 14,
  daily: 1,
  broker: 2,
  copyTrader: 2,
  binding: 1,
  key: 1,
  account: 3,
} as const

export class Operators {
  readonly #floor: Floor
  #listed = 0

  constructor(floor: Floor) {
    this.#floor = floor
  }

  next(): Command {
    const floor = this.#floor
    const { random } = floor
    const any = random.pick(floor.catalog.instruments)
    const instrument = any.id
    const coin = random.below(floor.catalog.coins.length)
    switch (random.weighed(duties)) {
      case 'reopen': {
        const closed = floor.catalog.instruments.filter(({ status }) => status !== 'online')
        return {
          ...sameInstrument,
          instrument: closed.length === 0 ? instrument : random.pick(closed).id,
          status: 'online',
        }
      }
      case 'halt':
        return { ...sameInstrument, instrument, status: random.pick(['cancel_only', 'halted']) }
      case 'fees': {
        const [maker, taker] = random.pick([
          ['-0.0001', '0.0006'],
          ['0', '0'],
          ['0.0002', '0.0006'],
          ['0.001', '0.001'],
          ['-0.0005', '0.0005'],
        ] as const)
        return { ...sameInstrument, instrument, makerFeeRate: share(maker), takerFeeRate: share(taker) }
      }
      case 'tiers':
        return { ...sameInstrument, instrument, tiers: this.#tiers() }
      case 'bands':
        return {
          ...sameInstrument,
          instrument,
          limitBand: share(random.pick(['0', '0.05', '0.5'])),
          marketBand: share(random.pick(['0', '0.01', '0.05', '0.5'])),
        }
      case 'deliver':
        return this.#deliver(any)
      case 'list':
        return this.#list()
      case 'fund':
        return {
          kind: 'fund-house',
          account: 'insurance',
          coin,
          amount: amount(BigInt(1 + random.below(1000)) * 100_000_000n),
        }
      case 'loanTerms':
        return {
          kind: 'set-loan-terms',
          coin,
          borrowable: random.happens(0.9),
          dailyInterestRate: share(random.pick(['0', '0.0001', '0.001', '0.05'])),
          borrowLimit: random.happens(0.2) ? units(random.pick(['1', '1000', '1000000'])) : undefined,
          lendingPoolLimit: random.happens(0.2) ? units(random.pick(['1', '10000', '10000000'])) : undefined,
          leverageMax: random.pick([undefined, 3, 5, 10]),
        }
      case 'marginLevels': {
        const same = { transfer: undefined, borrow: undefined }
        const [call, liquidation] = random.pick([
          ['1.3', '1.1'],
          ['1.4', '1.3'],
          ['1.2', '1.05'],
        ] as const)
        const liquidationFee = share(random.pick(['0.02', '0', '0.1']))
        return {
          kind: 'set-margin-levels',
          ...same,
          call: share(call),
          liquidation: share(liquidation),
          liquidationFee,
        }
      }
      case 'collateral':
        return {
          kind: 'set-collateral',
          coin,
          collateral: random.pick([
            undefined,
            [],
            [{ to: units('1000000000'), ratio: share('1') }],
            [
              { to: units('50000'), ratio: share('0.95') },
              { to: units('500000'), ratio: share('0.5') },
            ],
          ]),
          debtInitialRate: share(random.pick(['0.1', '0.2'])),
          debtMaintenanceRate: share(random.pick(['0.04', '0.1'])),
        }
      case 'risk':
        return {
          kind: 'set-risk',
          adlStartShare: share(random.pick(['0.7', '0.3', '0'])),
          adlEndShare: share(random.pick(['0.9', '0.7'])),
          orderMarginMarkup: share(random.pick(['0', '0.01'])),
          orderFeeMarkup: share(random.pick(['0', '0.01'])),
          profitAsMargin: random.happens(0.5),
          reduceTiers: random.pick([0, 1, 2]),
        }
      case 'pricing':
        return {
          ...samePricing,
          fundingShortfall: random.pick(['full', 'cap']),
          premiumMean: random.pick(['weighted', 'plain']),
          jumpFactor: share(random.pick(['1.5', '2', '5'])),
        }
      case 'freshness':
        return { ...samePricing, coins: [{ coin, indexAgeMsMax: random.pick([0, 0, 60_000, 3_600_000]) }] }
      case 'contract': {
        const change = {
          instrument,
          impactNotional: random.happens(0.3) ? units('2000') : undefined,
          fundingRateCap: share(random.pick(['0.003', '0.05'])),
          fundingIntervalHours: random.pick([1, 2, 4, 8]),
        }
        return { ...samePricing, instruments: [change] }
      }
      case 'funding':
        return { kind: 'settle-funding', instrument }
      case 'daily':
        return { kind: 'configure-venue', dailyOrdersRestriction: random.pick([0, 0, 0, 10_000]) }
      case 'broker':
        return {
          kind: 'set-broker',
          uid: floor.uid(),
          channelCode: random.pick(['', 'broker-1']),
          rebateRate: share('0.3'),
        }
      case 'copyTrader':
        return { kind: 'set-copy-trader', uid: floor.uid(), instruments: random.happens(0.5) ? [instrument] : [] }
      case 'binding':
        return { kind: 'bind-account', uid: floor.uid(), boundAt: random.pick([undefined, 1]) }
      case 'key':
        return { kind: 'record-key-change', uid: floor.uid(), apiKey: floor.newId('bg'), change: 'created' }
      case 'account':
        return this.#account()
    }
  }

  #account(): Command {
    const floor = this.#floor
    const { random } = floor
    if (floor.uids.length >= accountsMax) return { kind: 'run-timers' }
    const mode = random.pick(['classic', 'unified'] as const)
    const sub = random.happens(0.5)
    return {
      kind: 'create-account',
      account: sub ? 'sub' : 'main',
      parentUid: sub ? floor.uid() : undefined,
      mode,
      name: floor.newId('late'),
    }
  }

  #deliver(any: Instrument): Command {
    const { random } = this.#floor
    const { markPrice } = this.#floor.prices(any.id)
    const price = Math.max(1, markPrice + Math.floor(markPrice / 100) * (random.below(5) - 2)) as Ticks
    return { kind: 'deliver', instrument: any.id, price }
  }

  /** A contract or a pair like one that there is, with a name and steps of its own. */
  #list(): Command {
    const { random, catalog } = this.#floor
    if (catalog.instruments.length >= instrumentsMax) return { kind: 'run-timers' }
    const model = random.pick(Object.values(markets))
    const quantityStep = random.pick([1, 1, 5])
    const record = {
      ...model,
      symbol: `${model.symbol}N${++this.#listed}`,
      quantityStep,
      priceStep: random.pick([1, 1, 5]),
    }
    const terms = isContract(record) ? { tiers: this.#tiers(), fundingIntervalHours: random.pick([1, 4, 8]) } : {}
    return { kind: 'list-instrument', instrument: { ...record, ...terms } as ListInstrument['instrument'] }
  }

  #tiers(): readonly MaintenanceTier[] {
    const tier = (from: string, to: string, leverageMax: number, rate: string): MaintenanceTier => {
      return { from: units(from), to: units(to), leverageMax, maintenanceRate: share(rate) }
    }
    return this.#floor.random.pick([
      tiers,
      [tier('0', '1000000000', 50, '0.01')],
      [tier('0', '5000', 100, '0.004'), tier('5000', '50000', 50, '0.01'), tier('50000', '100000000', 10, '0.05')],
    ])
  }
}

function isContract(record: ListInstrument['instrument']): record is FuturesRecord {
  return isFutures(record as Instrument)
}
