export { retryUntilAnswered, hasNoAnswer, LONG_TIMEOUT } from './retry-until-answered.ts';
export { clientWith } from './client-with.ts';
export { startBrowser, type TestBrowser } from './browser.ts';
export { describeWithBrowser } from './describe-with-browser.ts';
export { testBroker } from './broker.ts';
export { buildAll } from './build.ts';
export { TWO_VARIANTS_PLATFORM, useChannelOfTwoVariants } from './channel-of-two-variants.ts';
export { TestClock } from './clock.ts';
export { type CollectedSpan, type Collector, followersOf, startCollector } from './collector.ts';
export { pushCertificate } from './push-certificate.ts';
export { certificateAuthority } from './certificate-authority.ts';
export { cluster, type ClusterWorld } from './cluster.ts';
export { Population, populationPlatforms, type PopulationProvider } from './population.ts';
export { casesOf, POPULATION_TIMEOUT_MS, populatedCluster } from './populated-cluster.ts';
export { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from './connect-proxy.ts';
export { describeWhere } from './describe-where.ts';
export { isDkimSigned } from './dkim-verifier.ts';
export { describeWithReplicaSet } from './replica-set.ts';
export { appsIn } from './image-apps.ts';
export { type DocumentedReply, documentedReplies } from './documented-replies.ts';
export { type Drawn, drawn } from './drawn.ts';
export { brokenInvariants, funnelFigures, metricsIn } from './funnel-invariants.ts';
export { describeWithKafka, describeWithOwnKafka, startKafka } from './kafka.ts';
export { geoipFile } from './geoip-file.ts';
export { insideHosts } from './inside.ts';
export { Load } from './load.ts';
export { steppedClock, type SteppedClock } from './stepped-clock.ts';
export { listedMessage, pushesOf, untilDone } from './message.ts';
export { leftOpen, openResources } from './open-resources.ts';
export { measured } from './measured.ts';
export { openSlices, type ProcessHealth, processHealth } from './metrics.ts';
export { allQueries, documentedMetrics, documentedRows, operationsText, readQuery } from './observability.ts';
export { databasesAt, describeWithMongo, startMongo, type TestMongo } from './mongo.ts';
export { type DeploymentMode, modeUnderTest, platform, platformInProcesses } from './platform.ts';
export type { LoggingWorld, PlatformWorld, StoredWorld } from './platform-world.ts';
export { platformProcess, type ProcessWorld } from './platform-process.ts';
export {
  containerOf,
  describeWithHelm,
  environmentOf,
  isSelected,
  type Labels,
  programOf,
  renderChart,
  RenderedChart,
  type RenderedObject,
  type RenderedWorkload,
  SECRETS_FOLDER,
  servicesOf,
} from './rendered-chart.ts';
export { type RecordedTraces, recordTraces } from './traces.ts';
export { describeServiceModule, type Reach } from './service-module.ts';
export {
  type AllowedRepeats,
  type FaultOutcome,
  faultOutcome,
  type FaultScenario,
  type Moments,
  recoveryText,
  runFaultScenario,
  UNDER_WAY,
} from './fault-scenario.ts';
export { deadLetters, everythingOn } from './topic.ts';
export { selfSigned, type TlsFiles } from '@tidings/simulators';
export { Visitors } from './visitors.ts';
export { Wire } from './wire.ts';
export { BOUNCE_DOMAIN, BUNDLE, type Parameters, untilSettled, type World } from './world.ts';
export { connectToStore, storedText } from './stored.ts';
export { until } from './until.ts';
export { type Unzipped, unzipped } from './unzipped.ts';
export { anyVerb, bodyOf, damagedPath, type Draw, largeBodyOf, mutated } from './fuzz.ts';
