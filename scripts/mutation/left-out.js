/**
 * What is not mutated, a plug-in of Stryker's.
 *
 * Messages   of broken invariants: what they say is no rule, that they stop the venue is
 * A sample   with MUTATION_EVERY=n the first of every n functions and methods of a room, in the order of its files
 */

/** @typedef {{ type: string, callee?: { name?: string } }} Node */
/** @typedef {{ node: Node, parent?: Node, parentPath?: { parent?: Node } }} Path */

const every = Number(process.env.MUTATION_EVERY ?? 1)
let functions = 0

/** @param {Path} path */
function isMessage({ node, parent }) {
  if (node.type !== 'StringLiteral' && node.type !== 'TemplateLiteral') return false
  return parent?.callee?.name === 'assert' || parent?.callee?.name === 'InvariantBroken'
}

/** @param {Path} path */
function isBesideTheSample({ node, parent, parentPath }) {
  const isFunction =
    node.type === 'ClassMethod' ||
    node.type === 'ClassPrivateMethod' ||
    (node.type === 'FunctionDeclaration' &&
      (parent?.type === 'Program' ||
        (parent?.type === 'ExportNamedDeclaration' && parentPath?.parent?.type === 'Program')))
  return isFunction && functions++ % every !== 0
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'left-out',
    value: {
      /** @param {Path} path */
      shouldIgnore(path) {
        if (isMessage(path)) return 'the message of an invariant'
        return isBesideTheSample(path) ? 'not in the sample' : undefined
      },
    },
  },
]
