/**
 * Addresses of the simulated networks: whose is one, what may be one, and the numbers of transactions.
 *
 * Made      of account number, coin and network alone: nobody has to keep them, and the same account always has the same
 * Reversed  the first digits carry the account number, mixed; the others must be those that follow from it
 * Shared    on a network with tags one address serves every account, and the tag carries the account number
 * Not here  checksums: no wallet of the world takes most of these for its own kind. Nobody has their private keys
 * Source    design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import { type NetworkName, networks } from './networks.ts'

const hex = '0123456789abcdef'
const base32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

interface Form {
  readonly prefix: string
  readonly digits: string
  /** How many follow the prefix. */
  readonly length: number
  /** What a withdrawal may go to. */
  readonly pattern: RegExp
}

const evm: Form = { prefix: '0x', digits: hex, length: 40, pattern: /^0x[0-9a-fA-F]{40}$/ }

const forms: Readonly<Record<NetworkName, Form>> = {
  BTC: {
    prefix: 'bc1q',
    digits: base32,
    length: 38,
    pattern: /^(?:bc1[02-9ac-hj-np-z]{11,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  },
  ERC20: evm,
  BEP20: evm,
  TRC20: { prefix: 'T', digits: base58, length: 33, pattern: /^T[1-9A-HJ-NP-Za-km-z]{33}$/ },
  SOL: { prefix: '', digits: base58, length: 44, pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ },
  XRP: { prefix: 'r', digits: base58, length: 33, pattern: /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/ },
  DOGE: { prefix: 'D8', digits: base58, length: 32, pattern: /^[DA9][1-9A-HJ-NP-Za-km-z]{25,33}$/ },
}

export interface Address {
  readonly address: string
  /** Empty on a network without tags. */
  readonly tag: string
}

/** Whether an address has the form of the network. */
export function isAddress(network: NetworkName, address: string): boolean {
  return forms[network].pattern.test(address)
}

/** A tag is a whole number of 32 bits. */
export function isTag(tag: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(tag) && Number(tag) < 2 ** 32
}

/** Where an account receives a coin over a network. */
export function depositAddress(network: NetworkName, coin: string, uid: number): Address {
  const seed = seedOf(network, coin)
  return networks[network].isTagged
    ? { address: addressFrom(forms[network], seed, 0), tag: String(mixed((uid ^ seed) >>> 0)) }
    : { address: addressFrom(forms[network], seed, uid), tag: '' }
}

/** The account number that an address and tag would be of; undefined: it is no address of the venue for this coin. */
export function addressOwner(network: NetworkName, coin: string, { address, tag }: Address): number | undefined {
  const form = forms[network]
  const seed = seedOf(network, coin)
  const given = form === evm ? address.toLowerCase() : address
  if (networks[network].isTagged) {
    return given === addressFrom(form, seed, 0) && isTag(tag) ? (unmixed(Number(tag)) ^ seed) >>> 0 : undefined
  }
  const uid = (unmixed(numberIn(form, given)) ^ seed) >>> 0
  return given === addressFrom(form, seed, uid) ? uid : undefined
}

/** The address from which the venue, or somebody outside, sends the transfer of this number. */
export function senderAddress(network: NetworkName, id: number, sender: 'venue' | 'outside'): string {
  const seed = seedOf(network, sender)
  return addressFrom(forms[network], seed, sender === 'venue' ? 0 : folded(id))
}

/** The number of the transaction that carries a transfer. */
export function transactionId(network: NetworkName, id: number): string {
  const seed = mixed(seedOf(network, 'transaction') ^ folded(id))
  if (network === 'SOL') return digitsFrom(base58, seed, 88)
  const digits = digitsFrom(hex, seed, 64)
  if (network === 'XRP') return digits.toUpperCase()
  return forms[network] === evm ? `0x${digits}` : digits
}

function addressFrom({ prefix, digits, length }: Form, seed: number, owner: number): string {
  const carried = mixed((owner ^ seed) >>> 0)
  const head = written(carried, digits)
  return prefix + head + digitsFrom(digits, mixed((mixed(carried) ^ seed) >>> 0), length - head.length)
}

/** 32 bits in as many digits as they may need, the lowest first. */
function written(number: number, digits: string): string {
  let text = ''
  let rest = number
  for (let place = 0; place < placesOf(digits); place++) {
    text += digits[rest % digits.length]
    rest = Math.floor(rest / digits.length)
  }
  return text
}

/** The number that an address begins with. */
function numberIn({ prefix, digits }: Form, address: string): number {
  let number = 0
  for (let place = placesOf(digits) - 1; place >= 0; place--) {
    number = number * digits.length + digits.indexOf(address[prefix.length + place] ?? digits[0])
  }
  return number >>> 0
}

function placesOf(digits: string): number {
  return digits === hex ? 8 : digits === base32 ? 7 : 6
}

function digitsFrom(digits: string, seed: number, length: number): string {
  let text = ''
  for (let place = 0; place < length; place++) text += digits[mixed((seed + place * 0x9e3779b9) >>> 0) % digits.length]
  return text
}

function seedOf(network: NetworkName, what: string): number {
  let seed = 0
  for (const letter of `${network} ${what}`) seed = mixed((seed ^ letter.charCodeAt(0)) >>> 0) + 1
  return mixed(seed >>> 0)
}

/** Both halves of a number below 2^53 as one. */
function folded(id: number): number {
  return mixed((id >>> 0) ^ mixed(Math.floor(id / 2 ** 32)))
}

/** Spreads 32 bits over each other; `unmixed` takes it back. */
function mixed(bits: number): number {
  let x = bits
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}

function unmixed(bits: number): number {
  let x = bits
  x = Math.imul(x ^ (x >>> 16), 0x43021123)
  x = Math.imul(x ^ (x >>> 15) ^ (x >>> 30), 0x1d69e2a5)
  return (x ^ (x >>> 16)) >>> 0
}
