/**
 * Loaded first into a program that instead.js starts: the program dies at once when its launcher is gone.
 *
 * A launcher killed by SIGKILL cannot pass the news on, but the operating system closes its end of the channel between
 * the two, which arrives here as 'disconnect'. SIGKILL again, because a program that nobody watches any more must not
 * go on working through an orderly shutdown; recovery from a crash is its normal start.
 *
 * Workers and processes that the program starts inherit `--import`, not the duty: the variable names one launcher, and
 * only its direct child acts on it.
 */
const launcher = Number(process.env.TIDEMARK_LAUNCHER)
delete process.env.TIDEMARK_LAUNCHER

if (process.channel && launcher > 0) {
  process.on('disconnect', die)
  process.channel.unref() // the channel alone is no reason to stay alive
  if (process.ppid !== launcher || !process.connected) die() // it was killed before we came to listen
}

function die() {
  process.kill(process.pid, 'SIGKILL')
}
