import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

interface Picture {
  readonly side: number;
  readonly pixels: Uint8Array;
}

const SIDES = [16, 32, 128];
const LARGEST = 256;
/** Upper bound of a picture of that size, at any depth and interlacing. */
const MAX_INFLATED_BYTES = 1024 * 1024;
const SIGNATURE_BYTES = 8;

const plain: Picture = {
  side: LARGEST,
  pixels: Buffer.alloc(4 * LARGEST * LARGEST, Buffer.from([0x80, 0x80, 0x80, 0xff])),
};

interface Chunk {
  readonly name: string;
  readonly bytes: Buffer;
  readonly end: number;
}

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE_BYTES, name = ''; name !== 'IEND' && at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    name = png.toString('latin1', at + 4, at + 8);
    yield { name, bytes: png.subarray(at + 8, end - 4), end };
    at = end;
  }
}

function checkSide(head: Buffer): void {
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  if (width !== LARGEST || height !== LARGEST) throw new RangeError(`${width}x${height} pixels`);
}

function pictureIn(png: Buffer): Picture {
  const chunks = [...chunksOf(png)];
  chunks.filter(({ name }) => name === 'IHDR').forEach(({ bytes }) => checkSide(bytes));
  const data = chunks.filter(({ name }) => name === 'IDAT').map(({ bytes }) => bytes);
  inflateSync(Buffer.concat(data), { maxOutputLength: MAX_INFLATED_BYTES });
  return { side: LARGEST, pixels: PNG.sync.read(png.subarray(0, chunks.at(-1)!.end)).data };
}

function meanOf({ side, pixels }: Picture, left: number, top: number, width: number): number[] {
  const sum = [0, 0, 0];
  let opacity = 0;
  for (let y = top; y < top + width; y++) {
    for (let x = left; x < left + width; x++) {
      const at = 4 * (y * side + x);
      const alpha = pixels[at + 3]!;
      for (let i = 0; i < 3; i++) sum[i]! += pixels[at + i]! * alpha;
      opacity += alpha;
    }
  }
  if (opacity === 0) return [0, 0, 0, 0];
  return [...sum.map((each) => Math.round(each / opacity)), Math.round(opacity / (width * width))];
}

function shrunk(picture: Picture, side: number): Picture {
  if (side === picture.side) return picture;
  const step = picture.side / side;
  const pixels = Buffer.alloc(4 * side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) pixels.set(meanOf(picture, x * step, y * step, step), 4 * (y * side + x));
  }
  return { side, pixels };
}

function pngOf({ side, pixels }: Picture): Buffer {
  const png = new PNG({ width: side, height: side });
  png.data.set(pixels);
  return PNG.sync.write(png);
}

export function iconsetOf(png: Buffer): Record<string, Buffer> {
  const picture = png.length === 0 ? plain : pictureIn(png);
  return Object.fromEntries(
    SIDES.flatMap((side) =>
      [1, 2].map((scale) => [
        `icon.iconset/icon_${side}x${side}${scale === 1 ? '' : '@2x'}.png`,
        pngOf(shrunk(picture, side * scale)),
      ]),
    ),
  );
}
