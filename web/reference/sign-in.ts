/**
 * Who "Execute" speaks for: a demo account of the venue, or a key of one's own. Each request is signed as a client signs it.
 *
 * Kept     nowhere: it ends with the page
 * Time     the venue's, asked before each request, so that a clock that stands still or was moved is no matter
 * Source   interface.md (authentication)
 */
import { effect } from '@preact/signals'
import { type Credentials, requestText, type Signer, signerOf } from '../venue/signing.ts'
import { docs } from '../words/docs.ts'

interface DemoAccount extends Credentials {
  readonly role: string
  readonly uid: string
}

/** What swagger-ui sends, and lets be changed before. */
export interface SentRequest {
  readonly url: string
  readonly method?: string
  readonly body?: unknown
  readonly loadSpec?: boolean
  headers: Record<string, string>
}

let speaker: (Omit<Credentials, 'secret'> & { readonly sign: Signer }) | undefined

async function speakFor(credentials: Credentials | undefined): Promise<void> {
  speaker = credentials && {
    apiKey: credentials.apiKey,
    passphrase: credentials.passphrase,
    sign: await signerOf(credentials.secret),
  }
}

/** The request with its four headers, if somebody is signed in. */
export async function signed(request: SentRequest): Promise<SentRequest> {
  const { pathname, search } = new URL(request.url, location.href)
  if (speaker === undefined || request.loadSpec === true || !/^\/(api|terminal)\//.test(pathname)) return request
  const answer = (await (await fetch('/api/v2/public/time')).json()) as { data: { serverTime: string } }
  const timestamp = answer.data.serverTime
  const method = (request.method ?? 'GET').toUpperCase() as 'GET' | 'POST'
  const body = typeof request.body === 'string' ? request.body : ''
  request.headers = {
    ...request.headers,
    'ACCESS-KEY': speaker.apiKey,
    'ACCESS-PASSPHRASE': speaker.passphrase,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-SIGN': await speaker.sign(requestText({ timestamp, method, target: pathname + search, body })),
  }
  return request
}

/** Fills the bar at the top of the page. */
export async function openSignIn(bar: HTMLFormElement): Promise<void> {
  const choice = bar.querySelector('select')!
  const own = bar.querySelector('fieldset')!
  const accounts = await demoAccounts()
  for (const { role, uid } of accounts) {
    const option = new Option(`${role} (${uid})`, role)
    option.lang = 'en'
    choice.add(option)
  }
  choice.add(new Option('', 'own'))
  bar.hidden = false
  const told = bar.querySelector('output')!
  const tell = () => {
    told.textContent = speaker === undefined ? docs.signIn.refused : docs.signIn.signs
  }
  effect(() => {
    choice.querySelector('[value=""]')!.textContent = docs.signIn.nobody
    choice.querySelector('[value="own"]')!.textContent = docs.signIn.own
    tell()
  })
  const change = async () => {
    own.hidden = choice.value !== 'own'
    const fields = [...own.querySelectorAll('input')].map(({ value }) => value.trim())
    const typed = fields.every((text) => text !== '')
      ? { apiKey: fields[0], secret: fields[1], passphrase: fields[2] }
      : undefined
    await speakFor(choice.value === 'own' ? typed : accounts.find(({ role }) => role === choice.value))
    tell()
  }
  bar.addEventListener('submit', (event) => event.preventDefault())
  bar.addEventListener('change', () => void change())
  await change()
}

/** Of a demo venue that lets this page have them; else none. */
async function demoAccounts(): Promise<readonly DemoAccount[]> {
  const answer = await fetch('/terminal/demo-accounts', { credentials: 'omit' }).catch(() => undefined)
  return answer?.ok === true ? ((await answer.json()) as DemoAccount[]) : []
}
