/** What the venue cites of its documents, as a way to that chapter of the guide. */
import { ChapterLink } from '../parts/chapter-link.tsx'
import { citedIn, interfaceAt } from '../venue/guide.ts'
import { isLabDesk } from './operator.ts'
import { status } from './watch.ts'

export function Cited({ source }: { source: string }) {
  const cited = citedIn(source)
  const at = isLabDesk ? '' : interfaceAt(status.value?.address ?? '', location.hostname)
  if (cited === undefined || at === undefined) return <>{source}</>
  return (
    <ChapterLink {...cited} at={at}>
      {source}
    </ChapterLink>
  )
}
