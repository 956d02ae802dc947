/**
 * A system clock that somebody sets at will, on a machine that is suspended, killed and switched off, with an operator who
 * accepts some leaps and refuses others.
 *
 * Model   the venue's time: what passed on the monotonic clock, and leaps once they were accepted, undone, or followed because
 *         the machine was switched on with them
 * After each step the venue's time, the last stamp and the interest of the loan are those of the model to the unit
 */
import { Random } from '../../simulation/random.ts'
import { day, hour, interestOfHour, LeapingMachine, midnight, minute } from '../../simulation/leaping-machine.ts'
import type { Scenario } from './scenario.ts'

const steps = 40
/** Beyond the bound, so that none is followed by itself. */
const leaps = [3 * minute, hour, 9 * hour, day, 30 * day, 365 * day]

export const clock: Scenario = {
  name: 'clock',
  holds: 'interest is never charged for time that only a clock leapt, and stamps never go back',
  async round({ seed }) {
    const round = new Round(seed)
    await round.machine.open()
    try {
      for (let step = 0; step < steps; step++) {
        await round.step()
        round.check()
      }
      const { balanced } = await round.machine.runtime.verify()
      if (!balanced) throw new Error(`the books do not balance, seed ${seed}`)
      return { steps, ...round.counts, 'hours charged': Number(round.machine.interest / interestOfHour) }
    } finally {
      await round.machine.stop()
    }
  },
}

class Round {
  readonly machine = new LeapingMachine()
  readonly counts = { leaps: 0, accepted: 0, refused: 0, suspended: 0, restarts: 0, 'switched on': 0 }
  readonly #random: Random
  readonly #seed: number
  /** The venue's time, and its last stamp, as they must be. */
  #now = midnight
  #last = midnight

  constructor(seed: number) {
    this.#seed = seed
    this.#random = new Random(seed)
  }

  async step(): Promise<void> {
    const { machine } = this
    const act = this.#random.pick([
      'pass',
      'pass',
      'leap',
      'leap',
      'right',
      'accept',
      'refuse',
      'suspend',
      'restart',
      'boot',
    ])
    const ms = this.#random.pick([minute, 10 * minute, hour, 7 * hour])
    switch (act) {
      case 'pass':
        await machine.pass(ms)
        this.#now += ms
        break
      case 'leap':
        machine.leap(this.#random.pick([1, -1]) * this.#random.pick(leaps))
        this.counts.leaps += 1
        break
      case 'right':
        machine.leap(this.#now - machine.system)
        break
      case 'suspend':
        machine.suspend(ms + 3 * minute)
        this.counts.suspended += 1
        break
      case 'accept':
        if (machine.runtime.clock.accept()) this.counts.accepted += 1
        this.#now = machine.system
        break
      case 'refuse':
        if (machine.runtime.clock.refuse()) this.counts.refused += 1
        break
      default:
        await this.#restart(act === 'boot', ms)
    }
    // Two leaps that meet within the bound are none.
    const apart = machine.system - this.#now
    if (apart !== 0 && Math.abs(apart) < 3 * minute) machine.leap(-apart)
    await machine.runDue()
    this.#last = Math.max(this.#last, this.#now)
  }

  check(): void {
    const { machine } = this
    const view = machine.runtime.clock.view()
    this.#must(view.now === this.#now, `the venue's time is ${view.now} and not ${this.#now}`)
    const isUndecided = machine.system !== this.#now
    this.#must(
      (view.leap !== undefined) === isUndecided,
      isUndecided ? 'a leap is not told' : 'a leap is told that is none',
    )
    this.#must(machine.stamps.at(-1) === this.#last, `the last stamp is ${machine.stamps.at(-1)} and not ${this.#last}`)
    const isOrdered = machine.stamps.every((stamp, index) => index === 0 || stamp >= machine.stamps[index - 1])
    this.#must(isOrdered, 'a stamp went back')
    const hours = 1 + Math.floor((this.#last - midnight) / hour)
    const charged = machine.interest / interestOfHour
    this.#must(charged === BigInt(hours), `interest of ${charged} hours was charged for ${hours}`)
    this.#must(new Set(machine.fundings).size === machine.fundings.length, 'funding was settled twice')
  }

  async #restart(isBoot: boolean, ms: number): Promise<void> {
    const { machine } = this
    await machine.stop(this.#random.pick(['ended', 'killed']))
    machine.sleep(ms)
    this.#now += ms
    if (isBoot) {
      machine.boot()
      this.#now = machine.system
      this.counts['switched on'] += 1
    }
    await machine.start()
    this.counts.restarts += 1
  }

  #must(holds: boolean, otherwise: string): void {
    if (!holds) throw new Error(`${otherwise}, seed ${this.#seed}`)
  }
}
