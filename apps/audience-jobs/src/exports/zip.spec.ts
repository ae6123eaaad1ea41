import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { describeWhere, unzipped } from '@tidings/testing';
import fc from 'fast-check';
import type { Written } from './storage/exports.schema.ts';
import { pack } from './pack.ts';
import { type ZippedFile, zipHead, zipSize, zipTail } from './zip.ts';

const described = { name: 'export_segment_ALL_1768478400.csv', at: new Date('2026-01-15T12:00:00Z') };

async function archiveOf(parts: readonly (readonly string[])[]): Promise<Buffer> {
  let written: Written = { size: 0, packedSize: 0, crc32: 0 };
  const blocks: Buffer[] = [];
  for (const texts of parts) {
    async function* given(): AsyncIterable<string> {
      yield* texts;
    }
    written = await pack(given(), written, async (block) => void blocks.push(block));
  }
  const file: ZippedFile = { ...described, ...written };
  const archive = Buffer.concat([zipHead(file), ...blocks, zipTail(file)]);
  expect(archive.length).toBe(zipSize(file));
  return archive;
}

const hasPython = spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0;
const PYTHON = `
import io, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
[file] = archive.infolist()
sys.stdout.buffer.write(file.filename.encode() + b'\\n' + archive.read(file))
`;

describe('an archive', () => {
  it('contains the separately packed parts as one file', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.string({ unit: 'grapheme' })), { maxLength: 5 }), async (parts) => {
        const { name, text } = await unzipped(await archiveOf(parts));
        expect(name).toBe(described.name);
        expect(text).toBe(parts.flat().join(''));
      }),
    ));

  it('is in the long form from 4 GiB on', () => {
    const large: ZippedFile = { ...described, crc32: 1, size: 2 ** 33, packedSize: 2 ** 32 };
    expect(zipHead(large).readUInt32LE(18)).toBe(0xffff_ffff);
    expect(zipHead(large).readBigUInt64LE(zipHead(large).length - 16)).toBe(2n ** 33n);
    const end = zipTail(large);
    expect(end.readBigUInt64LE(end.indexOf(Buffer.from('PK\x06\x06')) + 48)).toBe(
      BigInt(zipHead(large).length) + 2n ** 32n + 2n,
    );
  });
});

describeWhere(hasPython)('an archive for Python', () => {
  it('is read by its zipfile', async () => {
    const texts = ['Hwid,Type\r\n', 'büro-1,3\r\n'.repeat(50_000), '💥,1\r\n'];
    const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], {
      input: await archiveOf(texts.map((text) => [text])),
    });
    expect(stderr.toString()).toBe('');
    expect(stdout.toString()).toBe(`${described.name}\n${texts.join('')}`);
  });
});
