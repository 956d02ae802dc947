/**
 * What each setting of a venue may hold, in words for whoever gave another.
 *
 * Source  design.md §6, §4.20, §4.38
 */
import Type, { type Static } from 'typebox'
import { isAddressRange } from '../address-range.ts'
import { type AddressForm, addressForms, hostAndPort } from './address-forms.ts'

const portMax = 65_535
const port = { minimum: 0, maximum: portMax, description: `a whole number from 0 (any free port) to ${portMax}` }
const orders = { minimum: 0, maximum: 1_000_000_000, description: 'a whole number of orders, 0 for no threshold' }

function wholeNumber(minimum: number, maximum: number, unit = '') {
  const what = `a whole number${unit === '' ? '' : ` of ${unit}`}`
  return Type.Integer({ minimum, maximum, description: `${what} from ${minimum} to ${maximum}` })
}

function oneOf<const Values extends readonly string[]>(...values: Values) {
  return Type.Enum<[...Values]>(values, { description: `one of ${values.join(', ')}` })
}

function listOf(form: AddressForm) {
  return Type.Array(textOf(form), { uniqueItems: true, description: `a list of ${form.shown}, none of them twice` })
}

function textOf({ pattern, shown }: AddressForm) {
  return Type.String({ pattern, description: shown })
}

/** Or none. */
function maybe({ pattern, shown }: AddressForm) {
  return Type.String({ pattern: `^$|${pattern}`, description: shown })
}

export const schema = Type.Object(
  {
    host: Type.String({ minLength: 1, description: 'a host name or address' }),
    port: Type.Integer(port),
    data: Type.String({ minLength: 1, description: 'a directory' }),
    operatorPort: Type.Integer(port),
    operatorHost: Type.String({ minLength: 1, description: 'a host name or address' }),
    tlsCert: Type.String({ description: 'a file' }),
    tlsKey: Type.String({ description: 'a file' }),
    simulator: oneOf('on', 'off'),
    demoKeysOverHttp: oneOf('user', 'open', 'off'),
    seed: wholeNumber(0, 2 ** 32 - 1),
    past: wholeNumber(0, 365, 'days'),
    prices: Type.Array(Type.String({ minLength: 1, description: 'FILE or COIN=FILE' }), {
      description: 'a list of FILE and COIN=FILE',
    }),
    mirror: Type.String({
      pattern: '^(https?://[^/ ]+/?)?$',
      description: 'an address such as https://api.example.com',
    }),
    mirrorStream: Type.String({ pattern: '^(wss?://[^ ]+)?$', description: 'an address of a WebSocket' }),
    mirrorSymbols: Type.Array(
      Type.String({ pattern: '^([A-Za-z-]+:)?[A-Za-z0-9]+$', description: 'SYMBOL or CATEGORY:SYMBOL' }),
      { description: 'a list of SYMBOL and CATEGORY:SYMBOL' },
    ),
    noRateLimits: Type.Boolean({ description: 'true or false' }),
    durability: oneOf('sync', 'os'),
    clock: oneOf('system', 'manual'),
    clockLeapMsMax: wholeNumber(1_000, 366 * 86_400_000, 'milliseconds'),
    logLevel: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    trustedProxies: Type.Array(
      Type.Refine(Type.String({ description: 'an address or an address range such as 10.0.0.0/8' }), isAddressRange),
      { description: 'a list of addresses and address ranges' },
    ),
    endpointLimits: Type.Array(
      Type.String({
        pattern: '^(GET|POST) /api/[^ =]+=[0-9]{1,9}$',
        description: 'METHOD PATH=CALLS, calls per second',
      }),
      { description: 'a list of METHOD PATH=CALLS' },
    ),
    callsPerAddressPerMinuteMax: wholeNumber(0, 1_000_000_000, 'calls'),
    replyTimeoutMs: wholeNumber(0, 600_000, 'milliseconds'),
    leaderWait: wholeNumber(500, 60_000, 'milliseconds'),
    timestampWindowMs: wholeNumber(1_000, 600_000, 'milliseconds'),
    refuseReplays: Type.Boolean({ description: 'true or false' }),
    dailyOrdersReminder: Type.Integer(orders),
    dailyOrdersWarning: Type.Integer(orders),
    dailyOrdersRestriction: Type.Integer(orders),
    dailyWithdrawalsUsdMax: wholeNumber(0, 90_000_000_000, 'USD'),
    v3Dialect: oneOf('interface', 'live'),
    snapshotEvery: wholeNumber(0, 1_000_000_000, 'commands'),
    hashEvery: wholeNumber(0, 1_000_000_000, 'commands'),
    keptRowsBytesMax: wholeNumber(0, 17_179_869_184, 'bytes'),
    connectionsMax: wholeNumber(1, 1_000_000, 'connections'),
    connectionsPerAddressMax: wholeNumber(1, 1_000_000, 'connections'),
    docs: oneOf('on', 'off'),
    metrics: oneOf('public', 'operator'),
    streamConnectionsPerAddressMax: wholeNumber(1, 1_000_000, 'connections'),
    streamSubscriptionsMax: wholeNumber(1, 100_000, 'subscriptions'),
    streamBytesBufferedMax: wholeNumber(65_536, 1_073_741_824, 'bytes'),
    gateways: wholeNumber(0, 64, 'processes'),
    postgres: maybe(addressForms.postgres),
    listen: maybe(hostAndPort),
    cores: listOf(addressForms.cores),
    cluster: Type.String({ description: 'a file' }),
    venueId: maybe(addressForms.venueId),
    status: maybe(hostAndPort),
    venue: textOf(addressForms.venue),
    nats: listOf(addressForms.nats),
    natsMonitor: listOf(addressForms.natsMonitor),
    logSync: oneOf('checked', 'unchecked'),
    logKeepMs: wholeNumber(1_000, 86_400_000, 'milliseconds'),
    logWaitMs: wholeNumber(1_000, 2_592_000_000, 'milliseconds'),
    readLease: oneOf('on', 'off'),
    peers: listOf(hostAndPort),
    clusterCa: Type.String({ description: 'a file' }),
    clusterCert: Type.String({ description: 'a file' }),
    clusterKey: Type.String({ description: 'a file' }),
  },
  { additionalProperties: false },
)

export type Configuration = Static<typeof schema>

/** Calls per second by `METHOD PATH`. */
export function endpointLimitsOf({ endpointLimits }: Configuration): Record<string, number> {
  return Object.fromEntries(
    endpointLimits.map((limit) => {
      const mark = limit.lastIndexOf('=')
      return [limit.slice(0, mark), Number(limit.slice(mark + 1))]
    }),
  )
}

/** Of `HOST:PORT`. */
export function placeOf(text: string): { readonly host: string; readonly port: number } {
  const mark = text.lastIndexOf(':')
  return { host: text.slice(0, mark).replace(/^\[|\]$/g, ''), port: Number(text.slice(mark + 1)) }
}
