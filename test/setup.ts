/**
 * Before the tests of each file: properties start from one seed, so that a run repeats (`FC_SEED=random` or a number explores
 * elsewhere), waits are patient, and a few rows may be tried twice where that is asked for. After them: temporary directories go.
 */
import { configureGlobal } from 'fast-check'
import { afterAll } from 'vitest'
import './support/patience.ts'
import { allowSecondTry } from './support/second-try.ts'
import { removeTemporaryDirectories } from './support/temporary.ts'

const asked = process.env['FC_SEED'] ?? '20261121'
if (asked !== 'random') configureGlobal({ seed: Number(asked) })

allowSecondTry()
afterAll(removeTemporaryDirectories)
