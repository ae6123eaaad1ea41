import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Index } from '@tidings/mongo';
import type { LogSummary } from '@tidings/streaming';
import { BSON, type Document } from 'mongodb';
import { Failure } from '../session.ts';

const FORMAT = 1;
const MANIFEST = 'manifest.json';
/** MongoDB accepts documents up to 16 MB, and some bytes of its own. */
const MAX_DOCUMENT_BYTES = (16 << 20) + (16 << 10);
const LENGTH_BYTES = 4;
const BATCH_DOCUMENTS = 1_000;
const BATCH_BYTES = 8 << 20;

/** BSON documents, compressed with gzip. `mongorestore --gzip` reads the files of databases as well. */
export interface ArchiveFile {
  readonly documents: number;
  readonly sha256: string;
}

/** Written last: an archive without it is incomplete. */
export interface Manifest extends LogSummary {
  readonly format: number;
  readonly exportedAt: string;
  /** The archive does not contain the keys. */
  readonly masterKeys: readonly string[];
  readonly files: Readonly<Record<string, ArchiveFile>>;
}

/** Archives of earlier versions lack it. */
export const COLLECTIONS_FILE = 'collections.bson.gz';

export interface CollectionDocument {
  readonly database: string;
  readonly collection: string;
  readonly validator?: Document;
  /** Without indexes by which documents expire: services create them at their start. */
  readonly indexes: readonly Index[];
}

export const collectionFile = (database: string, collection: string): string =>
  `databases/${database}/${collection}.bson.gz`;

export const partitionFile = (topic: string, partition: number): string => `topics/${topic}/${partition}.bson.gz`;

export function collectionsIn({ files }: Manifest): { file: string; database: string; collection: string }[] {
  return Object.keys(files).flatMap((file) => {
    const [, database, collection] = /^databases\/([^/]+)\/([^/]+)\.bson\.gz$/.exec(file) ?? [];
    return database && collection ? [{ file, database, collection }] : [];
  });
}

export class ArchiveWriter {
  readonly #folder: string;
  readonly #files: Record<string, ArchiveFile> = {};

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws Failure when the folder holds anything */
  static async open(folder: string): Promise<ArchiveWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new Failure(`${folder} is not empty: name a new folder`);
    return new ArchiveWriter(folder);
  }

  async write(file: string, documents: AsyncIterable<Uint8Array>): Promise<number> {
    const counted = { documents: 0 };
    const iterator = documents[Symbol.asyncIterator]();
    const first = await iterator.next();
    if (first.done) return 0;
    async function* all(): AsyncGenerator<Uint8Array> {
      for (let next = first; !next.done; next = await iterator.next()) {
        counted.documents++;
        yield next.value;
      }
    }
    const path = join(this.#folder, file);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const hash = createHash('sha256');
    await pipeline(
      Readable.from(all()),
      createGzip(),
      hashing(hash),
      createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
    );
    this.#files[file] = { ...counted, sha256: hash.digest('hex') };
    return counted.documents;
  }

  async finish(about: Omit<Manifest, 'format' | 'files'>): Promise<Manifest> {
    const manifest: Manifest = { format: FORMAT, ...about, files: this.#files };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(join(this.#folder, MANIFEST), text, { flag: 'wx', mode: 0o600, flush: true });
    return manifest;
  }
}

export class ArchiveReader {
  readonly manifest: Manifest;
  readonly #folder: string;

  private constructor(folder: string, manifest: Manifest) {
    this.#folder = folder;
    this.manifest = manifest;
  }

  /** @throws Failure when the archive is incomplete, damaged or of another format */
  static async open(folder: string): Promise<ArchiveReader> {
    const manifest = await readManifest(folder);
    for (const [file, { sha256 }] of Object.entries(manifest.files)) {
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(folder, file)), hash).catch((error: NodeJS.ErrnoException) => {
        throw new Failure(`${file} cannot be read: ${error.code}`);
      });
      if (hash.digest('hex') !== sha256) throw new Failure(`${file} is not as it was exported: the archive is damaged`);
    }
    return new ArchiveReader(folder, manifest);
  }

  async *documents(file: string): AsyncGenerator<Document[]> {
    for await (const some of this.#some(file)) yield some.map((raw) => BSON.deserialize(raw, { promoteValues: false }));
  }

  async *values<T>(file: string): AsyncGenerator<T[]> {
    for await (const some of this.#some(file))
      yield some.map((raw) => BSON.deserialize(raw, { promoteBuffers: true }) as T);
  }

  async *#some(file: string): AsyncGenerator<Uint8Array[]> {
    if (!Object.hasOwn(this.manifest.files, file)) return;
    let some: Uint8Array[] = [];
    let bytes = 0;
    for await (const document of this.#raw(file)) {
      if (some.length > 0 && (some.length >= BATCH_DOCUMENTS || bytes + document.length > BATCH_BYTES)) {
        yield some;
        [some, bytes] = [[], 0];
      }
      some.push(document);
      bytes += document.length;
    }
    if (some.length > 0) yield some;
  }

  async *#raw(file: string): AsyncGenerator<Uint8Array> {
    const source = createReadStream(join(this.#folder, file)).pipe(createGunzip());
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let at = 0;
      while (rest.length - at >= LENGTH_BYTES) {
        const length = rest.readInt32LE(at);
        if (length < LENGTH_BYTES || length > MAX_DOCUMENT_BYTES) throw new Failure(`${file} holds no documents`);
        if (rest.length - at < length) break;
        yield rest.subarray(at, at + length);
        at += length;
      }
      rest = rest.subarray(at);
    }
    if (rest.length > 0) throw new Failure(`${file} ends within a document`);
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      error.code === 'ENOENT' ? `${folder} holds no complete archive` : `${folder} cannot be read: ${error.code}`,
    );
  });
  const manifest = parsed(text);
  if (manifest.format !== FORMAT) {
    throw new Failure(`The archive has the format ${manifest.format}, and this version reads the format ${FORMAT}`);
  }
  return manifest;
}

function parsed(text: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    throw new Failure(`${MANIFEST} is damaged`);
  }
}

const hashing = (hash: Hash): Transform =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
