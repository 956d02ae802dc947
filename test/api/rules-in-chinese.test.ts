/**
 * Every rule that a field of the table states has its words in Chinese (design §4.21).
 */
import { expect, test } from 'vitest'
import { endpoints } from '../../src/api/api.ts'
import { ApiError, messageOf, wrongParameter } from '../../src/api/errors/errors.ts'
import { inChinese } from '../../src/api/errors/rules-in-chinese.ts'

interface Field {
  readonly 'x-rule'?: string
  readonly properties?: Readonly<Record<string, Field>>
  readonly items?: Field
}

function rulesOf({ 'x-rule': rule, properties = {}, items }: Field): string[] {
  const inside = [...Object.values(properties), ...(items === undefined ? [] : [items])]
  return [...(rule === undefined ? [] : [rule]), ...inside.flatMap(rulesOf)]
}

const rules = [...new Set(endpoints.flatMap(({ request }) => rulesOf(request)))]

test.each(rules)('%s', (rule) => {
  expect(inChinese(`field ${rule}`)).toMatch(/^field .*\p{Script=Han}/u)
  expect(inChinese(`field ${rule}`)).not.toMatch(/\b(?:should|have|most|letters|digits|entries)\b/)
})

test.each([
  // fault                                                          in Chinese
  [wrongParameter('v2', 'side', 'should be one of buy, sell'), '参数校验失败: side 须为以下之一: buy, sell'],
  [wrongParameter('v3', 'limit', 'should be between 1 and 100'), '参数校验失败: limit 须为 1 至 100'],
  [wrongParameter('v2', 'limit', 'should be between 1 and 100, or max'), '参数校验失败: limit 须为 1 至 100,或 max'],
  [
    wrongParameter('v3', 'toType', 'p2p is not supported by a unified sub-account'),
    '参数校验失败: toType 统一账户子账户不支持 p2p',
  ],
  [new ApiError('40034', ['symbol NOSUCH']), '参数 symbol NOSUCH 不存在'],
  [new ApiError('40404', ['- isolated spot margin is not offered']), '请求地址不存在 - 不提供逐仓杠杆'],
  [
    new ApiError('40404', ['- conversion of small balances into BGB is not offered: the venue has no such coin']),
    '请求地址不存在 - 不提供小额资产兑换 BGB,本平台没有该币种',
  ],
] as const)('%s', (fault, said) => {
  expect(messageOf(fault, 'zh-CN')).toBe(said)
})
