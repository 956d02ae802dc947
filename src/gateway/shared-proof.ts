/**
 * The proof of reserves of a venue of several gateways: each of them shows the one that the core keeps, so that who asks two sees one.
 *
 * Made     by the gateway that is asked when there is none, or it is old: the core, which has the orders of all, walks over no accounts.
 *          Of two that were made at once the first one counts
 * Kept     by the core in memory: one that is started anew, or takes over, is given another
 * Alone    without a core what was shown last is shown on
 */
import { type Proof, proofAgeMsMax, type SharedProof } from '../api/api.ts'

type Ask = (what: string, ...args: readonly unknown[]) => Promise<unknown>

/** What the core answers. `now`: the venue's time. */
export function proofAnswers(now: () => number) {
  let kept: { readonly at: number; readonly proof: Proof } | undefined
  const proof = () => (kept !== undefined && now() - kept.at < proofAgeMsMax ? kept.proof : undefined)
  return {
    proof,
    keepProof: (made: Proof): Proof => {
      const known = proof()
      if (known !== undefined) return known
      kept = { at: now(), proof: made }
      return made
    },
  }
}

/** The same as a gateway has it. */
export function proofOfCore(ask: Ask): SharedProof {
  let shown: Proof | undefined
  let asking: Promise<Proof> | undefined
  const askCore = async (make: () => Proof) => {
    try {
      return ((await ask('proof')) ?? (await ask('keepProof', make()))) as Proof
    } catch {
      // It is away, or went away meanwhile: public reads go on.
      return shown ?? make()
    }
  }
  // Who asks meanwhile is answered the same: to make one takes long where there are many accounts.
  return (make) =>
    (asking ??= askCore(make)
      .then((proof) => (shown = proof))
      .finally(() => (asking = undefined)))
}
