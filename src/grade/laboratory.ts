/**
 * The laboratory as the grader has it: the helper for tests, which anybody has. It starts one, or finds that of TIDEMARK_URL.
 *
 * Alone     here src imports from clients/: the grader knows nothing of a venue but what its control interface says
 */
export { LabError, type Role, startVenue, type Venue } from '../../clients/typescript/index.ts'
