import { describe, expect, it } from '@jest/globals';
import { inboxOf, statusOf } from './inbox.ts';

const message = {
  inbox_id: 'C3F8-C3863ED4-334AD4F1',
  order: '811304624128000',
  rt: '1768435201',
  send_date: '1768392000',
  title: 'News',
  text: 'Hello',
  action_type: 1,
  action_params: '{"l":"https://example.com/17","u":"{\\"a\\":1}","p":"P_1"}',
  image: '',
  status: 2,
  hash: 'P_1',
};

describe('an inbox', () => {
  it('has the messages of the reply', () => {
    expect(inboxOf({ messages: [message], next: '811304624128000', new_inbox: 4 })).toEqual({
      messages: [
        {
          code: '811304624128000',
          title: 'News',
          text: 'Hello',
          image: '',
          link: 'https://example.com/17',
          data: '{"a":1}',
          sentAt: new Date('2026-01-14T12:00:00Z'),
          expiresAt: new Date('2026-01-15T00:00:01Z'),
          status: 'read',
        },
      ],
      next: '811304624128000',
      newCount: 4,
    });
  });

  const device = { url: 'https://push.example', application: 'A1B2C-3D4E5', token: 'secret', hwid: 'h' };

  it('has numbers for the states of messages (R-J6)', () => {
    const states = ['delivered', 'read', 'opened', 'deleted'] as const;
    expect(states.map((state) => statusOf(device, '17', state)['status'])).toEqual([1, 2, 3, 4]);
  });

  it('belongs to the user, or to the device without one (R-J1)', () => {
    expect(statusOf({ ...device, userId: 'anna' }, '17', 'read')).toMatchObject({ inbox_code: '17', userId: 'anna' });
    expect(statusOf(device, '17', 'read')).toMatchObject({ userId: 'h' });
  });
});
