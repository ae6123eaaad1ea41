import { enableCompileCache } from 'node:module';

// Before anything is loaded: what is compiled once is read from disk at the next start.
enableCompileCache();
await import('./start.ts');
