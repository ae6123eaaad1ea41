import { entriesIn, type TagDefinition, valueOf } from '@tidings/audience';
import { chunkOf, Fault } from '@tidings/kernel';
import { type DeviceDocument, deviceIndexes, DEVICES, type DeviceScan } from '@tidings/registry-store';
import type {
  ScannedDevice,
  ScannedDevices,
  ScanRequest,
  Segments,
  SelectedApplication,
  SelectRequest,
} from '@tidings/rpc';
import { canMatch } from '@tidings/segments';
import type { Db } from 'mongodb';
import { isGranted } from '../accounts/grants.ts';
import { compiledOf, type ExpressionsDeps, refusing } from './expressions.ts';
import { meaningOf } from './stored-filters.ts';
import { withExactTags } from '../devices/storage/stored-device.ts';

export interface ExportDeps extends ExpressionsDeps {
  readonly db: Db;
  readonly scan: DeviceScan;
}

const BATCH = 512;
const MESSAGE_BYTES = 1024 * 1024;
const APPLICATIONS_AT_ONCE = 16;
const STRETCH = 4096;

const projection = {
  _id: 0,
  seq: 1,
  status: 1,
  hwid: 1,
  userId: 1,
  platform: 1,
  token: 1,
  lang: 1,
  tz: 1,
  alerts: 1,
  tags: 1,
  'self.open': 1,
} as const;

type ExportColumns = Pick<ScanRequest, 'tags'> & { readonly fields: NonNullable<ScanRequest['fields']> };

function scannedOf(device: DeviceDocument, { fields, tags }: ExportColumns): ScannedDevice {
  return {
    hwid: fields.hwid ? device.hwid : '',
    userId: fields.userId ? (device.userId ?? device.hwid) : '',
    pushToken: fields.pushToken ? (device.token ?? '') : '',
    platform: device.platform,
    tags: tags.flatMap(({ tag, type }) => {
      const value = valueOf(type, entriesIn(device, tag));
      return value ? [{ tag, value }] : [];
    }),
  };
}

function bytesOf({ hwid, userId, pushToken, tags }: ScannedDevice): number {
  let characters = hwid.length + userId.length + pushToken.length;
  for (const { value } of tags) {
    if (value?.$case === 'text' || value?.$case === 'version') characters += value.value.length;
    else if (value?.$case === 'list') for (const item of value.value.items) characters += item.length + 4;
  }
  return characters + 16 * (tags.length + 1);
}

async function* messagesOf(
  found: AsyncIterable<DeviceDocument>,
  columns: ExportColumns,
): AsyncIterable<ScannedDevices> {
  let devices: ScannedDevice[] = [];
  let bytes = 0;
  for await (const device of found) {
    const scanned = scannedOf(device, columns);
    devices.push(scanned);
    bytes += bytesOf(scanned);
    if (bytes < MESSAGE_BYTES && devices.length < BATCH) continue;
    yield { count: devices.length, devices };
    [devices, bytes] = [[], 0];
  }
  if (devices.length > 0) yield { count: devices.length, devices };
}

const byName = (a: TagDefinition, b: TagDefinition): number => (a.name < b.name ? -1 : 1);

const unknownFilter = (): Fault => Fault.argument('not found', 'filterCode');

export function exportRpc(deps: ExportDeps): Pick<Segments, 'select' | 'chooseLookup' | 'scan'> {
  const { db, store, tags, clock, scan } = deps;
  const devices = db.collection<DeviceDocument>(DEVICES);

  const selected = async ({ account, grant, segment }: SelectRequest) => {
    if (segment?.$case === 'expression') {
      const { expression } = await refusing('expression', compiledOf({ account, grant, source: segment.value }, deps));
      return { expression, bound: '' };
    }
    const [filter] = segment ? await store.filtersByCode(account, [segment.value.toUpperCase()]) : [];
    if (!filter) throw unknownFilter();
    return { expression: await refusing('filterCode', meaningOf(filter, tags)), bound: filter.application };
  };

  async function* read(app: string, numbers: readonly number[]): AsyncIterable<DeviceDocument> {
    const options = { projection, hint: deviceIndexes.seq, sort: { seq: 1 } } as const;
    for (let i = 0; i < numbers.length; i += BATCH) {
      const found = devices.find({ app, seq: { $in: numbers.slice(i, i + BATCH) } }, options);
      for await (const device of found) if (device.status === 1) yield withExactTags(device);
    }
  }

  return {
    async select(request) {
      const { account, grant } = request;
      const { expression, bound } = await selected(request);
      const now = new Date(clock.now());
      const granted = (await store.applicationsOf(account)).filter((application) => isGranted(grant, application));
      if (bound !== '' && granted.every(({ code }) => code !== bound)) throw unknownFilter();
      const isInScope = ({ code }: { readonly code: string }): boolean =>
        (bound === '' || code === bound) && canMatch(expression, { now, application: code });
      const applications: SelectedApplication[] = [];
      for (let i = 0; i < granted.length; i += APPLICATIONS_AT_ONCE) {
        const inScope = granted.slice(i, i + APPLICATIONS_AT_ONCE).filter(isInScope);
        const read = inScope.map(async ({ code }) => ({ code, numbers: (await scan.lastSeq(code)) + 1 }));
        applications.push(...(await Promise.all(read)));
      }
      const { all } = await tags.of(account);
      const columns = [...all].sort(byName).map(({ number, type, name }) => ({ tag: number, type, name }));
      return { expression, now, applications, tags: columns };
    },

    async chooseLookup({ application, expression, now }) {
      if (!now) throw Fault.bug('a selection without a time');
      return { lookup: [...(await scan.chooseLookup(application, { expression, now }, STRETCH))] };
    },

    async *scan({ account, application: code, from, to, expression, now, lookup, fields, tags: columns }) {
      if (!now || (from < to && chunkOf(from) !== chunkOf(to - 1))) throw Fault.bug('a scan of more than a chunk');
      if ((await store.application(code))?.account !== account) return;
      const numbers = await scan.numbers(code, [from, to], { expression, now }, lookup);
      if (fields) yield* messagesOf(read(code, numbers), { fields, tags: fields.tags ? columns : [] });
      else yield { count: numbers.length, devices: [] };
    },
  };
}
