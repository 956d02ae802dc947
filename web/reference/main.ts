/**
 * The reference at `/docs`: swagger-ui shows the OpenAPI document of the venue that the page came from. The documents are English, the
 * page around them speaks the language of the terminal of the same browser, and is dark or light as that.
 *
 *   sign-in.ts  whom "Execute" speaks for    channels.ts  the channels over WebSocket, below the calls
 *   calls.ts    the words that swagger-ui says around the calls
 */
import { effect } from '@preact/signals'
import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'
import { offerLanguages, say } from '../parts/say.ts'
import { firstWords } from '../store/language.ts'
import { theme, toggleTheme } from '../store/theme.ts'
import { docs } from '../words/docs.ts'
import { speakCalls } from './calls.ts'
import { showChannels } from './channels.ts'
import { openSignIn, signed } from './sign-in.ts'

// swagger-ui takes out of the address what it does not know.
const asked = location.hash

effect(() => {
  document.documentElement.classList.toggle('dark-mode', theme.value === 'dark')
})
effect(() => {
  document.title = docs.reference.title
})
say(() => ({
  texts: {
    'header a[href="/"]': docs.pages.terminal,
    'header a[href="/docs/guide"]': docs.pages.guide,
    'header a[href="#reference"]': docs.reference.calls,
    'header a[href="#channels"]': docs.reference.channels,
    '#sign-in label:has([name="account"]) span': docs.signIn.account,
    '#sign-in legend': docs.signIn.own,
    '#sign-in label:has([name="apiKey"]) span': docs.signIn.key,
    '#sign-in label:has([name="secret"]) span': docs.signIn.secret,
    '#sign-in label:has([name="passphrase"]) span': docs.signIn.passphrase,
    '#look': docs.pages.look,
  },
  labels: { 'header nav': docs.pages.label, '#language': docs.pages.language },
}))
void firstWords()
offerLanguages(document.querySelector<HTMLSelectElement>('#language')!)

const look = document.querySelector<HTMLButtonElement>('#look')!
look.addEventListener('click', toggleTheme)
look.hidden = false

swaggerUi({
  url: '/api/openapi.json',
  dom_id: '#reference',
  presets: [swaggerUi.presets.apis],
  plugins: [swaggerUi.plugins.DownloadUrl],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayRequestDuration: true,
  // What each field means, not that it is a string.
  defaultModelRendering: 'model',
  defaultModelExpandDepth: 4,
  tryItOutEnabled: true,
  requestInterceptor: signed,
  validatorUrl: null, // it would ask a server elsewhere
})

speakCalls(document.querySelector<HTMLElement>('#reference')!)
void showChannels(document.querySelector<HTMLElement>('#channels')!, asked)
void openSignIn(document.querySelector<HTMLFormElement>('#sign-in')!)
