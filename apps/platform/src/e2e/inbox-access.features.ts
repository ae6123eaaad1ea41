import { describe, expect, it } from '@jest/globals';
import type { PlatformWorld } from '@tidings/testing';
import { untilEveryReply } from './testing/until-every-reply.ts';

export function inboxAccessFeatures(world: () => PlatformWorld): void {
  describe('access to inboxes (R-J1)', () => {
    const replyTo = (application: string, authorization?: string) =>
      world().client.http.send('/json/1.3/getInboxMessages', {
        method: 'POST',
        headers: authorization === undefined ? {} : { authorization },
        body: { request: { application, userId: 'anna' } },
      });

    it('requires the device token if the operator enables it', async () => {
      const application = await world().application();
      expect(await world().call('setInboxAccess', { code: application, token_required: true })).toEqual({
        token_required: true,
      });
      const status = { application, userId: 'anna', inbox_code: '1', status: 2 };
      await untilEveryReply(world(), () => world().reply('inboxStatus', status), 403);
      for (const token of [undefined, `Api ${world().secrets.api}`])
        expect(await replyTo(application, token)).toMatchObject({ status: 403 });
      expect(await replyTo(application, `Token ${world().secrets.device}`)).toMatchObject({ status: 200 });
      await world().call('setInboxAccess', { code: application, token_required: false });
      await untilEveryReply(world(), () => replyTo(application), 200);
    });

    it('is limited to some different users of a client without a token', async () => {
      const application = await world().application();
      const replies = new Set<number>();
      for (let user = 0; user < 130 && !replies.has(429); user++) {
        replies.add((await world().reply('getInboxMessages', { application, userId: `user-${user}` })).status);
      }
      expect(replies).toEqual(new Set([200, 429]));
      expect(await replyTo(application, `Token ${world().secrets.device}`)).toMatchObject({ status: 200 });
    });
  });
}
