import { enableCompileCache, setSourceMapsSupport } from 'node:module';

// As in `apps/platform/src/main.ts`.
enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
await import('./run-with-page.ts');
