import { crc32, inflateRawSync } from 'node:zlib';

/** The file in an archive. */
export interface Unzipped {
  readonly name: string;
  readonly text: string;
}

const END_BYTES = 22;
const [END, DIRECTORY, FILE] = [0x06054b50, 0x02014b50, 0x04034b50];

/** Reads a ZIP archive of one deflated file, from its end as unpackers do, and holds its sums and the two places that describe it against each other. */
export function unzipped(archive: Buffer): Unzipped {
  const end = archive.subarray(-END_BYTES);
  const isEnd = end.readUInt32LE(0) === END && end.readUInt16LE(10) === 1;
  const directory = archive.subarray(end.readUInt32LE(16), archive.length - END_BYTES);
  if (!isEnd || directory.readUInt32LE(0) !== DIRECTORY || directory.length !== end.readUInt32LE(12)) {
    throw new Error('no archive of one file');
  }
  const file = archive.subarray(directory.readUInt32LE(42));
  const nameLength = directory.readUInt16LE(28);
  // From the version that unpacking needs to the length of the name, both say the same.
  if (file.readUInt32LE(0) !== FILE || !file.subarray(4, 28).equals(directory.subarray(6, 30))) {
    throw new Error('the directory says something else than the file');
  }
  const from = 30 + nameLength + file.readUInt16LE(28);
  const bytes = inflateRawSync(file.subarray(from, from + directory.readUInt32LE(20)));
  if (bytes.length !== directory.readUInt32LE(24) || crc32(bytes) !== directory.readUInt32LE(16)) {
    throw new Error('a damaged file');
  }
  return { name: directory.toString('ascii', 46, 46 + nameLength), text: bytes.toString('utf8') };
}
