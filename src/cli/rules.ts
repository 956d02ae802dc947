/** Rules of the whole venue: coins, pricing, margin and liquidation, borrowing, the house's funds. */
import type { Command } from 'commander'
import { type Given, list, operatorCommand, pairsOf, recordOf, UsageWrong } from './command.ts'
import { shownText } from './table.ts'

export function addRules(program: Command): void {
  addCoins(program)
  addPricing(program)
  addRisk(program)
  addConversion(program)
  addLoans(program)
  const house = program.command('house').description('show the house accounts and pay into the insurance fund')
  operatorCommand(house, {
    usage: 'fund <coin> <amount>',
    description: 'pay into the insurance fund',
    call: 'POST /operator/house-funds',
    body: ([coin, amount]) => ({ coin, amount }),
  })
  operatorCommand(house, {
    usage: 'list',
    description: 'list insurance funds, and whether counterparties are deleveraged in their place',
    call: 'GET /operator/house-funds',
  })
  operatorCommand(house, {
    usage: 'conservation',
    description: 'show per coin what came in, and where it is',
    call: 'GET /operator/conservation',
  })
  operatorCommand<{ liquidations: readonly object[] }>(house, {
    usage: 'liquidations',
    description: 'list liquidations of all accounts, newest first',
    call: 'GET /operator/liquidations',
    body: (_, { limit, before }) => ({ limit, before }),
    text: ({ liquidations }, look) =>
      shownText(liquidations, look, ['liquidationId', 'uid', 'wallet', 'pool', 'deleveraged', 'insurance']),
  })
    .option('--limit <count>', 'at most so many, 1 to 100 (default 50)')
    .option('--before <liquidationId>', 'go on behind this one')
  operatorCommand<{ accounts: object[]; more: boolean }>(house, {
    usage: 'near-liquidation',
    description: 'show accounts whose margin is nearly used up, highest ratio first',
    call: 'GET /operator/near-liquidation',
    body: (_, { limit }) => ({ limit }),
    text: ({ accounts, more }, look) =>
      shownText(accounts, look, ['uid', 'name', 'wallet', 'symbol', 'posSide', 'marginRatio', 'equity', 'unit']) +
      (more ? '\nThere are more that risk something: --limit\n' : ''),
  }).option('--limit <count>', 'at most so many, 1 to 300 (default 50)')
  operatorCommand(house, {
    usage: 'exposure',
    description: 'show what is open in each contract, who has most of it, and what the insurance fund holds',
    call: 'GET /operator/exposure',
    columns: ['category', 'symbol', 'notionalUsd', 'openInterest', 'longAccounts', 'shortAccounts', 'fundPosition'],
  })
}

function addCoins(program: Command): void {
  const coins = program.command('coins').description('list coins, add them and change their terms')
  operatorCommand(coins, {
    usage: 'add <file>',
    description: 'add a coin from a JSON record (- reads standard input)',
    call: 'POST /operator/coins',
    body: ([file]) => recordOf(file),
  })
  operatorCommand(coins, {
    usage: 'collateral <coin> [file]',
    description:
      'change what a coin counts for in unified accounts: slices from a JSON list, and what debt in it needs',
    call: 'POST /operator/coins/collateral',
    body: ([coin, file], { debtInitialRate, debtMaintenanceRate }) => ({
      coin,
      collateral: file === undefined ? null : recordOf(file),
      debtInitialRate: debtInitialRate ?? null,
      debtMaintenanceRate: debtMaintenanceRate ?? null,
    }),
  })
    .option('--debt-initial-rate <rate>', 'initial margin of debt in it, such as 0.1')
    .option('--debt-maintenance-rate <rate>', 'maintenance margin of debt in it, such as 0.04')
  operatorCommand(coins, {
    usage: 'chain <coin> [chain]',
    description: 'open or close deposits and withdrawals over a network or all, change its terms, or add it',
    call: 'POST /operator/coins/chains',
    body: ([coin, chain], given) => ({
      coin,
      chain: chain ?? null,
      deposit: given['deposit'] ?? null,
      withdraw: given['withdraw'] ?? null,
      withdrawFee: given['withdrawFee'] ?? null,
      minDepositAmount: given['minDeposit'] ?? null,
      minWithdrawAmount: given['minWithdraw'] ?? null,
      depositConfirm: given['depositConfirm'] ?? null,
      withdrawConfirm: given['withdrawConfirm'] ?? null,
    }),
  })
    .option('--deposit <yes|no>', 'whether deposits are taken')
    .option('--withdraw <yes|no>', 'whether withdrawals are')
    .option('--withdraw-fee <amount>', 'what a withdrawal costs')
    .option('--min-deposit <amount>', 'the least deposit')
    .option('--min-withdraw <amount>', 'the least withdrawal')
    .option('--deposit-confirm <blocks>', 'blocks that confirm a deposit')
    .option('--withdraw-confirm <blocks>', 'blocks that confirm a withdrawal')
  operatorCommand(coins, { usage: 'list', description: 'list all coins with their terms', call: 'GET /operator/coins' })
}

function addPricing(program: Command): void {
  const pricing = program.command('pricing').description('show and change how prices are made, and what bounds them')
  operatorCommand(pricing, {
    usage: 'set',
    description: 'change what is named, leave the rest',
    call: 'POST /operator/pricing',
    body: (_, given) => ({
      jumpFactor: given['jumpFactor'] ?? null,
      indexAgeMsMax: agesOf(given['indexAgeMsMax']),
      fundingShortfall: given['fundingShortfall'] ?? null,
      premiumMean: given['premiumMean'] ?? null,
      fundingInterestRate: given['fundingInterestRate'] ?? null,
      fundingClamp: given['fundingClamp'] ?? null,
      contracts: contractsOf(given),
    }),
  })
    .option('--jump-factor <factor>', 'hold back index updates further away than this factor')
    .option('--index-age-ms-max <list>', 'when an index is stale, such as BTC=30000,ETH=30000; 0: never')
    .option('--funding-shortfall <mode>', 'full or cap')
    .option('--premium-mean <mean>', 'weighted or plain')
    .option('--funding-interest-rate <rate>', 'interest part of an 8-hour funding rate, such as 0.0001')
    .option('--funding-clamp <rate>', 'how far it may pull the rate from the premium, such as 0.0005')
    .option('--contract <productType:symbol>', 'the contract that the following are for')
    .option('--impact-notional <value>', 'value that impact prices are the average of')
    .option('--funding-rate-cap <rate>', 'bound of one funding rate, such as 0.003')
    .option('--fund-interval <hours>', '1, 2, 4 or 8')
  operatorCommand(pricing, { usage: 'show', description: 'show the pricing in force', call: 'GET /operator/pricing' })
}

function agesOf(text: string | undefined): object | null {
  return text === undefined ? null : pairsOf(list(text) ?? [], 'BTC=30000', '--index-age-ms-max')
}

function contractsOf({ contract: name, impactNotional, fundingRateCap, fundInterval }: Given): object[] | null {
  if (name === undefined) {
    const terms = {
      '--impact-notional': impactNotional,
      '--funding-rate-cap': fundingRateCap,
      '--fund-interval': fundInterval,
    }
    const [lost] = Object.entries(terms).find(([, value]) => value !== undefined) ?? []
    if (lost !== undefined) throw new UsageWrong(`${lost}: needs --contract, which says of what`)
    return null
  }
  const [productType, symbol, ...more] = name.split(':')
  if (!productType || !symbol || more.length > 0) {
    throw new UsageWrong(`--contract ${name}: must look like USDT-FUTURES:BTCUSDT`)
  }
  return [{ productType, symbol, impactNotional, fundingRateCap, fundInterval }]
}

function addRisk(program: Command): void {
  const risk = program.command('risk').description('show and change rules of margin and liquidation of the whole venue')
  operatorCommand(risk, {
    usage: 'set',
    description: 'change what is named, leave the rest',
    call: 'POST /operator/risk',
    body: (_, given) => ({
      adlStartShare: given['adlStartShare'] ?? null,
      adlEndShare: given['adlEndShare'] ?? null,
      orderMarginMarkup: given['orderMarginMarkup'] ?? null,
      orderFeeMarkup: given['orderFeeMarkup'] ?? null,
      profitAsMargin: given['profitAsMargin'] ?? null,
      reduceTiers: given['reduceTiers'] ?? null,
    }),
  })
    .option('--adl-start-share <share>', 'deleverage while the fund is below this share of its highest, such as 0.7')
    .option('--adl-end-share <share>', 'until it is back at this one, such as 0.9')
    .option('--order-margin-markup <share>', 'what an order holds beyond its margin, such as 0.05')
    .option('--order-fee-markup <share>', 'what an order holds beyond its fee')
    .option('--profit-as-margin <on|off>', 'unrealized profit is available for new risk')
    .option('--reduce-tiers <count>', 'tiers that a step of a liquidation takes a position down; 0: closed whole')
  operatorCommand(risk, { usage: 'show', description: 'show the rules in force', call: 'GET /operator/risk' })
}

function addConversion(program: Command): void {
  const conversion = program.command('conversion').description('show and change at what terms the house converts coins')
  operatorCommand(conversion, {
    usage: 'set',
    description: 'change what is named, leave the rest',
    call: 'POST /operator/conversion',
    body: (_, given) => ({
      spread: given['spread'] ?? null,
      quoteMs: given['quoteMs'] ?? null,
      minimum: given['minimum'] ?? null,
      maximum: given['maximum'] ?? null,
    }),
  })
    .option('--spread <share>', 'what the house takes of the index price, such as 0.001')
    .option('--quote-ms <ms>', 'how long a quote holds, in milliseconds')
    .option('--minimum <usd>', 'the least that one conversion is worth')
    .option('--maximum <usd>', 'the most that one conversion is worth')
  operatorCommand(conversion, {
    usage: 'show',
    description: 'show the terms in force',
    call: 'GET /operator/conversion',
  })
}

function addLoans(program: Command): void {
  const loans = program.command('loans').description('show and change terms of borrowing in cross margin')
  operatorCommand(loans, {
    usage: 'terms <coin>',
    description: 'change what is named for a coin, leave the rest',
    call: 'POST /operator/coins/loans',
    body: ([coin], given) => ({
      coin,
      borrowable: given['borrowable'] ?? null,
      dailyInterestRate: given['dailyInterestRate'] ?? null,
      borrowLimit: given['borrowLimit'] ?? null,
      lendingPoolLimit: given['lendingPoolLimit'] ?? null,
      maxLeverage: given['maxLeverage'] ?? null,
    }),
  })
    .option('--borrowable <yes|no>', 'no: existing loans stay')
    .option('--daily-interest-rate <rate>', 'from the next hour of each loan, such as 0.00012')
    .option('--borrow-limit <amount>', 'what one account may owe')
    .option('--lending-pool-limit <amount>', 'what all accounts together may owe')
    .option('--max-leverage <leverage>', 'highest leverage of borrowing')
  operatorCommand(loans, {
    usage: 'levels',
    description: 'change margin levels',
    call: 'POST /operator/loans/levels',
    body: (_, given) => ({
      transferLevel: given['transfer'] ?? null,
      borrowLevel: given['borrow'] ?? null,
      callLevel: given['call'] ?? null,
      liquidationLevel: given['liquidation'] ?? null,
      liquidationFeeRate: given['liquidationFee'] ?? null,
    }),
  })
    .option('--transfer <level>', 'money may leave down to it, such as 2')
    .option('--borrow <level>', 'no loan takes it lower, such as 1.5')
    .option('--call <level>', 'the account is warned at it, such as 1.3')
    .option('--liquidation <level>', 'assets are sold at it, such as 1.1')
    .option('--liquidation-fee <share>', 'of what is sold, such as 0.02')
  operatorCommand(loans, {
    usage: 'show',
    description: 'show the margin levels in force',
    call: 'GET /operator/loans/levels',
  })
}
