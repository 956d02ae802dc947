/**
 * `GET /terminal/demo-accounts`: the keys of the demo accounts, for the terminal's one-click sign-in.
 *
 * Where     only on a demo venue, which listens on loopback alone; elsewhere the path does not exist
 * To whom   a page of this very venue, or a program of this machine. Refused: a Host that is no loopback name (a foreign
 *           name that was made to resolve to this machine), a page of another origin, whatever came through a proxy
 * Source    design.md §6 (demo keys exist only on a demo venue bound to loopback)
 */
import { type Outgoing, type Page, pageRequestsPerSecondMax, type RequestHeaders, single } from '../http/http.ts'

const shared = { 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' }

/** `keys` answers them as JSON, as they stand. */
export function demoAccountsPage(keys: () => string): Page {
  return {
    path: '/terminal/demo-accounts',
    perSecondMax: pageRequestsPerSecondMax,
    needsWholeHead: true,
    answer: ({ headers }): Outgoing => {
      const fault = foreign(headers)
      if (fault === undefined) return { httpStatus: 200, headers: shared, body: keys() }
      return {
        httpStatus: 403,
        headers: { ...shared, 'content-type': 'text/plain; charset=utf-8' },
        body: `${fault}\n`,
      }
    },
  }
}

/** Why these headers are not those of a page or program of this machine. */
function foreign(headers: RequestHeaders): string | undefined {
  const host = single(headers['host']) ?? ''
  if (!isLoopbackHost(host)) return `Host: demo accounts are for loopback names, not for "${host}"`
  const origin = headers['origin']
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return `Origin: demo accounts are not for "${String(origin)}"`
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return 'Sec-Fetch-Site: demo accounts are for pages of this venue'
  const proxy = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'].find((name) => headers[name] !== undefined)
  return proxy === undefined ? undefined : `${proxy}: demo accounts are not handed out through a proxy`
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}
