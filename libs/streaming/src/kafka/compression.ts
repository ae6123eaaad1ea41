import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import kafkajs from 'kafkajs';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Every client of Kafka reads it. */
export const GZIP = kafkajs.CompressionTypes.GZIP;

/** kafkajs compresses by level 6, which takes three times as long as level 1 and saves a fifth of the bytes. */
kafkajs.CompressionCodecs[GZIP] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer, { level: 1 }),
  decompress: (buffer: Buffer) => decompress(buffer),
});
