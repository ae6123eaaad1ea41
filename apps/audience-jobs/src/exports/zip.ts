export interface ZippedFile {
  readonly name: string;
  readonly at: Date;
  readonly crc32: number;
  readonly size: number;
  readonly packedSize: number;
}

const LAST_BLOCK = Buffer.from([0x03, 0x00]);
const LARGEST = 0xffff_ffff;
const DEFLATED = 8;
const [VERSION, VERSION_ZIP64] = [20, 45];
const ZIP64_FIELD = 1;
const signatures = { file: 0x04034b50, directory: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50 };

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const packedSizeOf = ({ packedSize }: ZippedFile): number => packedSize + LAST_BLOCK.length;

/** Leaves a kilobyte for the headers. */
const isLarge = (file: ZippedFile): boolean => file.size > LARGEST - 1024 || file.packedSize > LARGEST - 1024;

const dosTime = (at: Date): Buffer =>
  Buffer.concat([
    u16((at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)),
    u16(((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()),
  ]);

function described(file: ZippedFile): { readonly fixed: Buffer; readonly extra: Buffer } {
  const large = isLarge(file);
  const extra = large
    ? Buffer.concat([u16(ZIP64_FIELD), u16(16), u64(file.size), u64(packedSizeOf(file))])
    : Buffer.alloc(0);
  const fixed = Buffer.concat([
    ...[u16(large ? VERSION_ZIP64 : VERSION), u16(0), u16(DEFLATED), dosTime(file.at), u32(file.crc32)],
    ...[u32(large ? LARGEST : packedSizeOf(file)), u32(large ? LARGEST : file.size)],
    ...[u16(file.name.length), u16(extra.length)],
  ]);
  return { fixed, extra };
}

export function zipHead(file: ZippedFile): Buffer {
  const { fixed, extra } = described(file);
  return Buffer.concat([u32(signatures.file), fixed, Buffer.from(file.name, 'ascii'), extra]);
}

export function zipTail(file: ZippedFile): Buffer {
  const { fixed, extra } = described(file);
  const large = isLarge(file);
  const version = u16(large ? VERSION_ZIP64 : VERSION);
  // No comment, first disk, no attributes, offset 0.
  const place = Buffer.alloc(14);
  const name = Buffer.from(file.name, 'ascii');
  const directory = Buffer.concat([u32(signatures.directory), version, fixed, place, name, extra]);
  const start = zipHead(file).length + packedSizeOf(file);
  const end64 = Buffer.concat([
    ...[u32(signatures.end64), u64(44), version, version, u32(0), u32(0)],
    ...[u64(1), u64(1), u64(directory.length), u64(start)],
    ...[u32(signatures.locator), u32(0), u64(start + directory.length), u32(1)],
  ]);
  const end = Buffer.concat([
    ...[u32(signatures.end), u16(0), u16(0), u16(1), u16(1)],
    ...[u32(directory.length), u32(large ? LARGEST : start), u16(0)],
  ]);
  return Buffer.concat([LAST_BLOCK, directory, ...(large ? [end64] : []), end]);
}

export const zipSize = (file: ZippedFile): number => zipHead(file).length + file.packedSize + zipTail(file).length;
