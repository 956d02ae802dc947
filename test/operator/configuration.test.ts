/** How a venue is told to run: precedence, every fault named, and the texts people read. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withdrawnUsdPerDayDefault } from '../../src/engine/catalog/catalog.ts'
import { readConfiguration, shownConfiguration, type Sources } from '../../src/operator/config/configuration.ts'
import { makeCertificate } from '../support/certificate.ts'
import { ConfigurationWrong, settingNames } from '../../src/operator/config/settings.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-configuration-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Data in the test's own directory, so that no tidemark.json of the checkout is found. */
function read({ options = {}, environment = {}, ...rest }: Partial<Sources>) {
  return readConfiguration({ options: { data: directory, ...options }, environment, ...rest }).configuration
}

function faultsOf(sources: Partial<Sources>): string {
  try {
    read(sources)
  } catch (error) {
    if (error instanceof ConfigurationWrong) return error.message
    throw error
  }
  return 'no fault'
}

test('without anything said, the defaults of the command line', () => {
  expect(read({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    operatorPort: 8081,
    simulator: 'on',
    noRateLimits: false,
    durability: 'sync',
    clock: 'system',
    timestampWindowMs: 30_000,
    refuseReplays: false,
    trustedProxies: [],
    prices: [],
  })
})

test('a venue that nobody configured and its engine have one daily limit of withdrawals', () => {
  expect(read({}).dailyWithdrawalsUsdMax).toBe(withdrawnUsdPerDayDefault)
})

test('recorded prices are a list of files', () => {
  const [btc, all] = ['btc.csv', 'all.csv'].map((name) => join(directory, name))
  for (const file of [btc, all]) writeFileSync(file, '')
  expect(read({ options: { prices: `BTC=${btc}, ${all}` } }).prices).toEqual([`BTC=${btc}`, all])
})

test('the data directory is absolute, whatever was said', () => {
  expect(readConfiguration({ options: { data: 'some/where' }, environment: {} }).configuration.data).toBe(
    join(process.cwd(), 'some/where'),
  )
})

describe('precedence: command line, environment, file, default', () => {
  test.each([
    // option      variable     file        the port
    ['1', '2', 3, 1],
    [undefined, '2', 3, 2],
    [undefined, '', 3, 3],
    [undefined, undefined, 3, 3],
    [undefined, undefined, undefined, 8080],
  ])('option %s, variable %s, file %s: %d', (option, variable, file, port) => {
    if (file !== undefined) writeFileSync(join(directory, 'tidemark.json'), JSON.stringify({ port: file }))
    const found = read({ options: { port: option }, environment: { TIDEMARK_PORT: variable } })
    expect(found.port).toBe(port)
  })

  test('a file that was named is read in place of the one in the data directory', () => {
    const named = join(directory, 'other.json')
    writeFileSync(join(directory, 'tidemark.json'), JSON.stringify({ port: 1, seed: 1 }))
    writeFileSync(named, JSON.stringify({ port: 2 }))
    expect(read({ configFile: named }).port).toBe(2)
    expect(read({ environment: { TIDEMARK_CONFIG: named } }).port).toBe(2)
  })

  test('every kind of setting can come from the environment', () => {
    const environment = {
      TIDEMARK_NO_RATE_LIMITS: 'true',
      TIDEMARK_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      TIDEMARK_SIMULATOR: 'off',
      TIDEMARK_SEED: '4294967295',
    }
    expect(read({ environment })).toMatchObject({
      noRateLimits: true,
      trustedProxies: ['10.0.0.0/8', '::1'],
      simulator: 'off',
      seed: 4_294_967_295,
    })
  })
})

describe('a fault names the setting as it was given, its value and the rule', () => {
  test.each([
    [{ port: 'x' }, '--port "x": must be a whole number from 0 (any free port) to 65535'],
    [{ port: '65536' }, '--port 65536: must be'],
    [{ port: '-1' }, '--port -1: must be'],
    [{ port: '1e3' }, '--port "1e3": must be'],
    [{ port: '' }, '--port "": must be'],
    [{ host: '' }, '--host "": must be a host name or address'],
    [{ simulator: 'yes' }, '--simulator "yes": must be one of on, off'],
    [{ durability: 'SYNC' }, '--durability "SYNC": must be one of sync, os'],
    [{ clock: 'wall' }, '--clock "wall": must be one of system, manual'],
    [{ logLevel: 'loud' }, '--log-level "loud": must be one of trace'],
    [{ prices: 'BTC=a.csv', simulator: 'off' }, '--prices: needs --simulator on'],
    [{ past: '366' }, '--past 366: must be a whole number of days from 0 to 365'],
    [{ past: '-1' }, '--past -1: must be a whole number of days from 0 to 365'],
    [{ past: 'all' }, '--past "all": must be a whole number of days from 0 to 365'],
    [{ seed: '1.5' }, '--seed "1.5": must be a whole number from 0 to 4294967295'],
    [{ seed: '4294967296' }, '--seed 4294967296: must be'],
    [{ trustedProxies: '10.0.0.0/33' }, '--trusted-proxies "10.0.0.0/33": must be an address or an address range'],
    [{ endpointLimits: 'POST /api/v3/x=1,GET' }, '--endpoint-limits "GET": must be METHOD PATH=CALLS'],
    [{ endpointLimits: 'GET /api/v3/none=1' }, '--endpoint-limits "GET /api/v3/none=1": there is no such endpoint'],
    [{ endpointLimits: 'GET /api/v3/trade/place-order=1' }, 'place-order=1": there is no such endpoint'],
    [{ prices: 'BTC=absent.csv' }, '--prices "BTC=absent.csv": there is no such file'],
    [{ timestampWindowMs: '999' }, '--timestamp-window-ms 999: must be a whole number of milliseconds from 1000'],
    [{ dailyOrdersWarning: '-5' }, '--daily-orders-warning -5: must be a whole number of orders'],
    [{ port: '9000', operatorPort: '9000' }, '--operator-port 9000: must differ from --port'],
  ])('%j: %s', (options, fault) => {
    expect(faultsOf({ options })).toContain(fault)
  })

  test('given in the environment', () => {
    expect(faultsOf({ environment: { TIDEMARK_NO_RATE_LIMITS: 'maybe' } })).toBe(
      'the configuration is wrong: TIDEMARK_NO_RATE_LIMITS "maybe": must be true or false',
    )
  })

  test.each([
    ['{"port": "8080"}', 'port in '],
    ['{"porte": 1}', 'there is no such setting'],
    ['{"data": "elsewhere"}', 'this file is found by the data directory'],
    ['[]', 'must be one JSON object'],
    ['{', 'JSON'],
  ])('given in the file: %s', (content, fault) => {
    writeFileSync(join(directory, 'tidemark.json'), content)
    expect(faultsOf({})).toContain(fault)
  })

  test('a master key that is none, whose text is not repeated', () => {
    const short = 'c0ffee'
    const message = faultsOf({ environment: { TIDEMARK_MASTER_KEY: short } })
    expect(message).toBe('the configuration is wrong: TIDEMARK_MASTER_KEY: must hold 64 hexadecimal digits')
    expect(faultsOf({ environment: { TIDEMARK_MASTER_KEY: 'c0'.repeat(32) } })).toBe('no fault')
  })

  test('a data directory that is a file is not taken for a wrong file in it', () => {
    writeFileSync(join(directory, 'file'), '')
    expect(faultsOf({ options: { data: join(directory, 'file') } })).toBe('no fault')
  })

  test('a file that was named and is not there', () => {
    expect(faultsOf({ configFile: join(directory, 'absent.json') })).toContain('there is no such file')
  })

  test.each([
    // option    variable     file          the faults, besides the value that counts
    ['1', '2', '"x"', ['port in tidemark.json "x"']],
    ['1', 'x', '3', ['TIDEMARK_PORT "x"']],
    [undefined, '2', '"x"', ['port in tidemark.json "x"']],
    ['1', 'x', '-1', ['TIDEMARK_PORT "x"', 'port in tidemark.json -1']],
    ['x', 'y', '2', ['TIDEMARK_PORT "y"', '--port "x"']],
  ])('what is overridden too: option %s, variable %s, file %s', (option, variable, file, faults) => {
    writeFileSync(join(directory, 'tidemark.json'), `{"port": ${file}}`)
    const sources = { options: { data: directory, port: option }, environment: { TIDEMARK_PORT: variable } }
    expect(shownConfiguration(sources).faults.map((fault) => fault.replace(`${directory}/`, ''))).toEqual(
      faults.map((fault) => `${fault}: must be a whole number from 0 (any free port) to 65535`),
    )
    expect(faultsOf(sources)).not.toBe('no fault')
  })

  test('each wrong entry of a list', () => {
    const { faults } = shownConfiguration({ options: { trustedProxies: 'x,10.0.0.1,y' }, environment: {} })
    const rule = 'must be an address or an address range such as 10.0.0.0/8'
    expect(faults).toEqual([`--trusted-proxies "x": ${rule}`, `--trusted-proxies "y": ${rule}`])
  })

  test('all of them at once, however many', () => {
    const wrong = settingNames.filter((name) => !['data', 'host', 'operatorHost', 'prices'].includes(name))
    const { faults } = shownConfiguration({
      options: { data: directory, ...Object.fromEntries(wrong.map((name) => [name, `no ${name}`])) },
      environment: {},
    })
    expect(wrong.length).toBeGreaterThan(15)
    expect(faults).toHaveLength(wrong.length)
  })

  test.each([
    [{ nats: 'nats://n1:4222' }, '--nats: needs --nats-monitor, by which a core sees that the servers sync'],
    [
      { nats: 'nats://n1:4222', logSync: 'unchecked', listen: '10.0.0.1:7400' },
      '--listen "10.0.0.1:7400": must be loopback',
    ],
    [{ nats: 'nats://n1:4222', logSync: 'unchecked', clock: 'manual' }, '--nats: needs --clock system'],
    [{ nats: 'nats://n1:4222', logSync: 'unchecked', mirror: 'https://a.example' }, '--nats: not with --mirror'],
    [{ status: '127.0.0.1' }, '--status "127.0.0.1": must be HOST:PORT'],
    [{ listen: '127.0.0.1:65536' }, '--listen "127.0.0.1:65536": must be HOST:PORT'],
    [{ cores: '127.0.0.1:99999' }, '--cores "127.0.0.1:99999": must be HOST:PORT'],
    [{ peers: 'c1:1,c2:1,c1:1' }, '--peers ["c1:1","c2:1","c1:1"]: must be a list of HOST:PORT, none of them twice'],
    [{ nats: 'nats://n1:99999' }, '--nats "nats://n1:99999": must be nats://HOST:PORT'],
    [{ status: '127.0.0.1:9100', gateways: '2' }, '--status: not with --gateways, as all processes would be told the'],
  ])('of several processes: %j', (options, fault) => {
    expect(faultsOf({ options: { data: directory, ...options }, environment: {} })).toContain(fault)
  })

  describe('certificates of processes', () => {
    const own = makeCertificate({ name: 'Authority' })
    const good = () => certificateFiles({ ca: own.cert, ...makeCertificate({ by: own }) })

    /** Named in the environment. */
    function certificateFiles({ ca, cert, key }: { readonly ca: string; readonly cert: string; readonly key: string }) {
      const file = (name: string, text: string) => {
        const path = join(directory, name)
        writeFileSync(path, text, { mode: 0o600 })
        return path
      }
      return {
        TIDEMARK_CLUSTER_CA: file('ca.pem', ca),
        TIDEMARK_CLUSTER_CERT: file('own.pem', cert),
        TIDEMARK_CLUSTER_KEY: file('own.key', key),
      }
    }
    const fault = (environment: Readonly<Record<string, string>>) =>
      faultsOf({ options: { listen: '10.0.0.1:7400' }, environment }).replace(directory, '')

    test('let links go beyond loopback, without a token', () => {
      expect(read({ options: { listen: '10.0.0.1:7400' }, environment: good() }).listen).toBe('10.0.0.1:7400')
    })

    test.each([
      [
        'one of another authority',
        () => certificateFiles({ ca: own.cert, ...makeCertificate({ by: makeCertificate({ name: 'Other' }) }) }),
        'TIDEMARK_CLUSTER_CERT "/own.pem": must be of the --cluster-ca',
      ],
      [
        'one whose time is over',
        () => {
          const past = { from: new Date('2020-01-01'), until: new Date('2021-01-01') }
          return certificateFiles({ ca: own.cert, ...makeCertificate({ by: own, ...past }) })
        },
        'TIDEMARK_CLUSTER_CERT "/own.pem": has expired on 2021-01-01T00:00:00.000Z',
      ],
      [
        'the key of another',
        () => certificateFiles({ ca: own.cert, ...makeCertificate({ by: own }), key: own.key }),
        'TIDEMARK_CLUSTER_KEY "/own.key": must belong to the first certificate of --cluster-cert',
      ],
      [
        'a key that others can read',
        () => {
          const files = good()
          chmodSync(files.TIDEMARK_CLUSTER_KEY, 0o640)
          return files
        },
        'TIDEMARK_CLUSTER_KEY "/own.key": must be readable by its owner alone (chmod 600)',
      ],
      [
        'no file',
        () => ({ ...good(), TIDEMARK_CLUSTER_CA: '/nowhere/ca.pem' }),
        'TIDEMARK_CLUSTER_CA "/nowhere/ca.pem": there is no such file',
      ],
      [
        'no certificate',
        () => certificateFiles({ ca: own.cert, cert: 'x', key: own.key }),
        'TIDEMARK_CLUSTER_CERT "/own.pem": must be a certificate as PEM',
      ],
    ])('are refused in one line: %s', (_name, files, text) => {
      expect(fault(files())).toBe(`the configuration is wrong: ${text}`)
    })

    test('of PostgreSQL are verified as its address says', () => {
      const postgres = 'postgres://u@db.example:5432/venue?sslmode=verify-full&sslrootcert=/etc/venue/ca.pem'
      expect(read({ options: { postgres }, environment: {} }).postgres).toBe(postgres)
    })

    test('go together', () => {
      const { TIDEMARK_CLUSTER_CA } = good()
      expect(fault({ TIDEMARK_CLUSTER_CA })).toContain('--cluster-ca: needs --cluster-cert and --cluster-key')
    })
  })

  test('all of them at once', () => {
    const message = faultsOf({
      options: { port: 'x', simulator: 'yes' },
      strangers: ['--colour', 'red'],
      environment: { TIDEMARK_SEED: '-1' },
    })
    const named = ['--colour: there is no such option', 'red: not expected', '--port', '--simulator', 'TIDEMARK_SEED']
    for (const part of named) expect(message).toContain(part)
    expect(message).toContain('in 5 places')
  })
})

describe('the file of a cluster', () => {
  const id = '0b7a1c9e-7f0d-4e53-9d0c-3f1f8f4a2b11'
  const whole = {
    venue: 'main',
    venueId: id,
    nats: ['nats://n1:4222'],
    natsMonitor: ['http://n1:8222'],
    postgres: 'postgres://u@h/d',
  }
  const told = (content: object | string) => {
    const file = join(directory, 'cluster.json')
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return { data: directory, cluster: file }
  }

  test('says what nobody else says', () => {
    writeFileSync(join(directory, 'tidemark.json'), '{"postgres": "postgres://u@h/nearer"}')
    const options = { ...told(whole), venue: 'other' }
    const found = read({ options, environment: { TIDEMARK_NATS: 'nats://n2:4222' } })
    expect(found).toMatchObject({
      ...whole,
      venue: 'other',
      nats: ['nats://n2:4222'],
      postgres: 'postgres://u@h/nearer',
    })
  })

  test.each([
    ['{', ': Expected'],
    ['[]', ': must be one JSON object'],
    [{ ...whole, venueId: undefined }, 'venueId in cluster.json: is missing'],
    [{ ...whole, nats: undefined, venue: undefined }, 'nats in cluster.json: is missing'],
    [{ ...whole, port: '1' }, 'port in cluster.json: there is no such field'],
    [{ ...whole, nats: 'nats://n1:4222' }, 'nats in cluster.json: must be a list of texts'],
    [{ ...whole, nats: ['n1'] }, 'nats in cluster.json "n1": must be nats://HOST:PORT'],
    [{ ...whole, venueId: 'main' }, 'venueId in cluster.json "main": must be an id such as'],
    [{ ...whole, logSync: 'maybe' }, 'logSync in cluster.json "maybe": must be one of checked, unchecked'],
    [{ ...whole, natsMonitor: [] }, '--nats: needs --nats-monitor'],
  ])('is refused for each fault by its name: %j', (content, fault) => {
    expect(faultsOf({ options: told(content), environment: {} })).toContain(fault)
  })

  test('that is not there is no cluster', () => {
    const options = { data: directory, cluster: join(directory, 'none.json') }
    expect(faultsOf({ options, environment: {} })).toContain('none.json: there is no such file')
  })
})

test('both ports may be any free one', () => {
  expect(read({ options: { port: '0', operatorPort: '0' } })).toMatchObject({ port: 0, operatorPort: 0 })
})

test('a variable that only looks like a setting is told, not refused', () => {
  const environment = { TIDEMARK_PROT: '1', TIDEMARK_MASTER_KEY: '', TIDEMARK_LAUNCHER: '1', HOME: '/' }
  expect(readConfiguration({ options: { data: directory }, environment }).unknownVariables).toEqual(['TIDEMARK_PROT'])
})

test('every setting is shown with where it came from, and every fault, without a throw', () => {
  writeFileSync(join(directory, 'tidemark.json'), '{"seed": 7, "port": 9000, "color": "red"}')
  const { settings, faults, unknownVariables } = shownConfiguration({
    options: { data: directory, port: '1234', clock: 'sundial' },
    environment: { TIDEMARK_DURABILITY: 'os', TIDEMARK_PORT: '5678', TIDEMARK_COLOR: 'red' },
  })
  expect(settings.map(({ name }) => name)).toEqual(settingNames)
  const shown = Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest]))
  const file = join(directory, 'tidemark.json')
  expect(shown).toMatchObject({
    data: { value: directory, source: 'command line', as: '--data' },
    port: { value: 1234, source: 'command line', as: '--port' },
    durability: { value: 'os', source: 'environment', as: 'TIDEMARK_DURABILITY' },
    seed: { value: 7, source: 'file', as: `seed in ${file}` },
    clock: { value: 'sundial', source: 'command line', as: '--clock' },
    host: { value: '127.0.0.1', source: 'default', as: '' },
  })
  expect(faults).toEqual([
    `color in ${file}: there is no such setting`,
    '--clock "sundial": must be one of system, manual',
  ])
  expect(unknownVariables).toEqual(['TIDEMARK_COLOR'])
})
