import { enableCompileCache, setSourceMapsSupport } from 'node:module';

// Before anything is loaded: what is compiled once is read from disk at the next start, and only our own code has maps worth keeping.
enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
await import('./start.ts');
