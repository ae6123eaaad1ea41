export { testBroker, type TestBrokerOptions } from './broker.ts';
export { buildAll } from './build.ts';
export { TestClock } from './clock.ts';
export { type CollectedSpan, type Collector, followersOf, startCollector } from './collector.ts';
export { cluster, type ClusterWorld, type ClusterWorldOptions } from './cluster.ts';
export { brokenLaws, type FunnelFigures, funnelFigures } from './funnel-laws.ts';
export {
  describeWithKafka,
  describeWithOwnKafka,
  type OwnKafka,
  startKafka,
  type StartKafkaOptions,
  type TestKafka,
} from './kafka.ts';
export { listedMessage, pushesOf, untilDone } from './message.ts';
export { describeWithMongo, startMongo, type TestMongo } from './mongo.ts';
export {
  type Form,
  type LoggingWorld,
  platform,
  platformInProcesses,
  type PlatformWorld,
  type PlatformWorldOptions,
} from './platform.ts';
export { platformProcess, type ProcessWorld, type ProcessWorldOptions } from './platform-process.ts';
export { type RecordedTraces, recordTraces } from './traces.ts';
export { type ApplicationOptions, BUNDLE, type Parameters, type World } from './world.ts';
