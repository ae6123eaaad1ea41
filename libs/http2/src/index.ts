export { Http2Connection } from './http2-connection.ts';
export {
  type ConnectionFailure,
  connectionFailureOf,
  type FailedOpening,
  failedOpening,
  flooded,
  isFlood,
} from './connection-failure.ts';
export { failureLog } from './failure-log.ts';
export { openFrameLink } from './frame-link.ts';
export { openHttp1Link } from './http1-link.ts';
export { needsProxy, tunnelTo } from './proxy-tunnel.ts';
export { openNodeLink } from './node-link.ts';
export type {
  AnswerHeaders,
  ConnectionSettings,
  Exchange,
  FailureCause,
  Link,
  LinkEvents,
  OpenLink,
  OutgoingRequest,
  ProviderConnection,
} from './http2-port.ts';
export { turnedLookup } from './turned-lookup.ts';
