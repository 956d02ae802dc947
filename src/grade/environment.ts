/**
 * What a bot finds in its environment: where the venue is, its keys, and what the owner has asked for.
 *
 * Template  texts with names between braces; those of grade.json come on top of those of every bot
 */
import { mkdirSync } from 'node:fs'
import type { Venue } from './laboratory.ts'
import type { Configuration, placeholders } from './config.ts'

const usualEnvironment: Readonly<Record<string, string>> = {
  BITGET_API_BASE_URL: '{url}',
  BITGET_API_KEY: '{key}',
  BITGET_API_SECRET: '{secret}',
  BITGET_API_PASSPHRASE: '{passphrase}',
  BITGET_WS_PUBLIC_URL: '{wsPublic}',
  BITGET_WS_PRIVATE_URL: '{wsPrivate}',
  BITGET_WS_V2_PUBLIC_URL: '{wsPublicV2}',
  BITGET_WS_V2_PRIVATE_URL: '{wsPrivateV2}',
  BOT_SYMBOLS: '{symbols}',
  BOT_STATE: '{state}',
  TIDEMARK_GRADE_SCALE: '{scale}',
  TIDEMARK_GRADE_SEED: '{seed}',
}

interface Asked {
  readonly configuration: Configuration
  readonly scale: number
  readonly seed: number
  readonly state: string
}

export function environmentOf(venue: Venue, { configuration, scale, seed, state }: Asked): NodeJS.ProcessEnv {
  const { role, symbols, env } = configuration
  const { uid, apiKey: key, secret, passphrase } = venue.keys[role]
  mkdirSync(state, { recursive: true })
  const values: Readonly<Record<(typeof placeholders)[number], string>> = {
    url: venue.url,
    key,
    secret,
    passphrase,
    uid,
    ws: venue.url.replace(/^http/, 'ws'),
    wsPublic: venue.ws.v3.public,
    wsPrivate: venue.ws.v3.private,
    wsPublicV2: venue.ws.v2.public,
    wsPrivateV2: venue.ws.v2.private,
    symbols: symbols.join(','),
    state,
    scale: String(scale),
    seed: String(seed),
  }
  const template = { ...usualEnvironment, ...env }
  const filled = Object.entries(template).map(([name, text]) => {
    return [name, text.replace(/\{(\w+)\}/g, (_, word: keyof typeof values) => values[word])] as const
  })
  return { ...process.env, ...Object.fromEntries(filled) }
}
