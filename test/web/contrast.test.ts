/** Texts of both themes stand out from their ground: WCAG 2.2 AA, 4.5 to 1; edges that one has to see 3 to 1. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('../../web/styles/colours.css', import.meta.url), 'utf8')

function theme(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(selector))
  const body = block.slice(block.indexOf('{'), block.indexOf('}'))
  return new Map([...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]))
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const texts = ['text', 'quiet', 'accent', 'violet', 'up', 'down', 'warn']
const pairs = [
  ...texts.flatMap((text) => ['bg', 'panel', 'raised', 'field'].map((ground) => [text, ground, 4.5] as const)),
  ...['buy', 'sell', 'primary'].map((ground) => ['on-strong', ground, 4.5] as const),
  ['edge', 'panel', 3] as const,
]

/** A share of one colour over another. */
function over(colour: string, share: number, ground: string): string {
  const part = (of: string, at: number) => Number.parseInt(of.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) => Math.round(part(colour, at) * share + part(ground, at) * (1 - share)))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

test.each([':root {', ':root[data-theme="light"]'])('%s: words on their own wash', (selector) => {
  const colours = theme(selector)
  const block = css.slice(css.indexOf(selector))
  for (const word of ['up', 'down']) {
    const [, share = ''] = new RegExp(`--${word}-wash: rgb\\([\\d ]+/ (\\d+)%\\)`).exec(block) ?? []
    const colour = colours.get(word) ?? ''
    const ground = over(colour, Number(share) / 100, colours.get('panel') ?? '')
    expect(contrast(colour, ground), word).toBeGreaterThanOrEqual(4.5)
  }
})

test.each([':root {', ':root[data-theme="light"]'])('%s', (selector) => {
  const colours = theme(selector)
  const weak = pairs.filter(([text, ground, least]) => {
    return contrast(colours.get(text) ?? '', colours.get(ground) ?? '') < least
  })
  expect(weak).toEqual([])
})
