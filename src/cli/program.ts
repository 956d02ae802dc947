/** All commands, family by family, in the order in which `tidemark --help` shows them. */
import { Command } from 'commander'
import { addAccounts } from './accounts.ts'
import { addBook } from './book.ts'
import { addInstruments } from './instruments.ts'
import { addOrders } from './orders.ts'
import { addRules } from './rules.ts'
import { addSettings } from './settings.ts'
import { addTools } from './tools.ts'
import { addUpkeep } from './upkeep.ts'

export function buildProgram(): Command {
  const program = new Command('tidemark')
    .description('An exchange on your own machine: spot, margin and futures behind one compatible interface')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  addSettings(program)
  addUpkeep(program)
  addAccounts(program)
  addInstruments(program)
  addRules(program)
  addBook(program)
  addOrders(program)
  addTools(program)
  return program
}
