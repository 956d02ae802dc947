/**
 * Malformed requests to every endpoint on both ways into the venue, over real sockets, and malformed messages and frames.
 *
 * Two ways   what is plain goes past node:http, everything else through it (src/http/plain-requests.ts). The other way is
 *            asked for by a header that only node:http takes
 * Alike      a request that is refused is refused on both ways in the same words
 */
import { Connection } from '../../support/http.ts'
import { Fuzz } from '../fuzz.ts'
import { House, type Sent } from '../house.ts'
import { rawFrames, SocketFuzz } from '../socket-fuzz.ts'
import type { Scenario } from './scenario.ts'

const requests = 600
const conversations = 15
const messages = 20
const frames = 20

export const malformed: Scenario = {
  name: 'malformed',
  holds: 'whatever is malformed is refused alike on both ways in, and changes nothing',
  async round({ seed }) {
    const house = await House.open()
    const url = await house.api.listen({ host: '127.0.0.1', port: 0 })
    const connection = new Connection(url)
    try {
      let refusals = 0
      const exchange = ({ method, target, headers, body }: Sent) =>
        connection.exchange({ method, target, headers: headers as Record<string, string>, body })
      const send = async (sent: Sent) => {
        const answer = await exchange(sent)
        if (answer.status === 200) return answer
        refusals += 1
        const other = await exchange({ ...sent, headers: { ...sent.headers, te: 'trailers' } })
        if (other.text !== answer.text || other.status !== answer.status)
          throw new Error(
            `one request has two answers, seed ${seed}: ${sent.method} ${sent.target.slice(0, 500)}\n` +
              `${answer.status} ${answer.text.slice(0, 500)}\n${other.status} ${other.text.slice(0, 500)}`,
          )
        return answer
      }
      const fuzz = new Fuzz(house, seed, { send })
      while (fuzz.figures.requests < requests) await fuzz.step()
      const sockets = new SocketFuzz(house, url, seed)
      for (let count = 0; count < conversations; count++) await sockets.talk(messages)
      await rawFrames(url, seed, frames)
      if (!(await house.runtime.verify()).balanced) throw new Error(`the books do not balance, seed ${seed}`)
      connection.close()
      if (!(await house.replaysAlike())) throw new Error(`the journal alone gives another state, seed ${seed}`)
      return {
        requests,
        refusals,
        messages: sockets.figures.messages,
        frames,
        'states compared': fuzz.figures.compared,
      }
    } finally {
      connection.close()
      await house.close()
    }
  },
}
