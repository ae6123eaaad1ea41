import { enableCompileCache } from 'node:module';
import { mapStacksOnDemand } from '@tidings/runtime';

enableCompileCache();
mapStacksOnDemand();
await import('./run-with-page.ts');
