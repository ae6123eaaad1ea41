import { describe, expect, it } from '@jest/globals';
import { pageNote, webPushModules } from './web-push-page.ts';

const url = 'http://127.0.0.1:8080';
const host = '127.0.0.1';

describe('the page of web push', () => {
  it('is named if it is served', () => {
    expect(pageNote(url, { host })).toContain(`${url}/demo/web-push\n`);
    expect(webPushModules({ host })).toBeDefined();
  });

  it.each([{ host: '0.0.0.0' }, { host, publicUrl: 'https://push.example' }])(
    'is neither served nor named if other machines reach the platform: %j',
    (reach) => {
      expect(pageNote(url, reach)).toBe('');
      expect(webPushModules(reach)).toBeUndefined();
    },
  );
});
