/**
 * What makes a page hard to read, found in its Markdown: sentences that are too long, and cells of tables that hold a paragraph.
 *
 * Words      a name in code counts as one, as does a link's text by its words; addresses do not count
 * Sentences  end with a full stop, a question mark, an exclamation mark or a colon at the end of its paragraph
 * Left out   code blocks, headings, pictures
 */
export const wordsMax = 25
export const cellCharactersMax = 200

/** A line each: where it is, how long, and how it begins. */
export function hardToRead(text: string): string[] {
  const found: string[] = []
  for (const { kind, content } of blocksOf(text)) {
    if (kind === 'cell') {
      const plain = shownOf(content)
      if (plain.length > cellCharactersMax) found.push(`a cell of ${plain.length} characters: ${plain.slice(0, 60)}`)
      continue
    }
    for (const sentence of sentencesOf(plainOf(content))) {
      const count = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}_]/u.test(word)).length
      if (count > wordsMax) found.push(`a sentence of ${count} words: ${sentence.slice(0, 70)}`)
    }
  }
  return found
}

interface Block {
  readonly kind: 'paragraph' | 'cell'
  readonly content: string
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let isCode = false
  const end = () => {
    if (lines.length > 0) blocks.push({ kind: 'paragraph', content: lines.join(' ') })
    lines = []
  }
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) {
      end()
      isCode = !isCode
    } else if (isCode || /^\s*(?:#{1,6} .*|!\[.*)?$/.test(line) || /^\s*\|[-|: ]+\|?$/.test(line)) {
      end()
    } else if (/^\s*\|/.test(line)) {
      end()
      blocks.push(...cellsOf(line).map((content): Block => ({ kind: 'cell', content })))
    } else {
      if (/^\s*(?:[-*]|\d+\.) /.test(line)) end()
      lines.push(line.replace(/^\s*(?:[-*]|\d+\.|>) /, '').trim())
    }
  }
  end()
  return blocks
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replaceAll('\\|', '¦')
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => cell.trim())
}

/** With code as one word each. */
function plainOf(text: string): string {
  return shownOf(text.replaceAll(/`[^`]*`/g, 'code'))
}

/** Without marks and addresses. */
function shownOf(text: string): string {
  return text
    .replaceAll('`', '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*?|__/g, '')
    .replaceAll(/<[^>]+>/g, '')
}

/** A stop ends a sentence before a capital letter, a figure, a quote or code; of `e.g. so` it does not. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?]["”)]?)\s+(?=["“(]?[\p{Lu}\p{N}]|code\b)/u).filter((sentence) => sentence.trim() !== '')
}
