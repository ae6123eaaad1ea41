import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EventFormat } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { WebhookRequest } from '@tidings/rpc';
import type { OutRecord } from '@tidings/streaming';
import { topicLink } from './kafka.ts';

const TOPIC = 'orders';

const opened = {
  eventName: 'Push Opened',
  payload: '{}',
  messageCode: 'M',
  applicationCode: 'A-1',
  timestamp: new Date(0),
};

function world(format = EventFormat.EVENT_FORMAT_UNSPECIFIED) {
  const published: OutRecord[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const reported: string[] = [];
  const link = topicLink(
    {
      async publish(_, records) {
        published.push(...records);
        const answer = Promise.withResolvers<void>();
        answers.push(answer);
        await answer.promise;
        return records.map((_record, offset) => ({ partition: 0, offset }));
      },
    },
    {
      topic: TOPIC,
      subscription: 's1',
      format,
      listener: {
        acked: (uuid) => reported.push(`${uuid} true`),
        failed: (uuids, how) => reported.push(`${uuids.join()} ${how}`),
        drained: () => reported.push('drained'),
        broken: (error) => reported.push(`broken: ${error.message}`),
      },
    },
  );
  const send = (...uuids: string[]): void => {
    for (const uuid of uuids)
      link.send({
        uuid,
        applicationCode: 'A-1',
        hwid: `of ${uuid}`,
        bytes: WebhookRequest.encode(WebhookRequest.fromPartial({ ...opened, uuid })).finish(),
      });
  };
  const answer = async (how: 'resolve' | 'reject' | Fault): Promise<void> => {
    await turn();
    for (const each of answers.splice(0)) {
      if (how === 'resolve') each.resolve();
      else each.reject(how === 'reject' ? Fault.unavailable('Kafka is away') : how);
    }
    await turn();
  };
  return { link, published, reported, send, answer };
}

describe('a link to a topic (R-EV1)', () => {
  it('publishes each event under its device, and takes the acknowledgement of the broker for the ack', async () => {
    const { published, reported, send, answer } = world();
    send('u1');
    await turn();
    send('u2', 'u3');
    expect(reported).toEqual([]);
    await answer('resolve');
    await answer('resolve');
    expect(reported).toEqual(['u1 true', 'u2 true', 'u3 true']);
    expect(published.map(({ key, headers }) => [key, headers])).toEqual(
      ['u1', 'u2', 'u3'].map((uuid) => [`A-1/of ${uuid}`, { subscription: 's1' }]),
    );
    expect(published.map(({ value }) => WebhookRequest.decode(value).uuid)).toEqual(['u1', 'u2', 'u3']);
  });

  it('publishes the data of CloudEvents in the format json, with their attributes as headers (R-EV8)', async () => {
    const { published, reported, send, answer } = world(EventFormat.EVENT_FORMAT_JSON);
    send('u1');
    await answer('resolve');
    expect(reported).toEqual(['u1 true']);
    expect(published.map(({ key, headers }) => ({ key, headers }))).toEqual([
      {
        key: 'A-1/of u1',
        headers: {
          'content-type': 'application/json',
          ce_specversion: '1.0',
          ce_id: 'u1',
          ce_source: '/applications/A-1',
          ce_type: 'tidings.push.opened',
          ce_subject: 'M',
          ce_time: '1970-01-01T00:00:00Z',
          subscription: 's1',
        },
      },
    ]);
    expect(JSON.parse(Buffer.from(published[0]!.value).toString())).toMatchObject({ id: 'u1', event: 'push_opened' });
  });

  it('is broken once when a publication fails, and sends nothing afterwards', async () => {
    const { link, published, reported, send, answer } = world();
    send('u1');
    await turn();
    send('u2');
    await answer('reject');
    await answer('reject');
    send('u3');
    await turn();
    expect(reported).toEqual(['broken: Kafka is away']);
    expect([link.isWritable, published.length]).toEqual([false, 2]);
  });

  it('continues when the broker refuses a record, which fails alone', async () => {
    const { link, reported, send, answer } = world();
    send('u1', 'u2');
    await answer(new Fault('tooLarge', 'A record is larger than its topic allows'));
    await answer('resolve');
    await answer(new Fault('tooLarge', 'A record is larger than its topic allows'));
    send('u3');
    await answer('resolve');
    expect(reported).toEqual(['u1 true', 'u2 refused', 'u3 true']);
    expect(link.isWritable).toBe(true);
  });

  it('accepts no more events than the limit of unacknowledged records', async () => {
    const { link, reported, send, answer } = world();
    let sent = 0;
    for (; link.isWritable; sent++) send(`u${sent}`);
    expect(sent).toBe(500);
    await answer('resolve');
    await answer('resolve');
    expect(reported.filter((each) => each === 'drained')).toHaveLength(1);
    expect(reported).toHaveLength(501);
    expect(link.isWritable).toBe(true);
  });

  it('is silent once it is closed', async () => {
    const { link, reported, send, answer } = world();
    send('u1');
    link.close();
    await answer('reject');
    expect(reported).toEqual([]);
  });
});
