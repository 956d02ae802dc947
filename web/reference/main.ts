/**
 * The reference at `/docs`: swagger-ui shows the OpenAPI document of the venue that the page came from.
 *
 *   sign-in.ts  whom "Execute" speaks for    channels.ts  the channels over WebSocket, below the calls
 */
import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'
import { showChannels } from './channels.ts'
import { openSignIn, signed } from './sign-in.ts'

// swagger-ui takes out of the address what it does not know.
const asked = location.hash

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

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
  tryItOutEnabled: true,
  requestInterceptor: signed,
  validatorUrl: null, // it would ask a server elsewhere
})

void showChannels(document.querySelector<HTMLElement>('#channels')!, asked)
void openSignIn(document.querySelector<HTMLFormElement>('#sign-in')!)
