/** The way to a chapter of the guide, which is English. It opens beside the page: who trades keeps what they see. */
import type { ComponentChildren } from 'preact'
import { chapterAddress } from '../venue/guide.ts'

interface ChapterLinkProps {
  readonly page: string
  readonly chapter: string
  /** Where the interface is, if the page is served elsewhere. */
  readonly at?: string
  readonly children: ComponentChildren
}

export function ChapterLink({ page, chapter, at = '', children }: ChapterLinkProps) {
  return (
    <a href={at + chapterAddress(page, chapter)} lang="en" target="_blank" rel="noopener">
      {children}
    </a>
  )
}
