import { z } from 'zod';
import { text } from '../values.ts';

const compact = (value: string): string => value.replace(/\s+/g, '');

const isBase64 = (value: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.replace(/={1,2}$/, '').length % 4 !== 1;

const base64In = (given: z.ZodType<string>) =>
  given
    .transform(compact)
    .refine((value) => value !== '', 'must not be empty')
    .refine(isBase64, 'must be base64');

/** Line breaks are dropped (R-A2). */
export const base64 = base64In(text);

/** A larger key file is stored, and is an unusable key (R-A2). */
export const keyFile = base64.meta({
  constraint:
    'A .p12, .p8, .pem or .cer file of at most 64 KiB. Keys: RSA of 2048 to 4096 bits, or P-256, P-384, P-521; ' +
    'APNs takes P-256 in a .p8. At most 32 keys and certificates, 500,000 hashes of key derivation in all, scrypt ' +
    'with N·r·p of at most 262,144 and 32 MiB; its password at most 1,024 characters. Another file is an unusable ' +
    'key.',
});

export const isAnyBase64 = (value: string): boolean => isBase64(value.replace(/-/g, '+').replace(/_/g, '/'));

export const anyBase64 = text
  .transform(compact)
  .refine((value) => value !== '', 'must not be empty')
  .refine(isAnyBase64, 'must be base64');

const KIB = 1024;
const MAX_ICON_BYTES = 200 * KIB;
const MAX_PUSH_PACKAGE_ICON_BYTES = 1024 * KIB;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const isPng = (bytes: Buffer): boolean => bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);

const textOfBytes = (bytes: number): number => 2 * Math.ceil(bytes / 3) * 4;

const picture = (maxBytes: number, wrong: string) =>
  base64In(
    z.union([z.string().max(textOfBytes(maxBytes), wrong), z.number().transform(String)], {
      error: 'must be a string',
    }),
  );

const WRONG_ICON = `must be a PNG of at most ${MAX_ICON_BYTES / KIB} KiB`;

/** At most 200 KiB (R-B1, R-LM6). */
export const pngIcon = picture(MAX_ICON_BYTES, WRONG_ICON)
  .transform((value) => Buffer.from(value, 'base64'))
  .refine((bytes) => bytes.length <= MAX_ICON_BYTES && isPng(bytes), WRONG_ICON);

const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const SIDE = 256;
const WRONG_ICON_256 = 'must be a 256x256 PNG';

const is256 = (bytes: Buffer): boolean =>
  bytes.length <= MAX_PUSH_PACKAGE_ICON_BYTES &&
  isPng(bytes) &&
  bytes.length >= HEIGHT_AT + 4 &&
  bytes.readUInt32BE(WIDTH_AT) === SIDE &&
  bytes.readUInt32BE(HEIGHT_AT) === SIDE;

/** 256 x 256 pixels, at most 1 MiB (R-A4). */
export const icon256 = picture(MAX_PUSH_PACKAGE_ICON_BYTES, WRONG_ICON_256).refine(
  (value) => is256(Buffer.from(value, 'base64')),
  WRONG_ICON_256,
);
