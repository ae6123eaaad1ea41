import { describe, expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import { ApplicationView } from '@tidings/rpc';
import { keysFrom, seal } from '@tidings/runtime';
import { whatsAppSecrets } from './receipt-secrets.ts';

const { master } = keysFrom(new Uint8Array(32).fill(7));
const viewOf = (code: string, credentialVersion: number, configured = true): ApplicationView =>
  ApplicationView.fromPartial({
    code,
    platforms: [{ platform: Platform.WhatsApp, enabled: true, configured, credentialVersion }],
  });

function world(fields: readonly string[]) {
  const seen = { reads: 0, version: 1 };
  const secretsOf = whatsAppSecrets({
    masterKeys: master,
    platforms: {
      getCredential: async ({ application, platform }) => {
        seen.reads++;
        const sealed = fields.map((field): [string, Buffer] => [
          field,
          Buffer.from(seal(master, { application, field }, `${application} ${field} ${seen.version}`)),
        ]);
        const { version } = seen;
        return { application, platform, version, exists: true, settings: {}, sealed: Object.fromEntries(sealed) };
      },
    },
  });
  return { seen, secretsOf };
}

describe('the secrets that an application shares with WhatsApp', () => {
  it('are read once for each version of the settings', async () => {
    const { seen, secretsOf } = world(['whats_app_app_secret', 'whats_app_verify_token']);
    for (let i = 0; i < 3; i++) {
      expect(await secretsOf(viewOf('A', 1))).toEqual({
        appSecret: 'A whats_app_app_secret 1',
        verifyToken: 'A whats_app_verify_token 1',
      });
    }
    expect(seen.reads).toBe(1);
    seen.version = 2;
    expect(await secretsOf(viewOf('A', 2))).toMatchObject({ appSecret: 'A whats_app_app_secret 2' });
    expect(await secretsOf(viewOf('B', 1))).toMatchObject({ appSecret: 'B whats_app_app_secret 2' });
    expect(seen.reads).toBe(3);
  });

  it('are left out if they are not set, and undefined without WhatsApp', async () => {
    const { seen, secretsOf } = world([]);
    expect(await secretsOf(viewOf('A', 1))).toEqual({ appSecret: undefined, verifyToken: undefined });
    expect(await secretsOf(viewOf('B', 0, false))).toBeUndefined();
    expect(await secretsOf(ApplicationView.fromPartial({ code: 'C' }))).toBeUndefined();
    expect(seen.reads).toBe(1);
  });

  it('are forgotten beyond a thousand applications', async () => {
    const { seen, secretsOf } = world([]);
    for (let i = 0; i < 1001; i++) await secretsOf(viewOf(`A${i}`, 1));
    await secretsOf(viewOf('A0', 1));
    expect(seen.reads).toBe(1002);
  });
});
