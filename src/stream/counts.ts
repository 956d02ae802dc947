/** What the streams have done so far, as plain counters that metrics read. */
export class StreamCounts {
  /** Sockets that are open now. */
  connections = 0
  connectionsOpened = 0
  /** Turned away for a bound on connections. */
  connectionsRefused = 0
  /** Subscriptions in force now. */
  subscriptions = 0
  messagesReceived = 0
  /** Pushes written as text, each once, whoever gets it. */
  messagesWritten = 0
  messagesSent = 0
  /** Disconnected because they read too slowly. */
  slowReaders = 0
}
