// Generates TypeScript from proto/: the events and their dependencies into @tidings/events, the services into
// @tidings/rpc, which imports the event types of @tidings/events instead of having a second copy;
// the AsyncAPI document of the public topics; the tables of topics and collections in docs/operations.md; and the dashboards of Grafana.
//   node tools/generate.mjs           writes
//   node tools/generate.mjs --check   fails when what is committed differs from what would be written
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { asyncApi, asyncApiPath } from './asyncapi.mjs';
import { dashboards, dashboardsPath } from './dashboards.mjs';
import { operations, operationsPath } from './retention.mjs';
import { filesBelow, root } from './packages.mjs';

const events = 'libs/events/src/generated';
const rpc = 'libs/rpc/src/generated';
/** A service in the package of the events: its messages are those of a service of tidings/rpc. */
const EVENT_STREAM = 'tidings/events/v1/event_stream.ts';
const isRpc = (path) => path.startsWith('tidings/rpc/') || path === EVENT_STREAM;

/** Redirects a service's imports from outside tidings/rpc to the package that exports them. */
const importEventsByName = (path, text) =>
  text.replace(/(from ")(\.\.?\/[^"]+)\.ts"/g, (whole, from, target) => {
    const resolved = posix.join(posix.dirname(path), target);
    return isRpc(resolved) ? whole : `${from}@tidings/events/generated/${resolved}"`;
  });

/** JSON may be nested 64 deep (R-ER1), and each of its objects takes three nested messages. */
const JSON_DEPTH = 'google/protobuf/struct.ts';
const deepEnough = (path, text) =>
  path === JSON_DEPTH ? text.replaceAll('previousRecursionDepth >= 100', 'previousRecursionDepth >= 256') : text;

/**
 * Preserves unknown fields of a stored event, which a newer version has added, and writes them back with it (docs/adr/0027). Most messages have none,
 * so the place for them is created on demand. Calls and partial decoders of events do without.
 */
function unknownFieldsIn(path, text) {
  const bases = text
    .replace(/\{ _unknownFields: \{\} }/g, '{}')
    .replace(/, _unknownFields: \{\} }/g, ' }')
    .replace(/\n +_unknownFields: \{\},/g, '');
  const list = 'const list = message._unknownFields![tag];';
  if (path.startsWith('tidings/events/') && !path.endsWith('partial_device_events.ts'))
    return bases.replaceAll(list, 'const list = (message._unknownFields ??= {})[tag];');
  return bases
    .replace(/\n {2}_unknownFields\?: .*/g, '')
    .replace(/\n {4}if \(message\._unknownFields !== undefined\) \{\n[^]*?\n {4}\}/g, '')
    .replace(/const buf = (reader\.skip\(tag & 7\);)\n[^]*?list\.push\(buf\);\n {8}\}/g, '$1')
    .replace(/encode\(message(: .*\n {4}return writer;)/g, 'encode(_$1');
}

/** Removes the methods that convert streams of messages: gRPC does. They are a quarter of the generated code, which every process loads. */
const withoutTransforms = (text) =>
  text
    .replace(/\n {2}\/\/ encodeTransform [^]*?\n {2}\/\/ decodeTransform [^]*?\n {2}\},\n/g, '')
    .replace(/\n {2}encodeTransform\([^]*?\n {2}\): AsyncIterable<T>;/g, '');

/** Sets the members of maps and of JSON objects by a function: their names come from callers, and one may be `__proto__`. */
function withMembersOfAnyName(text) {
  const changed = text
    .replace(/(message\.\w+)\[(entry\d+\.key)\] = (entry\d+\.value);/g, 'setMember($1, $2, $3);')
    .replace(/\b(acc|object|struct\.fields)\[key\] = (.+);/g, 'setMember($1, key, $2);');
  return changed === text
    ? text
    : changed.replace(/^import /m, 'import { setMember } from "@tidings/kernel";\nimport ');
}

/** The expected content of the generated files, by path from the root. */
function generated() {
  const out = mkdtempSync(join(tmpdir(), 'tidings-generate-'));
  try {
    const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
    execFileSync(process.execPath, [buf, 'generate', '--output', out], { cwd: join(root, 'proto'), stdio: 'inherit' });
    return new Map(
      filesBelow(out, '**/*.ts').map((path) => {
        const text = withMembersOfAnyName(
          unknownFieldsIn(path, withoutTransforms(readFileSync(join(out, path), 'utf8'))),
        );
        return isRpc(path)
          ? [`${rpc}/${path}`, importEventsByName(path, text)]
          : [`${events}/${path}`, deepEnough(path, text)];
      }),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const filesIn = (folders) => folders.flatMap((folder) => filesBelow(folder).map((path) => `${folder}/${path}`));

/** The generation steps, in order: the tables of the operations page come from the services, which need the generated code. */
const steps = [
  {
    present: () => filesIn([events, rpc]),
    wanted() {
      const files = filesBelow('proto', 'tidings/**/*.proto').length > 0 ? generated() : new Map();
      return files.set(asyncApiPath, asyncApi());
    },
  },
  { present: () => filesIn([dashboardsPath]), wanted: dashboards },
  { present: () => [operationsPath], wanted: () => new Map([[operationsPath, operations()]]) },
];

const isCheck = process.argv.includes('--check');
const counts = { files: 0, written: 0, removed: 0 };
for (const step of steps) {
  const wanted = await step.wanted();
  const present = new Map(step.present().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const stale = [...present.keys()].filter((path) => !wanted.has(path));
  const changed = [...wanted].filter(([path, text]) => present.get(path) !== text);
  counts.files += wanted.size;
  counts.written += changed.length;
  counts.removed += stale.length;
  if (isCheck) {
    const differing = [...stale, ...changed.map(([path]) => path)];
    if (differing.length === 0) continue;
    for (const path of differing) console.error(`differs from what it is made of: ${path}`);
    console.error('Run `npm run generate` and commit what it writes.');
    process.exitCode = 1;
    break;
  }
  for (const path of stale) rmSync(join(root, path));
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
if (!isCheck) console.error(`generated ${counts.files} files: ${counts.written} written, ${counts.removed} removed`);
