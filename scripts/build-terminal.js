/** `npm run build`: builds the terminal if it is out of date, as every start does. */
import { ensureTerminal } from './terminal.js'

process.exitCode = ensureTerminal() ? 0 : 1
