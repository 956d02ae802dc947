/**
 * How the places of a venue of several processes are written: for the settings, and for commands that take some of them alone.
 *
 * Pattern  of one such text as a whole
 * Shown    to whoever wrote another
 * Light    as settings.ts: it loads nothing
 */
export interface AddressForm {
  readonly pattern: string
  readonly shown: string
}

const port = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})'
/** Of IPv6 in brackets. */
const host = '([^\\[\\]:/@? ]+|\\[[0-9a-fA-F:]+\\])'
const user = '([^/ ]*@)?'

/** Of a core, or of a port of this process. */
export const hostAndPort: AddressForm = { pattern: `^${host}:${port}$`, shown: 'HOST:PORT' }

export const addressForms = {
  nats: { pattern: `^(nats|tls)://${user}${host}(:${port})?$`, shown: 'nats://HOST:PORT' },
  natsMonitor: { pattern: `^https?://${user}${host}(:${port})?$`, shown: 'http://HOST:PORT' },
  cores: hostAndPort,
  venue: { pattern: '^[A-Za-z0-9_-]{1,64}$', shown: 'letters, digits, - and _, at most 64' },
  venueId: {
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    shown: 'an id such as tidemark cluster init gives',
  },
  postgres: {
    pattern: `^postgres(ql)?://(?=[^/])${user}${host}?(:${port})?/[^/? ]+([?][^ ]*)?$`,
    shown: 'an address such as postgres://user@host:5432/database',
  },
} as const satisfies Readonly<Record<string, AddressForm>>

/** What is shown of an address that may have one. */
export function withoutPassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(?<=:\/\/[^/@:]*:)[^/]*(?=@)/, '…') : value
}
