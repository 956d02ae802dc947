/** Texts of public trades: made once for each instrument as it is listed, the same as if made each time. */
import { expect, test } from 'vitest'
import { dataOf, jsonOf, listText, objectText } from '../../src/api/json-text.ts'
import { KeptTexts } from '../../src/api/kept-texts.ts'

test('a text is made once, and anew under something else', () => {
  const made: string[] = []
  const texts = new KeptTexts((thing: { readonly n: number }, under: { readonly of: string }) => {
    made.push(`${thing.n}${under.of}`)
    return { shown: thing.n, of: under.of }
  })
  const [one, two] = [{ n: 1 }, { n: 2 }]
  const [before, after] = [{ of: 'before' }, { of: 'after' }]
  expect(dataOf(texts.listOf([two, one], before))).toEqual([
    { shown: 2, of: 'before' },
    { shown: 1, of: 'before' },
  ])
  texts.listOf([one, two], before)
  expect(made).toEqual(['2before', '1before'])
  expect(dataOf(texts.listOf([one], after))).toEqual([{ shown: 1, of: 'after' }])
  expect(made).toEqual(['2before', '1before', '1after'])
})

test.each([
  // an answer                                                       its JSON
  [undefined, 'null'],
  [{ a: [1] }, '{"a":[1]}'],
  [listText([]), '[]'],
  [listText(['{"a":1}', '2']), '[{"a":1},2]'],
  [objectText({ list: listText<number>(['1', '2']), cursor: null }), '{"list":[1,2],"cursor":null}'],
  [objectText({ 'quoted"': 'x"y' }), '{"quoted\\"":"x\\"y"}'],
])('%j is %s', (answer, json) => {
  expect(jsonOf(answer)).toBe(json)
  expect(dataOf(answer) ?? null).toEqual(JSON.parse(json))
})
