import { enableCompileCache, setSourceMapsSupport } from 'node:module';

// Enabled before any other module loads: compiled code is cached on disk for the next start, and only our own code has useful source maps.
enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
const { readConfiguration, runPlatform } = await import('./run-platform.ts');
await runPlatform(readConfiguration());
