import type { DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

/**
 * Health and metrics (`/livez`, `/readyz`, `/startupz`, `/metrics`) as a Nest module: of the application that serves HTTP, or alone on
 * `HEALTH_PORT`. Nest is loaded with the first call, not by everything that imports this lib; Nest takes promises of modules.
 */
export async function healthModule(readiness: Readiness, metrics: Registry): Promise<DynamicModule> {
  const { healthModule: moduleOf } = await import('./health-module.ts');
  return moduleOf(readiness, metrics);
}
