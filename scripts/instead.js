/**
 * Runs another program in the place of this one, in memory of large pages. For the launcher of the checkout (ready.js) and for the
 * package (packaged.js): plain JavaScript on built-ins only.
 *
 * Holds   this process ends as the program ended, and the program never outlives it
 * npx     ends its shell when it is told to end, and not what that shell has started. So a command ends with that shell
 * Pages   are a matter of Linux and its C library (docs/decisions/0007-large-pages.md). Elsewhere nothing is set
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, dirname } from 'node:path'

const followParent = new URL('follow-parent.js', import.meta.url).href

/**
 * Has the C library ask the system for memory in pages of 2 MB. It reads this when a process begins, so that no program can ask for
 * itself.
 */
const largePages = 'glibc.malloc.hugetlb=1'

/**
 * Whether this process has been told which pages to ask for, or is where nobody would hear of it.
 * @param {string | undefined} given
 */
export function choseItsPages(given = process.env.GLIBC_TUNABLES, platform = process.platform) {
  return platform !== 'linux' || given?.includes('glibc.malloc.hugetlb=') === true
}

/** What is set already stays, also a choice of other pages. */
function tunables() {
  const { GLIBC_TUNABLES: given } = process.env
  if (choseItsPages(given)) return given
  return given ? `${given}:${largePages}` : largePages
}

const lookMs = 250

/**
 * A command that npx runs stops in order, as by SIGTERM, once the shell is gone that npx has started it in. Other scripts of npm may
 * leave it running on purpose.
 */
export function stopWithNpx() {
  if (process.env.npm_lifecycle_event !== 'npx') return
  const shell = process.ppid
  const look = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(look)
    process.kill(process.pid, 'SIGTERM')
  }, lookMs)
  look.unref()
}

/**
 * Runs `node ...args`: same standard streams, same signals, same end.
 * A Ctrl-C in a terminal reaches the program twice, once from the terminal and once from here.
 * @param {string} node path of the Node to run
 * @param {string[]} args
 */
export function runInstead(node, args) {
  const child = spawn(node, ['--import', followParent, ...args], {
    // The channel carries no messages. It closes when this process ends, however it ends; see follow-parent.js.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: dirname(node) + delimiter + (process.env.PATH ?? ''), // for `#!/usr/bin/env node` further down
      GLIBC_TUNABLES: tunables(),
      TIDEMARK_LAUNCHER: String(process.pid),
    },
  })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    console.error(`tidemark: cannot run ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))
}
