/** A certificate and its key as two files say them: what is refused, in whose words, and what is only said. */
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCertificate } from '../../src/operator/config/certificate.ts'
import { readConfiguration, shownConfiguration } from '../../src/operator/config/configuration.ts'
import { openOperatorListener } from '../../src/operator/listener.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { fakeVenue } from './fake-core.ts'

const directory = temporaryDirectory('certificate')
const authority = makeCertificate({ name: 'Authority' })
const made = makeCertificate({ by: authority })
const stranger = makeCertificate()
const long = new Date('2021-01-01T00:00:00Z')
const longAgo = new Date('2022-03-04T05:06:07Z')
const later = new Date('2090-01-01T00:00:00Z')
const { cert, key } = made
const encrypted = made.privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'secret',
}) as string
const short = generateKeyPairSync('rsa', { modulusLength: 1024 })

function file(name: string, text: string | undefined): string {
  const path = join(directory, name)
  if (text !== undefined) writeFileSync(path, text)
  return path
}

function filesOf(certText: string | undefined, keyText: string | undefined) {
  const name = `${Math.random()}`
  return { tlsCert: file(`${name}.cert`, certText), tlsKey: file(`${name}.key`, keyText) }
}

test.each([
  ['alone', cert, key],
  ['with its authority behind it', cert + authority.cert, key],
  [
    'with lines that end as elsewhere, and words around it',
    `Mine:\n${cert.replaceAll('\n', '\r\n')}\nthat was it`,
    key,
  ],
  ['with an older form of its key', cert, String(made.privateKey.export({ type: 'sec1', format: 'pem' }))],
])('what is right is taken: %s', (_what, certText, keyText) => {
  expect(readCertificate(filesOf(certText, keyText))).toMatchObject({
    warnings: [],
    expiresAt: expect.any(Date) as Date,
  })
})

describe('what is wrong is named by the setting that it was given in', () => {
  const rules = [
    // certificate, key                                   what is said of the one, of the other
    [undefined, key, 'there is no such file', undefined],
    [cert, undefined, undefined, 'there is no such file'],
    [undefined, undefined, 'there is no such file', 'there is no such file'],
    ['', '', 'must be a certificate as PEM', 'must be a private key as PEM'],
    ['nonsense', key, 'must be a certificate as PEM', undefined],
    [key, cert, 'must be a certificate as PEM', 'must be a private key as PEM'],
    [cert.replace('MII', 'AII'), key, 'certificate 1 in it is damaged', undefined],
    [cert + authority.cert.slice(0, 200) + authority.cert.slice(260), key, 'certificate 2 in it is damaged', undefined],
    [cert, encrypted, undefined, 'must not be encrypted'],
    [cert, stranger.key, undefined, 'must belong to the first certificate of --tls-cert'],
    [authority.cert + cert, key, undefined, 'must belong to the first certificate of --tls-cert'],
    [
      cert,
      String(short.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      undefined,
      'must belong to the first certificate of --tls-cert',
    ],
  ] as const
  test.each(rules)('%#', (certText, keyText, ofCert, ofKey) => {
    const files = filesOf(certText, keyText)
    const expected = [
      ...(ofCert === undefined ? [] : [{ of: 'tlsCert', rule: ofCert }]),
      ...(ofKey === undefined ? [] : [{ of: 'tlsKey', rule: ofKey }]),
    ]
    expect(readCertificate(files)).toEqual({ faults: expected })
    const options = { data: directory, tlsCert: files.tlsCert }
    const environment = { TIDEMARK_TLS_KEY: files.tlsKey }
    expect(shownConfiguration({ options, environment }).faults).toEqual([
      ...(ofCert === undefined ? [] : [`--tls-cert "${files.tlsCert}": ${ofCert}`]),
      ...(ofKey === undefined ? [] : [`TIDEMARK_TLS_KEY "${files.tlsKey}": ${ofKey}`]),
    ])
    expect(() => readConfiguration({ options, environment })).toThrow('the configuration is wrong')
  })

  test('a directory, and a file that may not be read', () => {
    const { tlsCert } = filesOf(cert, undefined)
    expect(readCertificate({ tlsCert, tlsKey: directory })).toEqual({
      faults: [{ of: 'tlsKey', rule: expect.stringMatching(/^cannot be read: EISDIR/) as string }],
    })
    const closed = filesOf(cert, key)
    chmodSync(closed.tlsKey, 0o000)
    if (process.getuid?.() === 0) return
    expect(readCertificate(closed)).toEqual({
      faults: [{ of: 'tlsKey', rule: expect.stringMatching(/^cannot be read: EACCES/) as string }],
    })
  })
})

test.each([
  [{ tlsCert: 'a.pem' }, '--tls-cert: needs --tls-key'],
  [{ tlsKey: 'a.pem' }, '--tls-key: needs --tls-cert'],
  [{ operatorHost: '0.0.0.0' }, '--operator-host "0.0.0.0": needs --tls-cert and --tls-key, as it is not loopback'],
  [{ operatorHost: 'venue.example' }, '--operator-host "venue.example": needs --tls-cert and --tls-key'],
  [{ operatorHost: '' }, '--operator-host "": must be a host name or address'],
])('rules between settings: %j', (options, fault) => {
  const { faults } = shownConfiguration({ options: { data: directory, ...options }, environment: {} })
  expect(faults).toEqual([expect.stringContaining(fault)])
})

test.each(['127.0.0.1', 'localhost', '127.9.9.9', '::1'])('loopback needs no certificate: %s', (operatorHost) => {
  expect(shownConfiguration({ options: { data: directory, operatorHost }, environment: {} }).faults).toEqual([])
})

test('the operator’s listener itself does not open beyond loopback without one', async () => {
  const options = { host: '0.0.0.0', port: 0, token: 'x', log: undefined as never }
  await expect(openOperatorListener(fakeVenue().ports, options)).rejects.toThrow('needs TLS on 0.0.0.0')
})

test.each([
  ['over', { from: long, until: longAgo }, 'has expired on 2022-03-04T05:06:07.000Z'],
  ['to come', { from: later, until: later }, 'is not valid before 2090-01-01T00:00:00.000Z'],
])('a certificate whose time is %s is taken, and the date is said', (_what, times, said) => {
  const wrong = makeCertificate({ name: 'venue', ...times })
  const files = filesOf(wrong.cert, wrong.key)
  expect(readCertificate(files)).toMatchObject({
    cert: wrong.cert,
    warnings: [`the certificate CN=venue of ${files.tlsCert} ${said}`],
  })
  expect(shownConfiguration({ options: { data: directory, ...files }, environment: {} }).faults).toEqual([])
  const chained = makeCertificate({ by: wrong })
  const chain = filesOf(chained.cert + wrong.cert, chained.key)
  expect(readCertificate(chain)).toMatchObject({ warnings: [`the certificate CN=venue of ${chain.tlsCert} ${said}`] })
})

test('a key that is too short for anybody to agree on is refused', () => {
  const weak = makeCertificate({ by: authority, keys: short })
  expect(readCertificate(filesOf(weak.cert, weak.key))).toEqual({
    faults: [{ of: 'tlsCert', rule: expect.stringMatching(/^cannot be used: .*key too small/) as string }],
  })
})
