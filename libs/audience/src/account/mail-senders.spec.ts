import { describe, expect, it } from '@jest/globals';
import { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Platform } from '@tidings/kernel';
import { createdApplication, evolveApplication } from './application.ts';
import { mailSendersOf } from './mail-senders.ts';

const at = (second: number): Date => new Date(second * 1000);
const application = createdApplication(
  AccountEvent.fromPartial({ event: { $case: 'applicationCreated', value: { application: 'A' } } }),
)!;
const configured = (second: number, email_from_email: string, platform: number = Platform.Email) =>
  AccountEvent.fromPartial({
    at: at(second),
    event: {
      $case: 'platformConfigured',
      value: {
        application: 'A',
        platform,
        credentialVersion: second,
        settings: { email_from_email, email_reply: 'r' },
      },
    },
  });
const after = (...events: AccountEvent[]) => events.reduce(evolveApplication, application);
const senders = (...events: AccountEvent[]) =>
  mailSendersOf(after(...events)).map(({ since, from }) => [since.getTime() / 1000, from.address]);

describe('the senders of an application', () => {
  it('begin with the first, and change at each configuration', () => {
    expect(senders()).toEqual([]);
    expect(senders(configured(5, 'a'))).toEqual([[0, 'a']]);
    expect(senders(configured(5, 'a'), configured(6, 'x', Platform.iOS), configured(7, 'a'))).toEqual([[0, 'a']]);
    expect(senders(configured(5, 'a'), configured(7, 'b'), configured(8, 'b'), configured(9, 'a'))).toEqual([
      ...[
        [0, 'a'],
        [7, 'b'],
      ],
      [9, 'a'],
    ]);
  });

  it('are limited to the last twenty', () => {
    const many = Array.from({ length: 30 }, (_, i) => configured(i + 1, `a${i}`));
    expect(senders(...many)).toHaveLength(20);
    expect(senders(...many).at(-1)).toEqual([30, 'a29']);
  });

  it('are removed with the application', () => {
    const deleted = AccountEvent.fromPartial({
      at: at(9),
      event: { $case: 'applicationDeleted', value: { application: 'A' } },
    });
    expect(senders(configured(5, 'a'), configured(7, 'b'), deleted)).toEqual([]);
  });
});
