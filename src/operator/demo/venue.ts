/**
 * Sets up the demo venue by ordinary operator calls, in a fixed order, before anybody else can speak to it.
 *
 * Resumes   a set-up that was cut off goes on where it was: whatever is there already is left alone. Once all of it is
 *           there it never runs again, so a client's empty wallet stays empty. What the engine has says so, too
 * Keys      <data>/demo-keys.json (0600) is written from the key store at every start
 * Source    design.md §6
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountView } from '../../engine/protocol/query.ts'
import type { Permission } from '../../api/api.ts'
import type { WalletType } from '../../engine/vocabulary.ts'
import { type Core, VenueOverloaded } from '../../runtime/core.ts'
import { operatorCalls, type OperatorPorts } from '../calls/calls.ts'
import { writeWholeFile } from '../data-directory.ts'
import type { KeyBook, KeyTable } from '../keys/key-table.ts'
import { permissionsAll } from '../keys/permissions.ts'
import {
  type DemoAccount,
  demoAccounts,
  demoBroker,
  demoCopyTrader,
  readOnlyKey,
  simulatorArbitrageur,
  simulatorGambler,
  simulatorMakers,
  simulatorTakers,
  simulatorTraders,
  simulatorWhale,
} from './accounts.ts'
import { demoCoins, demoInstruments } from './catalog.ts'

/** How long it waits for a venue that has no room for more. */
const roomEveryMs = 20

/** Everything but the simulated agents' accounts. */
export async function setUpDemoVenue(ports: OperatorPorts): Promise<void> {
  // The step after all funds stands: whoever asks again, as a core that leads for the first time, refills nothing.
  if (accountOf(ports.core, demoCopyTrader.role)?.copyTrader === undefined) await setUpAccounts(ports)
  await issueDemoKeys(ports)
}

async function setUpAccounts(ports: OperatorPorts): Promise<void> {
  await listCoins(ports)
  await listInstruments(ports)
  for (const account of demoAccounts) await openAccount(ports, account)
  const uidOf = (role: string) => String(accountOf(ports.core, role)?.uid)
  const { channelCode, rebateRate } = demoBroker
  if (accountOf(ports.core, demoBroker.role)?.broker === undefined) {
    await call(ports, '/operator/accounts/broker', { uid: uidOf(demoBroker.role), channelCode, rebateRate })
  }
  const { role, symbols } = demoCopyTrader
  await call(ports, '/operator/accounts/copy-trader', { uid: uidOf(role), symbols })
}

/** The keys of the demo accounts that do not live. */
export async function issueDemoKeys(ports: OperatorPorts): Promise<void> {
  const uidOf = (role: string) => String(accountOf(ports.core, role)?.uid)
  for (const { role } of demoAccounts) await issueKey(ports, role, uidOf(role), permissionsAll)
  await issueKey(ports, readOnlyKey.role, uidOf(readOnlyKey.of), ['read'])
}

/** The same in a fork of a venue, for the accounts that are there: no command records them, so that its engine stays as it is. */
export function giveDemoKeys(core: Core, keys: KeyTable): void {
  const give = (role: string, of: string, permissions: readonly Permission[]) => {
    const account = accountOf(core, of)
    if (account === undefined || liveKey(keys, account.uid, role) !== undefined) return
    keys.keep(keys.draft({ uid: account.uid, permissions, ipList: [], label: labelOf(role) }))
  }
  for (const { role } of demoAccounts) give(role, role, permissionsAll)
  give(readOnlyKey.role, readOnlyKey.of, ['read'])
}

const simulatorAgents = [
  ...simulatorMakers,
  ...simulatorTakers,
  simulatorArbitrageur,
  simulatorWhale,
  ...simulatorTraders,
  simulatorGambler,
]

/** The accounts of the simulated agents, for a venue whose simulator is on for the first time. */
export async function openSimulatorAccounts(ports: OperatorPorts): Promise<void> {
  for (const account of simulatorAgents) await openAccount(ports, account)
}

/** Whether an agent has no account: none was on yet, or an earlier release knew fewer of them. */
export function lacksSimulatorAccounts(core: Core): boolean {
  return simulatorAgents.some(({ role }) => accountOf(core, role) === undefined)
}

/** An index that the simulator feeds is stale after this time. */
const fedIndexAgeMsMax = 30_000

/** With the simulator an index is stale when no price comes; without, prices stand until the operator changes them. */
export async function expectFeed(ports: OperatorPorts, fed: boolean): Promise<void> {
  const { coins } = ports.core.query({ kind: 'catalog' })
  const ages = coins.map(({ name }) => [name, fed ? fedIndexAgeMsMax : 0])
  await call(ports, '/operator/pricing', { indexAgeMsMax: Object.fromEntries(ages) })
}

/** Whether an index is stale when no price comes. */
export function expectsFeed(core: Core): boolean {
  return core.query({ kind: 'settings' }).pricing.indexAgeMsMax.some((ageMax) => ageMax > 0)
}

/** The account numbers of the simulated agents; none as long as there are no accounts. */
export function simulatorUids(core: Core) {
  const uidOf = ({ role }: DemoAccount) => accountOf(core, role)?.uid
  const uidsOf = (agents: readonly DemoAccount[]) => agents.flatMap((agent) => uidOf(agent) ?? [])
  return {
    makerUids: uidsOf(simulatorMakers),
    takerUids: uidsOf(simulatorTakers),
    arbitrageurUid: uidOf(simulatorArbitrageur),
    whaleUid: uidOf(simulatorWhale),
    traderUids: uidsOf(simulatorTraders),
    gamblerUid: uidOf(simulatorGambler),
  }
}

/** Of all of them. */
export function simulatorUidsAll(core: Core): number[] {
  return simulatorAgents.flatMap(({ role }) => accountOf(core, role)?.uid ?? [])
}

/** Writes the demo keys that are live; answers how many. */
export function writeDemoKeys(file: string, core: Core, keys: KeyBook): number {
  const shown = demoKeys(core, keys)
  writeWholeFile(file, `${JSON.stringify(shown, undefined, 2)}\n`)
  return shown.length
}

/** The demo keys that are live, with their roles and secrets. */
export function demoKeys(core: Core, keys: KeyBook) {
  const roles = [...demoAccounts.map(({ role }) => ({ role, of: role })), readOnlyKey]
  return roles.flatMap(({ role, of }) => {
    const account = accountOf(core, of)
    const key = account && liveKey(keys, account.uid, role)
    if (key === undefined) return []
    const { apiKey, secret, passphrase, permissions } = key
    const parentUid = account?.parentUid
    return [
      {
        role,
        uid: String(key.uid),
        parentUid: parentUid === undefined ? null : String(parentUid),
        apiKey,
        secret,
        passphrase,
        permissions,
      },
    ]
  })
}

/** Of a key that is made for a demo account, its role. */
export function roleOfKey(label: string): string | undefined {
  return label.startsWith(labelOf('')) ? label.slice(labelOf('').length) : undefined
}

async function listCoins(ports: OperatorPorts): Promise<void> {
  const listed = new Set(ports.core.query({ kind: 'catalog' }).coins.map((coin) => coin.name))
  const missing = demoCoins.filter(({ coin }) => !listed.has(coin))
  await callAll(
    ports,
    '/operator/coins',
    missing.map(({ insurance: _insurance, ...record }) => record),
  )

  const { coins } = ports.core.query({ kind: 'verify' })
  const capital = new Map(coins.map((sums) => [sums.coin, sums.house['insurance']]))
  const poor = demoCoins.filter(({ coin }) => (capital.get(coin) ?? 0n) === 0n)
  await callAll(
    ports,
    '/operator/house-funds',
    poor.map(({ coin, insurance }) => ({ coin, amount: insurance })),
  )
}

async function listInstruments(ports: OperatorPorts): Promise<void> {
  const listed = ports.core.query({ kind: 'catalog' }).instruments
  const isListed = ({ category, symbol }: (typeof demoInstruments)[number]) =>
    listed.some((instrument) => instrument.category === category && instrument.symbol === symbol)
  await callAll(
    ports,
    '/operator/instruments',
    demoInstruments.filter((record) => !isListed(record)),
  )
}

/** Makes the account and pays in what its wallets lack. */
async function openAccount(ports: OperatorPorts, { role, mode, parent, funds }: DemoAccount): Promise<string> {
  let uid = accountOf(ports.core, role)?.uid.toString()
  if (uid === undefined) {
    const parentUid = parent === undefined ? undefined : String(accountOf(ports.core, parent)?.uid)
    const kind = parent === undefined ? 'main' : 'sub'
    const created = await call(ports, '/operator/accounts', { kind, parentUid: parentUid ?? null, mode, name: role })
    uid = (created as { uid: string }).uid
  }
  const { coins } = ports.core.query({ kind: 'catalog' })
  const deposits = Object.entries(funds).flatMap(([wallet, amounts]) => {
    const balances = ports.core.query({ kind: 'balances', uid: Number(uid), wallet: wallet as WalletType })
    const isPaidIn = (coin: string) =>
      balances.some((balance) => coins[balance.coin]?.name === coin && balance.balance > 0n)
    const missing = Object.entries(amounts).filter(([coin]) => !isPaidIn(coin))
    return missing.map(([coin, amount]) => ({ uid, wallet, coin, amount }))
  })
  await callAll(ports, '/operator/deposits', deposits)
  return uid
}

async function issueKey(
  ports: OperatorPorts,
  role: string,
  uid: string,
  permissions: readonly string[],
): Promise<void> {
  if (liveKey(ports.keys, Number(uid), role) !== undefined) return
  await call(ports, '/operator/keys', { uid, permissions, label: labelOf(role) })
}

function liveKey(keys: KeyBook, uid: number, role: string) {
  return keys.live(uid).find((key) => key.label === labelOf(role))
}

function labelOf(role: string): string {
  return `demo ${role}`
}

function accountOf(core: Core, role: string): AccountView | undefined {
  return core.query({ kind: 'accounts' }).find((account) => account.name === role)
}

/** Sequenced in the order of the list, without waiting for one another. */
async function callAll(ports: OperatorPorts, path: string, bodies: readonly unknown[]): Promise<unknown[]> {
  const found = operatorCalls.find((candidate) => candidate.method === 'POST' && candidate.path === path)
  if (found === undefined) throw new Error(`there is no operator call ${path}`)
  const answers: unknown[] = []
  let left = [...bodies.entries()]
  while (left.length > 0) {
    const outcomes = await Promise.allSettled(left.map(async ([, sent]) => found.run(sent, ports)))
    const refused: typeof left = []
    for (const [index, outcome] of outcomes.entries()) {
      const [place] = left[index]
      if (outcome.status === 'fulfilled') answers[place] = outcome.value
      // A slow machine has no room for all at once: these were not sequenced, and their turn comes.
      else if (outcome.reason instanceof VenueOverloaded) refused.push(left[index])
      else throw outcome.reason
    }
    left = refused
    if (left.length > 0) await sleep(roomEveryMs)
  }
  return answers
}

/** The same call that the operator would make. */
async function call(ports: OperatorPorts, path: string, sent: unknown): Promise<unknown> {
  const [answer] = await callAll(ports, path, [sent])
  return answer
}
