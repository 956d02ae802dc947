/** Properties start from one seed, so that a run repeats; `FC_SEED=random` or a number explores elsewhere. */
import { configureGlobal } from 'fast-check'

const asked = process.env['FC_SEED'] ?? '20261121'
if (asked !== 'random') configureGlobal({ seed: Number(asked) })
