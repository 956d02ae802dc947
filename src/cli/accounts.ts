/** Accounts, their keys and their money. */
import type { Command } from 'commander'
import { fileText, list, operatorCommand } from './command.ts'
import { type Look, tableText } from './table.ts'

interface Page {
  readonly next: string | null
}

/** A page of a list, and how to see the next one. */
function pageText(records: readonly object[], { next }: Page, look: Look, columns: readonly string[]): string {
  const more = next === null ? '' : `\nThere are more: --after ${next}\n`
  return tableText(records as Record<string, unknown>[], look, columns) + more
}

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('list, show and make accounts; change their modes and roles')
  operatorCommand<Page & { accounts: object[] }>(accounts, {
    usage: 'list',
    description: 'list accounts, oldest first',
    call: 'GET /operator/accounts',
    body: (_, { limit, after, parent, search, worth }) => ({
      limit,
      after,
      parentUid: parent,
      search,
      worth: worth && 'yes',
    }),
    text: (page, look) =>
      pageText(page.accounts, page, look, ['uid', 'kind', 'parentUid', 'mode', 'name', 'frozen', 'equityUsdt']),
  })
    .option('--limit <count>', 'at most so many (default 100)')
    .option('--after <uid>', 'go on behind this one')
    .option('--parent <uid>', 'only the sub-accounts of a main account')
    .option('--search <text>', 'only those with this in their number or name')
    .option('--worth', 'with what each is worth in USDT')
  operatorCommand(accounts, {
    usage: 'show <uid>',
    description: 'show what an account has: wallets, positions, open orders',
    call: 'GET /operator/accounts/holdings',
    body: ([uid]) => ({ uid }),
  })
  operatorCommand<{ uid: string }>(accounts, {
    usage: 'create',
    description: 'make an account',
    call: 'POST /operator/accounts',
    body: (_, { kind, parent, mode, name }) => ({
      kind: kind ?? (parent === undefined ? 'main' : 'sub'),
      parentUid: parent ?? null,
      mode: mode ?? 'unified',
      name: name ?? null,
    }),
    text: ({ uid }) =>
      `Account ${uid} is there. Next: tidemark deposit ${uid} uta USDT 1000, tidemark keys create ${uid}\n`,
  })
    .option('--kind <kind>', 'main or sub')
    .option('--parent <uid>', 'the main account of a sub-account')
    .option('--mode <mode>', 'unified (default), hybrid or classic')
    .option('--name <name>', 'a name to know it by')
  operatorCommand(accounts, {
    usage: 'mode <uid> <mode>',
    description: 'change the mode of an account',
    call: 'POST /operator/accounts/mode',
    body: ([uid, mode]) => ({ uid, mode }),
  })
  operatorCommand(accounts, {
    usage: 'broker <uid> <channelCode> [rebateRate]',
    description: 'enter the broker programme; an empty channel code leaves it',
    call: 'POST /operator/accounts/broker',
    body: ([uid, channelCode, rebateRate = '0']) => ({ uid, channelCode, rebateRate }),
  })
  operatorCommand(accounts, {
    usage: 'copy-trader <uid> [symbols...]',
    description: 'announce the symbols of a copy trader; none: no longer one',
    call: 'POST /operator/accounts/copy-trader',
    body: ([uid, ...symbols]) => ({ uid, symbols }),
  })
  operatorCommand(accounts, {
    usage: 'bind <uid> [time]',
    description: 'note since when somebody manages a sub-account: Unix milliseconds (default: now); 0: no more',
    call: 'POST /operator/accounts/binding',
    body: ([uid, bindingTime]) => ({ uid, bindingTime }),
  })
  for (const [usage, frozen] of [
    ['freeze', 'yes'],
    ['unfreeze', 'no'],
  ] as const) {
    operatorCommand(accounts, {
      usage: `${usage} <uid>`,
      description:
        frozen === 'yes'
          ? 'freeze an account: it trades and moves money no more; what is open goes on'
          : 'take back what freeze did',
      call: 'POST /operator/accounts/freeze',
      body: ([uid]) => ({ uid, frozen }),
    })
  }
  operatorCommand<{ uid: string; orders: number; triggers: number }>(accounts, {
    usage: 'cancel-orders <uid>',
    description: 'cancel all open orders and trigger orders of an account',
    call: 'POST /operator/accounts/cancel-orders',
    body: ([uid]) => ({ uid }),
    text: ({ uid, orders, triggers }) => `${orders} orders and ${triggers} trigger orders of ${uid} are canceled.\n`,
  })
  operatorCommand<{ bills: Record<string, unknown>[]; next: number | null }>(accounts, {
    usage: 'bills <uid> <wallet>',
    description: 'list what changed a wallet, newest first',
    call: 'GET /operator/accounts/bills',
    body: ([uid, wallet], { limit, before }) => ({ uid, wallet, limit, before }),
    text: ({ bills, next }, look) =>
      tableText(bills, look) + (next === null ? '' : `\nThere are more: --before ${next}\n`),
  })
    .option('--limit <count>', 'at most so many, 1 to 100 (default 50)')
    .option('--before <number>', 'older than this bill')
  addKeys(program)
  addMoney(program)
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('list, make and revoke API keys')
  operatorCommand<Page & { keys: object[] }>(keys, {
    usage: 'list',
    description: 'list keys, oldest first; never their secrets',
    call: 'GET /operator/keys',
    body: (_, { uid, limit, after }) => ({ uid, limit, after }),
    text: (page, look) =>
      pageText(page.keys, page, look, [
        'apiKey',
        'uid',
        'kind',
        'permissions',
        'ipList',
        'label',
        'revokedAt',
        'fault',
      ]),
  })
    .option('--uid <uid>', 'of this account')
    .option('--limit <count>', 'at most so many (default 100)')
    .option('--after <apiKey>', 'go on behind this one')
  operatorCommand(keys, {
    usage: 'create <uid>',
    description: 'make a key; its secret is shown this once',
    call: 'POST /operator/keys',
    body: ([uid], { permissions, ip, label, passphrase, publicKey }) => ({
      uid,
      permissions: list(permissions),
      ipList: list(ip),
      label: label ?? null,
      passphrase: passphrase ?? null,
      publicKey: publicKey === undefined ? null : fileText(publicKey),
    }),
  })
    .option('--permissions <list>', 'separated by commas; default all')
    .option('--ip <list>', 'addresses that may use it, separated by commas; default any')
    .option('--label <label>', 'a label')
    .option('--passphrase <passphrase>', '8 to 32 letters and digits; default: one is made')
    .option('--public-key <file>', 'an RSA or Ed25519 public key (PEM) in place of a secret')
  operatorCommand(keys, {
    usage: 'revoke <apiKey>',
    description: 'revoke a key, at once',
    call: 'POST /operator/keys/revoke',
    body: ([apiKey]) => ({ apiKey }),
    text: () => 'The key is revoked.\n',
  })
}

interface Moved {
  readonly uid: string
  readonly wallet: string
  readonly coin: string
  readonly amount: string
}

interface Sent {
  readonly orderId: string
  readonly coin: string
  readonly amount: string
  readonly chain: string
  readonly address: string
}

function addMoney(program: Command): void {
  const body = ([uid, wallet, coin, amount]: string[]) => ({ uid, wallet, coin, amount })
  operatorCommand<Moved>(program, {
    usage: 'deposit <uid> <wallet> <coin> <amount>',
    description: 'pay money into a wallet',
    call: 'POST /operator/deposits',
    body,
    text: ({ uid, wallet, coin, amount }) => `${amount} ${coin} paid into ${wallet} of account ${uid}.\n`,
  })
  operatorCommand<Moved>(program, {
    usage: 'withdraw <uid> <wallet> <coin> <amount>',
    description: 'pay money out of a wallet',
    call: 'POST /operator/withdrawals',
    body,
    text: ({ uid, wallet, coin, amount }) => `${amount} ${coin} paid out of ${wallet} of account ${uid}.\n`,
  })
  const chain = program
    .command('chain')
    .description('send deposits over the simulated networks, and refuse withdrawals')
  operatorCommand<Sent>(chain, {
    usage: 'deposit <uid> <coin> <amount>',
    description: "send a deposit to an account's address; it arrives when its blocks have confirmed it",
    call: 'POST /operator/chain/deposits',
    body: ([uid, coin, amount], { chain: network }) => ({ uid, coin, amount, chain: network ?? null }),
    text: ({ orderId, coin, amount, chain: network, address }) =>
      `${amount} ${coin} sent over ${network} to ${address} as deposit ${orderId}.\n`,
  }).option('--chain <chain>', "the network, such as TRC20; default: the coin's first one")
  operatorCommand(chain, {
    usage: 'reject <orderId>',
    description: 'refuse a withdrawal that was not sent yet',
    call: 'POST /operator/chain/withdrawals/reject',
    body: ([orderId]) => ({ orderId }),
    text: () => 'The withdrawal failed, and its money is back.\n',
  })
}
