import { describe, expect, it } from '@jest/globals';
import { topicNames } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { ApplicationView, TokenScope, TokenView } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { languageCounts } from '../applications/language-counts.ts';
import type { RegistryService } from '../registry.ts';
import { RegistryUnderTest } from '../testing/registry-under-test.ts';

describeWithMongo('the registry', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { newApplication, settle, command, registration, apply, published } = test;

  describe('tokens and applications', () => {
    const issue = (more: Partial<Parameters<RegistryService['tokens']['issueToken']>[0]> = {}) =>
      test.registry.tokens.issueToken({
        account: '',
        scope: TokenScope.TOKEN_SCOPE_API,
        allApplications: true,
        applications: [],
        expiresAt: undefined,
        ...more,
      });

    it('are issued, resolved and revoked', async () => {
      const { id, secret } = await issue({ allApplications: false, applications: [test.app] });
      expect((await test.registry.tokens.resolveToken({ secret })).token).toMatchObject({
        id,
        account: 'default',
        scope: TokenScope.TOKEN_SCOPE_API,
        allApplications: false,
        applications: [test.app],
      });
      const mistyped = `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`;
      expect((await test.registry.tokens.resolveToken({ secret: mistyped })).token).toBeUndefined();
      expect((await test.registry.tokens.resolveToken({ secret: '' })).token).toBeUndefined();
      expect((await test.registry.tokens.listTokens({})).tokens.map((token) => token.id)).toContain(id);
      expect((await test.registry.tokens.findToken({ id })).token).toMatchObject({ id, applications: [test.app] });
      expect(await test.registry.tokens.revokeToken({ id })).toEqual({ revoked: true });
      expect((await test.registry.tokens.findToken({ id })).token).toBeUndefined();
      expect(await test.registry.tokens.revokeToken({ id })).toEqual({ revoked: false });
      expect((await test.registry.tokens.resolveToken({ secret })).token).toBeUndefined();
      expect(JSON.stringify(await mongo.db.collection('tokens').find().toArray())).not.toContain(secret);
      await expect(issue({ account: 'nobody' })).rejects.toThrow('Account not found');
      for (const account of ['default', 'nobody']) {
        expect(await test.registry.accounts.findAccount({ account })).toMatchObject({ found: account === 'default' });
      }
    });

    it('are published whole, by id', async () => {
      const { id } = await issue();
      const application = await newApplication();
      await test.registry.applications.setDebug({ application, on: true });
      await test.registry.tokens.revokeToken({ id });
      const tokens = await published(topicNames.tokens, (bytes) => TokenView.decode(bytes));
      expect(tokens.filter(({ key }) => key === id).at(-1)?.value).toMatchObject({
        id,
        revoked: true,
        allApplications: false,
      });
      const applications = await published(topicNames.applications, (bytes) => ApplicationView.decode(bytes));
      const last = applications.filter(({ key }) => key === application).at(-1)!.value;
      expect(last).toEqual((await test.registry.applications.findApplication({ application })).application);
      expect(last.debugUntil).toEqual(new Date(test.clock.now() + 3_600_000));
    });

    it('encrypt their credentials in every collection', async () => {
      const application = await newApplication();
      const secret = 'PLANTED-SECRET-1234567890';
      const request = {
        account: 'default',
        application,
        platform: Platform.iOS,
        settings: {
          ios_gateway: '1',
          ios_key_management_type: 'manual',
          ios_key_password: secret,
          ios_key_file: Buffer.from(secret).toString('base64'),
        },
        secretSettings: ['ios_key_password', 'ios_key_file'],
        disabled: false,
      };
      const view = await test.registry.platforms.configurePlatform(request);
      expect(view.platforms).toEqual([{ platform: 1, enabled: true, configured: true, credentialVersion: 1 }]);
      const credential = await test.registry.platforms.getCredential({ application, platform: Platform.iOS });
      expect(credential).toMatchObject({ version: 1, settings: { ios_gateway: '1' } });
      expect(Object.keys(credential.sealed).sort()).toEqual(['ios_key_file', 'ios_key_password']);
      const description = await test.registry.applications.describeApplication({ application });
      expect(description.settings).toMatchObject({
        ios_gateway: '1',
        ios_key_management_type: 'manual',
        adm_cid: '',
        android_api_type: '',
        ios_key_password: expect.stringMatching(/^x[0-9a-f]{32}$/) as unknown as string,
      });
      expect((await test.registry.platforms.configurePlatform(request)).platforms[0]?.credentialVersion).toBe(2);
      expect((await test.registry.applications.describeApplication({ application })).settings).toEqual(
        description.settings,
      );
      expect(await test.registry.platforms.getCredential({ application, platform: 3 })).toMatchObject({ version: 0 });
      await settle();
      const planted = [secret, Buffer.from(secret).toString('base64')];
      for (const collection of await mongo.db.collections()) {
        for await (const raw of collection.find({}, { raw: true })) {
          const bytes = Buffer.from(raw as unknown as Uint8Array);
          for (const text of planted) expect(bytes.includes(text)).toBe(false);
        }
      }
      const logged = test.lines.join('');
      for (const text of planted) expect(logged).not.toContain(text);
      const records = await published(topicNames.applications, (bytes) => Buffer.from(bytes));
      for (const { value } of records) for (const text of planted) expect(value.includes(text)).toBe(false);
    });

    it('are described with their settings, and without secrets', async () => {
      const application = await newApplication();
      const settings = async () => test.registry.applications.getSettings({ application });
      expect(await settings()).toMatchObject({ hasIcon: false, platforms: [], tokenLimits: [] });
      await test.registry.platforms.configurePlatform({
        account: 'default',
        application,
        platform: Platform.Sms,
        settings: {
          sms_http_url: 'https://user:PLANTED@sms.example/v1',
          sms_http_token: 'PLANTED',
          icon_file: 'PLANTED',
        },
        secretSettings: ['sms_http_token'],
        disabled: false,
      });
      await test.registry.platforms.setPlatformStatus({
        account: 'default',
        application,
        platform: Platform.Sms,
        enabled: false,
      });
      const shown = await settings();
      expect(shown.platforms).toEqual([
        {
          platform: Platform.Sms,
          enabled: false,
          settings: { sms_http_url: 'https://sms.example/v1' },
          secrets: ['icon_file', 'sms_http_token'],
          configuredAt: test.clock.date,
        },
      ]);
      expect(await test.registry.applications.getSettings({ application: 'AAAAA-AAAAA' })).toMatchObject({
        view: undefined,
      });
    });

    it('name the limits of the tokens that may use them', async () => {
      const application = await newApplication();
      const rateLimit = { requests: 10, seconds: 60 };
      const limited = async (more: Parameters<typeof issue>[0]) => {
        const { id } = await issue(more);
        await test.registry.tokens.limitToken({ id, rateLimit });
        test.clock.advance(1);
        return id;
      };
      const restricted = { allApplications: false, applications: [application] };
      const ids = [await limited(restricted), await limited({})];
      await limited({ ...restricted, expiresAt: new Date(test.clock.now() + 1_000) });
      await limited({ allApplications: false, applications: [test.app] });
      await issue(restricted);
      await test.registry.tokens.revokeToken({ id: await limited(restricted) });
      test.clock.advance(1_000);
      const { tokenLimits } = await test.registry.applications.getSettings({ application });
      expect(tokenLimits).toEqual(ids.map((token) => ({ token, ...rateLimit })));
    });

    it('count languages of device records', async () => {
      const application = await newApplication();
      const describe = async () => (await test.registry.applications.describeApplication({ application })).languages;
      expect(await describe()).toEqual({});
      await apply(
        ...['en', 'en', 'de', undefined].map((language, i) =>
          command(`l${i}`, registration({ language }), { application }),
        ),
      );
      expect(await describe()).toEqual({ en: 2n, de: 1n });
    });

    it('count languages step by step, each step with an index', async () => {
      const application = await newApplication();
      const given = ['en', 'en', 'de', undefined, 'fr', 'en', undefined];
      await apply(...given.map((language, i) => command(`s${i}`, registration({ language }), { application })));
      const count = languageCounts(mongo.db);
      const languages: Record<string, number> = {};
      const records: number[] = [];
      for (let after = -1; records.at(-1) !== 0;) {
        const step = await count(application, after, 2);
        for (const [name, found] of step.languages) languages[name] = (languages[name] ?? 0) + found;
        records.push(step.records);
        after = step.last;
      }
      expect(languages).toEqual({ en: 3, de: 1, fr: 1 });
      expect(records).toEqual([2, 2, 2, 1, 0]);
    });
  });

  test.expectNoWarnings();
});
