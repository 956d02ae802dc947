/**
 * The mirror of another venue, opened as the configuration says.
 */
import type { Logger } from 'pino'
import { Mirror, MirrorWrong } from '../mirror/mirror.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Configuration } from './config/schema.ts'
import { CannotStart } from './data-directory.ts'
import { listMissing } from './mirror-listing.ts'

/** Half of what local orders took of a mirrored level is back after so long. */
const healMs = 2_000
const lookEveryMs = 1_000

interface MirrorOptions {
  readonly configuration: Configuration
  readonly runtime: Runtime
  readonly closeAtEnd: (close: () => Promise<void>) => void
  readonly log: Logger
}

/** Symbols that the venue does not have are listed first. Throws CannotStart for those that the other venue does not have either. */
export async function openMirror({ configuration, runtime, closeAtEnd, log }: MirrorOptions) {
  const { mirror: url, mirrorStream: stream, mirrorSymbols: symbols } = configuration
  try {
    const base = url.replace(/\/$/, '')
    await listMissing(runtime, base, symbols)
    const mirror = new Mirror(
      { core: runtime, log },
      { url: base, stream, symbols, queue: 'pro-rata', healMs, lookEveryMs },
    )
    closeAtEnd(() => mirror.stop())
    await mirror.start()
    return mirror
  } catch (error) {
    if (error instanceof MirrorWrong) throw new CannotStart(error.message)
    throw error
  }
}
