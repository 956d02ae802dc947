/** What the reference and the guide say around the documents, in English. */
export const en = {
  pages: {
    label: 'Pages',
    guide: 'Guide',
    reference: 'Reference',
    terminal: 'Terminal',
    language: 'Language',
    look: 'Dark or light',
  },

  guide: {
    title: 'Tidemark guide',
    contents: 'On this page',
    search: 'Search',
    searchFor: 'pages and calls',
    nothing: 'Nothing found',
    shown: (count: number) => `${count} shown`,
    kinds: { call: 'Call over HTTP', channel: 'Channel over WebSocket' },
  },

  reference: {
    title: 'Tidemark: the interface',
    calls: 'Calls over HTTP',
    channels: 'Channels over WebSocket',
  },

  signIn: {
    account: 'Account',
    nobody: 'not signed in',
    own: 'a key of my own',
    key: 'Key',
    secret: 'Secret',
    passphrase: 'Passphrase',
    refused: 'Private calls are refused.',
    signs: 'Execute signs each call.',
  },

  channels: {
    notLoaded: 'They could not be loaded: is the venue still running?',
    frames:
      'Text frames of JSON. The text `ping` is answered with `pong`. Any path serves every channel of its version; private ones need a login.',
    types:
      'decimal, time, id and word are texts; a text is empty where there is nothing to say. A number is a number in JSON.',
    filter: 'Filter the channels ',
    filterBy: 'name, field or meaning',
    scopes: { public: 'public', private: 'private' },
    first: 'First push',
    later: 'Then',
    pace: 'Pace',
    permission: 'Permission',
    subscribe: 'Subscribe:',
    push: 'A push:',
    field: 'Field',
    type: 'Type',
    unit: 'Unit',
    meaning: 'Meaning',
  },

  /** Of swagger-ui, by what it says itself. */
  calls: {
    'Filter by tag or path': 'Filter by tag or path',
    'Try it out': 'Try it out',
    Cancel: 'Cancel',
    Reset: 'Reset',
    Execute: 'Execute',
    Clear: 'Clear',
    Parameters: 'Parameters',
    'No parameters': 'No parameters',
    Name: 'Name',
    Description: 'Description',
    'Request body': 'Request body',
    Responses: 'Responses',
    'Server response': 'Server response',
    'Response body': 'Response body',
    'Response headers': 'Response headers',
    'Request URL': 'Request URL',
    'Request duration': 'Request duration',
    Code: 'Code',
    Details: 'Details',
    Links: 'Links',
    'No links': 'No links',
    'Media type': 'Media type',
    'Example Value': 'Example Value',
    'Edit Value': 'Edit Value',
    Schema: 'Schema',
    Schemas: 'Schemas',
    Download: 'Download',
    Loading: 'Loading',
    Undocumented: 'Undocumented',
    Controls: 'Controls',
    'header.': 'header.',
    required: 'required',
  },
}

export type DocsMessages = typeof en
