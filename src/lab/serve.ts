/**
 * The laboratory on the clients' own port, below /_lab: one mapped port is what containers give.
 *
 * Token     `Authorization: Bearer`. On loopback whoever shows none is let in, too; a wrong one never is
 * Pages     no page of another origin is let in, and on loopback no Host but a loopback name or address: neither a foreign page nor
 *           a foreign name that was made to resolve to this machine reaches the laboratory
 * Envelope  `{ok: true, data}` or `{ok: false, error: {code, message, field?}}`, whatever happens
 * Attached  whoever uses a laboratory holds the answer of /_lab/attached while they do (attached.ts)
 * Operator  its calls are at /_lab/operator/..., what is pushed of them at /_lab/operator/events. The desk is at /_lab/desk
 * Source    lab.md §4.1, §4.2
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { CallRefused, type LiveAnswers, makeNoted, operatorCalls } from '../operator/operator.ts'
import { CommandNotSequenced, OutcomeUnknown } from '../runtime/runtime.ts'
import { LabFile } from './call.ts'
import { labCalls } from './calls.ts'
import type { LabShelves } from './venues.ts'
import { LabRefusal } from './refusals.ts'

const bodyBytesMax = 1024 * 1024

export interface ServeOptions {
  readonly token: string
  readonly isLoopback: boolean
  /** The venue that this port is of; throws until it is there. */
  readonly venue: () => LabShelves
  /** What the operator's desk watches. */
  readonly live: LiveAnswers
  /** What nobody foresaw. */
  readonly onTrouble: (trouble: unknown, call: string) => void
}

/** Adds the routes to a venue's port. */
export function serveLab(app: FastifyInstance, options: ServeOptions): void {
  void app.register(async (lab) => {
    takeEveryBodyAsJson(lab)
    lab.addHook('onRequest', async (request, reply) => {
      const refusal = refusalOf(request.headers, options)
      if (refusal !== undefined) await answer(reply, refusal)
    })
    lab.setErrorHandler(async (error, request, reply) => {
      const call = `${request.method} ${request.url.split('?')[0]}`
      const refusal = asRefusal(error)
      if (refusal === undefined) options.onTrouble(error, call)
      return answer(
        reply,
        refusal ?? new LabRefusal(500, 'unexpected', 'the laboratory could not do it; its log says why'),
      )
    })
    lab.get('/_lab/attached', { exposeHeadRoute: false }, (_request, reply) => {
      const { attached } = options.venue().lab
      reply.hijack()
      attached.hold(reply.raw)
    })
    for (const { method, path, run } of labCalls) {
      lab.route<{ Params: { id?: string } }>({
        method,
        url: path,
        bodyLimit: bodyBytesMax,
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const sent = method === 'GET' ? queryOf(request.url) : request.body
          const gone = new AbortController()
          reply.raw.once('close', () => gone.abort())
          const asked = { ...options.venue(), reachedAt: options.isLoopback ? undefined : request.headers.host }
          asked.venue.recorder?.labCall(method, calledAt(request.url), sent, asked.venue.parts.ports)
          const data = await run(sent, asked, request.params.id ?? '', gone.signal)
          if (data instanceof LabFile) return reply.type(data.contentType).send(data.content)
          return { ok: true, data }
        },
      })
    }
    lab.addHook('preClose', async () => options.live.close())
    lab.get('/_lab/operator/events', { exposeHeadRoute: false }, (request, reply) => {
      const { of } = queryOf(request.url) as { readonly of?: string }
      options.live.follow(reply.raw, of)
      reply.hijack()
    })
    for (const call of operatorCalls) {
      const { method, path } = call
      lab.route({
        method,
        url: `/_lab${path}`,
        bodyLimit: bodyBytesMax,
        exposeHeadRoute: false,
        handler: async (request) => {
          const { venue } = options.venue()
          const sent = method === 'GET' ? queryOf(request.url) : request.body
          const { recorder, parts } = venue
          const { headers, socket } = request
          const noted = { body: sent, operator: headers['x-operator'], from: socket.remoteAddress }
          const act = async () =>
            makeNoted(call, noted, recorder?.labCall(method, path, sent, parts.ports) ?? parts.ports)
          if (method === 'GET') return { ok: true, data: await act() }
          const data = await venue.inTurn(act)
          options.live.acted()
          return { ok: true, data }
        },
      })
    }
  })
}

/** Why whoever sends these headers is not let in. */
function refusalOf(headers: IncomingHttpHeaders, { token, isLoopback }: ServeOptions): LabRefusal | undefined {
  const { authorization, origin, host = '' } = headers
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return new LabRefusal(403, 'origin-wrong', `Origin: the laboratory is not for pages of ${origin.slice(0, 100)}`)
  }
  if (isLoopback && !isLoopbackHost(host)) {
    return new LabRefusal(403, 'host-wrong', 'Host: the laboratory is for loopback names and addresses only')
  }
  if (authorization === undefined && isLoopback) return undefined
  const given = (authorization ?? '').replace(/^bearer /i, 'Bearer ')
  if (timingSafeEqual(digest(given), digest(`Bearer ${token}`))) return undefined
  return new LabRefusal(401, 'token-wrong', 'Authorization: Bearer with the token of the laboratory is required')
}

/** The interface reads its queries itself, so that its port parses none. */
function queryOf(url: string): object {
  return Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? ''))
}

/** Below /_lab. */
function calledAt(url: string): string {
  return url.split('?', 1)[0].slice('/_lab'.length)
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}

function asRefusal(error: unknown): LabRefusal | undefined {
  if (error instanceof LabRefusal) return error
  if (error instanceof CallRefused) {
    const { status, code, message, fields } = error
    return new LabRefusal(status, code, message, fields.length === 0 ? {} : { fields })
  }
  if (error instanceof CommandNotSequenced) {
    return new LabRefusal(503, 'not-sequenced', 'the venue takes no commands; nothing was changed')
  }
  if (error instanceof OutcomeUnknown) {
    return new LabRefusal(504, 'outcome-unknown', 'what became of the command is not known')
  }
  const { statusCode, message } = error as Error & { readonly statusCode?: number }
  if (statusCode === undefined || statusCode >= 500) return undefined
  return new LabRefusal(statusCode, 'request-wrong', message)
}

function answer(reply: FastifyReply, { status, code, message, facts }: LabRefusal): FastifyReply {
  return reply.code(status).send({ ok: false, error: { code, message, ...facts } })
}

/** Whatever the content type says, or if there is none. */
function takeEveryBodyAsJson(lab: FastifyInstance): void {
  lab.removeAllContentTypeParsers()
  lab.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined)
    try {
      done(null, JSON.parse(text as string))
    } catch {
      done(new LabRefusal(400, 'body-wrong', 'the body must be JSON'))
    }
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
