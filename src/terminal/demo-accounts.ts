/**
 * `GET /terminal/demo-accounts`: the keys of the demo accounts, for the terminal's one-click sign-in.
 *
 * Where     only on a demo venue, which listens on loopback alone; elsewhere the path does not exist
 * To whom   a page of this very venue, or a program of this machine. Refused: a Host that is no loopback name (a foreign
 *           name that was made to resolve to this machine), a page of another origin, whatever came through a proxy
 * User      of the programs of this machine those of the user who runs the venue, and root's, which can read the file; with
 *           `demoKeysOverHttp` `open` every user's. Where the system does not tell whose they are, `user` is `open`
 * Source    design.md §6 (demo keys exist only on a demo venue bound to loopback)
 */
import {
  type ConnectionEnds,
  type Outgoing,
  type Page,
  pageRequestsPerSecondMax,
  type RequestHeaders,
  single,
} from '../http/http.ts'
import { peerUser } from './peer-user.ts'

const shared = { 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' }

/** `keys` answers them as JSON, as they stand; `over`: what clients speak with the venue. */
export function demoAccountsPage(keys: () => string, to: 'user' | 'open', over: 'http' | 'https'): Page {
  return {
    path: '/terminal/demo-accounts',
    perSecondMax: pageRequestsPerSecondMax,
    needsWholeHead: true,
    async answer({ headers, ends = {} }): Promise<Outgoing> {
      const fault = foreign(headers, over) ?? (to === 'user' ? await ofAnotherUser(ends) : undefined)
      if (fault === undefined) return { httpStatus: 200, headers: shared, body: keys() }
      return {
        httpStatus: 403,
        headers: { ...shared, 'content-type': 'text/plain; charset=utf-8' },
        body: `${fault}\n`,
      }
    },
  }
}

/** Why a connection is not one of the user who runs the venue. */
async function ofAnotherUser(ends: ConnectionEnds): Promise<string | undefined> {
  const user = await peerUser(ends)
  if (user === undefined || user === 0 || user === process.getuid?.()) return undefined
  const whose = user === 'unknown' ? 'a user who cannot be told' : `user ${user}`
  return `demo accounts are for the user who runs the venue, not for ${whose}: start it with --demo-keys-over-http open`
}

/** Why these headers are not those of a page or program of this machine. */
function foreign(headers: RequestHeaders, over: 'http' | 'https'): string | undefined {
  const host = single(headers['host']) ?? ''
  if (!isLoopbackHost(host)) return `Host: demo accounts are for loopback names, not for "${host}"`
  const origin = headers['origin']
  if (origin !== undefined && origin !== `${over}://${host}`)
    return `Origin: demo accounts are not for "${String(origin)}"`
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return 'Sec-Fetch-Site: demo accounts are for pages of this venue'
  const proxy = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'].find((name) => headers[name] !== undefined)
  return proxy === undefined ? undefined : `${proxy}: demo accounts are not handed out through a proxy`
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}
