import type { z } from 'zod';
import { anyText, text } from '../values.ts';

const compact = (value: string): string => value.replace(/\s+/g, '');

const isBase64 = (value: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.replace(/=+$/, '').length % 4 !== 1;

const base64In = (given: z.ZodType<string>) =>
  given
    .transform(compact)
    .refine((value) => value !== '', 'must not be empty')
    .refine(isBase64, 'must be base64');

/** Base64 that decodes and is not empty; line breaks within it are dropped (R-A2). */
export const base64 = base64In(text);

/** {@link base64} that may also have the alphabet of URLs, as web push keys do. */
export const anyBase64 = text
  .transform(compact)
  .refine((value) => value !== '', 'must not be empty')
  .refine((value) => isBase64(value.replace(/-/g, '+').replace(/_/g, '/')), 'must be base64');

const MAX_ICON_BYTES = 1024 * 1024;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const isIcon = (bytes: Buffer): boolean =>
  bytes.length <= MAX_ICON_BYTES && bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);

/** {@link base64} of a picture: its bytes are what is limited. */
const picture = base64In(anyText);

/** The bytes of a PNG of at most 1 MiB, given in base64 (R-B1). */
export const pngIcon = picture
  .transform((value) => Buffer.from(value, 'base64'))
  .refine(isIcon, 'must be a PNG of at most 1 MiB');

const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const SIDE = 256;

const is256 = (bytes: Buffer): boolean =>
  isIcon(bytes) &&
  bytes.length >= HEIGHT_AT + 4 &&
  bytes.readUInt32BE(WIDTH_AT) === SIDE &&
  bytes.readUInt32BE(HEIGHT_AT) === SIDE;

/** A PNG of 256 x 256 pixels and at most 1 MiB in base64 (R-A4). */
export const icon256 = picture.refine((value) => is256(Buffer.from(value, 'base64')), 'must be a 256x256 PNG');
