import { enableCompileCache, setSourceMapsSupport } from 'node:module';

// Before any other module loads: caches compiled code, and maps only our own.
enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
const { readConfiguration, runPlatform } = await import('./run-platform.ts');
const configuration = readConfiguration();
if (configuration.services) {
  const { runServiceGroup } = await import('./service-group.ts');
  await runServiceGroup(configuration.services);
} else {
  await runPlatform(configuration);
}
