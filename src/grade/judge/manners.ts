/**
 * M: manners towards a venue that is in trouble.
 *
 *   after 429   so many requests a second to that endpoint, and no more
 *   sockets     whoever comes back time and again waits longer each time
 *   down        few requests a second, sockets that are asked for counted
 *
 * Outages    are known from the hazard: while the venue was up nobody is counted
 */
import type { Evidence, Span, TrafficLine } from '../evidence.ts'
import { requestsOf } from '../evidence.ts'

/** As the interface limits what trades. */
const perSecondAfterLimit = 10
const perSecondWhileDown = 20
/** From so many attempts on there is something to see. */
const attemptsMin = 4
/** The last pause is at least so many times the first. */
const growth = 1.25
/** Longer pauses need not grow, in milliseconds of the world. */
const pauseEnoughMs = 5_000
const pauseEnoughMsMin = 500
const refusals = /refuse/

export function mannerFindings(run: Evidence): readonly string[] {
  return [...afterLimit(run), ...reconnects(run), ...whileDown(run)]
}

function afterLimit(run: Evidence): readonly string[] {
  const requests = requestsOf(run)
  const limited = requests.filter(({ status }) => status === 429)
  const endpoints = [...new Set(limited.map(({ endpoint }) => endpoint))]
  return endpoints.flatMap((endpoint) => {
    const told = limited.filter((line) => line.endpoint === endpoint)
    const from = told[0].answeredAt ?? told[0].at
    const until = (told.at(-1)?.at ?? from) + 1_000
    const times = requests
      .filter((line) => line.endpoint === endpoint && line.at > from && line.at <= until)
      .map(({ at }) => at)
    const most = mostPerSecond(times)
    return most > perSecondAfterLimit ? [`${most} requests in a second to ${endpoint} after a 429`] : []
  })
}

function reconnects(run: Evidence): readonly string[] {
  return run.outages.flatMap((outage) => {
    const attempts = Map.groupBy(
      run.traffic.filter((line) => line.kind === 'handshake' && isIn(line, outage)),
      ({ target }) => target ?? '',
    )
    return [...attempts].flatMap(([path, lines]) => {
      if (lines.length < attemptsMin) return []
      const pauses = lines.slice(1).map(({ at }, index) => at - lines[index].at)
      const [first, last] = [pauses[0], pauses[pauses.length - 1]]
      if (first >= Math.max(pauseEnoughMsMin, pauseEnoughMs * run.scale) || last >= first * growth) return []
      return [`${path} was asked for ${lines.length} times, first after ${first} ms and at last after ${last} ms`]
    })
  })
}

function whileDown(run: Evidence): readonly string[] {
  const calls: readonly { readonly at: number }[] = [
    ...requestsOf(run).filter(isTurnedAway),
    ...run.traffic.filter(({ kind }) => kind === 'handshake'),
    ...run.firings.filter(({ fault }) => refusals.test(fault)),
  ]
  const most = Math.max(
    0,
    ...run.outages.map((outage) => {
      return mostPerSecond(calls.filter((line) => isIn(line, outage)).map(({ at }) => at))
    }),
  )
  return most > perSecondWhileDown ? [`${most} requests in a second while the venue was down`] : []
}

/** Where only sockets are down, requests are answered: those are no burden. */
function isTurnedAway({ status }: TrafficLine): boolean {
  return status === undefined || status >= 500
}

function isIn({ at }: Pick<TrafficLine, 'at'>, { from, until }: Span): boolean {
  return at >= from && at <= until
}

/** The most that fall within one second. */
export function mostPerSecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  let [most, first] = [0, 0]
  for (let last = 0; last < sorted.length; last += 1) {
    while (sorted[last] - sorted[first] >= 1_000) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
