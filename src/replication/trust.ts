/** What processes of a venue know each other by, and the handshake that follows from it. */
import type { Handshake } from './handshake.ts'
import { tlsHandshake, type TlsFiles } from './tls-handshake.ts'
import { tokenHandshake } from './token-handshake.ts'

/** `files` is asked for each connection. */
export type Trust = { readonly token: string } | { readonly files: () => TlsFiles }

export function handshakeOf(trust: Trust): Handshake {
  return 'token' in trust ? tokenHandshake(trust.token) : tlsHandshake(trust.files)
}
