/**
 * `start` and `init`, which take every setting, `config show`, which says what they would make of them, and `accept-loss`,
 * without which a start refuses to go on.
 *
 * Late   what reads and checks settings is loaded by these three alone: it is most of what a command would load
 */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { acceptable, acceptLoss } from '../operator/acceptance.ts'
import type { SettingShown, Sources } from '../operator/config/configuration.ts'
import { settingHelp, settingNames } from '../operator/config/settings.ts'
import { CannotStart, DataDirectory } from '../operator/data-directory.ts'
import { dataOf, type Given, onCall, UsageWrong, venueCommand } from './command.ts'
import { complain, jsonFlag, jsonMeaning, show } from './output.ts'
import { openProgress } from './progress.ts'
import { tableText } from './table.ts'
import { giveWayV8 } from './v8-settings.ts'

export function addSettings(program: Command): void {
  settingsCommand(program, 'start', 'run the venue; a new data directory becomes a demo venue')
    .option(jsonFlag, 'the ready line as JSON, with all addresses')
    .action(async (_, command: Command) => start(command))
  settingsCommand(program, 'core', 'run the core of a venue whose clients speak to gateways')
    .option(jsonFlag, 'the ready line as JSON')
    .action(async (_, command: Command) => startRole(command, 'core'))
  settingsCommand(program, 'gateway', 'run one gateway to the core of the same data directory and port')
    .option(jsonFlag, 'the ready line as JSON')
    .action(async (_, command: Command) => startRole(command, 'gateway'))
  settingsCommand(program, 'history', 'write the history of a core of the same data directory into --postgres')
    .option(jsonFlag, 'the ready line as JSON')
    .action(async (_, command: Command) => startRole(command, 'history'))
  settingsCommand(program, 'init', 'make an empty venue, without demo accounts and keys')
    .option(jsonFlag, jsonMeaning)
    .action(async (_, command: Command) => init(command))
  onCall(
    venueCommand(
      program,
      'accept-loss <file>',
      `go on without a file of the data directory that was lost: ${acceptable.join(', ')}`,
    ).option('--kind <kind>', 'of a lost venue.json: what the venue was, demo or empty'),
    ([file], given) => accept(file, given),
  )
  const config = program.command('config').description('show how the venue is told to run')
  settingsCommand(config, 'show', 'show every setting, its value, where it came from, and what is wrong')
    .option(jsonFlag, jsonMeaning)
    .action(async (_, command: Command) => showSettings(command))
}

/** A command that takes every setting; unknown options are left for the configuration to name with all other faults. */
function settingsCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description).allowUnknownOption().allowExcessArguments()
  for (const setting of settingNames) {
    const { flag, meaning } = settingHelp(setting)
    command.option(flag, meaning)
  }
  return command.option('--config <file>', 'configuration file (JSON, settings by name such as "operatorPort")')
}

/** Options of a command as texts by setting name, and what is on the command line besides. */
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

async function start(command: Command): Promise<void> {
  const { readConfiguration } = await import('../operator/config/configuration.ts')
  const { configuration, unknownVariables } = readConfiguration(sourcesOf(command))
  for (const name of unknownVariables) complain(`${name} is set, but there is no such setting`)
  const readyAsJson = command.opts()['json'] === true
  const { runVenue, runWithGateways } = await import('../main.ts')
  if (configuration.gateways > 0) {
    return runWithGateways(configuration, readyAsJson, (role, port) => [
      fileURLToPath(new URL(`./cli${extname(import.meta.filename)}`, import.meta.url)),
      role,
      ...process.argv.slice(process.argv.indexOf('start') + 1),
      '--json',
      '--port',
      String(port),
    ])
  }
  await runVenue(configuration, { readyAsJson, onReplay: replayShown() })
  giveWayV8()
}

async function startRole(command: Command, role: 'core' | 'gateway' | 'history'): Promise<void> {
  const { readConfiguration } = await import('../operator/config/configuration.ts')
  const { configuration: read, told } = readConfiguration(sourcesOf(command))
  // Which gateway of several cores may run the market is said.
  const isUntold = role === 'gateway' && !told.has('simulator')
  const configuration = isUntold ? { ...read, simulator: 'off' as const } : read
  const { runCore, runGateway, runHistory } = await import('../main.ts')
  const run = { core: runCore, gateway: runGateway, history: runHistory }
  await run[role](configuration, { readyAsJson: command.opts()['json'] === true, onReplay: replayShown() })
  giveWayV8()
}

function replayShown() {
  const replay = openProgress('replaying the journal')
  return ({ sequence, lastSequence }: { readonly sequence: number; readonly lastSequence: number }) => {
    if (sequence === lastSequence) replay.end()
    else replay.at(sequence / lastSequence, `command ${sequence} of ${lastSequence}`)
  }
}

async function init(command: Command): Promise<void> {
  const { readConfiguration } = await import('../operator/config/configuration.ts')
  const { configuration } = readConfiguration(sourcesOf(command))
  const directory = DataDirectory.open(configuration.data)
  try {
    const venue = directory.venue()
    if (venue?.kind === 'demo') throw new CannotStart(`${directory.path} holds a demo venue already`)
    if (venue === undefined) directory.remember({ kind: 'empty' })
    else complain(`${directory.path} holds an empty venue already; nothing was changed`)
    show(
      { data: directory.path, kind: 'empty' },
      command.opts(),
      ({ data }) => `${data} holds an empty venue. Next: tidemark start --data ${data}\n`,
    )
  } finally {
    directory.close()
  }
}

function accept(file: string | undefined, given: Given): void {
  const named = acceptable.find((name) => name === file)
  if (named === undefined) throw new UsageWrong(`file ${file}: must be one of ${acceptable.join(', ')}`)
  const { kind } = given
  if (kind !== undefined && kind !== 'demo' && kind !== 'empty') throw new UsageWrong('--kind: must be demo or empty')
  const path = dataOf(given)
  if (!existsSync(path)) throw new CannotStart(`${path} is not there`)
  const directory = DataDirectory.open(path)
  try {
    const done = acceptLoss(directory, named, kind)
    show({ data: directory.path, accepted: named }, given, () => `${done}\n`)
  } finally {
    directory.close()
  }
}

const exitWrong = 2

async function showSettings(command: Command): Promise<void> {
  const { shownConfiguration } = await import('../operator/config/configuration.ts')
  const shown = shownConfiguration(sourcesOf(command))
  show(shown, command.opts(), ({ settings }, look) => tableText(settings.map(settingRow), look))
  for (const fault of shown.faults) complain(fault)
  for (const name of shown.unknownVariables) complain(`${name} is set, but there is no such setting`)
  if (shown.faults.length > 0) process.exitCode = exitWrong
}

function settingRow({ name, value, source, as }: SettingShown) {
  return { setting: name, value, from: as === '' ? source : `${source}: ${as}` }
}
