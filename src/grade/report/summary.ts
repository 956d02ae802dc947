/** How it went, in a sentence and in figures. */
import type { Grade, Graded, Result } from '../graded.ts'
import type { Letter } from '../judge/judge.ts'

export interface Summary {
  readonly of: number
  readonly survived: number
  readonly failed: number
  readonly notReached: number
  readonly sentence: string
}

export function summary({ graded }: Pick<Grade, 'graded'>): Summary {
  const having = (result: Result) => graded.filter((one) => one.result === result)
  const [survived, failed, notReached] = [having('survived'), having('failed'), having('not reached')]
  const parts = [
    `Survived ${survived.length} of ${graded.length}`,
    ...(failed.length > 0 ? [`${failed.length} failed: ${names(failed)}`] : []),
    ...(notReached.length > 0 ? [`${notReached.length} not reached: ${names(notReached)}`] : []),
  ]
  return {
    of: graded.length,
    survived: survived.length,
    failed: failed.length,
    notReached: notReached.length,
    sentence: parts.join(', '),
  }
}

/** Each once, whatever the seed. */
function names(graded: readonly Graded[]): string {
  return [...new Set(graded.map(({ hazard }) => hazard.id))].join(' ')
}

export function lettersOf({ findings }: Pick<Graded, 'findings'>): readonly Letter[] {
  return [...new Set(findings.map(({ letter }) => letter))]
}

/** `failed (T, D)`. */
export function resultText(graded: Graded): string {
  const letters = lettersOf(graded)
  return letters.length === 0 ? graded.result : `${graded.result} (${letters.join(', ')})`
}
