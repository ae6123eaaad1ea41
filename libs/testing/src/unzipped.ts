import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

export interface Unzipped {
  readonly name: string;
  readonly text: string;
}

/** @throws Error for a damaged archive, or any other number of files */
export async function unzipped(archive: Buffer): Promise<Unzipped> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true });
  const files: Unzipped[] = [];
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    // yauzl checks sizes, but leaves the checksum to its caller.
    if (crc32(bytes) !== entry.crc32) throw new Error(`${entry.fileName} is damaged`);
    files.push({ name: entry.fileName, text: bytes.toString('utf8') });
  }
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new Error(`an archive of ${files.length} files`);
  return file;
}
