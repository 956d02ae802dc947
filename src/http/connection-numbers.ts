/**
 * Numbers of connections: what came over the same one has the same, whichever way it was read.
 */
let counted = 0
const numbers = new WeakMap<object, number>()

/** From 1 on, in the order in which they are asked for. */
export function numberOf(socket: object): number {
  let number = numbers.get(socket)
  if (number === undefined) {
    counted += 1
    number = counted
    numbers.set(socket, number)
  }
  return number
}
