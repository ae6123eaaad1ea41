import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bounceOf, isHardBounce } from './bounces.ts';
import { smtpResult } from './email-results.ts';
import { smtpReplyOf } from './smtp-reply.ts';

const classOf = (reply: string): string => bounceOf(smtpReplyOf(Number(reply.slice(0, 3)), reply.slice(4)));

describe('the class of a bounce', () => {
  it.each([
    ['550 5.7.1 recipient is on the suppression list', 'BOUNCED_HARD_SUPPRESSED'],
    ['450 4.2.1 suppressed', 'BOUNCED_HARD_SUPPRESSED'],
    ['550 5.1.1 spam trap', 'BOUNCED_HARD_GENERAL'],
    ['550 5.1.10 null', 'BOUNCED_HARD_GENERAL'],
    ['550 5.2.0 x', 'BOUNCED_HARD_GENERAL'],
    ['550 5.4.1 x', 'BOUNCED_HARD_GENERAL'],
    ['550 5.4.4 x', 'BOUNCED_HARD_GENERAL'],
    ['550 5.2.1 x', 'BOUNCED_HARD_MAILBOX_INACTIVE'],
    ['552 5.2.2 x', 'BOUNCED_HARD_MAILBOX_FULL'],
    ['452 4.2.2 x', 'BOUNCED_SOFT_MAILBOX_FULL'],
    ['452 too many mails', 'BOUNCED_SOFT_MAILBOX_FULL'],
    ['552 5.2.3 attachment', 'BOUNCED_SOFT_MESSAGE_TOO_LARGE'],
    ['452 4.3.4 x', 'BOUNCED_SOFT_MESSAGE_TOO_LARGE'],
    ['554 5.7.1 this attachment is spam', 'BOUNCED_SOFT_ATTACHMENT_REJECTED'],
    ['550 Spam', 'BOUNCED_SOFT_SPAM'],
    ['554 5.7.1 poor reputation', 'BOUNCED_SOFT_SPAM'],
    ['550 blacklisted', 'BOUNCED_SOFT_SPAM'],
    ['552 x', 'BOUNCED_SOFT_MAILBOX_FULL'],
    ['550 x', 'BOUNCED_HARD_UNDETERMINED'],
    ['551 x', 'BOUNCED_HARD_UNDETERMINED'],
    ['553 x', 'BOUNCED_HARD_UNDETERMINED'],
    ['554 5.6.2 x', 'BOUNCED_SOFT_CONTENT_REJECTED'],
    ['550 5.7.0 x', 'BOUNCED_SOFT_CONTENT_REJECTED'],
    ['550 5.7.1 x', 'BOUNCED_SOFT_CONTENT_REJECTED'],
    ['550 5.7.26 x', 'BOUNCED_SOFT_GENERAL'],
    ['550 5.1.7 x', 'BOUNCED_SOFT_GENERAL'],
    ['550 5.1.8 x', 'BOUNCED_SOFT_GENERAL'],
    ['451 4.3.0 x', 'BOUNCED_SOFT_GENERAL'],
    ['451 4.4.2 x', 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED'],
    ['450 4.7.1 greylisted', 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED'],
    ['451 x', 'BOUNCED_SOFT_UNDETERMINED'],
    ['554 x', 'BOUNCED_UNDETERMINED'],
    ['550 5.3.0 x', 'BOUNCED_UNDETERMINED'],
    ['550', 'BOUNCED_HARD_UNDETERMINED'],
    ['450 mailbox busy (#5.1.1)', 'BOUNCED_SOFT_UNDETERMINED'],
  ])('is read from the reply: %s, %s', (reply, expected) => {
    expect(classOf(reply)).toBe(expected);
  });

  it('is a known one for any reply, and hard only if the reply is permanent or states so', () => {
    const categoryPattern =
      /^BOUNCED_(HARD_(GENERAL|UNDETERMINED|SUPPRESSED|MAILBOX_(FULL|INACTIVE))|SOFT_[A-Z_]+|UNDETERMINED)$/;
    const words = fc.constantFrom('spam', 'attachment', 'suppressed', '5.1.1', '4.2.2', '5.2.1', '\u0000', '5.', 'no');
    const texts = fc.array(fc.oneof(words, fc.string()), { maxLength: 6 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), texts, (status, text) => {
        const reply = smtpReplyOf(status, text);
        const category = bounceOf(reply);
        expect(category).toMatch(categoryPattern);
        const isPermanent = reply.enhanced === '' ? status >= 500 : reply.enhanced.startsWith('5');
        if (isHardBounce(category)) expect(isPermanent || /suppress/i.test(text)).toBe(true);
        expect(smtpResult('recipient', status, text).category).toMatch(/^(SENT|PROVIDER_ERROR|INVALID_CONFIGURATION)$/);
      }),
    );
  });

  it('puts the address on the blacklist if it is hard', () => {
    expect(['BOUNCED_HARD_GENERAL', 'BOUNCED_SOFT_SPAM', 'BOUNCED_UNDETERMINED'].filter(isHardBounce)).toEqual([
      'BOUNCED_HARD_GENERAL',
    ]);
  });
});

describe('a reply of a mail server', () => {
  const resultOf = (...reply: Parameters<typeof smtpResult>): string => {
    const { category, code, name, bounce = '', then } = smtpResult(...reply);
    return [category, code, name, bounce, then.do].filter((part) => part !== '').join(' ');
  };

  it.each([
    ['recipient', 550, '5.1.1 x', 'SENT 550 5.1.1 BOUNCED_HARD_GENERAL sent'],
    ['content', 451, '4.3.0 x', 'SENT 451 4.3.0 BOUNCED_SOFT_GENERAL retry'],
    ['content', 421, 'x', 'PROVIDER_ERROR 421 retry'],
    ['greeting', 554, 'x', 'PROVIDER_ERROR 554 retry'],
    ['login', 454, '4.7.0 x', 'INVALID_CONFIGURATION 454 4.7.0 final'],
    ['login', 535, '5.7.8 x', 'INVALID_CONFIGURATION 535 5.7.8 final'],
    ['sender', 530, 'x', 'INVALID_CONFIGURATION 530 final'],
    ['sender', 553, '5.7.1 x', 'INVALID_CONFIGURATION 553 5.7.1 final'],
    ['sender', 451, '4.3.2 x', 'PROVIDER_ERROR 451 4.3.2 retry'],
    ['recipient', 530, '5.7.0 x', 'INVALID_CONFIGURATION 530 5.7.0 final'],
  ] as const)('is classified for the stage %s: %i %s', (stage, status, text, expected) => {
    expect(resultOf(stage, status, text)).toBe(expected);
  });

  it('shares one value between equal results, however their texts differ', () => {
    expect(smtpResult('recipient', 550, '5.1.1 a')).toBe(smtpResult('recipient', 550, '5.1.1 b'));
    expect(smtpResult('recipient', 550, '5.7.1 a')).not.toBe(smtpResult('recipient', 550, '5.7.1 spam'));
  });
});
