/**
 * The metrics of one process as Prometheus reads them: plain counters, read when a scrape asks.
 *
 * Labels  those of the process stand at every series: of several processes each says which it is
 * Text    is written at most once a second, for all who ask
 */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { durationBucketsMs, type DurationsSeen } from '../runtime/runtime.ts'

export type Labels = Record<string, string>

/** One metric with its value for each set of labels; of a histogram each series is one of its own. */
export interface MetricRead {
  readonly name: string
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

/** How old the text may be. */
const textMsMax = 1_000

export class MetricRegistry {
  readonly #registry = new Registry()
  #text: Promise<Buffer> | undefined
  #writtenAt = 0

  /** `labels`: of the process. */
  constructor(labels: Labels = {}) {
    this.#registry.setDefaultLabels(labels)
    collectDefaultMetrics({ register: this.#registry })
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE

  /** As it was less than a second ago. */
  text(): Promise<Buffer> {
    const now = performance.now()
    if (this.#text === undefined || now - this.#writtenAt >= textMsMax) {
      this.#writtenAt = now
      this.#text = this.#registry.metrics().then((text) => Buffer.from(text))
    }
    return this.#text
  }

  /** The same for programs that would have to parse the text. */
  async read(): Promise<MetricRead[]> {
    const found = await this.#registry.getMetricsAsJSON()
    return found.map(({ name, values }) => ({
      name,
      values: values.map(({ labels, value }) => ({ labels: labels as Labels, value })),
    }))
  }

  /** The three series of a histogram, filled from our own buckets. */
  stages(
    name: string,
    help: string,
    labelNames: string[],
    read: () => readonly (readonly [Labels, DurationsSeen])[],
  ): void {
    this.counters(`${name}_bucket`, `${help}: at most so long`, [...labelNames, 'le'], () =>
      read().flatMap(([labels, seen]) => buckets(seen).map(([le, count]) => [{ ...labels, le }, count] as const)),
    )
    this.counters(`${name}_sum`, `${help}: of all`, labelNames, () =>
      read().map(([labels, { sumMs }]) => [labels, sumMs / 1000]),
    )
    this.counters(`${name}_count`, `${help}: how many`, labelNames, () =>
      read().map(([labels, { total }]) => [labels, total]),
    )
  }

  /** A value for each set of labels. */
  gauges(name: string, help: string, labelNames: string[], read: () => readonly (readonly [Labels, number])[]): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        gauge.reset()
        for (const [labels, value] of read()) gauge.set(labels, value)
      },
    })
  }

  /** One value; undefined: it stays as it was. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    const collect = async () => {
      const value = await read()
      if (value !== undefined) gauge.set(value)
    }
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect })
  }

  count(name: string, help: string, read: () => number): void {
    this.counters(name, help, [], () => [[{}, read()]])
  }

  counters(name: string, help: string, labelNames: string[], read: () => readonly (readonly [Labels, number])[]): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        counter.reset()
        for (const [labels, count] of read()) counter.inc(labels, count)
      },
    })
  }
}

/** Cumulative, as Prometheus counts them. */
function buckets({ counts }: DurationsSeen): [le: string, count: number][] {
  let sum = 0
  return [...counts].map((count, index) => {
    sum += count
    const bound = durationBucketsMs[index]
    return [bound === undefined ? '+Inf' : String(bound / 1000), sum]
  })
}
