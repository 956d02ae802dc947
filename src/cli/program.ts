/**
 * All commands, family by family, in the order in which `tidemark --help` shows them.
 *
 * Errors   of usage are one line, as all errors are, and end with how the command is used
 */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { Command } from 'commander'
import { addAccounts } from './accounts.ts'
import { addBook } from './book.ts'
import { addCluster } from './cluster.ts'
import { addDev } from './dev.ts'
import { addGrade } from './grade.ts'
import { addLab } from './lab.ts'
import { addInstruments } from './instruments.ts'
import { addMarket } from './market.ts'
import { addOrders } from './orders.ts'
import { addReplay } from './replay.ts'
import { complain } from './output.ts'
import { addRules } from './rules.ts'
import { addSettings } from './settings.ts'
import { addTools } from './tools.ts'
import { addUpkeep } from './upkeep.ts'

export function buildProgram(): Command {
  const program = new Command('tidemark')
    .description('An exchange on your own machine: spot, margin and futures behind one compatible interface')
    .version(version())
    .exitOverride()
  addSettings(program)
  addDev(program)
  addLab(program)
  addReplay(program)
  addGrade(program)
  addMarket(program)
  addUpkeep(program)
  addCluster(program)
  addAccounts(program)
  addInstruments(program)
  addRules(program)
  addBook(program)
  addOrders(program)
  addTools(program)
  showUsage(program, program.name())
  return program
}

/** Of the checkout or the package that this file is in. */
function version(): string {
  return (JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8')) as { version: string }).version
}

function showUsage(command: Command, name: string): void {
  command.configureOutput({
    outputError: (text) => complain(`${oneLine(text)} (usage: ${name} ${command.usage()})`),
  })
  for (const subcommand of command.commands) showUsage(subcommand, `${name} ${subcommand.name()}`)
}

/** Commander puts its guess at what was meant on a line of its own. */
function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')
}
