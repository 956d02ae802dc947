/**
 * Libraries of many small modules, each joined into one file. typebox has 683 modules and kysely 257. To find and read them one by
 * one is a fifth of all that `tidemark dev` does before it is ready.
 *
 * Made    in a checkout once for each lock, and for the package (join-libraries.js)
 * Used    by the thread that calls `useJoined`, and by a process with `--import` of `usingJoined`; else the libraries are read as they
 *         are
 * Same    all of each library is there, and nothing but blanks was changed. Where nothing was joined all works as well
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What is imported, and its file. */
export const joined = {
  typebox: 'typebox.js',
  'typebox/compile': 'typebox-compile.js',
  'typebox/system': 'typebox-system.js',
  'typebox/value': 'typebox-value.js',
  kysely: 'kysely.js',
  'kysely/migration': 'kysely-migration.js',
  yaml: 'yaml.js',
}

const ourSources = new URL('../src/', import.meta.url).href

/**
 * Of our own sources that name each other whole: they are where they say, which Node need not look up.
 * @param {string} name
 * @param {string | undefined} parent
 */
function ownFile(name, parent) {
  if (!/^\.{1,2}\/.*\.[jt]s$/.test(name) || !parent?.startsWith(ourSources)) return undefined
  return { url: new URL(name, parent).href, shortCircuit: true }
}

/**
 * From here on this thread imports them from there, if they are there.
 * @param {string} directory
 */
export function useJoined(directory) {
  if (!existsSync(directory) || module.registerHooks === undefined) return
  const found = new Map(
    Object.entries(joined).map(([name, file]) => {
      const { href: url } = pathToFileURL(join(directory, file))
      return [name, { url, format: 'module', shortCircuit: true }]
    }),
  )
  module.registerHooks({
    resolve: (name, context, next) => found.get(name) ?? ownFile(name, context.parentURL) ?? next(name, context),
  })
}

/**
 * What a process imports first to do so.
 * @param {string} directory
 */
export function usingJoined(directory) {
  const url = new URL(import.meta.url)
  url.searchParams.set('from', directory)
  return url.href
}

const from = new URL(import.meta.url).searchParams.get('from')
if (from !== null) useJoined(from)
