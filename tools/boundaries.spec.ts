import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Empty means allowed. */
const lint = (codes: readonly { readonly file: string; readonly code: string }[]): string[] =>
  (
    JSON.parse(
      execFileSync(process.execPath, ['tools/lint-text.mjs'], { encoding: 'utf8', input: JSON.stringify(codes) }),
    ) as string[][]
  ).map((messages) => messages.join('\n'));

/** nx reports a closed cycle before it looks at tags. */
const dependency = /can(not| only) depend on|Circular dependency/;

const forbidden = [
  ['libs/kernel/src/probe.ts', '@tidings/events', dependency],
  ['libs/kernel/src/probe.ts', 'rxjs', 'not allowed to import "rxjs"'],
  ['libs/web-sdk/src/probe.ts', '@tidings/kernel', dependency],
  ['libs/web-sdk/src/probe.ts', 'undici', 'not allowed to import "undici"'],
  ['libs/client/src/probe.ts', '@tidings/web', dependency],
  ['libs/audience/src/probe.ts', 'mongodb', 'not allowed to import "mongodb"'],
  ['libs/audience/src/probe.ts', 'mongoose', 'not allowed to import "mongoose"'],
  ['libs/audience/src/probe.ts', 'kafkajs', 'not allowed to import "kafkajs"'],
  ['libs/audience/src/probe.ts', 'zod', 'not allowed to import "zod"'],
  ['libs/audience/src/probe.ts', '@nestjs/common', 'not allowed to import "@nestjs/common"'],
  ['libs/audience/src/probe.ts', '@grpc/grpc-js', 'not allowed to import "@grpc/grpc-js"'],
  ['libs/audience/src/probe.ts', '@tidings/event-store', dependency],
  ['libs/audience/src/probe.ts', '@tidings/messaging', dependency],
  ['libs/audience/src/probe.ts', '@tidings/telemetry', dependency],
  ['libs/messaging/src/probe.ts', '@tidings/channels', dependency],
  ['libs/delivery/src/probe.ts', 'mongodb', 'not allowed to import "mongodb"'],
  ['libs/channels/src/probe.ts', '@tidings/delivery', dependency],
  ['libs/channels/src/probe.ts', '@tidings/runtime', dependency],
  ['libs/channels/src/probe.ts', 'mongodb', 'not allowed to import "mongodb"'],
  ['libs/contract/src/probe.ts', '@tidings/events', dependency],
  ['libs/contract/src/probe.ts', '@tidings/channels', dependency],
  ['libs/telemetry/src/probe.ts', '@tidings/runtime', dependency],
  ['libs/runtime/src/probe.ts', '@tidings/audience', dependency],
  ['libs/runtime/src/probe.ts', '@tidings/rpc', dependency],
  ['libs/http2/src/probe.ts', '@tidings/delivery', dependency],
  ['libs/event-store/src/probe.ts', '@nestjs/common', 'not allowed to import "@nestjs/common"'],
  ['libs/event-store/src/probe.ts', '@tidings/runtime', dependency],
  ['libs/event-store/src/probe.ts', '@tidings/streaming', dependency],
  ['libs/mongo/src/probe.ts', '@nestjs/core', 'not allowed to import "@nestjs/core"'],
  ['libs/coordination/src/probe.ts', '@nestjs/common', 'not allowed to import "@nestjs/common"'],
  ['libs/telemetry/src/probe.ts', '@nestjs/common', 'not allowed to import "@nestjs/common"'],
  ['libs/service/src/probe.ts', '@tidings/audience', dependency],
  ['libs/service/src/probe.ts', '@tidings/registry', dependency],
  ['apps/gateway/src/probe.ts', '@tidings/registry', dependency],
  ['apps/gateway/src/probe.ts', '@tidings/platform', dependency],
  ['apps/gateway/src/probe.ts', '@tidings/registry-store', 'Only the registry and the fan-out'],
  ['apps/dispatcher/src/probe.spec.ts', '@tidings/registry-store/testing', 'Only the registry and the fan-out'],
  ['libs/registry-store/src/probe.ts', '@tidings/rpc', dependency],
  ['libs/registry-store/src/probe.ts', '@tidings/service', dependency],
  ['apps/gateway/src/probe.ts', '@tidings/testing', dependency],
  ['apps/platform/src/probe.ts', '@tidings/testing', dependency],
  ['apps/platform/src/probe.ts', '@tidings/demo', dependency],
  ['apps/demo/src/probe.ts', '@tidings/gateway', dependency],
  ['apps/demo/src/probe.ts', '@tidings/testing', dependency],
  ['apps/dispatcher/src/probe.ts', '@tidings/simulators', dependency],
  ['libs/audience/src/probe.spec.ts', '@tidings/simulators', dependency],
  ['apps/gateway/src/probe.ts', '../../registry/src/index.ts', 'cannot be imported by a relative or absolute path'],
  ['apps/gateway/src/probe.ts', 'kafkajs', 'speaks to Kafka'],
  ['libs/streaming/src/probe.ts', 'kafkajs', 'speaks to Kafka'],
  ['apps/registry/src/devices/probe.ts', 'kafkajs', 'speaks to Kafka'],
  ['apps/gateway/src/json/probe.ts', '../http/body.ts', 'json may not import from http'],
  ['apps/dispatcher/src/attempts/probe.ts', '../send/sending.ts', 'attempts may not import from send'],
  ['apps/registry/src/accounts/probe.ts', '../devices/queries/named.ts', 'accounts may not import from devices'],
  ['apps/fanout/src/release/probe.ts', '../plan/plan-log.ts', 'release may not import from plan'],
  ['apps/fanout/src/plan/probe.ts', '../emit/batch-writer.ts', 'plan may not import from emit'],
  ['apps/gateway/src/cellar/probe.ts', '../json/slices.ts', 'cellar has no place'],
  ['apps/registry/src/devices/commands/probe.ts', '@tidings/fanout', dependency],
  ['apps/registry/src/devices/probe.spec.ts', '@tidings/fanout', dependency],
  ['apps/fanout/src/scan/probe.ts', '@tidings/registry', dependency],
] as const;

const allowed = [
  ['apps/dispatcher/src/probe.spec.ts', '@tidings/simulators'],
  ['apps/dispatcher/src/testing/probe.ts', '@tidings/simulators'],
  ['libs/delivery/src/probe.ts', '@tidings/channels'],
  ['libs/channels/src/probe.ts', '@tidings/messaging'],
  ['libs/audience/src/probe.ts', '@tidings/kernel'],
  ['libs/audience/src/probe.ts', '@tidings/events'],
  ['libs/audience/src/probe.spec.ts', '@tidings/testing'],
  ['libs/kernel/src/probe.spec.ts', 'fast-check'],
  ['libs/channels/src/probe.ts', '@tidings/messaging'],
  ['libs/delivery/src/probe.ts', '@tidings/channels'],
  ['libs/rpc/src/probe.ts', '@tidings/events/generated/tidings/events/v1/device'],
  ['libs/event-store/src/probe.ts', 'mongodb'],
  ['libs/rpc/src/probe.ts', '@tidings/telemetry'],
  ['libs/rpc/src/probe.ts', '@tidings/runtime'],
  ['libs/streaming/src/probe.ts', '@tidings/telemetry'],
  ['libs/event-store/src/probe.ts', '@tidings/mongo'],
  ['libs/streaming/src/kafka/probe.ts', 'kafkajs'],
  ['libs/service/src/probe.ts', '@tidings/rpc/grpc'],
  ['libs/service/src/probe.ts', '@tidings/runtime'],
  ['apps/gateway/src/http/routes/probe.ts', '../../json/slices.ts'],
  ['apps/gateway/src/json/probe.ts', '../context.ts'],
  ['apps/gateway/src/json/probe.spec.ts', '../http/body.ts'],
  ['apps/fanout/src/scan/probe.ts', '@tidings/registry-store'],
  ['apps/gateway/src/probe.ts', '@tidings/contract'],
  ['apps/registry/src/probe.ts', '@tidings/service'],
  ['apps/registry/src/probe.ts', '@tidings/registry-store'],
  ['libs/registry-store/src/probe.ts', '@tidings/event-store'],
  ['libs/registry-store/src/probe.ts', '@tidings/delivery'],
  ['apps/gateway/src/probe.ts', '@tidings/runtime'],
  ['apps/gateway/src/probe.spec.ts', '@tidings/testing'],
  ['apps/platform/src/probe.ts', '@tidings/gateway'],
  ['apps/demo/src/probe.ts', '@tidings/platform'],
  ['libs/testing/src/probe.ts', '@tidings/platform'],
  ['libs/testing/src/probe.ts', '@tidings/demo'],
] as const;

describe('boundaries', () => {
  const results = lint([...forbidden, ...allowed].map(([file, target]) => ({ file, code: `import '${target}';\n` })));

  it.each(forbidden.map(([file, target, why], index) => ({ file, target, why, result: results[index] })))(
    'forbid $file to import $target',
    ({ result, why }) => expect(result).toMatch(why),
  );

  it.each(allowed.map(([file, target], index) => ({ file, target, result: results[forbidden.length + index] })))(
    'allow $file to import $target',
    ({ result }) => expect(result).toBe(''),
  );
});

describe('a platform that code treats differently from the others', () => {
  const special = (name: string): string => `export const is = (code: number): boolean => code === Platform.${name};\n`;
  const file = 'apps/gateway/src/probe.ts';
  const [compared, switched, contact] = lint([
    { file, code: special('iOS') },
    { file, code: 'switch (code) { case Platform.iOS: }\n' },
    { file, code: special('Email') },
  ]);

  it('is refused in a comparison, and in a switch', () => {
    expect(compared).toMatch('Ask the ChannelDefinition');
    expect(switched).toMatch('Ask the ChannelDefinition');
  });

  it('may be e-mail, whose contacts are a chapter of the API', () => expect(contact).not.toMatch('ChannelDefinition'));
});

it('a package that is loaded late is used by its default export: a bundle has no other names of CommonJS', () => {
  const root = join(import.meta.dirname, '..');
  const isProgram = (path: string): boolean => !/\.spec\.ts$|^apps\/(demo|simulators)\/|^libs\/testing\//.test(path);
  const sources = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root }).filter(isProgram);
  const named = /\{ (?!default\b)[^}]*\} = await import\('(?!@tidings\/)[^.]/;
  expect(sources.filter((path) => named.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});
