/** API keys at rest: nothing secret in the file, everything back after a restart, nothing under the wrong master key. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isUsable } from '../../src/api/keys/keys.ts'
import { CannotStart } from '../../src/operator/data-directory.ts'
import { SealedKeyStore } from '../../src/operator/keys/key-store.ts'
import { readPermissions } from '../../src/operator/keys/permissions.ts'
import { judgePublicKey } from '../../src/operator/keys/public-key.ts'
import { masterSeal, Seal } from '../../src/operator/keys/seal.ts'

let directory: string
let file: string
const seal = new Seal(randomBytes(32))
const alice = { uid: 1001, permissions: ['read', 'uta_trade'], ipList: ['10.0.0.0/8'], label: 'bot' } as const

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-keys-'))
  file = join(directory, 'keys.sqlite')
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

function withStore<T>(use: (store: SealedKeyStore) => T, under = seal): T {
  const store = new SealedKeyStore(file, under)
  try {
    return use(store)
  } finally {
    store.close()
  }
}

function issue(asked: Parameters<SealedKeyStore['draft']>[0] = alice) {
  return withStore((store) => {
    const draft = store.draft(asked)
    store.keep(draft)
    return draft.issued
  })
}

test('a key has the form that clients expect, and comes back after a restart', () => {
  const issued = issue()
  expect(issued.apiKey).toMatch(/^tm_[0-9a-f]{32}$/)
  expect(issued.secret).toMatch(/^[0-9a-f]{64}$/)
  expect(issued.passphrase).toMatch(/^[A-Za-z0-9]{8,32}$/)
  expect(withStore((store) => store.find(issued.apiKey))).toEqual({
    ...alice,
    ...issued,
    kind: 'hmac',
    readOnly: false,
    createdAt: expect.closeTo(Date.now(), -5),
    revokedAt: undefined,
  })
})

test('neither secret nor passphrase is in any byte at rest, and nobody else may read the file', () => {
  const issued = issue({ ...alice, passphrase: 'correcthorse42' })
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name))
    expect(bytes.includes(issued.apiKey) || name !== 'keys.sqlite').toBe(true)
    expect(bytes.includes(issued.secret)).toBe(false)
    expect(bytes.includes(Buffer.from(issued.secret, 'hex'))).toBe(false)
    expect(bytes.includes('correcthorse42')).toBe(false)
  }
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a revoked key stays revoked, and is found as such', () => {
  const { apiKey } = issue()
  withStore((store) => {
    expect(store.revoke(apiKey)).toBe(true)
    expect(store.live(alice.uid)).toEqual([])
  })
  expect(withStore((store) => store.find(apiKey)?.revokedAt)).toBeGreaterThan(0)
  expect(withStore((store) => store.revoke('tm_unknown'))).toBe(false)
})

test('the same object is answered until the key changes', () => {
  const { apiKey } = issue()
  withStore((store) => {
    const before = store.find(apiKey)
    expect(store.find(apiKey)).toBe(before)
    store.revoke(apiKey)
    expect(store.find(apiKey)).not.toBe(before)
  })
})

test('another master key opens nothing', () => {
  issue()
  expect(() => withStore(() => {}, new Seal(randomBytes(32)))).toThrow(CannotStart)
})

describe('a file that was changed stops the start, and is named', () => {
  test.each([
    ['uid', '1002'],
    ['permissions', "'read,uta_trade,transfer'"],
    ['ip_list', "''"],
    ['revoked_at', 'NULL'],
    ['kind', "'rsa'"],
  ])('%s', (column, value) => {
    const { apiKey } = issue()
    withStore((store) => store.revoke(apiKey))
    const database = new DatabaseSync(file)
    database.exec(`UPDATE keys SET ${column} = ${value}`)
    database.close()
    expect(() => withStore(() => {})).toThrow(`the key ${apiKey} in ${file} is damaged`)
  })

  test('in any byte: refused, or every key is as it was', () => {
    const issued = [issue(), issue({ ...alice, uid: 1002, label: 'other' })]
    withStore((store) => store.revoke(issued[1].apiKey))
    const asKept = () => withStore((store) => issued.map(({ apiKey }) => store.find(apiKey)))
    const before = asKept()
    const sound = readFileSync(file)
    let refused = 0
    for (let at = 0; at < sound.length; at += 3) {
      const changed = Buffer.from(sound)
      changed[at] ^= 1 << (at % 8)
      writeFileSync(file, changed)
      try {
        expect(asKept(), `byte ${at}`).toEqual(before)
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(CannotStart)
        expect((error as Error).message).toContain(file)
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(300)
  })

  test('cut off, or something else', () => {
    issue()
    const sound = readFileSync(file)
    for (const bytes of [sound.subarray(0, 5_000), sound.subarray(0, -1_000), Buffer.alloc(5_000, 'x')]) {
      writeFileSync(file, bytes)
      expect(() => withStore(() => {}), `${bytes.length} bytes`).toThrow(CannotStart)
    }
  })
})

test('keys that were sealed by their name alone are taken over', () => {
  const issued = issue()
  const database = new DatabaseSync(file)
  const sealed = seal.close(JSON.stringify([issued.secret, issued.passphrase]), issued.apiKey)
  database.prepare('UPDATE keys SET sealed = ?').run(sealed)
  database.exec('PRAGMA user_version = 0')
  database.close()
  expect(withStore((store) => store.find(issued.apiKey))).toMatchObject({ secret: issued.secret })
  expect(withStore((store) => store.find(issued.apiKey))).toMatchObject({ secret: issued.secret })
})

test('a sealed secret that was moved to another key does not open', () => {
  const [first, second] = [issue(), issue()]
  const database = new DatabaseSync(file)
  const sealed = database.prepare('SELECT sealed FROM keys WHERE api_key = ?').get(first.apiKey)?.['sealed'] ?? null
  database.prepare('UPDATE keys SET sealed = ? WHERE api_key = ?').run(sealed, second.apiKey)
  database.close()
  expect(() => withStore(() => {})).toThrow(/damaged/)
})

describe('public keys in place of a secret', () => {
  const rsaOf = (modulusLength: number, publicExponent = 65_537) =>
    generateKeyPairSync('rsa', { modulusLength, publicExponent })
  const spki = (key: KeyObject) => String(key.export({ type: 'spki', format: 'pem' }))
  const [rsa, small, edwards] = [rsaOf(2048), rsaOf(1024), generateKeyPairSync('ed25519')]
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey
  const ed25519 = spki(edwards.publicKey)
  const pkcs8 = (key: KeyObject, more: object = {}) => String(key.export({ type: 'pkcs8', format: 'pem', ...more }))
  /** The same modulus with an exponent of one: whatever is written is its own signature. */
  const forgeable = createPublicKey({ key: { ...rsa.publicKey.export({ format: 'jwk' }), e: 'AQ' }, format: 'jwk' })

  test.each([
    // what                                   as PEM                                                      kind, or what is wrong
    ['RSA of 2,048 bits', spki(rsa.publicKey), 'rsa'],
    ['the same in its older form', String(rsa.publicKey.export({ type: 'pkcs1', format: 'pem' })), 'rsa'],
    ['Ed25519', ed25519, 'ed25519'],
    ['with blanks around it', `\n${ed25519}\n`, 'ed25519'],
    ['RSA of 2,047 bits', spki(rsaOf(2047).publicKey), 'RSA of 2047 bits'],
    ['RSA of 1,024 bits', spki(small.publicKey), 'RSA of 1024 bits'],
    ['RSA with the exponent 1', spki(forgeable), 'exponent 1'],
    ['RSA for PSS alone', spki(pss), 'of the type rsa-pss'],
    ['an elliptic curve', spki(elliptic), 'of the type ec'],
    ['an RSA private key', pkcs8(rsa.privateKey), 'private key'],
    ['in its older form', String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })), 'private key'],
    ['an Ed25519 private key', pkcs8(edwards.privateKey), 'private key'],
    ['encrypted', pkcs8(edwards.privateKey, { cipher: 'aes-256-cbc', passphrase: 'x' }), 'private key'],
    ['both halves', ed25519 + pkcs8(edwards.privateKey), 'private key'],
    ['two public keys', ed25519 + ed25519, 'no public key'],
    ['text before it', `mine: ${ed25519}`, 'no public key'],
    ['nothing in it', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', 'no public key'],
    ['no key at all', 'hello', 'no public key'],
    ['nothing', '', 'no public key'],
  ])('%s', (_, pem, expected) => {
    const judged = judgePublicKey(pem)
    expect('kind' in judged ? judged.kind : judged.fault).toContain(expected)
    expect('kind' in judged).toBe(expected === 'rsa' || expected === 'ed25519')
  })

  test.each([
    ['a weak one', spki(small.publicKey), 'RSA of 1024 bits, at least 2048 are needed'],
    ['a private one', pkcs8(rsa.privateKey), 'it is a private key'],
  ])('%s that was kept before is named, and not used', (_, pem, fault) => {
    const sound = issue({ ...alice, publicKey: spki(rsa.publicKey) })
    const kept = issue({ ...alice, publicKey: spki(rsa.publicKey) })
    const database = new DatabaseSync(file)
    const row = database.prepare('SELECT * FROM keys WHERE api_key = ?').get(kept.apiKey)!
    const { api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at } = row
    const boundTo = [api_key, uid, kind, permissions, read_only, ip_list, label, created_at, revoked_at]
    const sealed = seal.close(JSON.stringify([pem, kept.passphrase]), JSON.stringify(boundTo))
    database.prepare('UPDATE keys SET sealed = ? WHERE api_key = ?').run(sealed, kept.apiKey)
    database.close()
    withStore((store) => {
      expect(store.unfit().map(({ apiKey, fault: why }) => ({ apiKey, why }))).toEqual([
        { apiKey: kept.apiKey, why: fault },
      ])
      expect([sound, kept].map(({ apiKey }) => isUsable(store.find(apiKey)!))).toEqual([true, false])
      store.revoke(kept.apiKey)
      expect(store.unfit()).toEqual([])
    })
  })

  test('the store keeps it and issues no secret', () => {
    const issued = issue({ ...alice, publicKey: ed25519 })
    expect(issued.secret).toBe('')
    expect(withStore((store) => store.find(issued.apiKey))).toMatchObject({ kind: 'ed25519', secret: ed25519 })
  })
})

describe('the master key', () => {
  const master = () => join(directory, 'master.key')

  test('is made once, for the owner alone', () => {
    const sealed = masterSeal(master(), undefined).close('text', 'name')
    expect(statSync(master()).mode & 0o777).toBe(0o600)
    expect(masterSeal(master(), '').open(sealed, 'name')).toBe('text')
    expect(masterSeal(master(), undefined).open(sealed, 'other name')).toBeUndefined()
  })

  test('may come from the environment, and then is not written', () => {
    masterSeal(master(), 'ab'.repeat(32))
    expect(readdirSync(directory)).toEqual([])
  })

  test('must be one', () => {
    expect(() => masterSeal(master(), 'short')).toThrow('TIDEMARK_MASTER_KEY must hold 64 hexadecimal digits')
    writeFileSync(master(), 'nonsense')
    expect(() => masterSeal(master(), undefined)).toThrow('64 hexadecimal digits')
  })
})

test.each([
  [['read'], ['read']],
  [['read-only'], ['read']],
  [['READONLY'], ['read']],
  [['trade'], ['uta_trade', 'spot_trade', 'margin_trade', 'contract_trade']],
  [
    ['uta_mgt', 'read', 'read'],
    ['read', 'uta_mgt'],
  ],
  [
    ['withdraw', 'read'],
    ['read', 'withdraw'],
  ],
  [['all'], ['read', 'uta_trade', 'uta_mgt', 'spot_trade', 'margin_trade', 'contract_trade', 'transfer', 'withdraw']],
  [['read-and-write'], ['read', 'uta_trade', 'uta_mgt', 'spot_trade', 'margin_trade', 'contract_trade', 'transfer']],
  [[], undefined],
  [['fly'], undefined],
  [['constructor'], undefined],
])('permissions %j mean %j', (words, meant) => {
  expect(readPermissions(words)).toEqual(meant)
})
