import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { healthModule, serveHealth } from './health.ts';
import { DependenciesIndicator, NotesIndicator } from './health-indicators.ts';
import { gaugeIn } from '@tidings/telemetry';
import { openMetrics } from './open-metrics.ts';
import { Readiness } from './readiness.ts';

describe('health', () => {
  const readiness = new Readiness();
  let app: NestFastifyApplication;
  const get = async (url: string): Promise<{ status: number; body: { status?: string; error?: unknown } }> => {
    const { statusCode, payload } = await app.inject({ url });
    return { status: statusCode, body: JSON.parse(payload) as object };
  };

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(
      await healthModule(readiness, openMetrics()),
      new FastifyAdapter(),
      {
        logger: false,
      },
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => app.close());

  it('waits for each of two steps of one name', async () => {
    const readiness = new Readiness();
    const [one, other] = [readiness.waitFor('registry'), readiness.waitFor('registry')];
    readiness.start();
    one();
    expect(await readiness.waitingFor()).toEqual({ registry: 'starting' });
    other();
    expect(await readiness.waitingFor()).toEqual({});
  });

  it('is live in every state, and ready only when no dependency is missing', async () => {
    const done = readiness.waitFor('plans');
    let answers = false;
    readiness.probe('mongodb', () => {
      if (!answers) throw new Error('mongodb://user:secret@host is down');
    });

    expect(await get('/livez')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await get('/startupz')).toMatchObject({ status: 503 });
    const waiting = await get('/readyz');
    expect(waiting.status).toBe(503);
    expect(Object.keys(waiting.body.error!)).toEqual(['plans', 'mongodb']);
    expect(JSON.stringify(waiting)).not.toContain('secret');
    const error = {
      plans: { status: 'down', message: 'starting' },
      mongodb: { status: 'down', message: 'does not answer' },
    };
    expect(waiting.body).toEqual({ status: 'error', info: {}, error, details: error });

    done();
    answers = true;
    expect(Object.keys((await get('/readyz')).body.error!)).toEqual(['start']);
    readiness.start();
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ok', details: {} } });
    let note: string | undefined = 'nearly full';
    readiness.note('disk', () => note);
    expect(await get('/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ok', details: { disk: { status: 'up', message: 'nearly full' } } },
    });
    note = undefined;
    expect(await get('/readyz')).toMatchObject({ body: { details: {} } });
    expect(await get('/startupz')).toMatchObject({ status: 200 });

    readiness.stop();
    expect(await get('/readyz')).toMatchObject({ status: 503, body: { error: { shutdown: {} } } });
    expect(await get('/startupz')).toMatchObject({ status: 200 });
    expect(await get('/livez')).toMatchObject({ status: 200 });
  });

  it.each(['/readyz', '/startupz'])('answers %s with the missing dependencies, which no proxy caches', async (url) => {
    const missing = { kafka: { status: 'down', message: 'starting' } };
    const disk = { disk: { status: 'up', message: 'nearly full' } };
    const notes = url === '/readyz' ? disk : {};
    const starting = new Readiness();
    const compiled = await Test.createTestingModule({ imports: [healthModule(starting, openMetrics())] })
      .overrideProvider(DependenciesIndicator)
      .useValue({ check: async () => missing })
      .overrideProvider(NotesIndicator)
      .useValue({ check: async () => disk })
      .compile();
    const health = compiled.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await health.init();
    const { statusCode, headers, payload } = await health.inject({ url });
    expect(statusCode).toBe(503);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toContain('no-store');
    const details = { ...notes, ...missing };
    expect(JSON.parse(payload)).toEqual({ status: 'error', info: notes, error: missing, details });
    await health.close();
  });

  it('answers although a check hangs', async () => {
    const hanging = new Readiness();
    hanging.probe('mongodb', () => new Promise(() => undefined));
    hanging.probe('kafka', () => undefined);
    hanging.start();
    expect(await hanging.waitingFor()).toEqual({ mongodb: 'does not answer' });
  });

  it('shows the documents in quarantine of this process, and stays ready', async () => {
    const blocked = new Readiness();
    const quarantined = gaugeIn(openMetrics({ readiness: blocked }), {
      name: 'tidings_log_quarantined_documents',
      help: 'h',
      labels: ['category'],
    });
    quarantined.set({ category: 'plans' }, 0);
    expect(await blocked.notes()).toEqual({});
    quarantined.set({ category: 'devices' }, 1_439);
    expect(await blocked.notes()).toEqual({ quarantine: 'documents stand still: 1439 of devices' });
  });

  it('serves metrics with the event-loop delay', async () => {
    const { statusCode, payload, headers } = await app.inject({ url: '/metrics' });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(payload).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(payload).toContain('process_resident_memory_bytes');
  });

  it('can be served alone', async () => {
    const server = await serveHealth({
      readiness: new Readiness(),
      metrics: openMetrics(),
      host: '127.0.0.1',
      port: 0,
    });
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    await server.close();
    await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
  });
});
