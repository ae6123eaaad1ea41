import { describe, expect, it } from '@jest/globals';
import { greeting } from './greeting.ts';

const url = 'http://127.0.0.1:8080';
const dataFolder = '/data of mine';
const providers = {};

describe('the greeting', () => {
  it('shows the token once, when it was created, with a call that works as printed', () => {
    const text = greeting(
      { url, adminToken: { secret: 'tdm_x', made: true } },
      { dataFolder, providers, adminToken: undefined },
    );
    expect(text).toContain('shown this once: tdm_x');
    expect(text).toContain(`curl -s ${url}/admin/v1/tokens -H "Authorization: Bearer tdm_x"`);
  });

  it('never shows it again', () => {
    const adminToken = { secret: 'tdm_x', made: false };
    const later = greeting({ url, adminToken }, { dataFolder, providers, adminToken: undefined });
    expect(later).not.toContain('tdm_x');
    expect(later).toContain(`Bearer $(cat '/data of mine/admin-token')"`);
    const given = greeting({ url, adminToken }, { dataFolder, providers, adminToken: 'tdm_x' });
    expect(given).not.toContain('tdm_x');
    expect(given).toContain('Bearer $TIDINGS_ADMIN_TOKEN"');
  });

  it('names no page of the demo', () => {
    const adminToken = { secret: 'tdm_x', made: false };
    expect(greeting({ url, adminToken }, { dataFolder, providers, adminToken: undefined })).not.toContain('/demo/');
  });

  it('explains how to catch mail while there is no relay', () => {
    const adminToken = { secret: 'tdm_x', made: false };
    const shown = (own: { smtp?: string }) =>
      greeting({ url, adminToken }, { dataFolder, adminToken: undefined, providers: own });
    expect(shown({})).toContain('npm run mailbox');
    expect(shown({ smtp: 'smtp://relay.example' })).not.toContain('mailbox');
  });
});
