import { createSecretKey, generateKeyPairSync, hash, randomBytes, verify, X509Certificate } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Application } from '@tidings/audience';
import { visitorIn, visitorKeyOf } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import type { Versioned } from '@tidings/registry-store';
import { unzipSync } from 'fflate';
import forge from 'node-forge';
import { PNG } from 'pngjs';
import { openWebsite, packageOf, type Website } from './push-package.ts';
import { openPushPackages } from './push-packages.ts';

const { asn1, md, pki, pkcs12 } = forge;
const AT = new Date('2026-01-15T12:00:00Z');
const visitorKey = visitorKeyOf(createSecretKey(Buffer.alloc(32)));
const UID = '0.9.2342.19200300.100.1.1';
const ICONS = ['16x16', '16x16@2x', '32x32', '32x32@2x', '128x128', '128x128@2x'];

const keys = pki.rsa.generateKeyPair(2048);
const certificate = pki.createCertificate();
certificate.publicKey = keys.publicKey;
certificate.setSubject([
  { type: UID, value: 'web.com.example.news' },
  { shortName: 'CN', value: 'Website Push ID: web.com.example.news' },
] as forge.pki.CertificateField[]);
certificate.setIssuer([{ shortName: 'CN', value: 'Push' }]);
certificate.sign(keys.privateKey, md.sha256.create());
const p12 = Buffer.from(
  asn1.toDer(pkcs12.toPkcs12Asn1(keys.privateKey, [certificate], 'geheim', { algorithm: '3des' })).getBytes(),
  'latin1',
).toString('base64');

const halves = new PNG({ width: 256, height: 256 });
for (let at = 0; at < halves.data.length; at += 4) {
  halves.data.set(at % 1024 < 512 ? [255, 0, 0, 255] : [0, 255, 0, 0], at);
}
const icon = PNG.sync.write(halves);

const settings = {
  safari_key_file: p12,
  safari_key_password: 'geheim',
  safari_website_name: 'The News',
  safari_allowed_domains: '["https://news.example"]',
  safari_url_template: 'https://news.example/%@',
  safari_icon_file: icon.toString('base64'),
};
const make = (more: Partial<Record<keyof typeof settings, string>> = {}): Website => ({
  code: 'A1B2C-3D4E5',
  title: 'News',
  setting: (name) => ({ ...settings, ...more })[name as keyof typeof settings] ?? '',
});
async function pushPackageOf(website: Website, hwid?: string): Promise<Buffer | undefined> {
  const opened = await openWebsite(website);
  return (
    opened && packageOf(website, opened, { publicUrl: 'https://push.example', visitor: { hwid }, visitorKey, at: AT })
  );
}
const filesOf = async (made: Website, hwid?: string) => {
  const files = unzipSync((await pushPackageOf(made, hwid))!);
  return new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes)]));
};
let files: Awaited<ReturnType<typeof filesOf>>;
beforeAll(async () => {
  files = await filesOf(make());
});
const jsonOf = (bytes: Buffer | undefined): unknown => JSON.parse(bytes!.toString());

it('a push package contains the website, its icons, and their checksums', () => {
  const icons = ICONS.map((name) => `icon.iconset/icon_${name}.png`);
  expect([...files.keys()].sort()).toEqual([...icons, 'manifest.json', 'signature', 'website.json'].sort());
  expect(jsonOf(files.get('website.json'))).toEqual({
    websiteName: 'The News',
    websitePushID: 'web.com.example.news',
    allowedDomains: ['https://news.example'],
    urlFormatString: 'https://news.example/%@',
    authenticationToken: expect.stringMatching(/^tidings-visitor\.[\w-]{43}$/) as unknown,
    webServiceURL: 'https://push.example/safari/A1B2C-3D4E5',
  });
  const sums = [...icons, 'website.json'].map((path) => [
    path,
    { hashType: 'sha512', hashValue: hash('sha512', files.get(path)!) },
  ]);
  expect(jsonOf(files.get('manifest.json'))).toEqual(Object.fromEntries(sums));
});

it('a push package for a device names it in the token', async () => {
  const made = await filesOf(make(), 'a b');
  const { authenticationToken } = jsonOf(made.get('website.json')) as { authenticationToken: string };
  expect(visitorIn(visitorKey, `ApplePushNotifications ${authenticationToken}`, 'A1B2C-3D4E5')).toEqual({
    hwid: 'a b',
    isSigned: true,
  });
});

it('a push package has icons of all sizes that look alike', () => {
  for (const [i, side] of [16, 32, 32, 64, 128, 256].entries()) {
    const { width, height, data } = PNG.sync.read(files.get(`icon.iconset/icon_${ICONS[i]}.png`)!);
    expect([width, height]).toEqual([side, side]);
    const line = Array.from({ length: side }, (_, x) => [...data.subarray(4 * x, 4 * x + 4)]);
    expect(line).toEqual(line.map((_, x) => (x < side / 2 ? [255, 0, 0, 255] : [0, side === 256 ? 255 : 0, 0, 0])));
  }
});

it('a push package needs no name, domains or icon', async () => {
  const made = await filesOf(make({ safari_website_name: '', safari_allowed_domains: '', safari_icon_file: '' }));
  expect(jsonOf(made.get('website.json'))).toMatchObject({ websiteName: 'News', allowedDomains: [] });
  expect(PNG.sync.read(made.get('icon.iconset/icon_32x32.png')!).width).toBe(32);
  expect(await pushPackageOf(make({ safari_key_file: '' }))).toBeUndefined();
});

const childrenOf = (node: forge.asn1.Asn1) => node.value as forge.asn1.Asn1[];
const derOf = (node: forge.asn1.Asn1): Buffer => Buffer.from(asn1.toDer(node).getBytes(), 'latin1');

it('a push package is signed by its certificate, and the manifest is not in the signature (RFC 2315)', () => {
  const [type, content] = childrenOf(asn1.fromDer(files.get('signature')!.toString('latin1')));
  expect(asn1.derToOid(type!.value as string)).toBe(pki.oids['signedData']);
  const [, , contentInfo, certificates, signers] = childrenOf(childrenOf(content!)[0]!);
  expect(childrenOf(contentInfo!)).toHaveLength(1);
  const signer = new X509Certificate(derOf(childrenOf(certificates!)[0]!));
  expect(signer.subject).toContain('UID=web.com.example.news');
  const [, , , attributes, , signature] = childrenOf(childrenOf(signers!)[0]!);
  // The signature covers the attributes with the tag of a set, not with their tag in the structure.
  const set = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SET, true, childrenOf(attributes!));
  const bytes = Buffer.from(signature!.value as string, 'latin1');
  expect(verify('sha256', derOf(set), signer.publicKey, bytes)).toBe(true);
  expect(derOf(set).includes(hash('sha256', files.get('manifest.json')!, 'buffer'))).toBe(true);
});

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([u32(data.length), named, u32(crc32(named))]);
};
/** One byte per pixel, and one for each line of the seven passes. */
const PASSES_BYTES = 65_536 + 480;

const head = (side: number) => chunk('IHDR', Buffer.concat([u32(side), u32(side), Buffer.from([8, 0, 0, 0, 1])]));

function interlaced(bytes: number, ...more: Buffer[]): string {
  const chunks = [chunk('IDAT', deflateSync(Buffer.alloc(bytes))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([icon.subarray(0, 8), head(256), ...more, ...chunks, Buffer.from('.')]).toString('base64');
}

it('a push package accepts an interlaced icon, and bytes after it', async () => {
  const made = await filesOf(make({ safari_icon_file: interlaced(PASSES_BYTES) }));
  expect([...PNG.sync.read(made.get('icon.iconset/icon_16x16.png')!).data.subarray(0, 4)]).toEqual([0, 0, 0, 255]);
});

it.each<[string, Partial<Record<keyof typeof settings, string>>]>([
  ['a password that does not open the key', { safari_key_password: 'wrong' }],
  ['a key without a certificate', { safari_key_file: lonelyKey() }],
  ['a truncated icon', { safari_icon_file: icon.subarray(0, 60).toString('base64') }],
])('a push package cannot be made of %s', async (_, more) => {
  await expect(pushPackageOf(make(more))).rejects.toMatchObject({
    kind: 'argument',
    message: 'File cannot be opened',
  });
});

it.each([
  ['the limit of its pixels', interlaced(8 * 1024 * 1024), { code: 'ERR_BUFFER_TOO_LARGE' }],
  ['its declared size', interlaced(PASSES_BYTES, head(60_000)), { message: '60000x60000 pixels' }],
])('a push package is refused without unpacking an icon further than %s', async (_, safari_icon_file, cause) => {
  await expect(pushPackageOf(make({ safari_icon_file }))).rejects.toMatchObject({
    message: 'File cannot be opened',
    cause,
  });
});

function lonelyKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64');
}

describe('public push packages', () => {
  const packages = openPushPackages({ clock: { now: () => AT.getTime() }, masterKeys: [randomBytes(32)], visitorKey });
  const application = (rev: number, more: Partial<Record<keyof typeof settings, string>> = {}) =>
    ({
      code: 'A1B2C-3D4E5',
      title: 'News',
      rev,
      platforms: [{ platform: Platform.Safari, settings: { ...settings, ...more }, sealed: {} }],
    }) as unknown as Versioned<Application>;
  const PUSH_ID = 'web.com.example.news';
  const request = (hwid?: string, publicUrl = 'https://push.example') => ({ publicUrl, visitor: { hwid } });
  const descriptionIn = (archive: Buffer | undefined) =>
    JSON.parse(Buffer.from(unzipSync(archive!)['website.json']!).toString()) as Record<string, unknown>;

  it('are created once for all visitors without a device, and separately for each device and address', async () => {
    const common = await packages.of(application(1), PUSH_ID, request());
    expect(await packages.of(application(1), PUSH_ID, request())).toBe(common);
    const own = descriptionIn(await packages.of(application(1), PUSH_ID, request('h')));
    expect(own['authenticationToken']).not.toBe(descriptionIn(common)['authenticationToken']);
    const elsewhere = descriptionIn(await packages.of(application(1), PUSH_ID, request(undefined, 'https://b')));
    expect(elsewhere['webServiceURL']).toBe('https://b/safari/A1B2C-3D4E5');
  });

  it('follow changes of the application', async () => {
    const changed = await packages.of(application(2, { safari_website_name: 'Old news' }), PUSH_ID, request());
    expect(descriptionIn(changed)).toMatchObject({ websiteName: 'Old news' });
    const broken = packages.of(application(3, { safari_key_password: 'wrong' }), PUSH_ID, request());
    await expect(broken).rejects.toMatchObject({ kind: 'argument' });
    expect(await packages.of(application(4, { safari_key_file: '' }), PUSH_ID, request())).toBeUndefined();
  });

  it('exist only for the website of the certificate', async () => {
    expect(await packages.of(application(5), 'web.com.example', request())).toBeUndefined();
    expect(await packages.of(application(5), '', request())).toBeUndefined();
  });
});
