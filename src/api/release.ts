/**
 * Which release of Tidemark this is: the version in the manifest of the checkout or the package that this file is in. A package has
 * its code a directory deeper, so the manifest is looked for, as Node does.
 */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

export function releaseName(): string {
  const manifest = readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}
