/**
 * In place of `npx tidemark`: says where a laboratory is that runs already, the first one where the clock is to stand still. It fails
 * where it is not asked for as the helpers ask.
 */
const [still, running, ...asked] = process.argv.slice(2)
const usual = 'dev --port 0 --simulator off --ends-with-clients --venues-max 512'
const words = asked.flatMap((word) => word.split('='))
const isUsual = words.slice(0, 8).join(' ') === usual
const others = words.slice(8).filter((word) => !['--deterministic', '--no-rate-limits'].includes(word))
const inherited = Object.keys(process.env).filter((name) => name.startsWith('TIDEMARK_'))
if (!isUsual || others.length + inherited.length > 0) {
  console.error(`asked otherwise: ${[...asked, ...inherited].join(' ')}`)
  process.exit(3)
}
console.log(`Listens.\nready ${asked.includes('--deterministic') ? still : running}\nCtrl-C stops it.`)
