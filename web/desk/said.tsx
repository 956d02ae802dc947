/** What the venue says, in the language that is spoken; what stays English is marked as that. */
import { sentence, term } from '../words/venue.ts'

/** Words of the wire among those of another language. */
const english = /([A-Za-z][\w .,()'/-]*)/

export function Said({ text, isTerm = false }: { text: string; isTerm?: boolean }) {
  const spoken = isTerm ? term(text) : sentence(text)
  if (spoken === undefined) return <span lang="en">{text}</span>
  return (
    <span>
      {spoken.split(english).map((part, place) =>
        place % 2 === 0 ? (
          part
        ) : (
          <span key={place} lang="en">
            {part}
          </span>
        ),
      )}
    </span>
  )
}
