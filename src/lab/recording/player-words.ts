/** What is said of a recorded call, and which call of the laboratory a path is. */
import type { Command } from '../../engine/protocol/command.ts'
import type { RequestRow } from './rows.ts'

export function whereOf({ method, target }: Pick<RequestRow, 'method' | 'target'>, number: number): string {
  return `request ${number} (${method} ${target.split('?', 1)[0]})`
}

/** `path` is below /_lab; its last part is the parameter, where there is one. */
export function callOf<Call extends { readonly method: string; readonly path: string }>(
  calls: readonly Call[],
  method: string,
  path: string,
): { readonly call: Call; readonly id: string } | undefined {
  const call = calls.find((one) => {
    return one.method === method && new RegExp(`^${one.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(`/_lab${path}`)
  })
  return call && { call, id: decodeURIComponent(path.split('/').at(-1) ?? '') }
}

/** The first command that is another one, as it was and as it is. */
export function firstApart(recorded: readonly Command[], got: readonly Command[]): [string, string] {
  const texts = [recorded, got].map((commands) => commands.map(textOf))
  const place = texts[0].findIndex((text, index) => texts[1][index] !== text)
  const at = place < 0 ? texts[0].length : place
  return [texts[0][at] ?? 'none', texts[1][at] ?? 'none']
}

function textOf(command: Command): string {
  return JSON.stringify(command, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}
