/**
 * What axe finds wrong with a page by WCAG 2.1 AA: one line for each thing, with rule, place and why.
 *
 * Runs   axe is put into a document by the browser, past the policy of the page, once: it is half a megabyte to read
 */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

const run = `axe
  .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'] })
  .then((found) => found.violations)`

export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source)
  const found = await page.evaluate<readonly Violation[]>(run)
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      return `${id}: ${target.join(' ')}: ${failureSummary.replaceAll(/\s+/g, ' ')}`
    }),
  )
}
