import { enableCompileCache, setSourceMapsSupport } from 'node:module';

// Enabled before any other module loads: compiled code is cached on disk for the next start, and only our own code has useful source maps.
enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
await import('./start.ts');
