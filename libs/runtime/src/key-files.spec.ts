import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import forge from 'node-forge';
import { KeyFileThread, openKeyFile } from './key-files.ts';
import { openPlainKey } from './private-keys.ts';

const file = (text: string): Buffer => Buffer.from(text, 'base64');
const PASSWORD = 'geheim';

/** RSA 2048 with RC2 and 3DES, as keychains export: OpenSSL 3 refuses it. */
const rsaOfOld = file(`
  MIIJgQIBAzCCCUcGCSqGSIb3DQEHAaCCCTgEggk0MIIJMDCCA+8GCSqGSIb3DQEHBqCCA+AwggPcAgEAMIID1QYJKoZIhvcNAQcBMBwGCiqGSI
  b3DQEMAQYwDgQI0CcHYCigfjcCAggAgIIDqFILd71BR+Pa5WpkM36KfUCUDbJSW6HmlnnSSEvT4NH/y8qBEBvmXfR9Yk2Dga7wPfrirnZxEwFT
  nnG8iefk3l9GWgjr0rpl0RP++VpXoPjDSU3N1xxl1NIXQoVpkhMSqRETxSYbPLYk81ocJkijYt2g87H1RSRM/NQLJ0LsIoziZGKT9cUA13fmUb
  OOGFS8J4J71RNjiDCYxNej7kae7WUuGaDcjL+Yv6BLTX6kMAs4SqQfXZeWNVdWq0JLHfzmOyStkGvPglbqo2gzUZGlOrbAkMgP9Dk2pOE6cVJd
  aDrQKwRL3dowDhhXsBunthXBI5Z38tVGEmShqjA2tN1eiSHS9S8NBRiZ+nsGNn+vCeNQH+T8Ka6EZ487fWOoFV8KDFs08Q7PnqNZqtooRWSz20
  RHl9KQRA4y0ZQCPyHQdCaOo+X1bW4KYqmT4zi8ksdG7VaOki1+IEli9I1WsV6uVcUaBBh/Cp8rriTJLNXbLxFLjhb//ORKpGk5qpipoEnkhntf
  IXpDOZYhirqlYwGYo+4/0wRMBpQFtJU5UD2FPuXx0c+sRjxdk0V3WPhRALi3IFAO/yWNFFNMuOeclDl5ECYiGoaPMHsplPXgXDDFLjBM/4GI0/
  vBlvwLsE3xcumVBYNGtIq2saMnaowGqfFGD/E5CueMNc+pm8ok7yRhqaHRcMg9nVaLgOWEicV4zZjHjAL015KmH9z9jD8+GYBRa4HRK+DkKrc3
  lhb+hAlJZv//cJA6QZX0+ytsuY4PoqhL+Q9xWk6XlFZxozC/BjFwJsy8aQHLSMecg6qmq2qUvJhs+A8nT13RBiHAkelVISCt0f7j6A3pyvUD8b
  dD0okGje7hA7+yOpbygklYZnqU2P6p+b8EOkw6d3FPbJj/52RZa+YPZQ0+DSfs/rCXgABhOt6m+cGJY/KQPpEUjPQzKMlpzZeAgCWdQKkRJk0Q
  oGmCnPWArNA/Naoc6oAXDMLa/WjAQ/dsjUNsz9GxYcmBOLzNxWRitFas/cTWH80flz4SIpb0cFrVCkDG2m7nZJt6i7hwmyVKnpdw6TY2I3acfF
  lmCAeAe3P68rzeqcwqFA1Rf5KWL6biGUQBHR4kxsY8C/uyOS3m8GXQZ+wWO8fbxA/JTKegXzuu/Uh4moc/4Ej4upkl6th5Baz1Jj0exzAOjktj
  BnUwYXQf5hrI1ca9ttluuV8hyf0x/9MaEDooS4bSeWXtlsKFbKyyoQwatB2CskLosmILW1vikDCCBTkGCSqGSIb3DQEHAaCCBSoEggUmMIIFIj
  CCBR4GCyqGSIb3DQEMCgECoIIE5jCCBOIwHAYKKoZIhvcNAQwBAzAOBAjSQ0QKdEooUAICCAAEggTAccBoggY/kdkBbRwvzmiF25gb+ejVM293
  sU1LYqExLq2gdPNwb8J6q+x0LtMOP2SqV76gzk4HVqmEpR3ZtcKt9FvzNGuNgB6FH8d+w1KPy9yygikgiMhb+aHrjd9xzfeEIgfuDG6ar6F5Rd
  9RkGb6b2HKktGa0UkKzf0WikZ6hY0Bis+N6LUGtC9ECBNLedd5XWHid05c0YM28ojMJJsJ0/BvV1lG/1dv3Sp1OeEJOzuMMtuSGenj4efMR6wp
  JFCK7pGvGD+FV43aQZbE2I7rWnWBHJQYca4NSKJRSUrtDGrgLqJZ8HTwWkNGSfsdqCw/H45oJStTZT9ncrnYxvnjr9aMRTvBYSkB1iCaJFWPwR
  ffdAUbvUv78+0hu3PQnYj422Yp/yj77WkDVsh7AYLT0EdNRRZ0eVZzLzDl9Bb++POIZlefsFag+Nubiib+y0b2/81i3+rEZM1tN5K4JIssq+Ev
  H5/n2YJD/bcfcsKH0TONfyA0UtYtR2HcBvOgsaCam2UVWpATuLs6HgQvXZGc2h1oX8Rjv4+I80vpP1BzzzAcpxSX4XpX2S4ohycD8OQe9bYqJw
  jYmkb7jRJJmuDFqwvzDWQVmeYRbgATtCgAFDLJRAOG7Lo7/6jjsDCDzJK6y8+zPkJU40Ol3f7ws5D/q/uWC5bkRcVy0ee4y09NuYZ4QHxN6P4J
  su/fSnRI/jkVxnPZaqhqYXsYjXExCL8co8DUnV8n9YeXE4b89tnb1Vs1Pa2V/IkF/4hrfS6z6sLyYZxLlZ16HzfbXrIhECPaqEFsQ59LMXMI42
  4GNYd5ysEQ3v1iUVOOYWcsSG66Tu8bkKYLZxAofeJgNpoZ2ldQWps4LZ9XK2xncByEm6bo6FSLCoWlMLOE8vTu2BVxVI+x/TKtPXQv/ULuZOMc
  QoWZdfUctXGhQBrqB0umQd9H813godUxKOtuZasYbyKvFC0kGSNMCNkpfTqb5EGS/YYFh0mWtAX43DRht6MsbrA2vfJGKVqWS+0IF4mgqVC1H8
  eP4ZnlgAVfpAeorZ01a91j5lwjJaHW+BywURcBsBDZGdnYytxAGWBriLthoH3cvcB9fQy81WGkXN6jb7KJCuReC0y7V3MlIJbXT4gFaNLolmj0
  K8K4Q/P03tI9r4xGB1GhgzpD4jUJbJioqs/GJuj1d0GKj8PwZ1hX3ZI1fYXhiK7jU8BMbBjvi916TJqyubDuIVmDpOGbVhE2t8C2W+T0W7VKQ4
  QnmbMLbEQ0YTN6uQOeLAQYiuj9X48mxnIDtFZyMghNUoy3rB10ec6QYlEmOQy0ELKGDD+OJpUT/fVo2EaUaCBJaet0AzrCbehxnKZc4FEOFZ2D
  SL+rELxTIs0aJtXONcq1CHn2s+7+gPXTXj5Hoqu8ntAEU4P+cxKvkBillud/M8vpGgrYCjAqnF2iuQTyGE/kud77qf0RyeeovOWy6v0xP2Dq1W
  q6hov6et6IZXFWmOoWWLRf+XtOPOstP4Q7Lw0HSR1v0Sy1lKGWX+p+AhglK5WhoYB7rkEFhcOeeXcCzByg9nff4JsGxWhADhpXVP4OQD2FyrAO
  PmaTxiPOWht0Ar+Yk5GJVDco8YVTblOJn/HgUndonHQGiB5H+TElMCMGCSqGSIb3DQEJFTEWBBS7cn2XrvlEsmMY/iaU6pzvb8SgmDAxMCEwCQ
  YFKw4DAhoFAAQU2fK8bEwhw0+ukUygKzK7fH3HM1sECGRdSV4rayjHAgIIAA==
`);

/** P-256, encrypted with AES-256. */
const elliptic = file(`
  MIIEPAIBAzCCA/IGCSqGSIb3DQEHAaCCA+MEggPfMIID2zCCApIGCSqGSIb3DQEHBqCCAoMwggJ/AgEAMIICeAYJKoZIhvcNAQcBMFcGCSqGSI
  b3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhz/ePrqovNygICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECXvwjCKHlptOgocEt14DLSA
  ggIQrprK65M/W1NrJHfz7BEXaZvyvyE7IpMDWAWYYnUu3C/bQONg+b1z82JZQvzr9Ln2zfUCZGDnqt5CZJcv/HsfjjCb5Xe9vU8S3x3dtcXeG4
  AyfVUVlgXS2XNR8juIsEZHMv7vNVgcvTaO+b7sRcYzIZ0pbWa35jW2t3tUp+3JL0Jb5sEiklBbWa6f4+3LDX2cbqQwV7cGyzOViuUucLOv5G2l
  EeWR4sDVQghozZ4gzBU3gZl+q2/xtlUrw6jbg8vFiRRaGca+Z4rNrgr6BytqOH/btcKM1V1gjzBDnwXcLV6veKSXM3ZxDhdYfb0qWUqUkUTkrD
  QK0zwSJJdMoBb7WyEG7t8Ij/5YT8bfVDuoo1m5HPZD+YsqDnv1XGCy30F+GKvB9JDkaaDzZUrXeallJgN5EhuyyGuIbMAzJiJoSxRCu65BM/tG
  2ylfFBRnjpzG9MfgWNjYsvLdaPAmn4L/B8o4+ltT0os4n/fuouUscUNsfe5S42FqeCp0FfMtA72LkP3O4g2mB4X2X0nkUZx3kbDEhl7dRjZsTp
  MAm/LGOhW/9AMjHsOC+Vj7wGlkeuddoHNAStdcbEV1Tq83Yd/CcsnrgHJwXJS6qWvJd34uq2Nh6NeyVVB/tdgQvhokPz7ENG3i9gqM4nRNxJM9
  hYtdPaBeFRfUWHZLuN+PIJHffYVV0EPPMDxLFtniXNsU/LG4MIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge
  8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECOeDD1F+Zjt6AgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQcX2Wi/tN
  M5aRbGtt6baqqQSBkIA4iF6EHPjXBZxJIKpWUfVD2XIbN1+qv1id3jnWgldD77XCw61aNzI7M8Osnj3yW2zD+OtrBGh+vLlE2G3B9Ch3UMJLM9
  bZIfKe/7bgosPtob+3Kye1bCwvDtDJR+tkbIzYaAOSWdqfHyW/E+tua8yS80AhkymJBYG8wLRI9ZAKhJKNdRoIjekeNH0hxRgS4jElMCMGCSqG
  SIb3DQEJFTEWBBT0TM+dfHp+S+aBaLTihxIkLHLrmTBBMDEwDQYJYIZIAWUDBAIBBQAEICwOKU0Uy3V4OhTC9Sz/CVQF36U0PKK6UohAUHOUft
  etBAi09+HSMjnyWgICCAA=
`);

/** P-256 in PEM, encrypted by OpenSSL with scrypt. */
const ofScrypt = `
  LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVktLS0tLQpNSUhrTUU4R0NTcUdTSWIzRFFFRkRUQkNNQ0VHQ1NzR0FRUUIya2NFQ3pBVU
  JBZyttdUlEM0JNODZ3SUNRQUFDCkFRZ0NBUUV3SFFZSllJWklBV1VEQkFFcUJCRCt5eTluZmxpbXMyUzEzMU1LeTZ5WkJJR1ExN2VwK09YcnNB
  WngKenJ3VGllb2F1Tm1ydWJENlU0dXVWT0orT0FvZEVyVkFTdjl1N3Q1dXZwKzY4S251TDZhTVlYVlpJMFN2NzVmUgpSakpSd3c4N1FEZjlLU3
  ZmaUw3TG9FUGNkTGl0d3VpRDArNkM1WEI4K0ZuM0VUZDBrMVJjZ1BGTkhUNmhGeCsrCjJmTGxPSVFBWWJydFZLOVJDeElsa1oyK3pzVWNOTG9Y
  dHMrRGkyb0F6aEpqZ3RiYlU0RU8KLS0tLS1FTkQgRU5DUllQVEVEIFBSSVZBVEUgS0VZLS0tLS0K
`;

const { 'keytool 9 to 15': ofKeytool } = JSON.parse(
  readFileSync(new URL('testing/key-files.json', import.meta.url), 'utf8'),
) as { 'keytool 9 to 15': { readonly password: string; readonly file: string } };

const cannotBeOpened = { kind: 'argument', message: 'File cannot be opened' };

describe('a file of keys', () => {
  it.each([
    ['an old .p12 of RSA', rsaOfOld, 'com.example.cert'],
    ['a new .p12 of a curve', elliptic, 'com.example.ec'],
  ])('may be %s', async (_, bytes, bundle) => {
    const { key, certificates } = await openKeyFile(bytes, PASSWORD);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(certificates).toHaveLength(1);
    const certificate = new X509Certificate(certificates[0]!);
    expect(certificate.subject).toContain(`UID=${bundle}`);
    expect(certificate.checkPrivateKey(createPrivateKey(key!))).toBe(true);
  });

  it('may be a key in PEM, encrypted or not', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const plain = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const encrypted = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSWORD });
    const traditional = privateKey.export({ type: 'sec1', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSWORD });
    for (const text of [plain, encrypted, traditional]) {
      const { key, certificates } = await openKeyFile(Buffer.from(text), PASSWORD);
      expect(createPublicKey(key!).equals(publicKey)).toBe(true);
      expect(certificates).toEqual([]);
    }
    await expect(openKeyFile(Buffer.from(encrypted), 'wrong')).rejects.toMatchObject(cannotBeOpened);
  });

  it('may be a certificate alone, or several, of which the one of the key comes first', async () => {
    const own = await openKeyFile(rsaOfOld, PASSWORD);
    const other = (await openKeyFile(elliptic, PASSWORD)).certificates[0]!;
    const der = new X509Certificate(other).raw;
    expect(await openKeyFile(der, '')).toEqual({ key: undefined, certificates: [other] });
    const bundle = Buffer.from(other + own.certificates[0]! + own.key!);
    expect(await openKeyFile(bundle, '')).toEqual({ key: own.key, certificates: [own.certificates[0], other] });
  });

  it.each([
    ['with another password', rsaOfOld, 'wrong'],
    ['with none', elliptic, ''],
    ['cut off', elliptic.subarray(0, -9), PASSWORD],
    ['without keys', Buffer.from('{"key":1}'), ''],
    ['without a byte', Buffer.alloc(0), ''],
    ['of a hundred kilobytes', Buffer.alloc(100_000, 0x30), ''],
    ['that nests forever', Buffer.alloc(60_000, Buffer.from([0x30, 0x80])), ''],
  ])('cannot be opened %s', (_, bytes, password) =>
    expect(openKeyFile(bytes, password)).rejects.toMatchObject(cannotBeOpened),
  );
});

describe('the thread that opens files', () => {
  it('starts for the next file when it could not be started for one', async () => {
    let failures = 1;
    class Failing extends KeyFileThread {
      protected override newWorker(): Worker {
        if (failures-- > 0) throw new Error('no thread');
        return super.newWorker();
      }
    }
    const thread = new Failing();
    const task = { bytes: Uint8Array.from(elliptic), password: PASSWORD };
    const opened = await Promise.allSettled([thread.open(task), thread.open(task)]);
    expect(opened).toMatchObject([
      { status: 'rejected', reason: { kind: 'unavailable', cause: { message: 'no thread' } } },
      { status: 'fulfilled', value: { certificates: { length: 1 } } },
    ]);
  });
});

describe('rounds of key derivation', () => {
  const ROUNDS = 500_001;
  const { asn1, pki } = forge;
  const of = (constructed: boolean, type: number, value: string | forge.asn1.Asn1[], tag = asn1.Class.UNIVERSAL) =>
    asn1.create(tag, type, constructed, value);
  const sequence = (...values: forge.asn1.Asn1[]) => of(true, asn1.Type.SEQUENCE, values);
  const oid = (name: string) => of(false, asn1.Type.OID, asn1.oidToDer(pki.oids[name]!).getBytes());
  const explicit = (...values: forge.asn1.Asn1[]) => of(true, 0, values, asn1.Class.CONTEXT_SPECIFIC);
  const octets = (text: string) => of(false, asn1.Type.OCTETSTRING, text);
  const number = (value: number) => of(false, asn1.Type.INTEGER, asn1.integerToDer(value).getBytes());
  const der = (node: forge.asn1.Asn1) => asn1.toDer(node).getBytes();

  const encryptedKey = (count: number) => {
    const key = pki.privateKeyFromPem(
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ type: 'pkcs1', format: 'pem' })
        .toString(),
    );
    const info = pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(key));
    const encrypted = pki.encryptPrivateKeyInfo(info, PASSWORD, { algorithm: 'aes256', count: Math.min(count, 2000) });
    const at = (node: forge.asn1.Asn1, ...path: number[]) =>
      path.reduce((each, i) => (each.value as forge.asn1.Asn1[])[i]!, node);
    at(encrypted, 0, 1, 0, 1, 1).value = number(count).value;
    return encrypted;
  };

  const hidden = (count: number): Buffer => {
    const bags = sequence(sequence(oid('pkcs8ShroudedKeyBag'), explicit(encryptedKey(count))));
    const [algorithm, content] = pki.encryptPrivateKeyInfo(bags, PASSWORD, { algorithm: 'aes256', count: 1 })
      .value as forge.asn1.Asn1[];
    const encrypted = sequence(oid('data'), algorithm!, of(false, 0, content!.value, asn1.Class.CONTEXT_SPECIFIC));
    const part = sequence(oid('encryptedData'), explicit(sequence(number(0), encrypted)));
    const safe = sequence(oid('data'), explicit(octets(der(sequence(part)))));
    return Buffer.from(der(sequence(number(3), safe)), 'latin1');
  };

  const inClear = (count: number): Buffer => Buffer.from(pki.encryptedPrivateKeyToPem(encryptedKey(count)));

  it.each([
    ['in clear', inClear],
    ['where only the password shows them', hidden],
  ])('are limited, or the file is not opened: %s', async (_, make) => {
    expect((await openKeyFile(make(2000), PASSWORD)).key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    const fault = await openKeyFile(make(ROUNDS), PASSWORD).catch((error: unknown) => error);
    expect(fault).toMatchObject({ ...cannotBeOpened, cause: { message: 'too many rounds of key derivation' } });
  });

  const { INTEGER } = asn1.Type;
  const ofBytes = (hex: string) => of(false, INTEGER, Buffer.from(hex, 'hex').toString('latin1'));
  const dotted = (id: string) => of(false, asn1.Type.OID, asn1.oidToDer(id).getBytes());
  const pem = (label: string, node: forge.asn1.Asn1, headers = '') =>
    Buffer.from(
      `-----BEGIN ${label}-----\n${headers}${Buffer.from(der(node), 'latin1').toString('base64')}\n-----END ${label}-----\n`,
    );
  const underScrypt = (...numbers: forge.asn1.Asn1[]) =>
    sequence(
      sequence(
        oid('pkcs5PBES2'),
        sequence(
          sequence(dotted('1.3.6.1.4.1.11591.4.11'), sequence(octets('saltsalt'), ...numbers)),
          sequence(oid('aes256-CBC'), octets('0123456789abcdef')),
        ),
      ),
      octets('x'.repeat(160)),
    );
  const reasonOf = async (bytes: Buffer): Promise<string> => {
    const fault = (await openKeyFile(bytes, PASSWORD).catch((error: unknown) => error)) as Error;
    expect(fault).toMatchObject(cannotBeOpened);
    return (fault.cause as Error).message;
  };
  const label = 'ENCRYPTED PRIVATE KEY';

  it.each([
    ['an hour of scrypt', [number(2 ** 14), number(8), number(2 ** 20)], 'too much work of key derivation'],
    ['many times the work', [number(2 ** 17), number(1), number(3)], 'too much work of key derivation'],
    ['a gigabyte of memory', [number(2 ** 20), number(8), number(1)], 'too much memory for key derivation'],
    ['a number of 40 bytes', [ofBytes('7f'.repeat(40)), number(8), number(1)], 'too much memory for key derivation'],
    ['a number of 400 bytes', [number(2), number(1), ofBytes('7f'.repeat(400))], 'too much work of key derivation'],
  ])('refuse %s before the derivation begins', async (_, numbers, reason) => {
    expect(await reasonOf(pem(label, underScrypt(...numbers)))).toBe(reason);
  });

  it('are limited in the check code of a PKCS#12 file as well', async () => {
    const [version, safe, mac] = asn1.fromDer(elliptic.toString('latin1')).value as forge.asn1.Asn1[];
    const [digest, salt] = mac!.value as forge.asn1.Asn1[];
    const withRounds = (rounds: number) =>
      Buffer.from(der(sequence(version!, safe!, sequence(digest!, salt!, number(rounds)))), 'latin1');
    expect(await reasonOf(withRounds(ROUNDS))).toBe('too many rounds of key derivation');
    expect((await openKeyFile(withRounds(2048), PASSWORD)).certificates).toHaveLength(1);
  });

  it('allow scrypt as OpenSSL writes it: N = 16384, r = 8, p = 1', async () => {
    expect(await openKeyFile(file(ofScrypt), PASSWORD)).toMatchObject({ key: expect.stringContaining('PRIVATE KEY') });
  });

  it('are limited even behind the header of an older format', async () => {
    const heavy = underScrypt(number(2 ** 14), number(8), number(2 ** 20));
    const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\n';
    expect(await reasonOf(pem(label, heavy, headers))).toBe('encrypted twice');
    expect(await reasonOf(pem('PRIVATE KEY', heavy))).not.toBe('');
    expect(await reasonOf(pem('RSA PRIVATE KEY', heavy))).not.toBe('');
  });

  it('cost the event loop less than another thread', async () => {
    const { password, file: heavy } = ofKeytool;
    const [ofThread, ofProcess] = [process.threadCpuUsage(), process.cpuUsage()];
    expect((await openKeyFile(file(heavy), password)).key).toBeDefined();
    const ofLoop = process.threadCpuUsage(ofThread).user;
    expect(ofLoop).toBeLessThan(process.cpuUsage(ofProcess).user - ofLoop);
  });

  it('are done for a hundred files at a time, and no more wait', async () => {
    const small = Buffer.from('none');
    const kinds = await Promise.all(
      Array.from({ length: 150 }, () => openKeyFile(small, '').then(String, (fault: { kind: string }) => fault.kind)),
    );
    expect(kinds.filter((kind) => kind === 'argument')).toHaveLength(101);
    expect(kinds.filter((kind) => kind === 'unavailable')).toHaveLength(49);
    expect((await openKeyFile(elliptic, PASSWORD)).certificates).toHaveLength(1);
  });
});

describe('a key of too high cost', () => {
  const pkcs8 = (key: KeyObject) => Buffer.from(key.export({ type: 'pkcs8', format: 'pem' }));
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
  const { asn1 } = forge;
  const withLong = (number: 'modulus' | 'exponent', bytes: number): Buffer => {
    const structure = asn1.fromDer(rsa(2048).export({ type: 'pkcs1', format: 'der' }).toString('latin1'));
    const at = number === 'modulus' ? 1 : 3;
    (structure.value as forge.asn1.Asn1[])[at]!.value = `\x7f${'\xff'.repeat(bytes - 1)}`;
    const der = Buffer.from(asn1.toDer(structure).getBytes(), 'latin1').toString('base64');
    return Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${der}\n-----END RSA PRIVATE KEY-----\n`);
  };

  it.each([
    ['RSA below 2048 bits', () => pkcs8(rsa(1024))],
    ['RSA above 4096 bits', () => withLong('modulus', 513)],
    ['an exponent of 8 kilobytes', () => withLong('exponent', 8_000)],
    ['an exponent of 40 kilobytes', () => withLong('exponent', 40_000)],
    ['a curve that nobody asks for', () => pkcs8(generateKeyPairSync('ec', { namedCurve: 'sect571r1' }).privateKey)],
    ['another kind of key', () => pkcs8(generateKeyPairSync('ed448').privateKey)],
    ['a key that no file may have', () => pkcs8(generateKeyPairSync('ed25519').privateKey)],
  ])('is not opened: %s', async (_, make) => {
    await expect(openKeyFile(make(), '')).rejects.toMatchObject(cannotBeOpened);
    expect(() => openPlainKey(make().toString())).toThrow();
  });

  it.each([2048, 4096])('does not include RSA with %i bits', async (bits) => {
    expect((await openKeyFile(pkcs8(rsa(bits)), '')).key).toBeDefined();
  });

  it('is searched in at most 32 certificates', async () => {
    const [certificate = ''] = (await openKeyFile(elliptic, PASSWORD)).certificates;
    expect((await openKeyFile(Buffer.from(certificate.repeat(32)), '')).certificates).toHaveLength(32);
    await expect(openKeyFile(Buffer.from(certificate.repeat(33)), '')).rejects.toMatchObject(cannotBeOpened);
  });
});
