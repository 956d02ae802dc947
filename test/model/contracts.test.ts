/** The engine against the model, contracts: as model.test.ts, in a file of its own so that both run at a time. */
import { contractScenes } from './scenes.ts'
import { agrees } from './telling.ts'

agrees('test/model/contracts.test.ts', contractScenes)
