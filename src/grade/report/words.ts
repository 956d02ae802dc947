/**
 * Requests, answers and pushes in a few words each. Texts may be cut off, so they are looked through and not parsed.
 */
import type { TrafficLine } from '../evidence.ts'

/** What a bot does with a request. */
export function deedText({ endpoint = '', target = '', text = '' }: TrafficLine): string {
  const [method, path = ''] = endpoint.split(' ')
  const name = path.split('/').at(-1) ?? path
  if (method === 'GET') {
    const id = /[?&](?:clientOid|orderId)=([\w.-]+)/.exec(target)?.[1]
    const page = /[?&](?:cursor|idLessThan)=/.test(target) ? ', next page' : ''
    return `asks for ${name}${id === undefined ? '' : ` ${short(id)}`}${page}`
  }
  if (/cancel/.test(name)) return `${name} ${field(text, 'clientOid') ?? field(text, 'orderId') ?? ''}`.trim()
  if (/place|order/.test(name)) {
    const orders = text.split(/\},\s*\{/).map((order) => {
      const price = field(order, 'price')
      const size = field(order, 'qty') ?? field(order, 'size') ?? '?'
      const at = price === undefined ? '' : ` at ${price}`
      return `${field(order, 'side') ?? '?'} ${size}${at} ${field(order, 'clientOid') ?? ''}`.trim()
    })
    return `${name}: ${orders.join(' · ')}`
  }
  return `${method} ${name}`
}

/** What it is answered. */
export function answerText({ status, code, answer = '' }: TrafficLine): string {
  if (status !== undefined && status !== 200 && code === undefined) return `status ${status}`
  if (code === '00000') {
    const order = field(answer, 'orderStatus') ?? field(answer, 'status')
    return order === undefined ? 'done' : `done: ${order}`
  }
  const message = field(answer, 'msg')
  return `${code ?? 'no code'}${message === undefined ? '' : ` ${message}`}`
}

/** Undefined: not worth a row. */
export function pushText(text: string): string | undefined {
  const topic = field(text, 'topic') ?? field(text, 'channel')
  const event = field(text, 'event')
  if (event !== undefined)
    return `${event}${event === 'error' ? ` ${field(text, 'code') ?? ''} ${field(text, 'msg') ?? ''}` : ''}`.trim()
  if (topic === undefined) return undefined
  if (/order/.test(topic))
    return `push: order ${field(text, 'clientOid') ?? ''} ${field(text, 'orderStatus') ?? field(text, 'status') ?? ''}`.trim()
  if (/fill/.test(topic))
    return `push: fill ${field(text, 'side') ?? ''} ${field(text, 'execQty') ?? field(text, 'baseVolume') ?? ''} of ${field(text, 'clientOid') ?? ''}`
  if (/position/.test(topic))
    return `push: position ${field(text, 'posSide') ?? field(text, 'holdSide') ?? ''} ${field(text, 'total') ?? field(text, 'size') ?? ''}`.trim()
  return undefined
}

function field(text: string, name: string): string | undefined {
  const found = new RegExp(`"${name}"\\s*:\\s*"?([^",}\\]]*)`).exec(text)?.[1]
  return found !== undefined && name === 'clientOid' ? short(found) : found
}

/** Ids are told apart by their ends. */
export function short(id: string): string {
  return id.length > idMax ? `…${id.slice(-idMax)}` : id
}

const idMax = 8
