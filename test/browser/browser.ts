/**
 * A real Chromium for the browser tests: `CHROME_PATH`, one of the system, else the one from the lock file.
 *
 * Unpacking   the package unpacks itself into the temporary directory, and takes whatever `chromium` is there already, even
 *             of another version: so it gets a directory of its own per version
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const ofTheSystem = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROME_PATH'] ?? ofTheSystem.find(existsSync) ?? (await fromTheLockFile())
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

async function fromTheLockFile(): Promise<string> {
  const record = new URL('../../node_modules/@sparticuz/chromium/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(fileURLToPath(record), 'utf8')) as { version: string }
  const before = process.env['TMPDIR']
  const directory = join(tmpdir(), `tidemark-chromium-${version}`)
  mkdirSync(directory, { recursive: true })
  process.env['TMPDIR'] = directory
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    packaged.setGraphicsMode = false
    return await packaged.executablePath()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}
