/**
 * The command line as a client of the trading interface: signs as every client does, and knows of the venue only its
 * address.
 *
 * Keys     --api-key with --secret (or --private-key, a file) and --passphrase; else --as ROLE out of the demo keys; else
 *          TIDEMARK_API_KEY, TIDEMARK_SECRET, TIDEMARK_PASSPHRASE. A secret on the command line shows in lists of processes
 * Time     the venue's own, so that a manual clock or a wrong one here does not matter
 * Secrets  never in an answer or an error
 */
import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../operator/data-directory.ts'
import { dataOf, fileText, type Given, UsageWrong } from './command.ts'
import { runningVenue } from './operator-client.ts'
import { CallFailed, exchangeJson, type JsonRequest, NoVenue, type VenueAddress } from './venue-address.ts'

/** The venue refused, with its code. */
export class InterfaceRefused extends CallFailed {
  override name = 'InterfaceRefused'
  readonly code: string
  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}

interface Key {
  readonly apiKey: string
  readonly passphrase: string
  readonly signatureOf: (message: string) => string
}

interface Envelope {
  readonly code: string
  readonly msg: string
  readonly data: unknown
}

export function venueAddress(given: Given): VenueAddress {
  const named = given['url'] ?? (process.env['TIDEMARK_URL'] || undefined)
  if (named === undefined) return venueHere(dataOf(given))
  if (!URL.canParse(named) || !/^https?:/.test(named))
    throw new UsageWrong(`${named}: must look like http://127.0.0.1:8080`)
  return { url: named.replace(/\/+$/, '') }
}

/** The venue of a data directory. One of several cores is no client's address. */
function venueHere(data: string): VenueAddress {
  const venue = runningHere(data)
  if (!venue.url.startsWith('core:')) return venue
  throw new UsageWrong(`data directory ${data}: a core runs there, which no client speaks to: name a gateway by --url`)
}

function runningHere(data: string): VenueAddress {
  try {
    return runningVenue(data)
  } catch (error) {
    if (!(error instanceof NoVenue)) throw error
    throw new NoVenue(`${error.message}. --url or TIDEMARK_URL names one elsewhere`, { cause: error })
  }
}

/** What a call without a key answers. */
export async function publicData(
  address: VenueAddress,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<unknown> {
  const target = `${path}?${new URLSearchParams(query).toString()}`
  return dataOfEnvelope(await exchangeJson(address, { method: 'GET', target }, absentText(address)))
}

function absentText({ url }: VenueAddress): string {
  return `no venue answers at ${url}`
}

function dataOfEnvelope(answered: unknown): unknown {
  const { code, msg, data } = answered as Envelope
  if (code !== '00000') throw new InterfaceRefused(code, msg)
  return data
}

export class InterfaceClient {
  readonly #address: VenueAddress
  readonly #key: Key

  constructor(given: Given) {
    this.#key = keyOf(given)
    this.#address = venueAddress(given)
  }

  get(path: string, query: Readonly<Record<string, string | undefined>>): Promise<unknown> {
    const known = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const text = new URLSearchParams(known).toString()
    return this.#call('GET', text === '' ? path : `${path}?${text}`, '')
  }

  post(path: string, body: object): Promise<unknown> {
    return this.#call('POST', path, JSON.stringify(body))
  }

  async #call(method: string, target: string, body: string): Promise<unknown> {
    const { apiKey, passphrase, signatureOf } = this.#key
    const { serverTime } = (await this.#exchange({ method: 'GET', target: '/api/v2/public/time' })) as {
      serverTime: string
    }
    return this.#exchange({
      method,
      target,
      headers: {
        'ACCESS-KEY': apiKey,
        'ACCESS-SIGN': signatureOf(serverTime + method + target + body),
        'ACCESS-TIMESTAMP': serverTime,
        'ACCESS-PASSPHRASE': passphrase,
        ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === '' ? {} : { body }),
    })
  }

  async #exchange(request: JsonRequest): Promise<unknown> {
    return dataOfEnvelope(await exchangeJson(this.#address, request, absentText(this.#address)))
  }
}

function keyOf(given: Given): Key {
  if (given['apiKey'] === undefined && given['as'] !== undefined) return demoKey(dataOf(given), given['as'])
  const of = (option: string, variable: string) => given[option] ?? (process.env[variable] || undefined)
  const apiKey = of('apiKey', 'TIDEMARK_API_KEY')
  const passphrase = of('passphrase', 'TIDEMARK_PASSPHRASE')
  const secret = of('secret', 'TIDEMARK_SECRET')
  const { privateKey } = given
  if (apiKey === undefined)
    throw new UsageWrong('whose order? --as ROLE of the demo keys, or --api-key (TIDEMARK_API_KEY)')
  if (passphrase === undefined) throw new UsageWrong('--passphrase (TIDEMARK_PASSPHRASE) is required with --api-key')
  if (privateKey !== undefined) return { apiKey, passphrase, signatureOf: signerOf(privateKey) }
  if (secret === undefined)
    throw new UsageWrong('--secret (TIDEMARK_SECRET) or --private-key is required with --api-key')
  return { apiKey, passphrase, signatureOf: hmacOf(secret) }
}

function demoKey(data: string, role: string): Key {
  const file = join(data, 'demo-keys.json')
  let keys: { role: string; apiKey: string; secret: string; passphrase: string }[]
  try {
    keys = JSON.parse(readFileSync(file, 'utf8')) as typeof keys
  } catch (cause) {
    throw new CallFailed(`--as ${role}: the demo keys cannot be read: ${reasonOf(cause)}`, { cause })
  }
  const key = keys.find((candidate) => candidate.role === role)
  if (key === undefined) {
    throw new UsageWrong(`--as ${role}: must be one of ${keys.map((known) => known.role).join(', ')}`)
  }
  return { apiKey: key.apiKey, passphrase: key.passphrase, signatureOf: hmacOf(key.secret) }
}

function hmacOf(secret: string): Key['signatureOf'] {
  return (message) => createHmac('sha256', secret).update(message).digest('base64')
}

function signerOf(file: string): Key['signatureOf'] {
  const pem = fileText(file)
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (cause) {
    throw new UsageWrong(`${file}: must be an RSA or Ed25519 private key as PEM`, { cause })
  }
  const digest = key.asymmetricKeyType === 'rsa' ? 'sha256' : null
  return (message) => sign(digest, Buffer.from(message), key).toString('base64')
}
