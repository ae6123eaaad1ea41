export { allAddresses, answerWith, limitedLookup, systemLookup } from './look-up.ts';
export { AddressGuard } from './address-guard.ts';
export { AddressRanges, plainAddress } from './address-ranges.ts';
export { type CertificateFault, certificateFault } from './certificate-faults.ts';
export { certificatesIn, pemOf } from './connection-security.ts';
export { Closing, closeOnSignal, endOnCrash, openWith } from './closing.ts';
export { type Configuration, publicUrlOf, reachableHost, readEnv, type TracingConfiguration } from './configuration.ts';
export { environmentVariables } from './environment.ts';
export { notWritten, createOnce, openDataFolder } from './data-folder.ts';
export { fileVersion, GeoipDatabase, type GeoipLocation, readGeoip } from './geoip-database.ts';
export { giveUp, reasonOf } from './giving-up.ts';
export { healthModule, serveHealth } from './health.ts';
export { type KeyFile, openKeyFile } from './key-files.ts';
export { openPlainKey } from './private-keys.ts';
export { type Logger, nestLogger, openLog } from './logs.ts';
export {
  type IdentityKeys,
  identityKeysFrom,
  identityFromReport,
  type ReportedKeys,
  reportKeys,
} from './identity-keys.ts';
export {
  checkMasterKeys,
  compareMasterKeys,
  type DeploymentKeys,
  keysFrom,
  masterKeyIdsIn,
  openKeys,
  openMasterKey,
  systemDatabase,
} from './master-key.ts';
export { masterKeyModel } from './storage/master-key.schema.ts';
export { masterKeyId, type MasterKeys, masterKeysOf } from './master-keys.ts';
export { OutboundProxy } from './outbound-proxy.ts';
export { LOOP_TIMER_MS, openMetrics } from './open-metrics.ts';
export { connectionBudget } from './open-files.ts';
export { type Open, type OpenDeletion, type OpenWork, operationsOf } from './service-operations.ts';
export { freePort, freePorts, isFree, checkListenable, withVariableName } from './ports.ts';
export { type Note, type Probe, Readiness } from './readiness.ts';
export { RESEAL_EVERY_MS, type Resealing, resealingBy } from './resealing.ts';
export { secretVariables } from './secret-files.ts';
export { open, reseal, seal, type SealContext, sealedWith } from './sealing.ts';
export { serverNameOf } from './server-name.ts';
export type { ServiceDeps } from './service.ts';
export {
  addressVariable,
  type BackendName,
  backendNames,
  consumerGroups,
  type ServiceDatabase,
  requiredByAll,
  type ServiceName,
  services,
} from './services.ts';
export { readServiceEnv, type RequiredVariable, type ServiceConfiguration } from './service-configuration.ts';
export { startTracing } from './tracing.ts';
export { tuneHeap } from './heap.ts';
export { mapStacksOnDemand } from './stack-positions.ts';
export { withoutSchemas } from './without-schemas.ts';
export { deploymentPlatformsOf, type ProviderAddresses } from './provider-addresses.ts';
export { productVersion } from './version.ts';
