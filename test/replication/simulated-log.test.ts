/** The simulated log does what every log does. */
import { describe } from 'vitest'
import { testLog } from './log-contract.ts'
import { SimulatedLog } from './simulated-log.ts'
import { Process, World } from './world.ts'

describe('the simulated log', () => {
  testLog(async () => {
    const world = new World(1)
    const log = new SimulatedLog(world)
    return {
      logs: [log.for(new Process(world, 'one')), log.for(new Process(world, 'other'))],
      run: async (doing) => {
        let isOver = false
        const over = () => void (isOver = true)
        doing.then(over, over)
        while (!isOver) await world.runUntil(world.now + 4)
        return doing
      },
    }
  })
})
