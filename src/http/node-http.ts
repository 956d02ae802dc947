/**
 * What this room uses of node:http. A module that imports it reads all that it exports, and with that Node loads the whole of
 * fetch, a tenth of the time in which a venue in memory is ready. Asked for so, it does not.
 */
export const { Server, STATUS_CODES } = process.getBuiltinModule('node:http')
