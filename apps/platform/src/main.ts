import { enableCompileCache } from 'node:module';
import { mapStacksOnDemand } from '@tidings/runtime';

// Before other modules load.
enableCompileCache();
mapStacksOnDemand();
const { readConfiguration, runPlatform } = await import('./run-platform.ts');
const configuration = readConfiguration();
if (configuration.services) {
  const { runServiceGroup } = await import('./service-group.ts');
  await runServiceGroup(configuration.services);
} else {
  await runPlatform(configuration);
}
