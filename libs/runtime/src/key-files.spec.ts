import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import forge from 'node-forge';
import { openKeyFile } from './key-files.ts';

const file = (text: string): Buffer => Buffer.from(text, 'base64');
const PASSWORD = 'geheim';

/** RSA 1024, encrypted with RC2 and 3DES, as keychains export: more than OpenSSL opens today. */
const rsaOfOld = file(`
  MIIGOQIBAzCCBf8GCSqGSIb3DQEHAaCCBfAEggXsMIIF6DCCAucGCSqGSIb3DQEHBqCCAtgwggLUAgEAMIICzQYJKoZIhvcNAQcBMBwGCiqGSI
  b3DQEMAQYwDgQIK0R+hY3X9nwCAggAgIICoC8P7cFVeXyRgadhDq21DQE3iuD+ILQQ53YZGFI2+O83dlIa1PxPOJPAbqDGDY07SxKhBOeBSWkS
  f2/BeXpoPUxm+xGhX7gqTaDeNxBND/Bxy3ltvu0MLqa7TDbdQf5TTyAVmUkjVSNpw2G7X1uL3BcZ+V6LKDNoi3uQciTPg9+LcCJGGj+xcWWVyS
  so29z1mXBLXpMt396U1awgXleED5soNeF92lJ+2Aulns/MLQOH5Af2Ju+URyzo6HPWWYESxD4O1jgzh5ulHoDep+QUJ0bkFdD/+SXGB07cwKFD
  nBgtVWmm3zDWzYIWRCC7/eXHDM9FSmDz7825cn0fy+pU2AbLSw+lUK7ZAgRTEF70EoA6/cSzVAYv8ElYIislYh7az1STpPhsWas8W2jhE9M8Ka
  GHgCTkJFGRsNhFJvldZkjA9nc2hoSXuqbolZI6AWeRnXe2PdiMfgCAmTen+0mSpMwmOq9qhYKMtSRzt+c5l1Z5emrRM2fti4AKAnYlxrFke55B
  LZzgzxfY/+2DI/FKeBnAuNiE07o0NrOU083fWAwjBjB/fKQmHm/e/YNHBytmXAGy8U0T581xHDQbCAW8/JyuPxoezVyh07MLtuFfjQXECq9WLf
  VM/aoxFusb5LNJAq7zpwfN/zLCLd7rFTeXr86rpAfmv0ot9dAd30nJGJnVhd45N5gwozUVOVGeYfaPD+SNY73bLuLBWAzRlcOxwz+IRq/bSyyx
  Dk8p67EHvBpx1pd0YQEpPQCkCwszr4J/WyzR8z7HX7HVmAE0eSrnMBeYirb1dLCNL+GH5hmLoGSp0HJbsR3XkLGVsmntT3zefv2q272zrNt0u9
  nH0MQ+zZA+ubtNN4mp4V7+hktMcTKq8rmaqla/oaAGHKgwVQklTjCCAvkGCSqGSIb3DQEHAaCCAuoEggLmMIIC4jCCAt4GCyqGSIb3DQEMCgEC
  oIICpjCCAqIwHAYKKoZIhvcNAQwBAzAOBAh+hVp/110+pwICCAAEggKA3FPuokUbdI3x1OCkdaDbVObL15GS74rrOyjqbnY3N/s/1gYzU67g0i
  N/UrYWkEwG0df1DBS3aDhms/1R1eFG3MZ1udr10Wm8gb7LAgvYRMj1wox9z7q1O+a6EAVaEQIdmN8pMYg4TtrO2+SogIH6qXp7B0jFaCQt2VbY
  zlRpMfb3EevlWm66L59tGp6GkFi4hriJvBoaWvjgoMO74Mo8SzupU5XuuNNb3doLOvIxYO5zkp16WADjT0jFLeIjtIz6iSTxI6z85ynyPnpYqH
  OQNOiUDZU9IASA2T4uOXPYbdHgah0Fdg3EwJ3Ow/tMSEmQOJDkpT8NbF5waqPGkwjWuuHaAPTnwx008/EOm2WS+j7CqOL0xS7RkmNye7JL7sik
  pkmHzr6v/SzRkQ0vLqI1PLkHwQlz5PyWNnRPWWmr0lZ6waRZkqfz0N2rgOZim985KonWYjdVghEYd7PC/y4Vg9N8n3SlkuT4Xsh1minEAlhiXz
  z/n9Qt3yYl4SDBlAcJHviqydEaUdiIsj77X+ocqu4npw35+b+1SOtCpwMBpuY83+9ZGZBKStttSuxD1/HmYBP3Armg+boJXi4/gBw8sFGWzxmM
  337uyhd/Eztz1w9q93gg6S5CNMDq/3AI1J8KnlZKGGx5pf/R0aPvDYkyfgcqTJ/Et2iQFBfKzCnih2o2DwQRUGJ/vbJJ9Cg1lk/uuR8ZQT0xYj
  /05vwZi4B0bSPRYGrMWKYyRqDuLW7XQZ49RBa3peZAWMet79hM8mwIA1GhhmRJUqNiYrd+BUoIidQT0QDxWlvJKrjYfF1JhW1qRkPQoPpnpLil
  kr59wnPP0a6rbWhZulb8rFJo3+/lqzElMCMGCSqGSIb3DQEJFTEWBBQ9jBn460o48r8lAjkEXOy3iMp2vjAxMCEwCQYFKw4DAhoFAAQU4UwHdC
  vE8GMXJHLJ/98he+AgiWYECFiw6efB3qgYAgIIAA==
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

const cannotBeOpened = { kind: 'argument', message: 'File cannot be opened' };

describe('a file of keys', () => {
  it.each([
    ['an old .p12 of RSA', rsaOfOld, 'com.example.cert'],
    ['a new .p12 of a curve', elliptic, 'com.example.ec'],
  ])('is %s', async (_, bytes, bundle) => {
    const { key, certificates } = await openKeyFile(bytes, PASSWORD);
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(certificates).toHaveLength(1);
    const certificate = new X509Certificate(certificates[0]!);
    expect(certificate.subject).toContain(`UID=${bundle}`);
    expect(certificate.checkPrivateKey(createPrivateKey(key!))).toBe(true);
  });

  it('is a key in PEM, encrypted or not', async () => {
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

  it('is a certificate alone, and several of which the one of the key comes first', async () => {
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
    ['that is none', Buffer.from('{"key":1}'), ''],
    ['without a byte', Buffer.alloc(0), ''],
    ['of a hundred kilobytes', Buffer.alloc(100_000, 0x30), ''],
    ['that nests forever', Buffer.alloc(60_000, Buffer.from([0x30, 0x80])), ''],
  ])('cannot be opened %s', (_, bytes, password) =>
    expect(openKeyFile(bytes, password)).rejects.toMatchObject(cannotBeOpened),
  );
});

describe('rounds of key derivation', () => {
  const ROUNDS = 60_000;
  const { asn1, pki } = forge;
  const of = (constructed: boolean, type: number, value: string | forge.asn1.Asn1[], tag = asn1.Class.UNIVERSAL) =>
    asn1.create(tag, type, constructed, value);
  const sequence = (...values: forge.asn1.Asn1[]) => of(true, asn1.Type.SEQUENCE, values);
  const oid = (name: string) => of(false, asn1.Type.OID, asn1.oidToDer(pki.oids[name]!).getBytes());
  const explicit = (...values: forge.asn1.Asn1[]) => of(true, 0, values, asn1.Class.CONTEXT_SPECIFIC);
  const octets = (text: string) => of(false, asn1.Type.OCTETSTRING, text);
  const number = (value: number) => of(false, asn1.Type.INTEGER, asn1.integerToDer(value).getBytes());
  const der = (node: forge.asn1.Asn1) => asn1.toDer(node).getBytes();

  /** A key under so many rounds. */
  const encryptedKey = (count: number) => {
    const key = pki.privateKeyFromPem(
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .privateKey.export({ type: 'pkcs1', format: 'pem' })
        .toString(),
    );
    const info = pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(key));
    return pki.encryptPrivateKeyInfo(info, PASSWORD, { algorithm: 'aes256', count });
  };

  /** The file whose only key lies in a part that is encrypted as a whole. */
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
  ])('are few, or the file is not opened: %s', async (_, make) => {
    expect((await openKeyFile(make(2000), PASSWORD)).key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    const fault = await openKeyFile(make(ROUNDS), PASSWORD).catch((error: unknown) => error);
    expect(fault).toMatchObject({ ...cannotBeOpened, cause: { message: 'too many rounds of key derivation' } });
  });
});
