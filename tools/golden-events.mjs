// Adds golden files of event types that have none, or of fields that no golden file sets: bytes that a version has written, with the value that they must
// always decode to (docs/adr/0027). It never changes one that is there.
//   node tools/golden-events.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, createFileRegistry, fromBinary, ScalarType, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { filesBelow, root } from './packages.mjs';
import { asTypeScript } from './document-tables.mjs';

const own = fileURLToPath(import.meta.url);
const folder = 'libs/events/src/golden';
const generated = 'libs/events/src/generated/tidings/events/v1';
/** Sub-messages below have files of their own. */
const DEPTH = 2;
const NOON = 1_768_478_400n;

function descriptors() {
  const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
  const set = execFileSync(process.execPath, [buf, 'build', '--as-file-descriptor-set', '-o', '-#format=binpb'], {
    cwd: join(root, 'proto'),
    maxBuffer: 64 << 20,
  });
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, set));
}

function scalar({ scalar: type, number, name }) {
  switch (type) {
    case ScalarType.STRING:
      return `${name} ü`;
    case ScalarType.BYTES:
      return Uint8Array.of(number, 0, 255);
    case ScalarType.BOOL:
      return true;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return number + 0.5;
    case ScalarType.UINT64:
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
      return 2n ** 40n + BigInt(number);
    default:
      return 70_000 + number;
  }
}

const kindOf = (field) => field.listKind ?? field.mapKind ?? field.fieldKind;
const single = (field, depth) => {
  const kind = kindOf(field);
  if (kind === 'scalar') return scalar(field);
  if (kind === 'enum') return (field.enum.values[1] ?? field.enum.values[0]).number;
  return sample(field.message, depth - 1);
};

/** Takes the case with this index of each oneof. */
function sample(type, depth, oneofCase = 0) {
  const message = create(type);
  if (type.typeName.startsWith('google.protobuf.Value') || type.typeName === 'google.protobuf.ListValue')
    return type.typeName.endsWith('.Value')
      ? Object.assign(message, { kind: { case: 'stringValue', value: 'text' } })
      : message;
  if (type.typeName === 'google.protobuf.Timestamp')
    return Object.assign(message, { seconds: NOON, nanos: 123_000_000 });
  const chosen = new Set(type.oneofs.map(({ fields }) => fields[oneofCase % fields.length]));
  for (const field of type.fields) {
    if (field.oneof && !chosen.has(field)) continue;
    if (kindOf(field) === 'message' && (field.oneof ? depth < -DEPTH : depth <= 0)) continue;
    const value = single(field, depth);
    if (field.oneof) message[field.oneof.localName] = { case: field.localName, value };
    else if (field.fieldKind === 'list') message[field.localName] = [value];
    else if (field.fieldKind === 'map')
      message[field.localName] = { [scalar({ scalar: field.mapKey, number: 1, name: 'key' })]: value };
    else message[field.localName] = value;
  }
  return message;
}

/** One for each case of its oneofs. */
const samplesOf = (type) =>
  Array.from({ length: Math.max(1, ...type.oneofs.map(({ fields }) => fields.length)) }, (_, i) =>
    Buffer.from(toBinary(type, sample(type, DEPTH, i))),
  );

async function write() {
  const { plain, unsetFields } = await import(join(root, 'libs/events/src/golden-values.ts'));
  const registry = descriptors();
  mkdirSync(join(root, folder), { recursive: true });
  for (const path of filesBelow(generated, '*.ts')) {
    const name = basename(path, '.ts');
    if (name === 'partial_device_events') continue;
    const module = await import(join(root, generated, path));
    const file = join(root, folder, `${name}.json`);
    const golden = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    for (const [type, codec] of Object.entries(module)) {
      if (typeof codec?.decode !== 'function') continue;
      const descriptor = registry.getMessage(`tidings.events.v1.${type.replaceAll('_', '.')}`);
      // The entry of a map is no type of its own.
      if (!descriptor) continue;
      const samples = (golden[type] ??= []);
      if (samples.length > 0 && unsetFields(codec, samples).length === 0) continue;
      for (const bytes of samplesOf(descriptor))
        samples.push({ bytes: bytes.toString('base64'), value: plain(codec.decode(bytes)) });
    }
    const text = `${JSON.stringify(golden, null, 1)}\n`;
    if (Object.keys(golden).length > 0) writeFileSync(file, text);
  }
  const oxfmt = join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt');
  execFileSync(process.execPath, [oxfmt, folder], { cwd: root, stdio: 'inherit' });
}

if (process.execArgv.includes('--conditions=@tidings/source')) await write();
else execFileSync(process.execPath, [...asTypeScript, own], { cwd: root, stdio: 'inherit' });
