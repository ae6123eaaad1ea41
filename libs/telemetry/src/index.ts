export { activityIn } from './activity.ts';
export { floodedConnections } from './flooded-connections.ts';
export { counterIn, gaugeIn, histogramIn, cached, type Reading, readIn, type Source } from './metric-definitions.ts';
export {
  beginSpan,
  currentTrace,
  headersOf,
  inSpan,
  isTracing,
  markFault,
  type OpenSpan,
  outsideTraces,
  recordWith,
  type Trace,
  traceOf,
  withTrace,
} from './traces.ts';
