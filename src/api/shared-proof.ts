/** The proof of reserves, where a venue has several copies: one for all of them. */
import type { Static } from 'typebox'
import type { ProofOfReserves } from './v3/records.ts'

export type Proof = Static<typeof ProofOfReserves>

/** The last proof of all copies together; where there is none, or it is too old (`proofAgeMsMax`), `make` makes it. */
export type SharedProof = (make: () => Proof) => Promise<Proof>

export const proofAgeMsMax = 600_000
