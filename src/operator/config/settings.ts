/**
 * The settings of a venue: their names, defaults and meanings, for whoever asks without checking any (configuration.ts does).
 *
 * Names   one setting has one name in three spellings: `--operator-port`, `TIDEMARK_OPERATOR_PORT`, `operatorPort`
 * Light   every command of the command line loads this, so it loads nothing
 * Source  design.md §6
 */
import type { Configuration } from './schema.ts'

export type SettingName = keyof Configuration

export const defaults: Configuration = {
  host: '127.0.0.1',
  port: 8080,
  data: './data',
  operatorPort: 8081,
  operatorHost: '127.0.0.1',
  tlsCert: '',
  tlsKey: '',
  simulator: 'on',
  demoKeysOverHttp: 'user',
  seed: 1,
  past: 90,
  prices: [],
  mirror: '',
  mirrorStream: '',
  mirrorSymbols: [],
  noRateLimits: false,
  durability: 'sync',
  clock: 'system',
  clockLeapMsMax: 120_000,
  logLevel: 'info',
  trustedProxies: [],
  endpointLimits: [],
  callsPerAddressPerMinuteMax: 0,
  replyTimeoutMs: 10_000,
  leaderWait: 2_500,
  timestampWindowMs: 30_000,
  refuseReplays: false,
  dailyOrdersReminder: 0,
  dailyOrdersWarning: 0,
  dailyOrdersRestriction: 0,
  dailyWithdrawalsUsdMax: 5_000_000,
  v3Dialect: 'interface',
  snapshotEvery: 200_000,
  hashEvery: 1_000_000,
  keptRowsBytesMax: 64 * 1024 * 1024,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 1000,
  docs: 'on',
  metrics: 'public',
  streamConnectionsPerAddressMax: 100,
  streamSubscriptionsMax: 1000,
  streamBytesBufferedMax: 4 * 1024 * 1024,
  gateways: 0,
  postgres: '',
  listen: '',
  cluster: '',
  venue: 'tidemark',
  venueId: '',
  nats: [],
  natsMonitor: [],
  logSync: 'checked',
  logKeepMs: 600_000,
  logWaitMs: 86_400_000,
  readLease: 'on',
  peers: [],
  clusterCa: '',
  clusterCert: '',
  clusterKey: '',
  cores: [],
  status: '',
}

/** What each setting does, for `tidemark start --help`. */
const meanings: Readonly<Record<SettingName, string>> = {
  host: 'address to listen on; a demo venue only on loopback',
  port: 'port of the interface; 0: any free',
  data: 'directory of everything the venue keeps',
  operatorPort: 'port of the operator interface; 0: any free',
  operatorHost: 'address of the operator interface; beyond loopback only with --tls-cert',
  tlsCert: 'PEM file of the certificate, those who vouch for it behind it: clients speak HTTPS; read again on SIGHUP',
  tlsKey: 'PEM file of its private key',
  simulator: 'simulated prices and trading agents: on or off; of several cores a gateway runs them that is told on',
  demoKeysOverHttp:
    'who gets the keys of a demo venue from its terminal: its user, every user of the machine (open), nobody (off)',
  seed: 'seed of the simulated market',
  past: 'days of simulated candles and funding before the beginning of a new demo venue; 0: none',
  prices: 'CSV files of candles or trades that index prices follow, as FILE or COIN=FILE, separated by commas',
  mirror: 'URL of a venue whose books, trades and index prices this one follows; simulated agents are off then',
  mirrorStream: 'its public socket of v3, where that is elsewhere (wss://…/v3/ws/public)',
  mirrorSymbols:
    'what is mirrored, as SYMBOL or CATEGORY:SYMBOL, separated by commas; one that is not here is listed; none: all that both have',
  noRateLimits: 'refuse no request for its rate',
  durability: 'sync: acknowledged means on disk; os: the operating system writes when it likes',
  clock: 'system, or manual: time moves only by `tidemark clock advance`',
  clockLeapMsMax: 'a leap of the system clock beyond this is not followed until the operator accepts it',
  logLevel: 'trace, debug, info, warn, error, fatal or silent',
  trustedProxies: 'addresses whose X-Forwarded-For counts, separated by commas',
  endpointLimits: "limits of single endpoints in place of the interface's, as METHOD PATH=CALLS, separated by commas",
  callsPerAddressPerMinuteMax: 'calls of one address per minute, over all endpoints; 0: any number',
  replyTimeoutMs: 'a client waits this long for a reply, then the outcome is unknown (40010); 0: for ever',
  leaderWait:
    'a gateway lets a private call wait this long while no core leads or the log stands still, then 40015; public ones go on for 4 times, sockets for 12',
  timestampWindowMs: 'how far the timestamp of a signed request may be off',
  refuseReplays: 'refuse an identical signed state-changing request within the window',
  dailyOrdersReminder: 'orders of a main account and UTC day from which it is reminded; 0: never',
  dailyOrdersWarning: 'the same, warned',
  dailyOrdersRestriction: 'the same, refused',
  dailyWithdrawalsUsdMax:
    'USD that a main account and its sub-accounts may withdraw on chain in a UTC day; 0: any amount',
  v3Dialect: 'how v3 speaks where recorded messages and the interface differ: as the interface has it, or live',
  snapshotEvery: 'commands between two snapshots; 0: only the one at the end',
  hashEvery: 'of a core: commands after which all processes compare the hashes of their states; 0: never',
  keptRowsBytesMax: 'memory for newest fills, ended orders and bills of accounts that ask for them; 0: from disk alone',
  connectionsMax: 'connections of all clients at a time, HTTP and WebSocket; never more than there are files for',
  connectionsPerAddressMax: 'connections of one address at a time, HTTP and WebSocket; trusted proxies are not counted',
  docs: 'the reference at /docs and /api/openapi.json: on or off',
  metrics: 'where /metrics is told: public, or operator: on the port of the operator alone',
  streamConnectionsPerAddressMax: 'WebSocket connections of one address at a time',
  streamSubscriptionsMax: 'channels that one WebSocket connection may subscribe to',
  streamBytesBufferedMax: 'bytes that may wait for a slow reader of a WebSocket before it is disconnected',
  gateways: 'processes that clients speak to, beside one core; 0: one process for all (Linux)',
  postgres:
    'database of the history that `tidemark history` writes and gateways read: postgres://USER@HOST:PORT/DATABASE',
  listen:
    'HOST:PORT at which a core hears its gateways, beside the socket in its data directory; loopback with a token, or --cluster-cert',
  cores: 'HOST:PORT of the core, for gateways and history; none: the core of the same data directory',
  cluster: 'file of several cores that `tidemark cluster init` has written: their venue, log, database and addresses',
  venueId: 'which venue that has to be; none: whichever has that name',
  status: 'HOST:PORT at which /health and /metrics of this process are, beside where they are anyway',
  venue: 'of a core with --nats: the name that the log has (tidemark cluster init)',
  nats: 'of a core: addresses of the NATS servers that have the log, as nats://HOST:PORT, separated by commas; none: its own file',
  natsMonitor: 'their monitor ports, as http://HOST:PORT, separated by commas: each must say that it syncs what it has',
  logSync: 'checked: a core starts only where each NATS server syncs; unchecked: nobody looks, and health says so',
  logKeepMs: 'of a core with --nats: what came to the log in this time stays there, whoever needs it',
  logWaitMs:
    'of a core with --nats: how long what is old stays in the log for a core that is away; then that begins with the state of another',
  readLease: 'on: the core that leads answers reads for 600 ms without asking the log; off: it asks for each',
  peers: 'of a core with --nats: where the other cores listen, as HOST:PORT, separated by commas',
  clusterCa:
    'PEM file of the authority by whose certificates processes of the venue know each other, and servers with tls://',
  clusterCert: 'PEM file of the certificate that this process shows the others',
  clusterKey: 'PEM file of its private key, readable by its owner alone',
}

export const settingNames = Object.keys(defaults) as SettingName[]

export interface SettingHelp {
  /** As commander reads it: `--operator-port <value>`. */
  readonly flag: string
  readonly meaning: string
}

export function settingHelp(name: SettingName): SettingHelp {
  const byDefault = defaults[name]
  if (typeof byDefault === 'boolean') return { flag: optionOf(name), meaning: meanings[name] }
  const shown = Array.isArray(byDefault) || byDefault === '' ? 'none' : byDefault
  return { flag: `${optionOf(name)} <value>`, meaning: `${meanings[name]} (default ${shown})` }
}

export function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

export function variableOf(name: string): string {
  return `TIDEMARK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** Variables that are ours and no settings of the venue. */
export const otherVariables = [
  'TIDEMARK_CONFIG',
  'TIDEMARK_MASTER_KEY',
  'TIDEMARK_CLUSTER_TOKEN',
  'TIDEMARK_LAUNCHER',
  // What cores and gateways of one venue know one another by.
  'TIDEMARK_CLUSTER_TOKEN',
  // Of the command line: who calls, for the trail.
  'TIDEMARK_OPERATOR',
  // Of the command line, when it trades.
  'TIDEMARK_URL',
  'TIDEMARK_API_KEY',
  'TIDEMARK_SECRET',
  'TIDEMARK_PASSPHRASE',
]

/** The configuration is wrong: the message names every fault. */
export class ConfigurationWrong extends Error {
  override name = 'ConfigurationWrong'
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(defaults, name)
}
