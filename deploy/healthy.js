/**
 * What the image asks to see whether its venue is well: `/health`, at the address that the venue has left in its directory, else at
 * the port that it is told. `tidemark dev` leaves nothing there. One process of several is asked at its status port.
 *
 * Exits   0: it is well · 1: it is not, or nobody answers
 * TLS     the venue's own certificate is enough, whatever name it is of
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'

const { TIDEMARK_DATA: data = '/data', TIDEMARK_PORT: port = '8080', TIDEMARK_STATUS: status = '' } = process.env

/** @returns {Promise<boolean>} */
function isWell({ url, certificate }) {
  const asked = url.startsWith('https:') ? https : http
  const options = { ca: certificate, allowPartialTrustChain: true, checkServerIdentity() {} }
  return new Promise((resolve) => {
    asked
      .get(`${url}/health`, options, ({ statusCode }) => resolve(statusCode === 200))
      .on('error', () => resolve(false))
      .setTimeout(4_000, () => resolve(false))
  })
}

function left() {
  if (status !== '') return [{ url: `http://${status}` }]
  try {
    return [JSON.parse(readFileSync(`${data}/server.json`, 'utf8'))]
  } catch {
    return []
  }
}

// A venue that was killed leaves its address, and another command may run on the volume since.
const answers = await Promise.all([...left(), { url: `http://127.0.0.1:${port}` }].map(isWell))
process.exit(answers.includes(true) ? 0 : 1)
