/** What the venue says in English, told in another language: sentences with their figures, terms with what they are of. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zh } from '../../web/words/messages/venue.zh.ts'
import { sentence, term } from '../../web/words/venue.ts'
import { speak } from '../../web/words/words.ts'

const { phrases } = zh

test('every phrase has its figures, and letters of its language', () => {
  const figures = (text: string) => text.split('{}').length
  const wrong = Object.entries(phrases).filter(
    ([phrase, text]) => figures(phrase) !== figures(text) || !/\p{Script=Han}/u.test(text),
  )
  expect(wrong).toEqual([])
})

describe('in Chinese', () => {
  beforeAll(() => speak('zh'))
  afterAll(() => speak('en'))

  test.each([
    // what the venue says                                              what is shown
    ['is required', '必填'],
    ['must be a whole number from 1 to 60', '必须是 1 至 60 的整数'],
    [
      'must be a decimal above 0 with at most 8 decimals, up to 92.5',
      '必须是大于 0 的小数，最多 8 位小数，不超过 92.5',
    ],
    ['must be at least 3: the index price is less than one step', '必须不小于 3：指数价格不足一个步长'],
    ['at most 1.5 may leave', '最多可转出 1.5'],
    [
      'history is behind by 7 commands and 9 events, 12 s: reads of it wait',
      '历史落后 7 条命令、9 个事件，12 s：读取历史须等待',
    ],
    ['deposit uta: 1234.5 USDT', '充值 uta：1234.5 USDT'],
    ['order filled: buy 2 BTCUSDT filled', '委托 已成交：买 2 BTCUSDT 已成交'],
    ['nobody has words for this', undefined],
  ])('%s: %s', (said, shown) => {
    expect(sentence(said)).toBe(shown)
  })

  test.each([
    ['equity USDT', '权益 USDT'],
    ['entry flow F BTCUSDT long', '开仓现金流 F BTCUSDT 多'],
    ['tier 2 leverageMax', '第 2 档最高杠杆'],
    ['order 1001', '委托 1001'],
    ['BTCUSDT', undefined],
  ])('the term %s: %s', (said, shown) => {
    expect(term(said)).toBe(shown)
  })

  test('terms of explanations have words, but for a few that formulas have', () => {
    const spoken = [...termsOfExplanations()].filter((said) => term(said) === undefined)
    expect(
      spoken.filter((said) => !/^(p\d|adj|pull|scope|what|block( ms)?|adl (light|pnl)|[a-z]+Id)$/.test(said)),
    ).toEqual([])
  })
})

test('in English everything is said as the venue says it', () => {
  expect([sentence('is required'), term('equity USDT')]).toEqual([undefined, undefined])
})

/** Names of inputs and lines that stand in the source as they are. */
function termsOfExplanations(): Set<string> {
  const room = fileURLToPath(new URL('../../src/engine/explain', import.meta.url))
  const sources = readdirSync(room).map((file) => readFileSync(join(room, file), 'utf8'))
  const names = sources.flatMap((text) => [...text.matchAll(/\.(?:line|amount|input)\('([^']+)'/g)])
  return new Set(names.map(([, name = '']) => name))
}
