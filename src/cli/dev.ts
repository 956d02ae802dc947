/**
 * `tidemark dev`: a venue for tests and experiments, in memory unless told, with the laboratory under /_lab on its port.
 *
 * Prints    for people where it is and its keys, on standard error; `ready URL` alone on standard output
 * Settings  those of every venue that concern one that is kept nowhere, and the laboratory's own
 * Source    lab.md §4.1
 */
import type { Command } from 'commander'
import type { shown } from '../lab/lab.ts'
import { labSettingNames, labSettings, readLabSettings } from '../lab/settings.ts'
import { isLoopback } from '../operator/address-range.ts'
import { optionOf, settingHelp, type SettingName, variableOf } from '../operator/config/settings.ts'
import { jsonFlag } from './output.ts'

/** What of a venue's settings counts where nothing is kept. */
const shared: readonly SettingName[] = [
  'host',
  'port',
  'simulator',
  'seed',
  'past',
  'noRateLimits',
  'logLevel',
  'trustedProxies',
  'endpointLimits',
  'timestampWindowMs',
  'v3Dialect',
  'replyTimeoutMs',
]

export function addDev(program: Command): void {
  const dev = program
    .command('dev')
    .description('run a venue in memory, for tests: constant keys, time in your hands, reset and fork')
    .allowUnknownOption()
    .allowExcessArguments()
    .option(jsonFlag, 'the ready line as JSON, with all addresses and keys')
  for (const name of shared) {
    const { flag, meaning } = settingHelp(name)
    dev.option(flag, meaning)
  }
  for (const name of labSettingNames)
    dev.option(`${optionOf(name)}${labSettings[name].value}`, labSettings[name].meaning)
  dev.action(async (_, command: Command) => run(command))
}

async function run(command: Command): Promise<void> {
  const given = command.opts<Record<string, string | boolean | undefined>>()
  const textOf = (name: string) => (given[name] === undefined ? undefined : String(given[name]))
  const options: Record<string, string | undefined> = {}
  for (const name of shared) {
    // Commander turns --no-rate-limits into rateLimits = false.
    const value = name === 'noRateLimits' ? given['rateLimits'] === false || undefined : given[name]
    if (value !== undefined) options[name] = String(value)
  }
  const lab = Object.fromEntries(labSettingNames.map((name) => [name, textOf(name)]))
  const isTrue = (name: 'deterministic' | 'lockstep') => (lab[name] ?? process.env[variableOf(name)]) === 'true'
  const isDeterministic = isTrue('deterministic') || isTrue('lockstep')
  if (isDeterministic && process.env['TIDEMARK_SIMULATOR'] === undefined) options['simulator'] ??= 'off'
  options['logLevel'] ??= process.env['TIDEMARK_LOG_LEVEL'] ?? 'warn'
  const { readConfiguration } = await import('../operator/config/configuration.ts')
  const { configuration } = readConfiguration({ options, strangers: command.args, environment: process.env })
  const settings = readLabSettings(lab, process.env, isLoopback(configuration.host))
  const { runLab } = await import('../main.ts')
  await runLab(configuration, settings, (first) =>
    announce(first, {
      isOnLoopback: isLoopback(configuration.host),
      asJson: given['json'] === true,
      data: settings.data,
    }),
  )
}

function announce(
  first: ReturnType<typeof shown>,
  { isOnLoopback, asJson, data }: { isOnLoopback: boolean; asJson: boolean; data: string | undefined },
): void {
  const { url, branch } = first
  const kept =
    data === undefined
      ? 'All data are in memory and go with this process.'
      : `All data are in ${data}, on the branch ${branch}.`
  const token = isOnLoopback ? '' : `-H 'Authorization: Bearer TOKEN' `
  const keys = Object.entries(first.keys)
  const width = Math.max(...keys.map(([role]) => role.length))
  const lines = [
    `Tidemark listens on ${url}. ${kept}`,
    'Keys, each with the secret "tidemark" and the passphrase "tidemark":',
    ...keys.map(([role, { uid, apiKey }]) => `  ${role.padEnd(width)}  uid ${uid}  ${apiKey}`),
    `The trading terminal: ${url}/   The laboratory: ${url}/_lab   The reference: ${url}/docs`,
    `Try: curl -X POST ${token}${url}/_lab/reset`,
    ...(isOnLoopback ? [] : ['Whoever reaches this port can trade with these keys. Only /_lab asks for the token.']),
    'Ctrl-C stops it.',
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
  process.stdout.write(asJson ? `${JSON.stringify({ ready: first })}\n` : `ready ${url}\n`)
}
