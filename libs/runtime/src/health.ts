import type { DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

/**
 * Health and metrics (`/livez`, `/readyz`, `/startupz`, `/metrics`) as a Nest module of the application that serves HTTP. Nest is loaded at the first
 * call, not by importing this lib; Nest accepts promises of modules.
 */
export async function healthModule(readiness: Readiness, metrics: Registry): Promise<DynamicModule> {
  const { healthModule: moduleOf } = await import('./health-module.ts');
  return moduleOf(readiness, metrics);
}

export interface HealthServerOptions {
  readonly readiness: Readiness;
  readonly metrics: Registry;
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
}

/** Serves health and metrics on a separate port: for services without HTTP, and if `HEALTH_PORT` is set. */
export async function serveHealth(options: HealthServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { healthApplication } = await import('./health-module.ts');
  return healthApplication(options);
}
