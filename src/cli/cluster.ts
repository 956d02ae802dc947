/** A venue of several cores: `cluster` makes its log and shows how all of it is, `log` looks after the log. */
import { isIP } from 'node:net'
import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import type { RulesUpgraded } from '../cluster/cluster.ts'
import { addressForms, withoutPassword } from '../operator/config/address-forms.ts'
import { type ClusterField, type ClusterFields, readClusterFile } from '../operator/config/cluster-file.ts'
import { defaults, optionOf, settingHelp, type SettingName, variableOf } from '../operator/config/settings.ts'
import { CannotStart } from '../operator/data-directory.ts'
import { command, type Given, onCall, UsageWrong } from './command.ts'
import type { RulesRange } from '../engine/protocol/rules.ts'
import { complain, show } from './output.ts'
import { tableText } from './table.ts'

const trustNames = ['clusterCa', 'clusterCert', 'clusterKey'] as const
const logSettings = ['venue', 'venueId', 'nats', 'natsMonitor', 'logSync', ...trustNames] as const

/** What needs NATS is loaded by these commands alone. */
const loadCluster = () => import('../cluster/cluster.ts')

export function addCluster(program: Command): void {
  const cluster = program
    .command('cluster')
    .description('make, show and hand over a venue of several cores with one log')
  onCall(
    withSettings(
      command(cluster, 'init', 'make the log of a new venue, and the file that cores and gateways are told'),
      [...logSettings, 'postgres', 'cores'],
    )
      .option('--cluster <file>', 'the file to write (default ./cluster.json)')
      .option(
        '--ca <directory>',
        'make certificates there and no log: the venue’s authority, and one for each of --names',
      )
      .option('--names <list>', 'hosts of processes and NATS servers, separated by commas; several names of one by +'),
    (_, given) => init(given),
  )
  onCall(
    logCommand(cluster, 'import', 'bring a venue of one process, which has stopped, into an empty log').option(
      '--data <directory>',
      'data directory of the venue, which is a core’s then',
    ),
    (_, given) => bringIn(given),
  )
  onCall(
    logCommand(
      cluster,
      'status',
      'show the log, the cores and who follows: who leads, how far, by which rules',
      'cores',
    ),
    (_, given) => showStatus(given),
  )
  addResign(cluster)
  onCall(
    withSettings(command(cluster, 'upgrade', 'have the venue go by the newest rules of the release that leads'), [
      'cluster',
      'cores',
      ...trustNames,
    ]),
    (_, given) => upgrade(given),
  )

  addResign(program.commands.find((one) => one.name() === 'core')!)

  const log = program.command('log').description('check and mend the log of several cores')
  onCall(
    logCommand(
      log,
      'verify [directories...]',
      'check the whole log, and the data directories of cores against it',
    ).option('--each-server', 'by each NATS server in turn, which leads for it'),
    (directories, given) => verify(directories, given),
  )
  onCall(
    logCommand(log, 'repair', 'append what the log has lost at its end and a core still has; all cores are stopped')
      .option('--from <directory>', 'data directory of the core')
      .option('--yes', 'do it; else it is only said'),
    (_, given) => repair(given),
  )
  onCall(
    logCommand(log, 'rebuild', 'make a new log, of another --venue, from what a core has').option(
      '--from <directory>',
      'data directory of the core, which belongs to the new log then',
    ),
    (_, given) => rebuild(given),
  )
}

/** `cluster resign`, which `core resign` is as well. */
function addResign(parent: Command): void {
  const made = withSettings(command(parent, 'resign', 'have the core that leads hand over to another'), [
    'cluster',
    'cores',
    ...trustNames,
  ])
  // `core` names itself what it does not expect; this does as every command.
  onCall(made.allowExcessArguments(false).allowUnknownOption(false), (_, given) => resign(given))
}

/** A command that takes the settings by which cores find their log. */
function logCommand(parent: Command, usage: string, description: string, ...more: readonly SettingName[]): Command {
  return withSettings(command(parent, usage, description), ['cluster', ...logSettings, ...more])
}

function withSettings(made: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, meaning } = settingHelp(name)
    made.option(flag, meaning)
  }
  return made
}

/** What processes of the venue, and its servers, know this command by. */
function filesOf(given: Given) {
  const [clusterCa, clusterCert, clusterKey] = trustNames.map(
    (name) => given[name] ?? process.env[variableOf(name)] ?? '',
  )
  const files = { clusterCa, clusterCert, clusterKey }
  const lacking = trustNames.filter((name) => files[name] === '')
  if (lacking.length > 0 && lacking.length < trustNames.length) {
    throw new UsageWrong(
      `${optionOf(lacking[0])}: is missing, as --cluster-ca, --cluster-cert and --cluster-key go together`,
    )
  }
  return files
}

/** As for a core: the option, else the variable, else the cluster's file; undefined: nobody says it. */
function saidOf(given: Given, name: ClusterField): string | readonly string[] | undefined {
  return given[name] ?? (process.env[variableOf(name)] || ofFile(given)[name])
}

function clusterFileOf(given: Given): string {
  return given['cluster'] ?? process.env[variableOf('cluster')] ?? ''
}

function ofFile(given: Given): ClusterFields {
  const file = clusterFileOf(given)
  if (file === '') return {}
  const { fields, faults } = readClusterFile(file)
  if (faults.length > 0) throw new UsageWrong(faults.join('; '))
  return fields
}

/** Where somebody said it, in his words. */
function saidAs(given: Given, name: ClusterField): string {
  if (given[name] !== undefined) return optionOf(name)
  return process.env[variableOf(name)] ? variableOf(name) : `${name} in ${basename(clusterFileOf(given))}`
}

function textOf(given: Given, name: 'venue' | 'venueId' | 'logSync' | 'postgres'): string {
  return String(saidOf(given, name) ?? defaults[name])
}

/** A text of its form, as the settings have it; empty: nobody says it. */
function formedOf(given: Given, name: 'venue' | 'venueId' | 'postgres'): string {
  const text = textOf(given, name)
  return text === '' ? text : formed(given, name, text)
}

function listOf(given: Given, name: 'nats' | 'natsMonitor' | 'cores'): string[] {
  const said = saidOf(given, name) ?? []
  const found = (typeof said === 'string' ? said.split(',') : said).flatMap((entry) => entry.trim() || [])
  const twice = found.find((entry, place) => found.indexOf(formed(given, name, entry)) !== place)
  if (twice !== undefined) throw new UsageWrong(`${saidAs(given, name)}: ${twice} is named twice`)
  return found
}

function formed(given: Given, name: keyof typeof addressForms, text: string): string {
  const { pattern, shown } = addressForms[name]
  if (new RegExp(pattern).test(text)) return text
  throw new UsageWrong(`${saidAs(given, name)} ${JSON.stringify(withoutPassword(text))}: must be ${shown}`)
}

function addressOfLog(given: Given) {
  const venue = formedOf(given, 'venue')
  const urls = listOf(given, 'nats')
  if (urls.length === 0) throw new UsageWrong('--nats: must name the NATS servers, as nats://HOST:PORT')
  const venueId = formedOf(given, 'venueId') || undefined
  const logSync = textOf(given, 'logSync')
  if (logSync !== 'checked' && logSync !== 'unchecked')
    throw new UsageWrong(`${saidAs(given, 'logSync')} ${JSON.stringify(logSync)}: must be one of checked, unchecked`)
  const files = filesOf(given)
  if (logSync === 'unchecked') return { urls, venue, venueId, monitors: undefined, files }
  const monitors = listOf(given, 'natsMonitor')
  if (monitors.length === 0) {
    throw new UsageWrong('--nats-monitor: must name the monitor port of each server, or say --log-sync unchecked')
  }
  return { urls, venue, venueId, monitors, files }
}

function coresOf(given: Given): string[] {
  const cores = listOf(given, 'cores')
  if (cores.length === 0) throw new UsageWrong('--cores: must name where the cores listen, as HOST:PORT')
  return cores
}

function directoryOf({ from }: Given): string {
  if (from === undefined) throw new UsageWrong('--from: must name the data directory of a core')
  return resolve(from)
}

/** Servers with `tls://` need theirs before the log can be made, so it makes nothing else. */
async function makeAuthority(directory: string, given: Given): Promise<void> {
  const besides = ['nats', 'natsMonitor', 'postgres', 'cores', 'cluster'].find((name) => given[name] !== undefined)
  if (besides !== undefined) {
    throw new UsageWrong(`--ca: not with ${optionOf(besides)}, as it makes certificates alone: the log is another call`)
  }
  const hosts = (given['names'] ?? '').split(',').map((host) => host.split('+').map((name) => name.trim()))
  const wrong = hosts
    .flat()
    .find((name) => isIP(name) === 0 && !/^(?=.{1,64}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(name))
  if (wrong !== undefined) {
    throw new UsageWrong(`--names: ${wrong || '""'} must be the name or the address of a host, such as c1.example`)
  }
  const files = hosts.map(([name]) => name)
  const twice = files.find((name, place) => name === 'ca' || files.indexOf(name) !== place)
  if (twice !== undefined) throw new UsageWrong(`--names: ${twice} is the name of other files`)
  const { makeCertificates } = await loadCluster()
  const made = makeCertificates({ directory, venue: formedOf(given, 'venue'), hosts })
  show(made, given, ({ ca, caWasThere, certificates }) =>
    [
      caWasThere
        ? `The authority ${ca} was there.`
        : `The authority is ${ca}. Keep ca.key beside it off every machine of the venue.`,
      ...certificates.map(({ cert, key }) => `--cluster-ca ${ca} --cluster-cert ${cert} --cluster-key ${key}`),
      '',
    ].join('\n'),
  )
}

/** It reads no file of a cluster: it writes one. */
async function init({ ca, ...words }: Given): Promise<void> {
  if (ca !== undefined) return makeAuthority(ca, words)
  const { cluster, names, ...given } = words
  if (names !== undefined) throw new UsageWrong('--names: needs --ca, which makes their certificates')
  const file = resolve(cluster ?? (process.env[variableOf('cluster')] || 'cluster.json'))
  const told: Given = { ...given, cluster: '' }
  const address = addressOfLog(told)
  const postgres = formedOf(told, 'postgres')
  const cores = listOf(told, 'cores')
  const { initCluster } = await loadCluster()
  const made = await initCluster(address, { file, postgres, cores })
  show({ ...made, cluster: file }, given, ({ stream, servers, venueId }) =>
    [
      `The stream ${stream} of the venue ${venueId} is kept by ${servers} servers.`,
      `Next: tidemark core --cluster ${file} --listen HOST:PORT --data DIRECTORY for each core`,
      `and   tidemark gateway --cluster ${file}${cores.length === 0 ? ' --cores LIST' : ''} --data DIRECTORY\n`,
    ].join('\n'),
  )
}

async function bringIn(given: Given): Promise<void> {
  const { data } = given
  if (data === undefined) throw new UsageWrong('--data: must name the data directory of the venue')
  const directory = resolve(data)
  const { importVenue } = await loadCluster()
  const log = {
    info: () => {},
    warn: (_: object, text: string) => complain(text),
    error: (_: object, text: string) => complain(text),
  }
  const imported = await importVenue(addressOfLog(given), directory, {
    masterKey: process.env['TIDEMARK_MASTER_KEY'],
    log,
  })
  show({ data: directory, ...imported }, given, ({ through, snapshot, stateHash }) => {
    const what =
      snapshot === 0
        ? `Commands 1 to ${through}`
        : `The state after command ${snapshot}, and commands up to ${through},`
    const others = snapshot === 0 ? 'an empty directory' : 'a copy of it, or without its history in an empty one'
    return [
      `${what} stand in the log. State hash ${stateHash}`,
      `${directory} is a core's now; other cores begin with ${others}.\n`,
    ].join('\n')
  })
}

/** What a process says that it is. */
interface AboutShown {
  readonly process: string
  readonly release: string
  readonly rules: RulesRange
}

type CoreShown = {
  readonly core: string
  readonly role: string
  readonly about?: AboutShown
  /** Of the one that leads. */
  readonly followers?: readonly AboutShown[]
} & Readonly<Record<string, unknown>>

async function statusOf(cores: readonly string[], given: Given): Promise<readonly CoreShown[]> {
  const told = await asked(cores, given, 'status')
  return told.map((status, place) => (status as CoreShown | undefined) ?? { core: cores[place], role: 'away' })
}

/** Who is no core of the venue, as it knows another token or certificate, is said beside what the others answer. */
async function asked(cores: readonly string[], given: Given, what: string): Promise<unknown[]> {
  const { askCores } = await loadCluster()
  const strangers: string[] = []
  const answers = await askCores(cores, filesOf(given), what, (why) => strangers.push(why))
  if (strangers.length > 0) complain(`--cores: ${strangers.join('; ')}`)
  return answers
}

async function showStatus(given: Given): Promise<void> {
  const { logStatus } = await loadCluster()
  const address = addressOfLog(given)
  const [told, log] = await Promise.all([
    statusOf(coresOf(given), given),
    // What the cores say is shown all the same: a log that does not answer is when somebody looks.
    logStatus(address).catch((error: unknown) => {
      if (!(error instanceof CannotStart)) throw error
      complain(`the log: ${error.message}`)
      return undefined
    }),
  ])
  const cores = told.map(({ about, followers: _, ...core }) => ({ ...core, ...(about && applied(about)) }))
  const followers = told
    .flatMap((core) => core.followers ?? [])
    .map((about) => ({ process: about.process, ...applied(about) }))
  show({ log: log ?? null, cores, followers }, given, (_, look) => {
    const { copies = [], ...rest } = log ?? {}
    const servers = copies.map(({ server, leads, isAway, isCurrent, lag }) => {
      const copy = isAway ? 'away' : isCurrent ? 'current' : 'behind'
      return { server, leads, copy, lag }
    })
    const ofLog = log === undefined ? [] : [[rest], servers]
    const tables = [...ofLog, cores, ...(followers.length > 0 ? [followers] : [])]
    return tables.map((rows) => tableText(rows, look)).join('\n')
  })
  if (log === undefined || !cores.some(({ role }) => role === 'leader')) process.exitCode = 1
}

function applied({ release, rules: { oldest, newest } }: AboutShown) {
  return { release, applies: oldest === newest ? `${newest}` : `${oldest} to ${newest}` }
}

const handOverMsMax = 10_000
const lookEveryMs = 20

/** Done when another leads. */
async function resign(given: Given): Promise<void> {
  const cores = coresOf(given)
  const led = (await statusOf(cores, given)).find(({ role }) => role === 'leader')?.core
  if (led === undefined) throw new UsageWrong(`none of ${cores.join(', ')} leads`)
  await asked([led], given, 'resign')
  const untilMs = performance.now() + handOverMsMax
  let next: CoreShown | undefined
  while (next === undefined && performance.now() < untilMs) {
    next = (await statusOf(cores, given)).find(({ role }) => role === 'leader')
    if (next === undefined) await new Promise((done) => setTimeout(done, lookEveryMs))
  }
  const leads = next?.core ?? null
  show({ resigned: led, leads }, given, () => `${led} has handed over; ${leads ?? 'nobody'} leads.\n`)
  if (next === undefined) process.exitCode = 1
}

/** What keeps a process from it is an error, which names each. */
async function upgrade(given: Given): Promise<void> {
  const cores = coresOf(given)
  const leads = (await statusOf(cores, given)).find(({ role }) => role === 'leader')?.core
  if (leads === undefined) throw new UsageWrong(`none of ${cores.join(', ')} leads`)
  const { askCore } = await loadCluster()
  const upgraded = (await askCore(leads, filesOf(given), 'upgrade')) as RulesUpgraded
  show(upgraded, given, ({ from, to, sequence, away }) => {
    const missing = away.map((core) => `${core} is away: it has to be of a release that applies rules ${to}`)
    return [`From command ${sequence} on the venue goes by rules ${to}, and no more by ${from}.`, ...missing, ''].join(
      '\n',
    )
  })
}

async function verify(directories: readonly string[], given: Given): Promise<void> {
  const { verifyLog } = await loadCluster()
  const address = addressOfLog(given)
  const found = await verifyLog(
    address,
    directories.map((directory) => resolve(directory)),
    given['eachServer'] !== undefined,
  )
  show(found, given, ({ first, last, from, through, damaged, faults }) => {
    const verdict = faults.length === 0 ? 'Everything holds' : `${faults.length} faults`
    const lacking = damaged.map((server) => `a NATS server lacks what others have: ${server}`)
    const what = `${verdict}: positions ${first} to ${last}, commands ${from} to ${through}.`
    return [what, ...lacking, ...faults, ''].join('\n')
  })
  if (found.faults.length > 0 || found.damaged.length > 0) process.exitCode = 1
}

async function repair(given: Given): Promise<void> {
  const { repairLog } = await loadCluster()
  const repaired = await repairLog(addressOfLog(given), directoryOf(given), given['yes'] !== undefined)
  show(repaired, given, ({ from, through, done }) => {
    if (through < from) return 'The log has everything that this core has.\n'
    return done
      ? `Commands ${from} to ${through} stand in the log again.\n`
      : `Commands ${from} to ${through} would be appended: say --yes.\n`
  })
}

async function rebuild(given: Given): Promise<void> {
  const { rebuildLog } = await loadCluster()
  const from = directoryOf(given)
  show(await rebuildLog(addressOfLog(given), from), given, ({ from: first, through }) => {
    const others = `Other cores begin with an empty directory${first === 1 ? '' : `, once the core of ${from} runs`}`
    return `Commands ${first} to ${through} stand in the new log. ${others}.\n`
  })
}
