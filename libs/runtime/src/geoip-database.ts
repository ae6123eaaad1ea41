import { readFile, stat } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { Fault } from '@tidings/kernel';
import { Reader, type Response } from 'maxmind';
import { plainAddress } from './address-ranges.ts';

export interface GeoipLocation {
  readonly country: string;
  /** "" = unknown; undefined if the database has no cities. */
  readonly city: string | undefined;
}

const BYTES_MAX = 1024 ** 3;
const METADATA_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const METADATA_BYTES = 128 * 1024;
const CITY_LENGTH = 1_024;
const SEPARATOR_BYTES = 16;

interface CityRecord {
  readonly country?: { readonly iso_code?: unknown };
  readonly city?: { readonly names?: { readonly en?: unknown } };
}

export class GeoipDatabase {
  readonly #reader: Reader<Response>;
  readonly #hasCities: boolean;

  constructor(bytes: Buffer) {
    try {
      if (bytes.subarray(-METADATA_BYTES).lastIndexOf(METADATA_MARK) < 0) throw new Error('no metadata');
      this.#reader = new Reader(bytes);
      check(this.#reader.metadata, bytes.length);
      this.#hasCities = !/country/i.test(this.#reader.metadata.databaseType);
    } catch (error) {
      throw Fault.argument(`not a geo-IP database: ${(error as Error).message.slice(0, 200)}`);
    }
  }

  /** Milliseconds since 1970. */
  get builtAt(): number {
    return this.#reader.metadata.buildEpoch.getTime();
  }

  find(text: string): GeoipLocation | undefined {
    const address = plainAddress(text);
    if (address === '' || (isIPv6(address) && this.#reader.metadata.ipVersion === 4)) return undefined;
    try {
      const record = this.#reader.get(address) as CityRecord | null;
      const country = record?.country?.iso_code;
      if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) return undefined;
      return { country, city: this.#hasCities ? cityOf(record) : undefined };
    } catch {
      // A damaged record: others are readable.
      return undefined;
    }
  }
}

function cityOf(record: CityRecord | null): string {
  const city = record?.city?.names?.en;
  return typeof city === 'string' ? [...city].slice(0, CITY_LENGTH).join('') : '';
}

function check(
  { buildEpoch, ipVersion, recordSize, searchTreeSize }: Reader<Response>['metadata'],
  bytes: number,
): void {
  const isSupported = [4, 6].includes(ipVersion) && [24, 28, 32].includes(recordSize);
  if (!isSupported || Number.isNaN(buildEpoch.getTime())) throw new Error('unknown form');
  if (!(searchTreeSize > 0 && searchTreeSize + SEPARATOR_BYTES < bytes)) throw new Error('truncated');
}

export async function fileVersion(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs}`;
}

/** @throws Fault `argument` if the file holds no database */
export async function readGeoip(file: string): Promise<GeoipDatabase> {
  const { size } = await stat(file);
  if (size > BYTES_MAX) throw Fault.argument(`not a geo-IP database: more than ${BYTES_MAX} bytes`);
  return new GeoipDatabase(await readFile(file));
}
