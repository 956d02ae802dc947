/**
 * deploy/cluster/: a venue of several processes, as compose and systemd start it, and who watches it. What the files name is there, the
 * processes take what they are told, ports are the same wherever they are named, and every metric is told by a process.
 *
 * Where they are   nats-server, nginx, promtool and systemd-analyze check their files themselves. NGINX and PROMTOOL name programs that
 *                  are not on the path
 * Not here         no image is built, and no container is run
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { ClusterVenue } from './cluster/processes.ts'
import { freePorts } from './gateway/processes.ts'
import { NatsCluster, natsServer } from './support/nats.ts'
import { launchedPostgres } from './support/postgres.ts'
import { Scraped } from './support/scraped.ts'
import { sooner } from './support/sooner.ts'
import { temporaryDirectory } from './support/temporary.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const folder = join(checkout, 'deploy/cluster')
const file = (name: string) => readFileSync(join(folder, name), 'utf8')
const composeText = readFileSync(join(checkout, 'deploy/compose.cluster.yaml'), 'utf8')
const timeout = 120_000

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly network_mode?: string
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>
  readonly profiles?: readonly string[]
}

const compose = parse(composeText, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
}
const { services } = compose
const ofRole = (role: string) => Object.values(services).filter(({ command }) => command?.[0] === role)
const nats = Object.values(services).filter(({ image }) => image.startsWith('nats:'))

const secrets: Readonly<Record<string, string>> = {
  TIDEMARK_CLUSTER_TOKEN: 'c'.repeat(32),
  TIDEMARK_MASTER_KEY: 'a'.repeat(64),
  POSTGRES_PASSWORD: 'secret',
}

/** As compose fills in what it is told. */
function environmentOf({ environment = {} }: Service): Record<string, string> {
  const filled = Object.entries(environment).map(([name, value]): [string, string] => [
    name,
    String(value).replace(/\$\{(\w+):\?[^}]*\}/g, (_, secret: string) => secrets[secret]),
  ])
  return Object.fromEntries(filled)
}

/** The settings that a process has with these words and variables. Whatever is wrong with them fails. */
function settingsOf(words: readonly string[], environment: Readonly<Record<string, string>>): Record<string, unknown> {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...sooner, join(checkout, 'src/cli/cli.ts'), 'config', 'show', '--json', ...words],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], TIDEMARK_DATA: '/data', ...environment } },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown }[] }
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]))
}

const composed = (role: string) =>
  ofRole(role).map((service) => settingsOf(service.command!.slice(1), environmentOf(service)))

describe('compose.cluster.yaml', () => {
  let cores: ReturnType<typeof composed>
  let gateways: ReturnType<typeof composed>
  let histories: ReturnType<typeof composed>
  beforeAll(() => {
    ;[cores, gateways, histories] = ['core', 'gateway', 'history'].map(composed)
  }, timeout)

  test('has three NATS servers, three cores, two gateways, a history, PostgreSQL and nginx', () => {
    expect([nats, cores, gateways, histories].map(({ length }) => length)).toEqual([3, 3, 2, 1])
    expect([services['postgres'].image, services['nginx'].image]).toEqual([
      expect.stringMatching(/^postgres:/),
      expect.stringMatching(/^nginx:/),
    ])
    expect(services['log']).toMatchObject({ command: ['cluster', 'init'], profiles: ['once'], restart: 'no' })
  })

  test('all share one loopback, and one port of it is published: that of nginx', () => {
    const apart = Object.entries(services).filter(([, { network_mode: mode }]) => mode !== 'service:net')
    expect(apart.map(([name]) => name)).toEqual(['net', 'empty1', 'empty2', 'empty3'])
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:8080:8080'])
    expect(file('nginx.conf')).toContain('listen 8080;')
  })

  test('each core names itself and the others, and all name the same', () => {
    const listens = cores.map(({ listen }) => listen)
    expect(new Set(listens).size).toBe(3)
    for (const { listen, peers } of cores) expect(peers).toEqual(listens.filter((other) => other !== listen))
    for (const { cores: followed } of [...gateways, ...histories]) expect(followed).toEqual(listens)
    const ports = nats.map(({ environment }) => environment!)
    for (const core of cores) {
      expect(core['nats']).toEqual(ports.map(({ CLIENT }) => `nats://127.0.0.1:${CLIENT}`))
      expect(core['natsMonitor']).toEqual(ports.map(({ MONITOR }) => `http://127.0.0.1:${MONITOR}`))
      expect(core['logSync']).toBe('checked')
    }
    expect(/routes: \[(.*)\]/.exec(file('nats.conf'))![1].split(', ')).toEqual(
      ports.map(({ ROUTE }) => `nats://127.0.0.1:${ROUTE}`),
    )
    const all = [...cores, ...gateways, ...histories]
    const taken = all.flatMap(({ status, operatorPort, port }) => [status, operatorPort, port])
    expect(new Set(all.map(({ status }) => status)).size).toBe(6)
    expect(taken).not.toContain('')
    for (const { postgres } of all) expect(postgres).toBe('postgres://tidemark@127.0.0.1:5432/venue')
    for (const { trustedProxies } of gateways) expect(trustedProxies).toEqual(['127.0.0.1'])
  })

  test('what is mounted is there, and what is waited for too', () => {
    for (const { volumes = [], depends_on: before = [] } of Object.values(services)) {
      for (const volume of volumes) {
        const [from] = volume.split(':')
        if (from.startsWith('./')) expect(existsSync(join(checkout, 'deploy', from))).toBe(true)
        else expect(Object.keys(compose.volumes)).toContain(from)
      }
      for (const name of Array.isArray(before) ? (before as string[]) : Object.keys(before)) {
        expect(Object.keys(services)).toContain(name)
      }
    }
    const asked = [...composeText.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    const given = [...file('cluster.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name)
    expect([...new Set(asked)].sort()).toEqual(given.sort())
  })

  test('who watches scrapes each of them, and nginx has both gateways', () => {
    const { scrape_configs: jobs, rule_files: rules } = parse(file('prometheus.yml')) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
      rule_files: string[]
    }
    const scraped = Object.fromEntries(
      jobs.map(({ job_name: name, static_configs: places }) => [name, places.flatMap(({ targets }) => targets)]),
    )
    const status = (all: typeof cores) => all.map((one) => one['status'])
    expect(scraped).toEqual({
      'tidemark-core': status(cores),
      'tidemark-gateway': status(gateways),
      'tidemark-history': status(histories),
    })
    expect(rules).toEqual(['alarms.yml'])
    const servers = [...file('nginx.conf').matchAll(/^ *server (\S+) max_fails=1/gm)].map(([, server]) => server)
    expect(servers).toEqual(gateways.map(({ port }) => `127.0.0.1:${String(port)}`))
  })

  test.skipIf(natsServer === undefined)('each NATS server takes its file, and syncs', () => {
    expect(file('nats.conf')).toMatch(/^ *sync_interval: always$/m)
    for (const { environment } of nats) {
      const env = Object.fromEntries(Object.entries(environment!).map(([name, value]) => [name, String(value)]))
      const { status, stderr } = spawnSync(natsServer!, ['-t', '-c', join(folder, 'nats.conf')], {
        encoding: 'utf8',
        env,
      })
      expect([status, stderr]).toEqual([0, expect.stringContaining('valid')])
    }
  })
})

describe('systemd', () => {
  const units = readdirSync(join(folder, 'systemd'))
  const shared = {
    TIDEMARK_CLUSTER_TOKEN: secrets['TIDEMARK_CLUSTER_TOKEN'],
    TIDEMARK_POSTGRES: 'postgres://tidemark@127.0.0.1:5432/venue',
  }
  const nothing: Record<string, string> = {}
  const more: Readonly<Record<string, Record<string, string>>> = {
    core: { TIDEMARK_NATS: 'nats://127.0.0.1:4222', TIDEMARK_NATS_MONITOR: 'http://127.0.0.1:8222' },
    gateway: { TIDEMARK_CORES: '127.0.0.1:7401,127.0.0.1:7402' },
    history: { TIDEMARK_CORES: '127.0.0.1:7401,127.0.0.1:7402' },
  }

  test.each(['core', 'gateway', 'history'])('a %s takes what its unit and its files say', (role) => {
    const text = file(`systemd/tidemark-${role}@.service`)
    const directives = new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
    const [program, command, ...words] = directives.get('ExecStart')!.replaceAll('%i', '1').split(' ')
    expect([program, command]).toEqual(['/usr/bin/tidemark', role])
    const own = Object.fromEntries([...text.matchAll(/^# {3}(\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]))
    expect(Object.keys(own)).toContain('TIDEMARK_STATUS')
    const settings = settingsOf(words, { ...shared, ...(more[role] ?? nothing), ...own })
    expect(settings).toMatchObject({ data: `/var/lib/tidemark/${role}-1`, status: own['TIDEMARK_STATUS'] })
    // What somebody has to look at is not tried for ever; a gateway that differs begins anew.
    expect(directives.get('RestartPreventExitStatus')).toBe(role === 'gateway' ? '2' : '2 3')
    expect(Number(directives.get('TimeoutStopSec'))).toBeGreaterThan(35)
  })

  test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('reads the units', () => {
    const copies = temporaryDirectory('units')
    mkdirSync(copies, { recursive: true })
    const paths = units.map((name) => {
      const path = join(copies, name.replace('@', '@1'))
      writeFileSync(path, file(`systemd/${name}`).replace('/usr/bin/tidemark', process.execPath))
      return path
    })
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' })
    expect(stderr.split('\n').filter((line) => line.includes('tidemark-'))).toEqual([])
  })
})

const nginx = process.env['NGINX'] ?? 'nginx'

describe('nginx.conf', () => {
  const text = file('nginx.conf')

  test('an order that was sent is not sent again, and WebSocket is passed on', () => {
    for (const line of [
      'proxy_next_upstream error;',
      'proxy_set_header X-Forwarded-For $remote_addr;',
      'proxy_set_header Upgrade    $http_upgrade;',
      'proxy_set_header Connection $connection_kind;',
      'proxy_buffering    off;',
      'keepalive 256;',
    ]) {
      expect(text).toContain(line)
    }
    expect(text.replace(/#.*$/gm, '')).not.toContain('non_idempotent')
    expect(Number(/^ *keepalive_timeout (\d+)s;/m.exec(text)![1])).toBeLessThan(67)
  })

  describe.skipIf(spawnSync(nginx, ['-v']).error !== undefined)('in front of two gateways', () => {
    const seen: string[] = []
    let port: number
    let stop = () => {}

    beforeAll(async () => {
      const [door, dead] = await freePorts(2)
      port = door
      const gateway = createServer((asked, answer) => {
        seen.push(`${asked.method} ${asked.url}`)
        if (asked.url === '/breaks') asked.socket.destroy()
        else answer.end('here')
      }).listen(0, '127.0.0.1')
      await once(gateway, 'listening')
      const alive = (gateway.address() as { port: number }).port
      const directory = temporaryDirectory('cluster-nginx')
      mkdirSync(directory, { recursive: true })
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const conf = text
        .replace('/run/nginx-tidemark.pid', join(directory, 'nginx.pid'))
        .replace('worker_processes auto', 'worker_processes 1')
        .replace(/^ *listen \[::\].*$/gm, '')
        .replace('listen 8080', `listen 127.0.0.1:${port}`)
        .replace('127.0.0.1:8181', `127.0.0.1:${dead}`)
        .replace('127.0.0.1:8182', `127.0.0.1:${alive}`)
        .replace(
          'access_log off;',
          `access_log off;\n${temporary.map((kind) => `${kind}_temp_path ${join(directory, kind)};`).join('\n')}`,
        )
      writeFileSync(join(directory, 'nginx.conf'), conf)
      const words = ['-e', 'stderr', '-c', join(directory, 'nginx.conf')]
      const checked = spawnSync(nginx, ['-t', ...words], { encoding: 'utf8' })
      expect([checked.status, checked.stderr]).toEqual([0, expect.anything()])
      const proxy = spawn(nginx, ['-g', 'daemon off;', ...words], { stdio: 'ignore' })
      stop = () => {
        proxy.kill('SIGTERM')
        gateway.close()
      }
      await vi.waitFor(async () => expect(await ask('GET', '/')).toBe(200), 10_000)
    })
    afterAll(() => stop())

    function ask(method: string, path: string): Promise<number | undefined> {
      return new Promise((resolve, reject) => {
        request({ port, host: '127.0.0.1', method, path, agent: false }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode))
        })
          .on('error', reject)
          .end(method === 'POST' ? '{}' : undefined)
      })
    }

    test('everything goes to the one that is there', async () => {
      const asked = ['GET', 'POST', 'GET', 'POST', 'GET', 'POST'].map((method) => ask(method, '/'))
      expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
    })

    test('an order whose gateway breaks is told as unknown, and sent once', async () => {
      seen.length = 0
      expect(await ask('POST', '/breaks')).toBe(502)
      expect(seen).toEqual(['POST /breaks'])
    })

    test('metrics stay inside', async () => {
      expect(await ask('GET', '/metrics')).toBe(404)
    })
  })
})

interface Target {
  readonly expr: string
  readonly legendFormat?: string
}

const postgres = natsServer === undefined ? undefined : await launchedPostgres()

describe('who watches', () => {
  const { panels } = JSON.parse(file('grafana.json')) as { panels: { title: string; targets: Target[] }[] }
  const { groups } = parse(file('alarms.yml')) as {
    groups: { rules: (Target & { alert: string; annotations: { summary: string } })[] }[]
  }
  const rules = groups.flatMap((group) => group.rules)
  const promtool = process.env['PROMTOOL'] ?? 'promtool'

  test('each alarm has a name of its own and says where to look', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { annotations } of rules) expect(annotations.summary.length).toBeGreaterThan(30)
  })

  test.skipIf(spawnSync(promtool, ['--version']).error !== undefined)('Prometheus takes its files', () => {
    for (const words of [
      ['config', 'prometheus.yml'],
      ['rules', 'alarms.yml'],
    ]) {
      const { status, stderr } = spawnSync(promtool, ['check', words[0], join(folder, words[1])], { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
    }
  })

  test.skipIf(postgres === undefined)('what is asked for is told by a process', { timeout }, async () => {
    vi.stubEnv('TIDEMARK_MASTER_KEY', secrets['TIDEMARK_MASTER_KEY'])
    onTestFinished(() => void vi.unstubAllEnvs())
    const cluster = await NatsCluster.start()
    onTestFinished(() => cluster.stop())
    const places = (await freePorts(3)).map((port) => `127.0.0.1:${port}`)
    const [core, gateway, history] = places.map((place) => [['--status', place]])
    const venue = await ClusterVenue.start(cluster, {
      cores: 1,
      postgres: await postgres!.database(),
      each: { core, gateway, history },
    })
    onTestFinished(() => venue.stop())
    expect((await fetch(`${venue.gatewayUrls[0]}/api/v2/public/time`)).status).toBe(200)
    const told = await Promise.all(places.map((place) => Scraped.from(`http://${place}`)))
    const names = new Set(told.flatMap((one) => [...one.names]))
    const text = told.map((one) => one.text).join('\n')
    const labels = new Set(
      [...text.matchAll(/^(\w+)\{(.*)\} /gm)].flatMap(([, name, all]) =>
        [...all.matchAll(/\b(\w+)="([^"]*)"/g)].flatMap(([, label, value]) => [
          `${name} ${label}`,
          `${name} ${label}=${value}`,
        ]),
      ),
    )
    const targets = [...panels.flatMap((panel) => panel.targets), ...rules]
    const absent: string[] = []
    for (const { expr, legendFormat = '' } of targets) {
      const metrics = expr.match(/\b(?:tidemark|process|nodejs)_\w+/g) ?? []
      absent.push(...metrics.filter((name) => !names.has(name)))
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(/,\s*/))
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
      const chosen = [...expr.matchAll(/(\w+)\{(\w+)="([^"]*)"\}/g)]
      for (const name of metrics)
        for (const label of [...grouped, ...shown]) absent.push(...without(`${name} ${label}`))
      for (const [, name, label, value] of chosen) absent.push(...without(`${name} ${label}=${value}`))
    }
    function without(wanted: string): string[] {
      return labels.has(wanted) ? [] : [wanted]
    }
    expect(absent).toEqual([])
    expect(targets.length).toBeGreaterThan(50)
  })
})
