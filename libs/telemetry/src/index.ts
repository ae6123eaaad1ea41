export { activityIn } from './activity.ts';
export { floodedConnections } from './flooded-connections.ts';
export {
  counterIn,
  gaugeIn,
  histogramIn,
  cached,
  type MetricDefinition,
  type Reading,
  readIn,
  type Source,
} from './metric-definitions.ts';
export {
  beginSpan,
  currentTrace,
  headersOf,
  inSpan,
  isTracing,
  markFault,
  type Marking,
  type OpenSpan,
  outsideTraces,
  recordWith,
  type SpanOptions,
  type Trace,
  traceOf,
  withTrace,
} from './traces.ts';
