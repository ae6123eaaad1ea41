import { enableCompileCache, setSourceMapsSupport } from 'node:module';

enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
await import('./run-with-page.ts');
