/**
 * The page of the laboratory has every fault with every field that it takes, and no other.
 *
 * Source  docs/lab.md, faults
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shownEndpoints, shownKinds } from '../../../src/lab/faults/faults.ts'
import { marketFaultNames } from '../../../src/lab/market-faults/market-faults.ts'

const page = readFileSync(new URL('../../../docs/lab.md', import.meta.url), 'utf8')
const part = (from: string, to: string) => page.slice(page.indexOf(`\n## ${from}\n`), page.indexOf(`\n## ${to}\n`))
const section = part('Faults', 'Hold')
const tables = section + part('Socket faults', 'Cheats')
const rows = [...tables.matchAll(/^\| `([a-z-]+)` \| ?([^|]*)\|/gm)].map(([, name, fields]) => [name, fields] as const)

test('every fault is in the table, with all that it is told', () => {
  const told = new Map(rows)
  for (const { fault, with: fields } of shownKinds()) {
    if ((marketFaultNames as readonly string[]).includes(fault)) continue
    expect(told.has(fault), fault).toBe(true)
    for (const field of Object.keys(fields)) expect(told.get(fault), fault).toContain(`\`${field}\``)
  }
})

test('groups that the page names are there', () => {
  const known = new Set(shownEndpoints().groups.map(({ name }) => name))
  const row = /^\| `endpoint` \| (.*) \|$/m.exec(section)?.[1] ?? ''
  const named = [...row.matchAll(/`([a-z:]+)`/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(5)
  for (const name of named) expect(known.has(name), name).toBe(true)
})
