/** The reference at `/docs`: swagger-ui shows the OpenAPI document of the venue that the page came from. */
import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'

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
  validatorUrl: null, // it would ask a server elsewhere
})
