import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inSpan, isTracing } from '@tidings/telemetry';
import { readEnv } from './configuration.ts';
import { type Logger, openLog } from './logs.ts';
import { startTracing } from './tracing.ts';

interface Export {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const silent = openLog('silent');

describe('traces', () => {
  const exports: Export[] = [];
  let collector: Server;
  let status = 200;
  const before = { ...process.env };

  beforeEach(async () => {
    status = 200;
    collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        exports.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) });
        response.writeHead(status).end();
      });
    });
    await once(collector.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    process.env = { ...before };
    exports.length = 0;
    collector.close();
  });

  async function traced(env: Readonly<Record<string, string>>, log: Logger = silent): Promise<void> {
    Object.assign(process.env, env);
    const tracing = await startTracing(readEnv().tracing, { service: 'tidings-test', log });
    await inSpan('work of the test', { of: [] }, async () => undefined);
    await tracing.close();
  }
  const endpoint = (): string => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

  it('are not exported without an address in the environment', async () => {
    await traced({});
    expect(exports).toEqual([]);
    expect(isTracing()).toBe(false);
  });

  it('are exported to the collector by the standard names of the environment', async () => {
    await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seven' });
    const [sent, ...further] = exports;
    expect(further).toEqual([]);
    expect(sent).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/x-protobuf', 'x-tenant': 'seven' },
    });
    expect(sent!.body.includes('work of the test')).toBe(true);
    expect(sent!.body.includes('tidings-test')).toBe(true);
    expect(sent!.body.includes('service.version')).toBe(true);
    expect(isTracing()).toBe(false);
  });

  it('have the headers of a file, which precede those for all kinds of records', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-traces-'));
    try {
      const OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE = join(folder, 'headers');
      writeFileSync(OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE, 'authorization=Bearer%20token\n');
      await traced({
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seven,authorization=none',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(exports).toHaveLength(1);
    expect(exports[0]!.headers).toMatchObject({ 'x-tenant': 'seven', authorization: 'Bearer token' });
  });

  it('belong to another service if so configured', async () => {
    await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_SERVICE_NAME: 'push-eu' });
    expect(exports[0]!.body.includes('push-eu')).toBe(true);
    expect(exports[0]!.body.includes('tidings-test')).toBe(false);
  });

  it.each([
    ['always_off', '1'],
    ['traceidratio', '0'],
    ['parentbased_traceidratio', '0'],
    ['parentbased_always_off', '1'],
  ])('are not sent if the sampler takes none: %s', async (sampler, argument) => {
    await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: argument,
    });
    expect(exports).toEqual([]);
  });

  it('cost only a log line if the collector does not accept them', async () => {
    const lines: string[] = [];
    status = 400;
    await traced(
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() },
      openLog('warn', { write: (line: string) => void lines.push(line) }),
    );
    expect(exports).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });
});
