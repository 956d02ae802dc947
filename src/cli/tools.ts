/** What belongs to the checkout, not to a running venue: the interface as a document, benches, completion. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { CannotStart, reasonOf } from '../operator/data-directory.ts'
import { command, type Given, onCall, UsageWrong } from './command.ts'
import { completionScript, type Shell, shells } from './completion.ts'
import { isForPeople, jsonFlag, show } from './output.ts'

export function addTools(program: Command): void {
  onCall(command(program, 'openapi', 'print the interface as an OpenAPI 3.1 document; no venue need run'), (_, given) =>
    writeOpenApi(given),
  ).option('--out <file>', 'write it there')
  onCall(
    command(program, 'bench [names...]', 'measure: all benches, or those named; about a minute each'),
    bench,
  ).option('--quick', 'all of them small')
  onCall(command(program, 'completion <shell>', `print completion for ${shells.join(', ')}`), ([shell], given) => {
    if (!(shells as readonly string[]).includes(shell)) {
      throw new UsageWrong(`shell ${shell}: must be one of ${shells.join(', ')}`)
    }
    const script = completionScript(program, shell as Shell)
    // A shell reads it through a pipe: it is the script unless JSON is asked for.
    if (given['json'] === undefined) process.stdout.write(script)
    else show({ shell, script }, given)
  })
}

async function writeOpenApi({ out }: Given): Promise<void> {
  const { referenceDocument } = await import('../api/api.ts')
  const text = `${JSON.stringify(referenceDocument(), undefined, 2)}\n`
  if (out === undefined) {
    process.stdout.write(text)
    return
  }
  try {
    writeFileSync(out, text)
  } catch (cause) {
    throw new CannotStart(`${out} cannot be written: ${reasonOf(cause)}`, { cause })
  }
}

/** bench/bench.ts knows the benches, shows how far it is, and keeps the figures. */
async function bench(names: string[], given: Given): Promise<void> {
  const script = fileURLToPath(new URL('../../bench/bench.ts', import.meta.url))
  if (!existsSync(script)) throw new CannotStart('the benches are in the checkout, and this is none')
  const flags = [...(given['quick'] === undefined ? [] : ['--quick']), ...(isForPeople(given) ? [] : [jsonFlag])]
  const child = spawn(process.execPath, [script, ...names, ...flags], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
}
