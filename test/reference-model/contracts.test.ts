/** The engine against the model, contracts: as spot.test.ts, in a file of its own so that both run at a time. */
import { contractScenes } from './scenes.ts'
import { agrees } from './agreement.ts'

agrees('test/reference-model/contracts.test.ts', contractScenes)
