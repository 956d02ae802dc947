/** The part of swagger-ui that the reference uses: it comes without types of its own. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface SwaggerUi {
    (options: Readonly<Record<string, unknown>>): unknown
    readonly presets: { readonly apis: unknown }
    readonly plugins: { readonly DownloadUrl: unknown }
  }
  const swaggerUi: SwaggerUi
  export default swaggerUi
}
