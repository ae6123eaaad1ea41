import { randomBytes, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type PlatformWorld, pushCertificate } from '@tidings/testing';
import { unzipSync } from 'fflate';
import { PNG } from 'pngjs';

const refused = (status_message: string) => ({ status_code: 210, status_message, response: null });

export function applicationFileFeatures(world: () => PlatformWorld): void {
  describe('getApplicationFile (R-B4)', () => {
    let application: string;
    beforeAll(async () => {
      application = await world().application();
    });

    const file = (name: string, code = application) =>
      fetch(new URL('/json/1.3/getApplicationFile', world().url), {
        method: 'POST',
        body: JSON.stringify({ request: { auth: world().secrets.api, application: code, file: name } }),
      });

    it('answers the blocks of a .p12', async () => {
      const code = await world().application({ ios: false, android: false });
      const ios_key_file = pushCertificate('Push', { password: 'geheim' }).p12;
      const configure = (ios_key_password: string) =>
        world().call('configureApplication', {
          application: code,
          device_type: 1,
          ios_key_management_type: 'manual',
          ios_gateway: 1,
          ios_framework: 'native',
          ios_key_file,
          ios_key_password,
        });
      await configure('geheim');
      for (const name of ['ios_manual_certificate', 'ios_push_certificate']) {
        const sent = await file(name, code);
        expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'text/plain']);
        expect(new X509Certificate(await sent.text()).subject).toBe('CN=Push');
      }
      const key = await file('ios_manual_privatekey', code);
      expect(await key.text()).toMatch(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END PRIVATE KEY-----\n$/);
      await configure('wrong');
      expect(await (await file('ios_manual_privatekey', code)).json()).toEqual(refused('File cannot be opened'));
    });

    it('answers the push package of a website', async () => {
      const code = await world().application({ title: 'News', ios: false, android: false });
      const picture = new PNG({ width: 256, height: 256 });
      picture.data.set(randomBytes(picture.data.length));
      await world().call('configureApplication', {
        application: code,
        device_type: 10,
        safari_key_management_type: 'manual',
        safari_allowed_domains: [],
        safari_url_template: 'https://news.example/%@',
        safari_icon_file: PNG.sync.write(picture).toString('base64'),
        safari_key_file: pushCertificate('Push', { uid: 'web.com.example.news' }).p12,
        safari_key_password: '',
      });
      const sent = await file('safari_push_package', code);
      expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'text/plain']);
      const files = unzipSync(Buffer.from(await sent.text(), 'base64'));
      expect(JSON.parse(Buffer.from(files['website.json']!).toString())).toMatchObject({
        websiteName: 'News',
        websitePushID: 'web.com.example.news',
        allowedDomains: [],
        webServiceURL: `${world().url}/safari/${code}`,
        urlFormatString: 'https://news.example/%@',
      });
      expect(PNG.sync.read(Buffer.from(files['icon.iconset/icon_128x128@2x.png']!)).data).toEqual(picture.data);
    });

    it.each([
      ['ios_auto_privatekey', 'File not found'],
      ['ios_manual_certificate', 'File not found'],
      ['safari_push_package', 'File not found'],
      ['wp7_ca', 'File not found'],
      ['ios_manual_privatekeys', 'file: unknown value'],
    ])('answers %s with %s', async (name, text) => {
      expect(await (await file(name)).json()).toEqual(refused(text));
    });
  });
}
