// @tidings/rpc imports the event types of @tidings/events instead of a second copy.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesBelow, root } from './packages.mjs';

export const protoFolders = ['libs/events/src/generated', 'libs/rpc/src/generated'];
const [events, rpc] = protoFolders;

const common = [
  'outputServices=default',
  'outputServices=generic-definitions',
  'outputClientImpl=false',
  'lowerCaseServiceMethods=true',
  'oneof=unions-value',
  'useDate=true',
  'forceLong=bigint',
  'env=node',
  'outputJsonMethods=false',
  // Otherwise TypeScript refuses unknown fields of literals, at a third of the type check's time.
  'useExactTypes=false',
  'esModuleInterop=true',
  'unrecognizedEnum=false',
  'importSuffix=.ts',
];

/** In the package of the events, but its messages belong to tidings/rpc. */
const EVENT_STREAM = 'tidings/events/v1/event_stream';
const isStored = (path) => /^tidings\/events\/v1\/(?!event_stream\.|partial_device_events\.)/.test(path);
const isRpc = (path) => path.startsWith('tidings/rpc/') || path.startsWith(`${EVENT_STREAM}.`);

const moduleOf = (proto) => proto.slice(0, -'.proto'.length);
const inEvents = [
  ...filesBelow('proto', 'tidings/events/**/*.proto').filter((proto) => !isRpc(proto)),
  'google/protobuf/struct.proto',
  'google/protobuf/timestamp.proto',
];

const runs = [
  { name: 'stored', folder: events, options: ['unknownFields=true'], keeps: isStored },
  { name: 'others', folder: events, options: [], keeps: (path) => !isStored(path) && !isRpc(path) },
  {
    name: 'rpc',
    folder: rpc,
    options: inEvents.map((proto) => `M${proto}=@tidings/events/generated/${moduleOf(proto)}`),
    keeps: isRpc,
  },
];

const template = {
  version: 'v2',
  plugins: runs.map(({ name, options }) => ({
    local: 'protoc-gen-ts_proto',
    out: name,
    include_imports: true,
    include_wkt: true,
    strategy: 'all',
    opt: [...common, ...options],
  })),
};

/** JSON may be nested 64 deep (R-ER1), three messages for each object. ts-proto's limit is fixed. */
const deepEnough = (path, text) =>
  path === 'google/protobuf/struct.ts'
    ? text.replaceAll('previousRecursionDepth >= 100', 'previousRecursionDepth >= 256')
    : text;

/** Most events have no unknown fields (docs/adr/0027). `initializeFieldsAsUndefined=false` would also change messages' shape while decoding. */
const unknownFieldsOnDemand = (text) =>
  text
    .replace(/\{ _unknownFields: \{\} }/g, '{}')
    .replace(/, _unknownFields: \{\} }/g, ' }')
    .replace(/\n +_unknownFields: \{\},/g, '')
    .replaceAll('const list = message._unknownFields![tag];', 'const list = (message._unknownFields ??= {})[tag];');

/** `useAsyncIterable` also adds two methods to each message, a quarter of the generated code. */
const withAsyncIterables = (text) =>
  text.replace(/^import .* from "rxjs";\n/m, '').replaceAll('Observable<', 'AsyncIterable<');

/** Callers name members, even `__proto__`. `useMapType` would leave JSON objects, and change the type of maps. */
function withMembersOfAnyName(text) {
  const changed = text
    .replace(/(message\.\w+)\[(entry\d+\.key)\] = (entry\d+\.value);/g, 'setMember($1, $2, $3);')
    .replace(/\b(acc|object|struct\.fields)\[key\] = (.+);/g, 'setMember($1, key, $2);');
  return changed === text
    ? text
    : changed.replace(/^import /m, 'import { setMember } from "@tidings/kernel";\nimport ');
}

const edited = (path, text) => deepEnough(path, withMembersOfAnyName(withAsyncIterables(unknownFieldsOnDemand(text))));

export function protoCode() {
  const out = mkdtempSync(join(tmpdir(), 'tidings-generate-'));
  try {
    const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
    const args = ['generate', '--template', JSON.stringify(template), '--output', out];
    execFileSync(process.execPath, [buf, ...args], { cwd: join(root, 'proto'), stdio: 'inherit' });
    return new Map(
      runs.flatMap(({ name, folder, keeps }) =>
        filesBelow(join(out, name), '**/*.ts')
          .filter(keeps)
          .map((path) => [`${folder}/${path}`, edited(path, readFileSync(join(out, name, path), 'utf8'))]),
      ),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
