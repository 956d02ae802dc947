/**
 * The words that swagger-ui says around the calls, which it has in English alone: put into the language that is spoken, wherever it
 * draws one of them.
 *
 * Left      the documents themselves: descriptions, models, names and examples
 * Back      what it said is kept beside each place, so that English is there again
 */
import { effect } from '@preact/signals'
import { docs } from '../words/docs.ts'
import { spokenTag } from '../words/languages.ts'

const attributes = ['placeholder', 'aria-label', 'title']
const documents = '.renderedMarkdown, .markdown, .opblock-summary, .model, .parameter__name, pre, code'

interface Place {
  readonly english: string
  /** What stands there now, unless swagger-ui has drawn anew. */
  readonly shown: string
}

const places = new WeakMap<Node, Place>()

/** For as long as the page is there. */
export function speakCalls(root: HTMLElement): void {
  let wasTranslated = false
  const watch = new MutationObserver((changes) => {
    // Only what is new: all of the page is long.
    for (const { type, target, addedNodes, attributeName } of changes) {
      if (type === 'childList') for (const node of addedNodes) speakIn(node)
      else if (type === 'characterData') speakText(target)
      else if (attributeName !== null) speakAttribute(target as Element, attributeName)
    }
  })
  effect(() => {
    const isTranslated = spokenTag() !== 'en'
    watch.disconnect()
    if (isTranslated || wasTranslated) speakIn(root)
    if (isTranslated) {
      watch.observe(root, { subtree: true, childList: true, characterData: true, attributeFilter: attributes })
    }
    wasTranslated = isTranslated
  })
}

function speakIn(node: Node): void {
  if (node instanceof Text) return speakText(node)
  if (!(node instanceof Element) || node.closest(documents) !== null) return
  for (const name of attributes) speakAttribute(node, name)
  for (const child of node.childNodes) speakIn(child)
}

function speakText(text: Node): void {
  const element = text.parentElement
  if (element?.closest(documents) === null) speakNode(text, element)
}

function speakAttribute(element: Element, name: string): void {
  const attribute = element.getAttributeNode(name)
  if (attribute !== null && element.closest(documents) === null) speakNode(attribute)
}

function speakNode(node: Node, element?: Element): void {
  const now = node.nodeValue ?? ''
  const known = places.get(node)
  const english = known?.shown === now ? known.english : now
  const word = (docs.calls as Readonly<Record<string, string>>)[english.trim()]
  if (word === undefined) return
  const shown = english.replace(english.trim(), word)
  places.set(node, { english, shown })
  if (shown !== now) node.nodeValue = shown
  // The page is English around it.
  if (element?.textContent === shown) element.setAttribute('lang', spokenTag())
}
