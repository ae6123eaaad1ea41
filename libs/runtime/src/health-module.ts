import 'reflect-metadata';
import { Controller, type DynamicModule, Get, Header, Inject, Module, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import type { Registry } from 'prom-client';
import type { HealthServerOptions } from './health.ts';
import type { Readiness } from './readiness.ts';
import { withoutSchemas } from './without-schemas.ts';

/** Maximum connections of probes and scrapers on a separate port; further ones are closed at once. */
const MAX_CONNECTIONS = 64;

const READINESS = Symbol('readiness');
const METRICS = Symbol('metrics');

/** The part of a reply that health needs, independent of the server. */
interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

/** `/livez` has no dependencies, `/readyz` names missing ones and notes, `/startupz` is 200 once the start is complete (reliability 1). */
@Controller()
class HealthController {
  readonly #health: HealthCheckService;
  readonly #indicators: HealthIndicatorService;
  readonly #readiness: Readiness;
  readonly #metrics: Registry;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(READINESS) readiness: Readiness,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.#health = health;
    this.#indicators = indicators;
    this.#readiness = readiness;
    this.#metrics = metrics;
  }

  @Get('livez')
  @Header('Cache-Control', 'no-store')
  live(): object {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(@Res() reply: Reply): Promise<void> {
    const [waiting, notes] = await Promise.all([this.#readiness.waitingFor(), this.#readiness.notes()]);
    await this.#answer(reply, waiting, notes);
  }

  @Get('startupz')
  async startup(@Res() reply: Reply): Promise<void> {
    await this.#answer(reply, this.#readiness.started ? {} : await this.#readiness.waitingFor());
  }

  @Get('metrics')
  async metrics(@Res() reply: Reply & { header(name: string, value: string): unknown }): Promise<void> {
    reply.header('content-type', this.#metrics.contentType);
    reply.send(await this.#metrics.metrics());
  }

  /** Sent here instead of thrown: probes must not get an application's error format. */
  async #answer(
    reply: Reply,
    waiting: Readonly<Record<string, string>>,
    notes: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const down = Object.entries(waiting).map(([name, reason]) => this.#indicators.check(name).down(reason));
    const noted = Object.entries(notes).map(([name, text]) => this.#indicators.check(name).up(text));
    const checks = [...down, ...noted].map((check) => () => check);
    try {
      reply.status(200).send(await this.#health.check(checks));
    } catch (error) {
      reply.status(503).send((error as { getResponse(): unknown }).getResponse());
    }
  }
}

@Module({})
class HealthModule {}

/** See health.ts. */
export const healthModule = (readiness: Readiness, metrics: Registry): DynamicModule => ({
  module: HealthModule,
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [
    { provide: READINESS, useValue: readiness },
    { provide: METRICS, useValue: metrics },
  ],
});

/** See health.ts. */
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
