/** `print-hashes.ts SEED COMMANDS`: one life; prints the hash of the state at about every thousand commands. */
import { live } from './life.ts'

const [seed = '1', commands = '10000'] = process.argv.slice(2)
await live({
  seed: Number(seed),
  commands: Number(commands),
  onHash: (sequence, hash) => console.log(`${sequence} ${hash}`),
})
