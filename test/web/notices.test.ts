/** What the terminal tells of an order: one notice for one fate, whichever of its steps is heard first. */
import { beforeEach, expect, test, vi } from 'vitest'
import { endNoticesOf, notices, notify } from '../../web/store/notices.ts'

beforeEach(() => {
  vi.useFakeTimers()
  notices.value = []
  return () => vi.useRealTimers()
})

const told = () => notices.value.map(({ title }) => title)

test('placed, then canceled: that it was canceled', () => {
  notify('info', 'placed', '', { of: 'a' })
  endNoticesOf('a')
  notify('info', 'canceled')
  expect(told()).toEqual(['canceled'])
})

test('canceled before its answer was heard: that it was canceled', () => {
  endNoticesOf('b')
  notify('info', 'canceled')
  notify('info', 'placed', '', { of: 'b' })
  expect(told()).toEqual(['canceled'])
})

test('others are told as they come', () => {
  notify('info', 'placed', '', { of: 'c' })
  endNoticesOf('d')
  notify('info', 'placed', '', { of: 'e' })
  expect(told()).toEqual(['placed', 'placed'])
})
