import type { DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

export async function healthModule(readiness: Readiness, metrics: Registry): Promise<DynamicModule> {
  const { healthModule: moduleOf } = await import('./health-module.ts');
  return moduleOf(readiness, metrics);
}

export interface HealthServerOptions {
  readonly readiness: Readiness;
  readonly metrics: Registry;
  readonly host: string;
  readonly port: number;
}

export async function serveHealth(options: HealthServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { healthApplication } = await import('./health-module.ts');
  return healthApplication(options);
}
