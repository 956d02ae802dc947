/**
 * Focus stays near its place when what has it goes: the row of an order that was canceled, a button that opened a dialog, a form.
 *
 * Near     the same element once it can have focus again; else the nearest part of the page that is left, at the same place of a list
 * A row    has it at its first control, so that a key that is still down cancels no second order
 * Whose    of people at the keyboard: who clicks or taps wants no focus anywhere, and no keyboard on a phone. Who leaves a field by
 *          Escape wants the keys of the page
 */

/** An element and the elements around it, each with its place among its neighbours, from within to without. */
export type Place = readonly { readonly element: Element; readonly index: number }[]

/** No field of a form: a letter that is a shortcut would be typed into it. */
const takesFocus = ':is(a[href], button, [tabindex="0"]):not(:disabled)'

let place: Place = []

/** Where focus is, or was before what had it went. */
export const focusPlace = (): Place => place

/** Focus goes to the nearest of a place that is left. */
export function focusNear(from: Place): void {
  const had = from[0]?.element
  if (had instanceof HTMLElement && had.checkVisibility()) {
    had.focus() // nothing while it is disabled: an order is under way, and the button comes back
    return
  }
  for (const [depth, { element: around }] of from.entries()) {
    if (depth === 0 || !around.isConnected) continue
    const index = from[depth - 1]?.index ?? 0
    const first = firstIn(around.children[index] ?? around.lastElementChild) ?? firstIn(around)
    if (first === undefined) continue
    first.focus({ preventScroll: true })
    return
  }
}

/** For the life of the page. */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    place = target instanceof Element && target.matches(':focus-visible') ? placeOf(target) : []
  })
  document.addEventListener('pointerdown', () => (place = []))
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return
    // What went, or is disabled, did not give its focus away.
    queueMicrotask(() => {
      const isLeft = target instanceof Element && target.isConnected && target.matches(':enabled, a, [tabindex]')
      if (isLeft && document.activeElement === document.body) place = []
    })
  })
  new MutationObserver(() => {
    if (place.length > 0 && document.activeElement === document.body) focusNear(place)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}

function placeOf(element: Element): Place {
  const steps: { element: Element; index: number }[] = []
  for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
    steps.push({ element: at, index: [...(at.parentElement?.children ?? [])].indexOf(at) })
  }
  return steps
}

function firstIn(part: Element | null | undefined): HTMLElement | undefined {
  if (part === null || part === undefined) return undefined
  const found = part.matches(takesFocus) ? [part] : part.querySelectorAll(takesFocus)
  for (const one of found) if (one instanceof HTMLElement && one.checkVisibility()) return one
  return undefined
}
