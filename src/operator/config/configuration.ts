/**
 * The one place where the venue is told how to run: command line, environment, configuration file, default, in this
 * order of precedence.
 *
 * Names   and defaults: settings.ts; what each may hold: schema.ts
 * Cluster the file that `cluster` names comes behind the configuration file (cluster-file.ts)
 * File    one JSON object: the one that `--config` or TIDEMARK_CONFIG names, else <data>/tidemark.json if there is one
 * Holds   the configuration is checked whole, what is overridden too: either it is right, or every fault is named at once
 * Source  design.md §6, §4.1, §4.20, §4.38
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { endpoints } from '../../api/api.ts'
import { recordingOf } from '../../simulator/simulator.ts'
import { isLoopback } from '../address-range.ts'
import { Checker } from '../faults.ts'
import { masterKeyRule, isMasterKey } from '../keys/seal.ts'
import { withoutPassword } from './address-forms.ts'
import { readCertificate } from './certificate.ts'
import { readClusterCertificate } from './cluster-certificate.ts'
import { readClusterFile } from './cluster-file.ts'
import { type Configuration, placeOf, schema } from './schema.ts'
import {
  ConfigurationWrong,
  defaults,
  isSettingName,
  optionOf,
  otherVariables,
  settingNames,
  type SettingName,
  variableOf,
} from './settings.ts'

export interface Sources {
  /** Options of the command line as texts, by setting name; flags without a value as 'true'. */
  readonly options: Readonly<Record<string, string | undefined>>
  /** What the command line holds besides: each is a fault. */
  readonly strangers?: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly configFile?: string | undefined
}

export interface ReadConfiguration {
  readonly configuration: Configuration
  /** What somebody gave, and is not the default for want of that. */
  readonly told: ReadonlySet<SettingName>
  /** Variables that look like ours and are not: probably a slip of the pen. */
  readonly unknownVariables: readonly string[]
}

type SettingSource = 'command line' | 'environment' | 'file' | 'default'

interface Given {
  readonly value: unknown
  readonly source: SettingSource
  /** Where it was given, in the words that it was given by: `--port`, `TIDEMARK_PORT`, `port in tidemark.json`. */
  readonly as: string
}

const checker = new Checker(schema)

export function readConfiguration(sources: Sources): ReadConfiguration {
  const { whole, inForce, faults } = gather(sources)
  if (faults.length > 0 || !checker.accepts(whole)) throw new ConfigurationWrong(message(faults))
  return {
    configuration: { ...whole, data: resolve(whole.data) },
    told: new Set(inForce.keys()),
    unknownVariables: unknownVariables(sources.environment),
  }
}

/** One setting as it stands, for whoever asks why. */
export interface SettingShown {
  readonly name: SettingName
  readonly value: unknown
  readonly source: SettingSource
  /** How it was given there: `--port`, `TIDEMARK_PORT`, `port in data/tidemark.json`; empty: nobody gave it. */
  readonly as: string
}

export interface ShownConfiguration {
  readonly settings: readonly SettingShown[]
  /** As a start would name them. */
  readonly faults: readonly string[]
  readonly unknownVariables: readonly string[]
}

/** Every setting with where it came from, right or wrong. */
export function shownConfiguration(sources: Sources): ShownConfiguration {
  const { whole, inForce, faults } = gather(sources)
  const settings = settingNames.map((name): SettingShown => {
    const { source, as } = inForce.get(name) ?? { source: 'default', as: '' }
    const value = withoutPassword(whole[name])
    return { name, value: name === 'data' && typeof value === 'string' ? resolve(value) : value, source, as }
  })
  return { settings, faults, unknownVariables: unknownVariables(sources.environment) }
}

interface Gathered {
  /** Every setting as somebody gave it, else its default. */
  readonly whole: Record<string, unknown>
  readonly inForce: ReadonlyMap<SettingName, Given>
  readonly faults: string[]
}

function gather(sources: Sources): Gathered {
  const faults: string[] = (sources.strangers ?? []).map((stranger) =>
    stranger.startsWith('-') ? `${stranger}: there is no such option` : `${stranger}: not expected here`,
  )
  const given = new Map<SettingName, Given[]>(settingNames.map((name) => [name, []]))
  for (const [name, all] of given) {
    const option = sources.options[name]
    const variable = sources.environment[variableOf(name)]
    if (option !== undefined) all.push({ value: parsed(name, option), source: 'command line', as: optionOf(name) })
    if (variable !== undefined && variable !== '') {
      all.push({ value: parsed(name, variable), source: 'environment', as: variableOf(name) })
    }
  }
  addFile(sources, given, faults)
  addClusterFile(given, faults)

  const inForce = new Map<SettingName, Given>()
  const whole: Record<string, unknown> = { ...defaults }
  for (const [name, [first, ...overridden]] of given) {
    if (first === undefined) continue
    inForce.set(name, first)
    whole[name] = first.value
    for (const other of overridden)
      faults.push(...faultsOf({ ...defaults, [name]: other.value }, new Map([[name, other]])))
  }
  faults.push(
    ...faultsOf(whole, inForce),
    ...absentOnes(whole, inForce),
    ...contradictions(whole, sources.environment['TIDEMARK_CLUSTER_TOKEN']),
    ...wrongCertificate(whole, inForce),
    ...wrongClusterCertificate(whole, inForce),
  )
  const masterKey = sources.environment['TIDEMARK_MASTER_KEY']
  if (masterKey && !isMasterKey(masterKey)) faults.push(`TIDEMARK_MASTER_KEY: ${masterKeyRule}`)
  return { whole, inForce, faults }
}

/** Adds what the configuration file says, which gives way to whatever was said before it. */
function addFile(sources: Sources, given: ReadonlyMap<SettingName, Given[]>, faults: string[]): void {
  const named = sources.configFile ?? (sources.environment['TIDEMARK_CONFIG'] || undefined)
  const data = given.get('data')?.[0]?.value ?? defaults.data
  const path = named ?? join(typeof data === 'string' ? data : defaults.data, 'tidemark.json')
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const absent = code === 'ENOENT'
    // That the data directory is none, it will say itself.
    if ((absent || code === 'ENOTDIR') && named === undefined) return
    const why = absent ? 'there is no such file' : cause instanceof Error ? cause.message : String(cause)
    faults.push(`configuration file ${path}: ${why}`)
    return
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    faults.push(`configuration file ${path}: must be one JSON object`)
    return
  }
  for (const [name, value] of Object.entries(content)) {
    const as = `${name} in ${path}`
    if (!isSettingName(name)) faults.push(`${as}: there is no such setting`)
    else if (name === 'data' && named === undefined) faults.push(`${as}: this file is found by the data directory`)
    else given.get(name)?.push({ value, source: 'file', as })
  }
}

/** Adds what the file of the cluster says, which gives way to whatever was said before it. */
function addClusterFile(given: ReadonlyMap<SettingName, Given[]>, faults: string[]): void {
  const file = given.get('cluster')?.[0]?.value
  if (typeof file !== 'string' || file === '') return
  const found = readClusterFile(file)
  faults.push(...found.faults)
  for (const [name, value] of Object.entries(found.fields)) {
    given.get(name as SettingName)?.push({ value, source: 'file', as: `${name} in ${basename(file)}` })
  }
}

/** The text as the type that the setting has; as it is where it is not one, for the schema to refuse. */
function parsed(name: SettingName, text: string): unknown {
  const byDefault = defaults[name]
  if (typeof byDefault === 'number') return /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text
  if (typeof byDefault === 'boolean') return { true: true, '1': true, false: false, '0': false }[text] ?? text
  if (Array.isArray(byDefault)) {
    return text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  }
  return text
}

/** What a list names rightly, but is nowhere: an endpoint, a file. */
function absentOnes(whole: Record<string, unknown>, inForce: ReadonlyMap<SettingName, Given>): string[] {
  const absent = (name: 'endpointLimits' | 'prices', isThere: (entry: string) => boolean, rule: string): string[] => {
    const value = whole[name]
    if (!checker.accepts({ ...defaults, [name]: value })) return []
    const named = (value as readonly string[]).filter((entry) => !isThere(entry))
    return named.map((entry) => `${inForce.get(name)?.as} ${JSON.stringify(entry)}: ${rule}`)
  }
  const isEndpoint = (entry: string) => endpoints.some(({ method, path }) => entry.startsWith(`${method} ${path}=`))
  return [
    ...absent('prices', (recording) => existsSync(recordingOf(recording).file), 'there is no such file'),
    ...absent('endpointLimits', isEndpoint, 'there is no such endpoint'),
  ]
}

/** Rules between settings. */
function contradictions(whole: Record<string, unknown>, token: string | undefined): string[] {
  const {
    port,
    operatorPort,
    operatorHost,
    tlsCert,
    tlsKey,
    prices,
    simulator,
    gateways,
    clock,
    mirror,
    listen,
    cores,
    peers,
    nats,
    natsMonitor,
    logSync,
    status,
  } = whole
  const found: string[] = []
  if (port !== 0 && port === operatorPort)
    found.push(`--operator-port ${String(operatorPort)}: must differ from --port`)
  if (!isGiven(tlsKey) && isGiven(tlsCert)) found.push('--tls-cert: needs --tls-key')
  if (!isGiven(tlsCert) && isGiven(tlsKey)) found.push('--tls-key: needs --tls-cert')
  if (typeof operatorHost === 'string' && operatorHost !== '' && !isLoopback(operatorHost) && !isGiven(tlsCert)) {
    found.push(`--operator-host ${JSON.stringify(operatorHost)}: needs --tls-cert and --tls-key, as it is not loopback`)
  }
  if (simulator === 'off' && Array.isArray(prices) && prices.length > 0) {
    found.push('--prices: needs --simulator on, which follows them')
  }
  if (isGiven(mirror) && Array.isArray(prices) && prices.length > 0) {
    found.push('--prices: does not go with --mirror, which has prices of its own')
  }
  for (const name of ['mirrorStream', 'mirrorSymbols'] as const) {
    const value = whole[name]
    if (!isGiven(mirror) && (isGiven(value) || (Array.isArray(value) && value.length > 0)))
      found.push(`${optionOf(name)}: needs --mirror`)
  }
  const files = clusterNames.filter((name) => isGiven(whole[name]))
  const hasFiles = files.length === clusterNames.length
  if (files.length > 0 && !hasFiles) {
    const lacking = clusterNames.filter((name) => !files.includes(name)).map(optionOf)
    found.push(`${optionOf(files[0])}: needs ${lacking.join(' and ')}`)
  }
  for (const [option, places] of Object.entries({ '--listen': [listen], '--cores': cores, '--peers': peers })) {
    if (hasFiles) break
    // Of those that are places at all.
    const named = ((Array.isArray(places) ? places : []) as unknown[]).filter(
      (place): place is string => typeof place === 'string' && /^[^/]+:[0-9]+$/.test(place),
    )
    const beyond = named.find((place) => !isLoopback(placeOf(place).host))
    if (beyond !== undefined) {
      found.push(`${option} ${JSON.stringify(beyond)}: must be loopback, as links have no TLS without --cluster-cert`)
    }
    if (named.length > 0 && !isClusterToken(token)) found.push(`${option}: needs ${tokenRule}`)
  }
  if (gateways !== 0 && Number.isInteger(gateways) && isGiven(status)) {
    found.push('--status: not with --gateways, as all processes would be told the same')
  }
  if (Array.isArray(nats) && nats.some((url) => /^(nats|tls):/.test(String(url)))) {
    if (logSync === 'checked' && Array.isArray(natsMonitor) && natsMonitor.length === 0) {
      found.push('--nats: needs --nats-monitor, by which a core sees that the servers sync, or --log-sync unchecked')
    }
    if (clock === 'manual') found.push('--nats: needs --clock system, which all cores have')
    if (isGiven(mirror)) found.push('--nats: not with --mirror, which needs one process')
  }
  return found
}

const clusterNames = ['clusterCa', 'clusterCert', 'clusterKey'] as const

const tokenRule = 'TIDEMARK_CLUSTER_TOKEN, the same at the core and at who comes, of at least 32 characters'

function isClusterToken(token: string | undefined): boolean {
  return token !== undefined && token.length >= 32
}

function isGiven(file: unknown): file is string {
  return typeof file === 'string' && file !== ''
}

/** Files that are no certificate with its key. */
function wrongCertificate(
  { tlsCert, tlsKey }: Record<string, unknown>,
  inForce: ReadonlyMap<SettingName, Given>,
): string[] {
  if (!isGiven(tlsCert) || !isGiven(tlsKey)) return []
  const files = { tlsCert, tlsKey }
  const read = readCertificate(files)
  if (!('faults' in read)) return []
  return read.faults.map(({ of, rule }) => `${inForce.get(of)?.as} ${JSON.stringify(files[of])}: ${rule}`)
}

/** Files by which no other process would know this one. */
function wrongClusterCertificate(
  { clusterCa, clusterCert, clusterKey }: Record<string, unknown>,
  inForce: ReadonlyMap<SettingName, Given>,
): string[] {
  if (!isGiven(clusterCa) || !isGiven(clusterCert) || !isGiven(clusterKey)) return []
  const files = { clusterCa, clusterCert, clusterKey }
  const read = readClusterCertificate(files)
  if (!('faults' in read)) return []
  return read.faults.map(({ of, rule }) => `${inForce.get(of)?.as} ${JSON.stringify(files[of])}: ${rule}`)
}

function faultsOf(whole: Record<string, unknown>, inForce: ReadonlyMap<SettingName, Given>): string[] {
  return checker.faults(whole).map(({ field, rule }) => {
    const [name = '', ...entry] = field.split('.')
    const as = isSettingName(name) ? inForce.get(name)?.as : undefined
    // Of a list the entry that is wrong.
    const value = entry.reduce((list, index) => (list as Record<string, unknown>)[index], whole[name])
    return `${as ?? optionOf(name)} ${JSON.stringify(withoutPassword(value))}: ${rule}`
  })
}

function message(faults: readonly string[]): string {
  return faults.length === 1
    ? `the configuration is wrong: ${faults[0]}`
    : `the configuration is wrong in ${faults.length} places:\n${faults.map((fault) => `  ${fault}`).join('\n')}`
}

function unknownVariables(environment: Sources['environment']): string[] {
  const known = new Set([...settingNames.map(variableOf), ...otherVariables])
  return Object.keys(environment).filter((name) => name.startsWith('TIDEMARK_') && !known.has(name))
}
