/**
 * What Node is told before a program of ours that a test starts: to read libraries joined into files, as `tidemark dev` does. It is a
 * quarter of a start, and a run of all tests starts hundreds of processes.
 *
 * Else   nothing, where nothing was joined (test/joined-libraries.ts) and where no test runs: in a benchmark
 */
const { TESTS_IMPORT_FIRST: first } = process.env

export const sooner: readonly string[] = first === undefined ? [] : ['--import', first]
