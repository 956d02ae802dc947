/**
 * The `tidemark` command: starts a venue, makes an empty one, and one command for every operator call.
 *
 * Output   what was asked for, as JSON, to standard output (`explain`: for reading, unless --json is given); what went
 *          wrong, as one line, to standard error
 * Exit     0 done · 1 it could not be done · 2 it was asked for wrongly
 * Finds    a running venue by its data directory (`--data`, TIDEMARK_DATA, ./data)
 * Source   design.md §6
 */
import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import { ConfigurationWrong, readConfiguration, settingHelp, settingNames, type Sources } from './configuration.ts'
import { CannotStart, DataDirectory, reasonOf } from './data-directory.ts'
import type { Explanation } from './explain.ts'
import { explanationText } from './explain-text.ts'
import { CallFailed, callOperator } from './operator-client.ts'

const exitFailed = 1
const exitWrong = 2

/** Asked for wrongly in a way that commander does not see. */
class UsageWrong extends Error {
  override name = 'UsageWrong'
}

/** Options of `start` and `init` as texts by setting name, and what is on the command line besides. */
function sourcesOf(command: Command): Sources {
  const options: Record<string, string | undefined> = {}
  const given = command.opts<Record<string, string | boolean | undefined>>()
  for (const name of settingNames) {
    // Commander turns --no-rate-limits into rateLimits = false.
    const value = name === 'noRateLimits' ? given['rateLimits'] === false || undefined : given[name]
    if (value !== undefined) options[name] = String(value)
  }
  return {
    options,
    strangers: command.args,
    environment: process.env,
    configFile: typeof given['config'] === 'string' ? given['config'] : undefined,
  }
}

/** A command that takes every setting; unknown options are left for the configuration to name with all other faults. */
function settingsCommand(program: Command, name: string, description: string): Command {
  const command = program.command(name).description(description).allowUnknownOption().allowExcessArguments()
  for (const setting of settingNames) {
    const { flag, meaning } = settingHelp(setting)
    command.option(flag, meaning)
  }
  return command.option('--config <file>', 'configuration file (JSON, settings by name such as "operatorPort")')
}

async function start(command: Command): Promise<void> {
  const { configuration, unknownVariables } = readConfiguration(sourcesOf(command))
  for (const name of unknownVariables) complain(`${name} is set, but there is no such setting`)
  enableCompileCache()
  const { runVenue } = await import('../main.ts')
  await runVenue(configuration)
}

function init(command: Command): void {
  const { configuration } = readConfiguration(sourcesOf(command))
  const directory = DataDirectory.open(configuration.data)
  try {
    const venue = directory.venue()
    if (venue?.kind === 'demo') throw new CannotStart(`${directory.path} holds a demo venue already`)
    if (venue === undefined) directory.remember({ kind: 'empty' })
    else complain(`${directory.path} holds an empty venue already; nothing was changed`)
    show({ data: directory.path, kind: 'empty' })
  } finally {
    directory.close()
  }
}

const options = (command: Command) => command.opts<Record<string, string | undefined>>()

/** A command that is one call of the operator interface; `sent` makes its body of arguments and options. */
function operatorCommand(
  parent: Command,
  usage: string,
  description: string,
  place: string,
  sent: (args: string[], options: Record<string, string | undefined>) => object = () => ({}),
  textOfAnswer: (answer: unknown, options: Record<string, string | undefined>) => string | undefined = () => undefined,
): Command {
  const [method = '', path = ''] = place.split(' ')
  return parent
    .command(usage)
    .description(description)
    .option('--data <directory>', 'data directory of the venue (default ./data)')
    .action(async (...invoked: unknown[]) => {
      const command = invoked.at(-1) as Command
      const given = options(command)
      const args = command.processedArgs.flat() as string[]
      const data = resolve(given['data'] ?? process.env['TIDEMARK_DATA'] ?? './data')
      const answer = await callOperator(data, method, path, sent(args, given))
      const text = textOfAnswer(answer, given)
      if (text === undefined) show(answer)
      else process.stdout.write(text)
      if (path === '/operator/verify' && !(answer as { balanced: boolean }).balanced) process.exitCode = exitFailed
    })
}

function build(): Command {
  const program = new Command('tidemark')
    .description('An exchange on your own machine: spot, margin and futures behind one compatible interface')
    .exitOverride()
    .configureOutput({ outputError: () => {} })

  settingsCommand(program, 'start', 'run the venue; a new data directory becomes a demo venue').action(
    async (_, command: Command) => start(command),
  )
  settingsCommand(program, 'init', 'make an empty venue, without demo accounts and keys').action(
    (_, command: Command) => init(command),
  )

  const accounts = program.command('accounts').description('accounts, their modes and roles')
  operatorCommand(accounts, 'create', 'make an account', 'POST /operator/accounts', (_, given) => ({
    kind: given['kind'] ?? (given['parent'] === undefined ? 'main' : 'sub'),
    parentUid: given['parent'] ?? null,
    mode: given['mode'] ?? 'unified',
    name: given['name'] ?? null,
  }))
    .option('--kind <kind>', 'main or sub')
    .option('--parent <uid>', 'the main account of a sub-account')
    .option('--mode <mode>', 'unified (default), hybrid or classic')
    .option('--name <name>', 'a name to know it by')
  operatorCommand(accounts, 'mode <uid> <mode>', 'change the mode', 'POST /operator/accounts/mode', ([uid, mode]) => ({
    uid,
    mode,
  }))
  operatorCommand(
    accounts,
    'broker <uid> <channelCode> [rebateRate]',
    'enter the broker programme; an empty channel code leaves it',
    'POST /operator/accounts/broker',
    ([uid, channelCode, rebateRate = '0']) => ({ uid, channelCode, rebateRate }),
  )
  operatorCommand(
    accounts,
    'copy-trader <uid> [symbols...]',
    'announce the symbols of a copy trader; none: no longer one',
    'POST /operator/accounts/copy-trader',
    ([uid, ...symbols]) => ({ uid, symbols }),
  )

  const keys = program.command('keys').description('API keys')
  operatorCommand(
    keys,
    'create <uid>',
    'make a key; its secret is shown this once',
    'POST /operator/keys',
    ([uid], given) => ({
      uid,
      permissions: list(given['permissions']),
      ipList: list(given['ip']),
      label: given['label'] ?? null,
      passphrase: given['passphrase'] ?? null,
      publicKey: given['publicKey'] === undefined ? null : textOf(given['publicKey']),
    }),
  )
    .option('--permissions <list>', 'separated by commas; default all')
    .option('--ip <list>', 'addresses that may use it, separated by commas; default any')
    .option('--label <label>', 'a label')
    .option('--passphrase <passphrase>', '8 to 32 letters and digits; default: one is made')
    .option('--public-key <file>', 'an RSA or Ed25519 public key (PEM) in place of a secret')
  operatorCommand(keys, 'revoke <apiKey>', 'revoke a key, at once', 'POST /operator/keys/revoke', ([apiKey]) => ({
    apiKey,
  }))

  const money = (args: string[]) => ({ uid: args[0], wallet: args[1], coin: args[2], amount: args[3] })
  operatorCommand(program, 'deposit <uid> <wallet> <coin> <amount>', 'pay in', 'POST /operator/deposits', money)
  operatorCommand(program, 'withdraw <uid> <wallet> <coin> <amount>', 'pay out', 'POST /operator/withdrawals', money)
  operatorCommand(program, 'prices <coin=price...>', 'set index prices in USD', 'POST /operator/prices', (pairs) => ({
    prices: Object.fromEntries(pairs.map(pricePair)),
  }))
  const pricing = program.command('pricing').description('how prices are made, and what bounds them')
  operatorCommand(pricing, 'set', 'change what is named, leave the rest', 'POST /operator/pricing', (_, given) => ({
    jumpFactor: given['jumpFactor'] ?? null,
    indexAgeMsMax:
      given['indexAgeMsMax'] === undefined
        ? null
        : Object.fromEntries(list(given['indexAgeMsMax'])?.map((pair) => pairOf(pair, 'BTC=30000')) ?? []),
    fundingShortfall: given['fundingShortfall'] ?? null,
    premiumMean: given['premiumMean'] ?? null,
    fundingInterestRate: given['fundingInterestRate'] ?? null,
    fundingClamp: given['fundingClamp'] ?? null,
    contracts: given['contract'] === undefined ? null : [contractOf(given['contract'], given)],
  }))
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
  operatorCommand(pricing, 'show', 'what is in force', 'GET /operator/pricing')

  const risk = program.command('risk').description('rules of margin and liquidation of the whole venue')
  operatorCommand(risk, 'set', 'change what is named, leave the rest', 'POST /operator/risk', (_, given) => ({
    adlStartShare: given['adlStartShare'] ?? null,
    adlEndShare: given['adlEndShare'] ?? null,
    orderMarginMarkup: given['orderMarginMarkup'] ?? null,
    orderFeeMarkup: given['orderFeeMarkup'] ?? null,
    profitAsMargin: given['profitAsMargin'] ?? null,
    reduceTiers: given['reduceTiers'] ?? null,
  }))
    .option('--adl-start-share <share>', 'deleverage while the fund is below this share of its highest, such as 0.7')
    .option('--adl-end-share <share>', 'until it is back at this one, such as 0.9')
    .option('--order-margin-markup <share>', 'what an order holds beyond its margin, such as 0.05')
    .option('--order-fee-markup <share>', 'what an order holds beyond its fee')
    .option('--profit-as-margin <on|off>', 'unrealized profit is available for new risk')
    .option('--reduce-tiers <count>', 'tiers that a step of a liquidation takes a position down; 0: closed whole')
  operatorCommand(risk, 'show', 'what is in force', 'GET /operator/risk')

  const loans = program.command('loans').description('terms of borrowing in cross margin')
  operatorCommand(
    loans,
    'terms <coin>',
    'change what is named for a coin, leave the rest',
    'POST /operator/coins/loans',
    ([coin], given) => ({
      coin,
      borrowable: given['borrowable'] ?? null,
      dailyInterestRate: given['dailyInterestRate'] ?? null,
      borrowLimit: given['borrowLimit'] ?? null,
      lendingPoolLimit: given['lendingPoolLimit'] ?? null,
      maxLeverage: given['maxLeverage'] ?? null,
    }),
  )
    .option('--borrowable <yes|no>', 'no: existing loans stay')
    .option('--daily-interest-rate <rate>', 'from the next hour of each loan, such as 0.00012')
    .option('--borrow-limit <amount>', 'what one account may owe')
    .option('--lending-pool-limit <amount>', 'what all accounts together may owe')
    .option('--max-leverage <leverage>', 'highest leverage of borrowing')
  operatorCommand(loans, 'levels', 'change margin levels', 'POST /operator/loans/levels', (_, given) => ({
    transferLevel: given['transfer'] ?? null,
    borrowLevel: given['borrow'] ?? null,
    callLevel: given['call'] ?? null,
    liquidationLevel: given['liquidation'] ?? null,
    liquidationFeeRate: given['liquidationFee'] ?? null,
  }))
    .option('--transfer <level>', 'money may leave down to it, such as 2')
    .option('--borrow <level>', 'no loan takes it lower, such as 1.5')
    .option('--call <level>', 'the account is warned at it, such as 1.3')
    .option('--liquidation <level>', 'assets are sold at it, such as 1.1')
    .option('--liquidation-fee <share>', 'of what is sold, such as 0.02')
  operatorCommand(loans, 'show', 'margin levels that are in force', 'GET /operator/loans/levels')

  const house = program.command('house').description('the house accounts')
  operatorCommand(
    house,
    'fund <coin> <amount>',
    'pay into the insurance fund',
    'POST /operator/house-funds',
    ([coin, amount]) => ({
      coin,
      amount,
    }),
  )

  const coins = program.command('coins').description('coins')
  operatorCommand(
    coins,
    'add <file>',
    'list a coin from a JSON record (- reads standard input)',
    'POST /operator/coins',
    ([file]) => recordOf(file),
  )
  operatorCommand(
    coins,
    'collateral <coin> [file]',
    'change what it counts for in unified accounts: slices from a JSON list, and what debt in it needs',
    'POST /operator/coins/collateral',
    ([coin, file], given) => ({
      coin,
      collateral: file === undefined ? null : recordOf(file),
      debtInitialRate: given['debtInitialRate'] ?? null,
      debtMaintenanceRate: given['debtMaintenanceRate'] ?? null,
    }),
  )
    .option('--debt-initial-rate <rate>', 'initial margin of debt in it, such as 0.1')
    .option('--debt-maintenance-rate <rate>', 'maintenance margin of debt in it, such as 0.04')
  operatorCommand(coins, 'list', 'what is in force', 'GET /operator/coins')
  const instruments = program.command('instruments').description('spot pairs and futures contracts')
  const named = (args: string[]) => ({ category: args[0], symbol: args[1] })
  operatorCommand(
    instruments,
    'add <file>',
    'list an instrument from a JSON record (- reads standard input)',
    'POST /operator/instruments',
    ([file]) => recordOf(file),
  )
  operatorCommand(
    instruments,
    'status <category> <symbol> <status>',
    'online, cancel_only or halted',
    'POST /operator/instruments/status',
    (args) => ({ ...named(args), status: args[2] }),
  )
  operatorCommand(
    instruments,
    'tiers <category> <symbol> <file>',
    'replace the tiers from a JSON list',
    'POST /operator/instruments/tiers',
    (args) => ({ ...named(args), tiers: recordOf(args[2]) }),
  )
  operatorCommand(
    instruments,
    'fees <category> <symbol>',
    'change the fee rates',
    'POST /operator/instruments/fees',
    (args, given) => ({
      ...named(args),
      makerFeeRate: given['maker'] ?? null,
      takerFeeRate: given['taker'] ?? null,
    }),
  )
    .option('--maker <rate>', 'maker fee rate, such as 0.0002')
    .option('--taker <rate>', 'taker fee rate, such as 0.0006')
  operatorCommand(
    instruments,
    'bands <category> <symbol>',
    'change how far prices may lie from the mark',
    'POST /operator/instruments/bands',
    (args, given) => ({
      ...named(args),
      limitPriceRatio: given['limit'] ?? null,
      marketPriceRatio: given['market'] ?? null,
    }),
  )
    .option('--limit <ratio>', 'of a limit price beyond the mark, such as 0.2; 0: no limit')
    .option('--market <ratio>', 'of what a market order takes, such as 0.05')
  operatorCommand(instruments, 'list', 'what is in force', 'GET /operator/instruments')

  const funding = program.command('funding').description('funding of perpetual contracts')
  operatorCommand(
    funding,
    'settle <productType> <symbol>',
    'settle funding now',
    'POST /operator/funding/settle',
    ([productType, symbol]) => ({ productType, symbol }),
  )
  operatorCommand(
    program,
    'deliver <productType> <symbol> <price>',
    'end a contract: every position is closed at the price',
    'POST /operator/deliveries',
    ([productType, symbol, price]) => ({ productType, symbol, price }),
  )
  const clock = program.command('clock').description('the manual clock')
  operatorCommand(
    clock,
    'advance <ms>',
    'move it; timers that fall due run in order',
    'POST /operator/clock/advance',
    ([ms]) => ({
      ms,
    }),
  )

  operatorCommand(
    program,
    'scenario <name>',
    'make the simulated market do something for a while: calm, trend, crash, squeeze, stale-index, adl; none ends it',
    'POST /operator/scenario',
    ([name], given) => ({ name, minutes: given['minutes'] ?? null, coin: given['coin'] ?? null }),
  )
    .option('--minutes <minutes>', 'how long, 1 to 60')
    .option('--coin <coin>', 'where; default all coins, stale-index and adl BTC')
  operatorCommand(program, 'snapshot', 'write a snapshot now', 'POST /operator/snapshots')
  operatorCommand(
    program,
    'verify',
    'check what must hold in the books; answers the state hash',
    'GET /operator/verify',
  )
  operatorCommand(
    program,
    'explain',
    'why numbers of an account, a position, a symbol or an order are what they are',
    'GET /operator/explain',
    (_, given) => ({
      uid: given['uid'],
      symbol: given['symbol'],
      category: given['category'],
      holdSide: given['holdSide'],
      orderId: given['order'],
      liquidationId: given['liquidation'],
    }),
    (answer, given) => (given['json'] === undefined ? explanationText(answer as Explanation) : undefined),
  )
    .option('--uid <uid>', 'the account')
    .option('--symbol <symbol>', 'the instrument; with --uid the position in it')
    .option('--category <category>', 'where a pair and a contract share their symbol')
    .option('--hold-side <side>', 'long or short, of a hedge')
    .option('--order <orderId>', 'an order, open or ended, of whomever')
    .option('--liquidation <liquidationId>', 'a liquidation, as causes name it')
    .option('--json', 'as JSON, for scripts')
  operatorCommand(program, 'status', 'what the running venue says of itself', 'GET /operator/status')
  return program
}

function list(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(',').map((one) => one.trim())
}

function pricePair(pair: string): [string, string] {
  return pairOf(pair, 'BTC=61000.5')
}

function pairOf(pair: string, sample: string): [string, string] {
  const [coin, value, ...more] = pair.split('=')
  if (!coin || !value || more.length > 0) throw new UsageWrong(`${pair}: must look like ${sample}`)
  return [coin, value]
}

function contractOf(name: string, given: Record<string, string | undefined>) {
  const [productType, symbol, ...more] = name.split(':')
  if (!productType || !symbol || more.length > 0) throw new UsageWrong(`${name}: must look like USDT-FUTURES:BTCUSDT`)
  return {
    productType,
    symbol,
    impactNotional: given['impactNotional'],
    fundingRateCap: given['fundingRateCap'],
    fundInterval: given['fundInterval'],
  }
}

function recordOf(file: string | undefined): object {
  try {
    return JSON.parse(textOf(file ?? '-')) as object
  } catch (cause) {
    throw cause instanceof UsageWrong ? cause : new UsageWrong(`${file}: ${reasonOf(cause)}`, { cause })
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new UsageWrong(`${file}: ${reasonOf(cause)}`, { cause })
  }
}

function show(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`)
}

function complain(message: string): void {
  process.stderr.write(`tidemark: ${message}\n`)
}

/** What a person is told of what went wrong, and how the process ends. */
function endOf(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    // A command is missing: commander has shown which there are.
    if (error.code !== 'commander.help') complain(error.message.replace(/^error: /, ''))
    return exitWrong
  }
  complain(reasonOf(error))
  if (error instanceof ConfigurationWrong || error instanceof UsageWrong) return exitWrong
  if (!(error instanceof CannotStart || error instanceof CallFailed)) complain((error as Error).stack ?? '')
  return exitFailed
}

// A reader that went away (a closed pipe) is no reason to fall over.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

try {
  await build().parseAsync(process.argv)
} catch (error) {
  process.exitCode = endOf(error)
}
