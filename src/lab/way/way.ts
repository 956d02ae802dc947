/**
 * The way of a call through the laboratory: layers stand around the venue, each around the next one.
 *
 * Order     a request passes the layers from the first to the last, its answer the other way round. A command that it sends goes
 *           through the layers from the last to the first: each hands on a core of its own (Inside.core)
 * Messages  of sockets go out through the layers from the last to the first, and come in from the first to the last
 * Cheap     while no layer is active nothing is turned aside
 * Goes back each layer with what is saved of it (lab.md §4.4)
 * Source    lab.md §4.5 to §4.8, §6
 */
import type { Around, AskedBeside, AskedByRequest, AskedBySocket, Inside } from '../../api/api.ts'
import type { AroundFrames, FramedSocket, MessageKind } from '../../stream/stream.ts'

type Outgoing = Awaited<ReturnType<Around['request']>>

/** What stands around a venue; what a layer leaves away passes it by. */
export interface Layer extends Partial<Omit<Around & AroundFrames, 'isActive' | 'isAsked'>> {
  readonly name: string
  readonly isActive: boolean
  /** Whether a request wants to pass it, active or not. */
  isAsked?(request: AskedByRequest['request']): boolean
  /** Plain data; absent: nothing of it goes back. */
  save?(): unknown
  /**
   * Undefined: as at the beginning. `keepRules`: what somebody told the layer to do stays. Answers how many calls were under way in
   * it: they are answered that their outcome is unknown.
   */
  restore?(saved: unknown, keepRules: boolean): number | void
  /** The venue stops: nobody waits any longer. */
  close?(): void
}

/** By the name of the layer. */
export type SavedWay = Readonly<Record<string, unknown>>

export class Way implements Around, AroundFrames {
  /** Those that are open. */
  readonly sockets = new Set<FramedSocket>()
  readonly #layers: Layer[] = []

  /** Around the venue, within the layers that are there. */
  add(layer: Layer): void {
    this.#layers.push(layer)
  }

  get isActive(): boolean {
    for (const layer of this.#layers) if (layer.isActive) return true
    return false
  }

  isAsked(request: AskedByRequest['request']): boolean {
    for (const layer of this.#layers) if (layer.isAsked?.(request)) return true
    return false
  }

  request(asked: AskedByRequest, inside: Inside, serve: (inside: Inside) => Promise<Outgoing>): Promise<Outgoing> {
    const next = (from: number, within: Inside): Promise<Outgoing> => {
      const at = this.#layers.findIndex(
        (layer, index) =>
          index >= from && layer.request !== undefined && (layer.isActive || layer.isAsked?.(asked.request) === true),
      )
      return at < 0 ? serve(within) : this.#layers[at].request!(asked, within, (inner) => next(at + 1, inner))
    }
    return next(0, inside)
  }

  call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown> {
    const next = (from: number, within: Inside): Promise<unknown> => {
      const at = this.#next(from, (layer) => layer.call !== undefined)
      return at < 0 ? serve(within) : this.#layers[at].call!(asked, within, (inner) => next(at + 1, inner))
    }
    return next(0, inside)
  }

  beside(asked: AskedBeside): void {
    for (const layer of this.#layers) if (layer.isActive) layer.beside?.(asked)
  }

  mayOpen(path: string): boolean | 'silent' {
    const said = this.#layers.map((layer) => !layer.isActive || (layer.mayOpen?.(path) ?? true))
    if (said.includes(false)) return false
    return said.includes('silent') ? 'silent' : true
  }

  opened(socket: FramedSocket): void {
    this.sockets.add(socket)
    for (const layer of this.#layers) layer.opened?.(socket)
  }

  closed(socket: FramedSocket): void {
    this.sockets.delete(socket)
    for (const layer of this.#layers) layer.closed?.(socket)
  }

  out(socket: FramedSocket, message: Buffer, send: (message: Buffer) => void, kind: MessageKind): void {
    const next = (from: number, sent: Buffer): void => {
      let at = from
      while (at >= 0 && !(this.#layers[at].isActive && this.#layers[at].out !== undefined)) at -= 1
      if (at < 0) send(sent)
      else this.#layers[at].out!(socket, sent, (inner) => next(at - 1, inner), kind)
    }
    next(this.#layers.length - 1, message)
  }

  in(socket: FramedSocket, message: Buffer, hear: (message: Buffer) => void): void {
    const next = (from: number, heard: Buffer): void => {
      const at = this.#next(from, (layer) => layer.in !== undefined)
      if (at < 0) hear(heard)
      else this.#layers[at].in!(socket, heard, (inner) => next(at + 1, inner))
    }
    next(0, message)
  }

  pongs(socket: FramedSocket): boolean {
    return this.#layers.every((layer) => !layer.isActive || layer.pongs?.(socket) !== false)
  }

  save(): SavedWay {
    return Object.fromEntries(this.#layers.map((layer) => [layer.name, layer.save?.()]))
  }

  /** Answers how many calls were under way. */
  restore(saved: SavedWay, keepRules: boolean): number {
    let waited = 0
    for (const layer of this.#layers) waited += layer.restore?.(saved[layer.name], keepRules) ?? 0
    return waited
  }

  close(): void {
    for (const layer of this.#layers) layer.close?.()
  }

  #next(from: number, has: (layer: Layer) => boolean): number {
    return this.#layers.findIndex((layer, index) => index >= from && layer.isActive && has(layer))
  }
}
