/** Loaded into a process of the venue by tests alone (`node --import`): with SIGUSR2 the clock of its machine leaps by five seconds. */
const now = Date.now
let aheadMs = 0
Date.now = () => now() + aheadMs
process.on('SIGUSR2', () => (aheadMs += 5_000))
