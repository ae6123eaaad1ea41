import 'reflect-metadata';
import { Controller, type DynamicModule, Get, Header, Inject, Module, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import type { Registry } from 'prom-client';
import type { HealthServerOptions } from './health.ts';
import { DependenciesIndicator, NotesIndicator, READINESS, StartIndicator } from './health-indicators.ts';
import type { Readiness } from './readiness.ts';
import { withoutSchemas } from './without-schemas.ts';

const MAX_CONNECTIONS = 64;

const METRICS = Symbol('metrics');

interface Reply {
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

@Controller()
class HealthController {
  readonly #health: HealthCheckService;
  readonly #dependencies: DependenciesIndicator;
  readonly #start: StartIndicator;
  readonly #notes: NotesIndicator;
  readonly #metrics: Registry;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(DependenciesIndicator) dependencies: DependenciesIndicator,
    @Inject(StartIndicator) start: StartIndicator,
    @Inject(NotesIndicator) notes: NotesIndicator,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.#health = health;
    this.#dependencies = dependencies;
    this.#start = start;
    this.#notes = notes;
    this.#metrics = metrics;
  }

  @Get('livez')
  @Header('Cache-Control', 'no-store')
  live(): object {
    return { status: 'ok' };
  }

  @Get('readyz')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.#health.check([() => this.#dependencies.check(), () => this.#notes.check()]);
  }

  @Get('startupz')
  @HealthCheck()
  startup(): Promise<HealthCheckResult> {
    return this.#health.check([() => this.#start.check()]);
  }

  @Get('metrics')
  async metrics(@Res() reply: Reply): Promise<void> {
    reply.header('content-type', this.#metrics.contentType);
    reply.send(await this.#metrics.metrics());
  }
}

@Module({})
class HealthModule {}

export const healthModule = (readiness: Readiness, metrics: Registry): DynamicModule => ({
  module: HealthModule,
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [
    { provide: READINESS, useValue: readiness },
    { provide: METRICS, useValue: metrics },
    DependenciesIndicator,
    StartIndicator,
    NotesIndicator,
  ],
});

export async function healthApplication({
  readiness,
  metrics,
  host,
  port,
}: HealthServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const app = await NestFactory.create<NestFastifyApplication>(
    healthModule(readiness, metrics),
    new FastifyAdapter({ ...withoutSchemas, forceCloseConnections: true }),
    { logger: false, abortOnError: false },
  );
  app.getHttpServer().maxConnections = MAX_CONNECTIONS;
  await app.listen(port, host);
  return { url: await app.getUrl(), close: () => app.close() };
}
