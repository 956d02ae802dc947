/** Where on the desk one is: the fragment of the address, so that reloading and going back keep to it. */
import { computed, signal } from '@preact/signals'
import { type Query, withQuery } from '../venue/query.ts'

export const views = [
  'overview',
  'instruments',
  'accounts',
  'keys',
  'risk',
  'controls',
  'trail',
  'hours',
  'explain',
] as const
export type View = (typeof views)[number]

const fragment = signal(location.hash)
addEventListener('hashchange', () => (fragment.value = location.hash))

interface Place {
  readonly view: View
  /** What of the view, such as the number of an account. */
  readonly item: string
  readonly query: URLSearchParams
}

export const place = computed<Place>(() => {
  const [path = '', query = ''] = fragment.value.replace(/^#\//, '').split('?')
  const [name = '', item = ''] = path.split('/')
  const view = views.find((known) => known === name) ?? views[0]
  return { view, item, query: new URLSearchParams(query) }
})

/** The address of a place. */
export function at(view: View, item = '', query: Query = {}): string {
  return withQuery(`#/${view}${item === '' ? '' : `/${item}`}`, query)
}

export function go(to: string): void {
  location.hash = to
}
