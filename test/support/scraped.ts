/** What a process tells whoever watches it, over HTTP: /metrics, read line by line, and /health. */

export class Scraped {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  static async from(url: string): Promise<Scraped> {
    const answer = await fetch(`${url}/metrics`)
    if (answer.status !== 200) throw new Error(`${url}/metrics answers ${answer.status}`)
    return new Scraped(await answer.text())
  }

  /** Names of all metrics, of histograms the series. */
  get names(): ReadonlySet<string> {
    return new Set([...this.text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  }

  /** The series with all of these labels; undefined: there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    for (const [, found, all = '', value] of this.text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
      if (found === name && wanted.every((one) => all.split(',').includes(one))) return Number(value)
    }
    return undefined
  }

  /** A label of the only series of a metric. */
  label(name: string, label: string): string | undefined {
    return new RegExp(`^${name}\\{.*?\\b${label}="([^"]*)"`, 'm').exec(this.text)?.[1]
  }
}

export async function healthAt(url: string): Promise<{ readonly status: string; readonly reasons: readonly string[] }> {
  return (await (await fetch(`${url}/health`)).json()) as Awaited<ReturnType<typeof healthAt>>
}
