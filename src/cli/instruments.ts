/** Spot pairs and contracts: what is listed and in force, prices, funding, delivery. */
import type { Command } from 'commander'
import { operatorCommand, pairsOf, recordOf } from './command.ts'

export function addInstruments(program: Command): void {
  const instruments = program
    .command('instruments')
    .description('list spot pairs and futures contracts, add them and change their terms')
  const named = ([category, symbol]: string[]) => ({ category, symbol })
  operatorCommand(instruments, {
    usage: 'list',
    description: 'list all instruments with their terms',
    call: 'GET /operator/instruments',
    columns: [
      'category',
      'symbol',
      'status',
      'priceMultiplier',
      'sizeMultiplier',
      'minOrderQty',
      'makerFeeRate',
      'takerFeeRate',
      'maxLeverage',
    ],
  })
  operatorCommand(instruments, {
    usage: 'markets',
    description: 'show each market as it stands: prices, open interest, funding',
    call: 'GET /operator/markets',
    columns: ['category', 'symbol', 'status', 'lastPrice', 'markPrice', 'openInterest', 'fundingRate', 'frozen'],
  })
  operatorCommand(instruments, {
    usage: 'add <file>',
    description: 'add an instrument from a JSON record (- reads standard input)',
    call: 'POST /operator/instruments',
    body: ([file]) => recordOf(file),
  })
  operatorCommand(instruments, {
    usage: 'status <category> <symbol> <status>',
    description: 'set the status: online, cancel_only or halted',
    call: 'POST /operator/instruments/status',
    body: (args) => ({ ...named(args), status: args[2] }),
  })
  operatorCommand(instruments, {
    usage: 'tiers <category> <symbol> <file>',
    description: 'replace the tiers from a JSON list',
    call: 'POST /operator/instruments/tiers',
    body: (args) => ({ ...named(args), tiers: recordOf(args[2]) }),
  })
  operatorCommand(instruments, {
    usage: 'fees <category> <symbol>',
    description: 'change the fee rates',
    call: 'POST /operator/instruments/fees',
    body: (args, { maker, taker }) => ({ ...named(args), makerFeeRate: maker ?? null, takerFeeRate: taker ?? null }),
  })
    .option('--maker <rate>', 'maker fee rate, such as 0.0002')
    .option('--taker <rate>', 'taker fee rate, such as 0.0006')
  operatorCommand(instruments, {
    usage: 'bands <category> <symbol>',
    description: 'change how far prices may lie from the mark',
    call: 'POST /operator/instruments/bands',
    body: (args, { limit, market }) => ({
      ...named(args),
      limitPriceRatio: limit ?? null,
      marketPriceRatio: market ?? null,
    }),
  })
    .option('--limit <ratio>', 'of a limit price beyond the mark, such as 0.2; 0: no limit')
    .option('--market <ratio>', 'of what a market order takes, such as 0.05')
  addPrices(program)
}

function addPrices(program: Command): void {
  operatorCommand(program, {
    usage: 'prices <coin=price...>',
    description: 'set index prices in USD',
    call: 'POST /operator/prices',
    body: (pairs) => ({ prices: pairsOf(pairs, 'BTC=61000.5') }),
  })
  const funding = program.command('funding').description('settle funding of perpetual contracts now')
  operatorCommand(funding, {
    usage: 'settle <productType> <symbol>',
    description: 'settle funding now',
    call: 'POST /operator/funding/settle',
    body: ([productType, symbol]) => ({ productType, symbol }),
  })
  operatorCommand(program, {
    usage: 'deliver <productType> <symbol> <price>',
    description: 'end a contract: every position is closed at the price',
    call: 'POST /operator/deliveries',
    body: ([productType, symbol, price]) => ({ productType, symbol, price }),
  })
}
