import type { TagValue } from '@tidings/events/generated/tidings/events/v1/devices';
import { Platform } from '@tidings/kernel';
import { defaultTags } from '../default-tags.ts';
import type { DeviceAction } from './action.ts';
import { entriesIn } from './device.ts';
import { flag, given, list, register, registered, tagsChanged, token, tokenSet, write } from './testing/given.ts';
import { unsubscribesOf } from './unsubscribes.ts';

const { unsubscribedEmails, unsubscribedCategories } = defaultTags;
const address = 'anna@example.com';
const contact = (...tags: TagValue[]) => registered({ platform: Platform.Email, token: address, tags });

describe('unsubscribes (R-E14)', () => {
  const former = contact(flag(unsubscribedEmails, true), list(unsubscribedCategories, 'News', 'Offers'));
  const takeAddress: DeviceAction = {
    type: 'addressTaken',
    token: address,
    writes: unsubscribesOf([given(former).device()]),
  };

  it('follow an address to the contact that takes it, beside its own', () => {
    given(contact())
      .when(takeAddress)
      .then(tagsChanged(flag(unsubscribedEmails, true), list(unsubscribedCategories, 'News', 'Offers')));
    const tips = contact(list(unsubscribedCategories, 'Tips', 'News'));
    const followed = tagsChanged(
      flag(unsubscribedEmails, true),
      list(unsubscribedCategories, 'Tips', 'News', 'Offers'),
    );
    given(tips).when(takeAddress).then(followed);
    given(tips, followed).when(takeAddress).then();
    const values = [unsubscribedEmails, unsubscribedCategories].map(({ number }) =>
      entriesIn(given(tips, followed).device(), number).map(({ v }) => v),
    );
    expect(values).toEqual([[true], ['Tips', 'News', 'Offers']]);
  });

  it('do not follow to a contact that has got another address since', () => {
    const other = tokenSet('bert@example.com', Platform.Email);
    given(contact())
      .when(register({ platform: Platform.Email, token: token('bert@example.com') }))
      .then(other);
    given(contact(), other).when(takeAddress).then();
  });

  it('are empty for a contact that is subscribed to every mail', () => {
    given()
      .when(register({ platform: Platform.Email, token: token(address), writes: [write(unsubscribedEmails, false)] }))
      .then(contact(flag(unsubscribedEmails, false)));
    expect(unsubscribesOf([given(contact(flag(unsubscribedEmails, false))).device()])).toEqual([]);
  });
});
