/** README and docs/ read easily: no sentence of more than 25 words, no cell of a table of more than 200 characters. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cellCharactersMax, hardToRead, wordsMax } from './plain-english.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const pagesIn = (folder: string) =>
  readdirSync(join(checkout, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
const pages = ['README.md', ...pagesIn('docs'), ...pagesIn('docs/tutorials')]

test.each(pages)('%s', (page) => {
  expect(hardToRead(readFileSync(join(checkout, page), 'utf8'))).toEqual([])
})

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')

test.each([
  ['a sentence of the most words', `So ${words(wordsMax - 1)}.`, 0],
  ['one word more', `So ${words(wordsMax)}.`, 1],
  ['two sentences', `So ${words(20)}. So ${words(20)}.`, 0],
  ['over several lines', `So ${words(15)}\n${words(15)}.`, 1],
  ['in an item of a list', `- so ${words(20)}\n- so ${words(20)}`, 0],
  ['with code, which is one word', `So \`a b c d\` ${words(wordsMax - 2)}.`, 0],
  ['with a link, of which the address does not count', `So [a](b-c_d%20e.md) ${words(wordsMax - 2)}.`, 0],
  ['in a block of code', `\`\`\`\n${words(40)}\n\`\`\``, 0],
  ['a cell of the most characters', `| ${'x'.repeat(cellCharactersMax)} | y |`, 0],
  ['one character more', `| ${'x'.repeat(cellCharactersMax + 1)} | y |`, 1],
])('%s', (_, text, faults) => {
  expect(hardToRead(text)).toHaveLength(faults)
})
