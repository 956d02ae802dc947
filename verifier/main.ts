/**
 * The command line of the verifier: `tidemark-verify <data> [--json]`.
 *
 * Exit  0 nothing is wrong · 1 something is, each fault with its file and its offset or row · 2 it could not be verified
 */
import type { Fault, Findings, OnPart } from './findings.ts'
import { CannotVerify, verify } from './verify.ts'

const usage = 'usage: tidemark-verify <data> [--json]'

export function main(
  args: readonly string[],
  print: (text: string) => void,
  complain: (text: string) => void,
  onPart: OnPart = () => {},
): number {
  const json = args.includes('--json')
  const [data, ...more] = args.filter((arg) => arg !== '--json')
  if (data === undefined || more.length > 0 || data.startsWith('-')) {
    complain(usage)
    return 2
  }
  let findings: Findings
  try {
    findings = verify(data, onPart)
  } catch (error) {
    if (!(error instanceof CannotVerify)) throw error
    complain(`tidemark-verify: ${error.message}`)
    return 2
  }
  print(json ? jsonOf(findings) : textOf(findings))
  return findings.faultCount === 0 ? 0 : 1
}

function jsonOf({ faultCount, faults, notes, unchecked, counts }: Findings): string {
  return JSON.stringify({ sound: faultCount === 0, faultCount, faults, notes, unchecked, counts }, undefined, 2)
}

function textOf({ faultCount, faults, notes, unchecked, counts }: Findings): string {
  const checked = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  return [
    `checked: ${checked.join(', ')}`,
    ...unchecked.map((what) => `not checked: ${what}`),
    ...notes.map((text) => `note: ${text}`),
    ...faults.map((fault) => `fault: ${placeOf(fault)}: ${fault.what}`),
    ...(faultCount > faults.length ? [`and ${faultCount - faults.length} faults more`] : []),
    faultCount === 0 ? 'sound' : `${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}`,
  ].join('\n')
}

function placeOf({ file, offset, row }: Fault): string {
  return [file, offset === undefined ? '' : `at offset ${offset}`, row ?? ''].filter((part) => part !== '').join(' ')
}
