/**
 * The action's second half, after all other steps of the job, also after one that failed: shows what the venue has said, and stops it.
 *
 * Source  action.yml, start.js
 */
import { existsSync, readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

const { STATE_pid: pid = '', STATE_log: log = '' } = process.env

if (pid !== '') stop(Number(pid))
if (existsSync(log)) console.log(`::group::What Tidemark said\n${readFileSync(log, 'utf8')}\n::endgroup::`)

/** It, and npx and the shell that run it. @param {number} leader */
function stop(leader) {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(leader), '/t', '/f'])
    return
  }
  try {
    process.kill(-leader, 'SIGTERM')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}
