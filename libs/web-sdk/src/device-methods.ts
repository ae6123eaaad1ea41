import type { Connection } from './connection.ts';
import { inboxOf, type InboxReply, statusOf, userOf } from './inbox.ts';
import { languageOf, timezoneSeconds } from './subscription.ts';
import type { WebDevice } from './web-device.ts';

type ProfileMethods = Pick<WebDevice, 'setTags' | 'getTags' | 'setUser' | 'setLanguage' | 'setBadge'>;

export const profileMethods = ({ current, change, call, callAsBrowser }: Connection): ProfileMethods => ({
  async setTags(tags) {
    await callAsBrowser('setTags', { tags });
  },
  async getTags() {
    const { result } = (await call('getTags')) as { readonly result: Record<string, unknown> };
    return result;
  },
  async setUser(userId) {
    const { hwid } = await current();
    await callAsBrowser('registerUser', { userId: userId ?? hwid, tz_offset: timezoneSeconds() });
    await change({ userId: userId ?? undefined });
  },
  async setLanguage(language) {
    const device = await change({ language });
    await callAsBrowser('applicationOpen', { language: languageOf(device), timezone: timezoneSeconds() });
  },
  async setBadge(badge) {
    // Badges belong to installed sites; others refuse them.
    await navigator.setAppBadge?.(badge).catch(() => undefined);
    await call('setBadge', { badge });
  },
});

export const inboxMethods = ({ current, call }: Connection): Pick<WebDevice, 'inbox' | 'setInboxStatus'> => ({
  async inbox({ count = 0, after = '' } = {}) {
    const userId = userOf(await current());
    return inboxOf((await call('getInboxMessages', { userId, last_code: after, count })) as InboxReply);
  },
  async setInboxStatus(code, status) {
    await call('inboxStatus', statusOf(await current(), code, status));
  },
});
